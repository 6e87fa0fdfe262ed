import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffDelay } from '../domain/core/backoff.ts';
import { messageOf } from '../domain/core/errors.ts';
import { apiVersionOf, type KubeObject } from '../domain/kubernetes/resource.ts';
import { applyManifests, bootstrapCluster, type BootstrapFiles, readBootstrap } from '../kube/bootstrap.ts';
import type { Kube } from '../kube/kube.ts';
import type { Log } from '../observe/log.ts';
import { CATALOG_SOURCE } from '../domain/kubernetes/resource-types.ts';
import type { Cluster } from '../domain/kubernetes/cluster.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import { lossReason } from '../kube/own-crds.ts';
import type { Reflector } from '../kube/watch/reflector.ts';

interface InstallInput {
  readonly kube: Kube;
  readonly repoRoot: string;
  /** Absent: no CatalogSource is made, and one that exists is left as it is. */
  readonly catalogDir?: string | undefined;
  /** Groups, as the api-server sees them, whose members are admins. */
  readonly adminGroups: readonly string[];
  readonly log: Log;
}

const BACKOFF = { first: 250, longest: 10_000 };

/**
 * Brings our kinds, roles and the catalogue source to the cluster, however long it is away. Resolves when all is there; throws only the
 * signal's reason.
 *
 * @returns our CRDs as they are now.
 */
export async function installCrdsAndRoles(input: InstallInput, signal: AbortSignal): Promise<readonly KubeObject[]> {
  let known = '';
  for (let failures = 1; ; failures += 1) {
    try {
      return await installOnce(input, signal);
    } catch (error) {
      signal.throwIfAborted();
      const delay = backoffDelay(failures, BACKOFF, Math.random());
      const why = messageOf(error);
      if (why !== known) input.log.warn('CRDs and roles are not installed yet; trying again', { why });
      known = why;
      await sleep(delay, undefined, { signal });
    }
  }
}

async function installOnce({ kube, repoRoot, catalogDir, adminGroups }: InstallInput, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const crds = await bootstrapCluster(kube, filesOf(repoRoot), signal);
  if (adminGroups.length > 0) await applyManifests(kube, [adminBinding(adminGroups)], signal);
  if (catalogDir !== undefined) await ensureFolderSource(kube.asController(), catalogDir, signal);
  return crds;
}

/** The objects that an installation consists of, besides the CatalogSource. */
export async function installedObjects({
  repoRoot,
  adminGroups,
}: Pick<InstallInput, 'repoRoot' | 'adminGroups'>): Promise<readonly KubeObject[]> {
  const objects = await readBootstrap(filesOf(repoRoot));
  return adminGroups.length === 0 ? objects : [...objects, adminBinding(adminGroups)];
}

function filesOf(repoRoot: string): Required<BootstrapFiles> {
  const chart = join(repoRoot, 'charts', 'chandlery');
  return { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml'), policies: policyFile(repoRoot) };
}

/** The admission policies of Environments. */
export function policyFile(repoRoot: string): string {
  return join(repoRoot, 'charts', 'chandlery', 'files', 'admission-policies.yaml');
}

function adminBinding(groups: readonly string[]) {
  const apiGroup = 'rbac.authorization.k8s.io';
  return {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: 'chandlery-demo-admin' },
    subjects: groups.map((name) => ({ kind: 'Group', apiGroup, name })),
    roleRef: { apiGroup, kind: 'ClusterRole', name: 'chandlery-admin' },
  };
}

/** The name of the CatalogSource for the folder that Chandlery was started with. */
const FOLDER_SOURCE = 'catalog';

/** Makes the CatalogSource `catalog` follow a folder; the other fields of one that exists are left as they are. */
async function ensureFolderSource(cluster: Pick<Cluster, 'apply'>, path: string, signal?: AbortSignal): Promise<void> {
  const source: KubeObject = {
    apiVersion: apiVersionOf(CATALOG_SOURCE),
    kind: 'CatalogSource',
    metadata: { name: FOLDER_SOURCE },
    spec: { folder: { path: resolve(path) } },
  };
  await cluster.apply(CATALOG_SOURCE, source, {
    fieldManager: OURS.fieldManager,
    force: 'force',
    ...(signal === undefined ? {} : { signal }),
  });
}

interface RestoreInput extends InstallInput {
  /** All CustomResourceDefinitions, live. */
  readonly definitions: Pick<Reflector, 'get' | 'onChange'>;
  /** Our own CRDs as they were brought to the cluster. */
  readonly installed: readonly KubeObject[];
}

/** How often our roles, and whatever else is not watched, are put right. */
const INTERVAL_MS = 5 * 60_000;

const SETTLE_MS = 500;

/** Brings what is ours back as soon as one of our CRDs is changed or deleted by somebody else, and every few minutes. Runs until the signal aborts. */
export async function restoreOwnCrds({ installed, ...input }: RestoreInput, signal: AbortSignal): Promise<void> {
  let known = installed;
  while (!signal.aborted) {
    const lost = await nextLoss(input, known, signal);
    if (signal.aborted) return;
    if (lost !== undefined) input.log.warn('A CRD of Chandlery was changed or deleted; restoring it', { ...lost });
    known = await installCrdsAndRoles(input, signal);
    // What is watched may be a moment behind, and would look lost once more.
    await sleep(SETTLE_MS, undefined, { signal }).catch(() => undefined);
    if (lost !== undefined) input.log.info('The CRDs of Chandlery are intact', { after: lost.crd });
  }
}

interface Loss {
  readonly crd: string;
  readonly why: string;
}

/** Resolves with the first of our CRDs that is not as it was brought, or with undefined when the interval is over. */
async function nextLoss(
  { definitions }: Pick<RestoreInput, 'definitions'>,
  known: readonly KubeObject[],
  signal: AbortSignal,
): Promise<Loss | undefined> {
  const byName = new Map(known.map((crd) => [crd.metadata.name, crd]));
  const found = Promise.withResolvers<Loss>();
  const look = (name: string): void => {
    const brought = byName.get(name);
    const why = brought === undefined ? undefined : lossOf(brought, definitions.get(name));
    if (why !== undefined) found.resolve({ crd: name, why });
  };
  const waiting = new AbortController();
  const unfollow = definitions.onChange(look);
  try {
    // A deletion that was seen while the last one was mended tells nothing any more.
    for (const name of byName.keys()) look(name);
    const over = sleep(INTERVAL_MS, undefined, { signal: AbortSignal.any([signal, waiting.signal]), ref: false }).catch(() => undefined);
    return await Promise.race([found.promise, over]);
  } finally {
    unfollow();
    waiting.abort();
  }
}

/** The generation counts changes of the spec; our own are in `brought`. What is watched may be a moment older than that. */
function lossOf(brought: KubeObject, live: KubeObject | undefined): string | undefined {
  const { uid, generation = 0 } = live?.metadata ?? {};
  const isOlder = uid === brought.metadata.uid && generation < (brought.metadata.generation ?? 0);
  if (isOlder) return undefined;
  if (live !== undefined && (uid !== brought.metadata.uid || generation !== brought.metadata.generation)) return 'somebody changed it';
  return lossReason(live);
}
