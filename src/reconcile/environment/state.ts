import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { NAMESPACE, OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { parseEnvironment, type EnvironmentSpec } from './environment-spec.ts';
import type { EnvironmentPorts } from './ports.ts';
import { isToBeTaken, operatorsIn, namespaceOwnershipOf, type NamespaceOwnership } from './namespace-ownership.ts';

/** All that the next action of an Environment depends on. */
export interface EnvironmentState {
  readonly environment: KubeObject;
  readonly spec: EnvironmentSpec;
  readonly guarded: 'guarded' | 'unguarded';
  readonly deleting: 'deleting' | 'staying';
  readonly ownership: NamespaceOwnership;
}

/** Reads what is. */
export async function readState(
  cluster: EnvironmentPorts['cluster'],
  environment: KubeObject,
  signal: AbortSignal,
): Promise<EnvironmentState> {
  const spec = parseEnvironment(environment);
  const namespace = await findNamespace(cluster, spec.namespace, signal);
  return {
    environment,
    spec,
    guarded: environment.metadata.finalizers?.includes(OURS.finalizer) === true ? 'guarded' : 'unguarded',
    deleting: environment.metadata.deletionTimestamp === undefined ? 'staying' : 'deleting',
    ownership: await withOperators(cluster, { ownership: namespaceOwnershipOf(environment, namespace), namespace: spec.namespace, signal }),
  };
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
