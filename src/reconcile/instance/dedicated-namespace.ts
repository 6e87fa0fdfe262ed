import { type AppDeployer, appDeployerOf } from '../../domain/app-definition/app-deployer.ts';
import { APP_DEFINITION_KIND } from '../../domain/app-definition/app-definition-kind.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { specOf } from '../../domain/kind/kind.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { NAMESPACE, ROLE_BINDING } from '../../domain/kubernetes/resource-types.ts';
import { applyAppDeployer } from '../environment/app-deployers.ts';
import { applyNamespace, applyObjects } from '../environment/apply-environment.ts';
import { environmentObjects } from '../environment/environment-objects.ts';
import { dedicatedSpec, type EnvironmentSpec, parseEnvironment } from '../environment/environment-spec.ts';
import { createNamespace, removeNamespace } from '../environment/namespace.ts';
import { remainsOf } from '../environment/namespace-ownership.ts';
import { isUnavailable } from '../helm-release/failure.ts';
import { untilGranted } from './keep-deployer.ts';
import { environmentOf } from './prerequisites.ts';
import type { DedicatedNamespace, Work } from './work.ts';

/** Looks whose the namespace is; undefined for an instance whose release is in its own. */
export async function findDedicatedNamespace(work: Work): Promise<DedicatedNamespace | undefined> {
  const { ports, release, instance, mode, signal } = work;
  if (mode === 'Shared') return undefined;
  const name = release.namespace;
  const namespace = await ifFound(ports.cluster.get({ ...NAMESPACE, name }, { signal }));
  if (namespace === undefined) return { kind: 'Missing' };
  const { labels = {}, deletionTimestamp } = namespace.metadata;
  // The label of the Environment is what policies guard the labels of a namespace by.
  const isOurs = labels[OURS.instanceUidLabel] === instance.metadata.uid && labels[OURS.environmentLabel] !== undefined;
  if (isOurs && deletionTimestamp === undefined) return { kind: 'Ours', namespace };
  if (isOurs) return { kind: 'Terminating', message: `namespace ${name} is being deleted. ${remainsOf(namespace)}`.trim() };
  const remedy = 'ask an admin to delete the namespace, or create the instance with another name';
  return { kind: 'Foreign', message: `namespace "${name}": it exists and is not that of this instance; ${remedy}` };
}

/**
 * Reserves the namespace. Of two that create it, only one gets it, which the next look finds out.
 *
 * @returns why that cannot be done, as `keepNamespace`.
 */
export async function reserveNamespace(work: Work): Promise<AppError | undefined> {
  const fault = await faultOf(work, async () => {
    const wanted = wantedNamespace(work);
    if (wanted === undefined) return;
    await createNamespace(work.ports.cluster, wanted.environment, { spec: wanted.spec, signal: work.signal });
  });
  return isAppError(fault, 'AlreadyExists') ? undefined : fault;
}

/** @throws AppError `Conflict` for what has moved on, `ClusterUnavailable` and such. */
async function faultOf({ signal }: Work, act: () => Promise<void>): Promise<AppError | undefined> {
  try {
    await act();
    return undefined;
  } catch (error) {
    signal.throwIfAborted();
    if (!(error instanceof AppError) || isUnavailable(error) || error.code === 'Conflict') throw error;
    return error;
  }
}

/** What was applied last to each namespace, by the uid of its instance. */
export type NamespaceMemory = Map<string, { readonly content: string; readonly appliedAt: number }>;

/** How often everything is put right again although nobody has changed anything. */
const DRIFT_MS = 5 * 60_000;

/**
 * Puts right what Chandlery makes in the namespace: the roles of the members of the Environment, the deployer and the policy, when one of them is to be another, or somebody has
 * changed something. Without an AppDefinition the policy stays as it is.
 *
 * @returns why that cannot be done; undefined when it is.
 * @throws AppError `ClusterUnavailable` and such, which say nothing about the namespace.
 */
export async function keepNamespace(memory: NamespaceMemory, work: Work, namespace: KubeObject): Promise<AppError | undefined> {
  const { ports, release, instance } = work;
  const { uid = '' } = instance.metadata;
  return await faultOf(work, async () => {
    const wanted = wantedNamespace(work);
    if (wanted === undefined) return;
    const content = stringifyJson([namespace.metadata.uid, wanted.environment.metadata.uid, wanted.policy, wanted.spec, wanted.deployer]);
    const known = memory.get(uid);
    const now = ports.now().getTime();
    const isChanged = ports.changedNamespaces.delete(release.namespace);
    if (!isChanged && known?.content === content && now - known.appliedAt < DRIFT_MS) return;
    memory.delete(uid);
    await applyWanted(work, wanted, namespace);
    memory.set(uid, { content, appliedAt: now });
  });
}

async function applyWanted(work: Work, { environment, spec, policy, deployer }: WantedNamespace, namespace: KubeObject): Promise<void> {
  const { ports, signal } = work;
  if (policy === 'known') {
    const deployers = deployer === undefined ? [] : [deployer];
    await applyNamespace(ports, { environment, namespace, spec, deployers: () => ({ deployers, isListed: true }) }, signal);
    if (deployer === undefined) return;
    await applyAppDeployer(ports.cluster, { environment, spec }, { deployer, signal });
    await untilGranted(work, deployer);
    return;
  }
  const objects = environmentObjects(environment, spec).filter(({ type }) => type === ROLE_BINDING);
  await applyObjects(ports, { namespace: spec.namespace, types: [ROLE_BINDING], objects }, signal);
}

interface WantedNamespace {
  readonly environment: KubeObject;
  readonly spec: EnvironmentSpec;
  /** `unknown`: the AppDefinition is gone. */
  readonly policy: 'known' | 'unknown';
  /** Absent where the app has no account of its own. */
  readonly deployer?: AppDeployer;
}

/** What the namespace is to be; undefined where no Environment has the instance. */
function wantedNamespace({ ports, kind, instance, namespace, release }: Work): WantedNamespace | undefined {
  const environment = environmentOf(ports.environments.all(), namespace);
  if (environment === undefined) return undefined;
  const definition = ports.definitions.get(kind.definition);
  const policy = definition === undefined ? {} : specOf(APP_DEFINITION_KIND, definition).policy;
  const dedicated = { namespace: release.namespace, dedicatedTo: instance.metadata.uid ?? '', policy };
  const spec = dedicatedSpec(parseEnvironment(environment, ports.environmentSettings), dedicated);
  const deployer = definition && appDeployerOf(definition);
  return { environment, spec, policy: definition === undefined ? 'unknown' : 'known', ...(deployer === undefined ? {} : { deployer }) };
}

/** Asks for the deletion of the namespace with everything in it. */
export async function deleteNamespace({ ports, signal }: Work, namespace: KubeObject): Promise<void> {
  await ifFound(removeNamespace(ports.cluster, { namespace, signal }));
}
