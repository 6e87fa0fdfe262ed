import { expiryPhase, type ExpiryPhase } from '../../domain/environment/expiry.ts';
import { LAST_ENVIRONMENT } from '../../domain/environment/last-environment.ts';
import { hasFinalizer } from '../../domain/kubernetes/finalizers.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { conditionsOf, findCondition } from '../../domain/kubernetes/condition.ts';
import { ENVIRONMENT, NAMESPACE, OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import { formerNameOf } from '../../domain/kubernetes/moved-from.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { operatorsIn } from '../../domain/kubernetes/reserved-namespace.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { parseEnvironment, type EnvironmentSpec } from './environment-spec.ts';
import { findSuccessor, hasTaken } from './move.ts';
import type { EnvironmentPorts } from './ports.ts';
import { isToBeTaken, namespaceOwnershipOf, type NamespaceOwnership } from './namespace-ownership.ts';

/** All that the next action of an Environment depends on. */
export interface EnvironmentState {
  readonly environment: KubeObject;
  readonly spec: EnvironmentSpec;
  readonly finalizer: 'present' | 'missing';
  readonly deleting: 'deleting' | 'staying';
  readonly ownership: NamespaceOwnership;
  /** Only of one that is being deleted, and renamed. */
  readonly move?: EnvironmentMove;
  /** Absent for an Environment without an end. */
  readonly expiry?: ExpiryPhase;
  /** What would make it again if it were deleted: a CatalogSource, or another object. */
  readonly keeper?: string;
}

/** How far a renamed Environment has moved its namespace to the Environment of its new name. `Aborted`: that one has been deleted before. */
export type EnvironmentMove = { readonly kind: 'Begun' | 'Done'; readonly successor: KubeObject } | { readonly kind: 'Aborted' };

/** Reads what is. */
export async function readState(
  { cluster, settings, now }: Pick<EnvironmentPorts, 'cluster' | 'settings' | 'now'>,
  environment: KubeObject,
  signal: AbortSignal,
): Promise<EnvironmentState> {
  const spec = parseEnvironment(environment, settings);
  const keeper = keeperOf(environment);
  const namespace = await findNamespace(cluster, spec.namespace, signal);
  const ownership = namespaceOwnershipOf(environment, namespace, namespace && (await knownOf(cluster, environment, { namespace, signal })));
  const deleting = environment.metadata.deletionTimestamp === undefined ? 'staying' : 'deleting';
  const move = deleting === 'deleting' && namespace ? await moveOf(cluster, environment, { ownership, namespace, signal }) : undefined;
  return {
    environment,
    spec,
    finalizer: hasFinalizer(environment) ? 'present' : 'missing',
    deleting,
    ownership: await withOperators(cluster, { ownership, namespace: spec.namespace, signal }),
    ...(move === undefined ? {} : { move }),
    ...(spec.expiry === undefined ? {} : { expiry: expiryPhase(spec.expiry, now().getTime()) }),
    ...(keeper === undefined ? {} : { keeper }),
  };
}

interface Looked {
  readonly namespace: KubeObject;
  readonly signal: AbortSignal;
}

/** What else tells whose a namespace is, read only where it counts. */
async function knownOf(
  cluster: EnvironmentPorts['cluster'],
  environment: KubeObject,
  { namespace: { metadata }, signal }: Looked,
): Promise<Parameters<typeof namespaceOwnershipOf>[2]> {
  const formerName = formerNameOf(environment);
  const isFormers = formerName !== undefined && metadata.labels?.[OURS.environmentLabel] === formerName;
  const wasReserved = metadata.annotations?.[LAST_ENVIRONMENT] !== undefined;
  return {
    installation: wasReserved ? await readInstallation(cluster, signal) : undefined,
    former: isFormers ? await ifFound(cluster.get({ ...ENVIRONMENT, name: formerName }, { signal })) : undefined,
  };
}

async function moveOf(
  cluster: EnvironmentPorts['cluster'],
  environment: KubeObject,
  { ownership, namespace, signal }: Looked & { readonly ownership: NamespaceOwnership },
): Promise<EnvironmentMove | undefined> {
  if (ownership.kind !== 'Ours' && ownership.kind !== 'Foreign') return undefined;
  const { name } = environment.metadata;
  const successor = await findSuccessor(cluster, { name, namespace: namespace.metadata.name }, signal);
  if (ownership.kind === 'Foreign' && ownership.owner !== successor?.metadata.name) return undefined;
  if (successor !== undefined) return { kind: hasTaken(successor, namespace) ? 'Done' : 'Begun', successor };
  const ready = findCondition(conditionsOf(environment), 'Ready');
  return ready?.reason === 'Moving' ? { kind: 'Aborted' } : undefined;
}

function keeperOf({ metadata: { labels = {}, ownerReferences = [] } }: KubeObject): string | undefined {
  const source = labels[OURS.sourceLabel];
  const [owner] = ownerReferences;
  if (source !== undefined) return `CatalogSource ${source}`;
  return owner && `${owner.kind} ${owner.name}`;
}

interface Taking {
  readonly ownership: NamespaceOwnership;
  readonly namespace: string;
  readonly signal: AbortSignal;
}

/** The members of an Environment would reach the Secrets and the account of an Operator, so the two never share a namespace. */
async function withOperators(cluster: EnvironmentPorts['cluster'], { ownership, namespace, signal }: Taking): Promise<NamespaceOwnership> {
  if (!isToBeTaken(ownership)) return ownership;
  const operators = operatorsIn(namespace, (await cluster.list(OPERATOR, { signal })).items);
  return operators.length === 0 ? ownership : { kind: 'Occupied', operators };
}

async function findNamespace(cluster: EnvironmentPorts['cluster'], name: string, signal: AbortSignal): Promise<KubeObject | undefined> {
  return await ifFound(cluster.get({ ...NAMESPACE, name }, { signal }));
}

/** What tells this Chandlery on this cluster from all others: the uid of its namespace; undefined without one. */
export async function readInstallation(
  cluster: Pick<EnvironmentPorts['cluster'], 'get'>,
  signal: AbortSignal,
): Promise<string | undefined> {
  const system = await ifFound(cluster.get({ ...NAMESPACE, name: OURS.systemNamespace }, { answer: 'metadata', signal }));
  return system?.metadata.uid;
}
