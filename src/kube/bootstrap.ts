import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, isAppError, messageOf } from '../domain/core/errors.ts';
import { ifFound } from '../domain/kubernetes/cluster.ts';
import { afterYield } from '../domain/core/yield-to-event-loop.ts';
import { parseManifest } from '../domain/kubernetes/manifest.ts';
import { OBSERVER } from '../domain/environment/deployer.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import { booleanAt, listAt, textAt } from '../domain/core/read.ts';
import type { KubeObject, ServedKind } from '../domain/kubernetes/resource.ts';
import { CATALOG_TYPES } from './watch/catalog-cache.ts';
import { isOwnComposition } from '../domain/kubeplus/resource-composition.ts';
import { RESOURCE_COMPOSITION } from '../domain/kubernetes/resource-types.ts';
import type { Kube } from './kube.ts';
import { isAsWritten } from './is-as-written.ts';
import { isEstablished, restoreCrd } from './own-crds.ts';

type BootKube = Pick<Kube, 'asController' | 'find' | 'invalidate'>;

export interface BootstrapFiles {
  /** A folder of CustomResourceDefinitions, one YAML file each. */
  readonly crds: string;
  /** A YAML file of other objects, e.g. cluster roles. */
  readonly roles: string;
  /** A YAML file of the admission policies of Environments; absent: none are applied. */
  readonly policies?: string;
}

const ESTABLISHED_MS = 30_000;

/**
 * Brings to the cluster what Chandlery itself needs: its namespace, its kinds (and waits until they are served), its admission policies and then its roles.
 * All by server-side apply, so that it can run at every boot, and whenever something of it is lost. What is as its manifest says is only read: each write of a
 * CRD or policy makes the api-server compile its rules.
 *
 * @returns our CRDs as they are now.
 */
export async function bootstrapCluster(kube: BootKube, files: BootstrapFiles, signal: AbortSignal): Promise<readonly KubeObject[]> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OURS.systemNamespace } };
  await applyManifests(kube, [namespace], signal);
  const crds = await ensureCrds(kube, files.crds, signal);
  if (files.policies !== undefined) await applyChanged(kube, await readManifests(files.policies), signal);
  await applyRoles(kube, await readManifests(files.roles), signal);
  await allowObserver(kube, signal);
  return crds;
}

/** The objects that `bootstrapCluster` brings to a cluster. */
export async function readBootstrap({ crds, policies, roles }: BootstrapFiles): Promise<readonly KubeObject[]> {
  const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: OURS.systemNamespace } };
  const guards = policies === undefined ? [] : await readManifests(policies);
  return [namespace, ...(await readCrds(crds)), ...guards, ...(await readManifests(roles)), OBSERVER_BINDING];
}

/** Restores every CRD of a folder and waits until all of them are established and discovered. */
async function ensureCrds(kube: BootKube, folder: string, signal: AbortSignal): Promise<KubeObject[]> {
  const own = await withoutForeign(kube, await readCrds(folder), signal);
  const restored = await Promise.all(own.map((definition) => restoreCrd(kube.asController(), definition, signal)));
  await waitUntilServed(kube, restored, signal);
  return restored;
}

async function readCrds(folder: string): Promise<readonly KubeObject[]> {
  const files = (await readdir(folder)).filter((file) => /\.ya?ml$/.test(file)).sort();
  const definitions: KubeObject[] = [];
  for (const file of files) definitions.push(...(await readManifests(join(folder, file))));
  return definitions;
}

/** A KubePlus in the same cluster keeps its CRD, and Chandlery leaves its objects alone. */
async function withoutForeign(kube: BootKube, definitions: readonly KubeObject[], signal: AbortSignal): Promise<readonly KubeObject[]> {
  const name = `${RESOURCE_COMPOSITION.resource}.${RESOURCE_COMPOSITION.group}`;
  const live = await ifFound(kube.asController().get({ ...CATALOG_TYPES.customResourceDefinitions, name }, { signal }));
  return live === undefined || isOwnComposition(live) ? definitions : definitions.filter(({ metadata }) => metadata.name !== name);
}

/**
 * Applies the roles that are not there as they are in the file. An account without `escalate` cannot write them, so there they come with the chart of Chandlery.
 *
 * @throws AppError `Forbidden` that says so, when they are not those of this version.
 */
async function applyRoles(kube: BootKube, roles: readonly KubeObject[], signal: AbortSignal): Promise<void> {
  for (const role of roles) {
    const { name } = role.metadata;
    const state = await liveState(kube, role, signal);
    if (state === 'is as written') continue;
    try {
      await applyManifests(kube, [role], signal);
    } catch (error) {
      if (!isAppError(error, 'Forbidden')) throw error;
      const why = `ClusterRole "${name}": it ${state}, and Chandlery's account may not write it: upgrade the chart of Chandlery, or apply its files/cluster-roles.yaml as an admin`;
      throw new AppError('Forbidden', why, { cause: error });
    }
  }
}

const RBAC = 'rbac.authorization.k8s.io';

const OBSERVER_BINDING = {
  apiVersion: `${RBAC}/v1`,
  kind: 'ClusterRoleBinding',
  metadata: { name: OBSERVER.name, labels: { 'app.kubernetes.io/part-of': 'chandlery' } },
  subjects: [{ kind: 'ServiceAccount', ...OBSERVER }],
  roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name: OBSERVER.name },
};

/** Without the permission to bind the role, an admin decides about it; until then everybody reads environments by themselves. */
async function allowObserver(kube: BootKube, signal: AbortSignal): Promise<void> {
  try {
    await applyChanged(kube, [OBSERVER_BINDING], signal);
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
  }
}

/** Applies those objects that are not in the cluster as they are given. */
async function applyChanged(kube: BootKube, objects: readonly KubeObject[], signal: AbortSignal): Promise<void> {
  for (const object of objects) {
    if ((await liveState(kube, object, signal)) !== 'is as written') await applyManifests(kube, [object], signal);
  }
}

/** What a cluster-scoped object in the cluster is, beside its manifest. */
async function liveState(
  kube: BootKube,
  object: KubeObject,
  signal: AbortSignal,
): Promise<'is as written' | 'is missing' | 'is not the one of this version'> {
  const type = await servedType(kube, object, signal);
  const live = await ifFound(kube.asController().get({ ...type, name: object.metadata.name }, { signal }));
  if (live === undefined) return 'is missing';
  return isAsWritten(object, live) ? 'is as written' : 'is not the one of this version';
}

/** Applies objects in their order, taking over fields that others set: these objects are our own. */
export async function applyManifests(kube: BootKube, objects: readonly KubeObject[], signal: AbortSignal): Promise<void> {
  const cluster = kube.asController();
  for (const object of objects) {
    const type = await servedType(kube, object, signal);
    await cluster.apply(type, object, { fieldManager: OURS.fieldManager, force: 'force', signal });
  }
}

async function servedType(kube: BootKube, { apiVersion, kind, metadata }: KubeObject, signal: AbortSignal): Promise<ServedKind> {
  const served = await kube.find(apiVersion, kind, signal);
  if (served !== undefined) return served;
  throw new AppError('NotFound', `apply ${kind} "${metadata.name}": the cluster does not serve ${apiVersion}`);
}

/** The objects of a YAML file. @throws AppError `ConfigInvalid` that names the file. */
export async function readManifests(file: string): Promise<KubeObject[]> {
  try {
    const text = await readFile(file, 'utf8');
    return await afterYield(() => parseManifest(text));
  } catch (error) {
    throw new AppError('ConfigInvalid', `${file}: ${messageOf(error)}`, { cause: error });
  }
}

/** Waits until CRDs are established, and known to `kube`. */
async function waitUntilServed(kube: BootKube, definitions: readonly KubeObject[], signal: AbortSignal): Promise<void> {
  const latest = performance.now() + ESTABLISHED_MS;
  let waiting = definitions;
  for (;;) {
    const live = await Promise.all(waiting.map(async (crd) => (isReported(crd) ? crd : await reread(kube, crd, signal))));
    kube.invalidate();
    const served = await Promise.all(live.map(async (crd) => isReported(crd) && (await isServed(kube, crd, signal))));
    waiting = live.filter((_, index) => served[index] !== true);
    if (waiting.length === 0) return;
    const [first] = waiting;
    if (performance.now() > latest)
      throw new AppError(
        'ClusterUnavailable',
        `wait for the kind ${first?.metadata.name}: it is not served after ${ESTABLISHED_MS / 1000} s`,
      );
    await sleep(100, undefined, { signal });
  }
}

function isReported({ status }: KubeObject): boolean {
  return listAt(status, 'conditions').some(isEstablished);
}

async function reread(kube: BootKube, { metadata }: KubeObject, signal: AbortSignal): Promise<KubeObject> {
  return await kube.asController().get({ ...CATALOG_TYPES.customResourceDefinitions, name: metadata.name }, { signal });
}

async function isServed(kube: BootKube, definition: KubeObject, signal: AbortSignal): Promise<boolean> {
  const group = textAt(definition.spec, 'group') ?? '';
  const kind = textAt(definition.spec, 'names', 'kind') ?? '';
  const versions = listAt(definition.spec, 'versions')
    .filter((version) => booleanAt(version, 'served') === true)
    .map((version) => textAt(version, 'name') ?? '');
  const found = await Promise.all(versions.map((version) => kube.find(`${group}/${version}`, kind, signal)));
  return found.every((served) => served !== undefined);
}
