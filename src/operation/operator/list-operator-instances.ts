import pMap from 'p-map';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { operatorView } from '../../domain/catalog/operator-view.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { instanceKey, type OperatorInstance, type OperatorInstances } from '../../domain/operator/operator-instances.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { findOperator, type OperatorAddress } from './find-operator.ts';
import { listEnvironments } from '../environment/list-environments.ts';
import type { Ports } from '../ports.ts';
import { type ServedCrd, servedCrds } from './served-crds.ts';

/** All instances of an Operator's kinds, read as the actor, by their metadata alone. */
export async function listOperatorInstances(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  address: OperatorAddress,
): Promise<OperatorInstances> {
  const { crds } = operatorView(await findOperator(ports, actor, address));
  const served = servedCrds(
    ports,
    crds.map(({ name }) => name),
  );
  const [lists, environments] = await Promise.all([readInstances(ports, actor, served), listEnvironments(ports, actor)]);
  const byNamespace = new Map(environments.map(({ namespace, name }) => [namespace, name]));
  const instances = lists.flatMap(({ crd, items }) => items.map((item) => instanceOf(crd, item, byNamespace)));
  return { instances: instances.sort(byPlace), missing: lists.flatMap(({ missing }) => (missing === undefined ? [] : [missing])) };
}

export interface KindInstances {
  readonly crd: ServedCrd;
  /** Metadata alone. */
  readonly items: readonly KubeObject[];
  readonly missing?: MissingPermission;
}

/** The metadata of the instances of each kind, as the actor. */
export async function readInstances(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  crds: readonly ServedCrd[],
): Promise<readonly KindInstances[]> {
  const cluster = clusters.asActor(actor);
  return await pMap(crds, async (crd) => await readKind(cluster, crd), { concurrency: 8 });
}

async function readKind(cluster: Pick<Cluster, 'listMetadata'>, crd: ServedCrd): Promise<KindInstances> {
  const { group, version, resource } = crd;
  try {
    return { crd, items: (await cluster.listMetadata({ group, version, resource })).items };
  } catch (error) {
    if (isAppError(error, 'NotFound')) return { crd, items: [] };
    if (!isAppError(error, 'Forbidden')) throw error;
    return { crd, items: [], missing: error.missing ?? { verb: 'list', group, resource } };
  }
}

function instanceOf(crd: ServedCrd, { metadata }: KubeObject, environments: ReadonlyMap<string, string>): OperatorInstance {
  const { namespace, name, creationTimestamp = '', deletionTimestamp, finalizers = [] } = metadata;
  const environment = namespace === undefined ? undefined : environments.get(namespace);
  return {
    app: crd.name,
    kind: crd.kind,
    ...(namespace === undefined ? {} : { namespace }),
    ...(environment === undefined ? {} : { environment }),
    name,
    created: creationTimestamp,
    ...(deletionTimestamp === undefined ? {} : { deletingSince: deletionTimestamp }),
    finalizers,
  };
}

function byPlace(a: OperatorInstance, b: OperatorInstance): number {
  return instanceKey(a) < instanceKey(b) ? -1 : 1;
}
