import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { backoffDelay } from '../domain/core/backoff.ts';
import { messageOf } from '../domain/core/errors.ts';
import { apiVersionOf, type KubeObject } from '../domain/kubernetes/resource.ts';
import { applyManifests, bootstrapCluster } from '../kube/bootstrap.ts';
import type { Kube } from '../kube/kube.ts';
import type { Log } from '../observe/log.ts';
import { CATALOG_SOURCE } from '../domain/kubernetes/resource-types.ts';
import type { Cluster } from '../domain/kubernetes/cluster.ts';
import { OURS } from '../domain/kubernetes/names.ts';

export interface InstallInput {
  readonly kube: Kube;
  readonly repoRoot: string;
  readonly catalogDir: string;
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
  const chart = join(repoRoot, 'charts', 'chandlery');
  const files = { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml'), policies: policyFile(repoRoot) };
  const crds = await bootstrapCluster(kube, files, signal);
  if (adminGroups.length > 0) await applyManifests(kube, [adminBinding(adminGroups)], signal);
  await ensureFolderSource(kube.asController(), catalogDir, signal);
  return crds;
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
