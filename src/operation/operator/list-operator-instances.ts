import pMap from 'p-map';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { operatorView } from '../../domain/catalog/operator-view.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import type { MissingPermission } from '../../domain/core/errors.ts';
import { instanceKey, type OperatorInstance, type OperatorInstances } from '../../domain/operator/operator-instances.ts';
import { apiVersionOf, type KubeObject } from '../../domain/kubernetes/resource.ts';
import type { UnavailableKind } from '../../domain/tree/tree.ts';
import { findOperator, type OperatorAddress } from './find-operator.ts';
import { listEnvironments } from '../environment/list-environments.ts';
import { listKind } from '../instance/list-kind.ts';
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
  return { instances: instances.sort(byPlace), ...uncounted(lists) };
}

export interface KindInstances {
  readonly crd: ServedCrd;
  /** Metadata alone. */
  readonly items: readonly KubeObject[];
  readonly missing?: MissingPermission;
  readonly unavailable?: UnavailableKind;
}

/** What is not in the lists: kinds that the actor may not list, and those that nobody can list now. */
export function uncounted(lists: readonly KindInstances[]): Pick<OperatorInstances, 'missing' | 'unavailable'> {
  return {
    missing: lists.flatMap(({ missing }) => (missing === undefined ? [] : [missing])),
    unavailable: lists.flatMap(({ unavailable }) => (unavailable === undefined ? [] : [unavailable])),
  };
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
  const { group, version, resource, kind } = crd;
  const list = await listKind(async (options) => (await cluster.listMetadata({ group, version, resource }, options)).items);
  switch (list.outcome) {
    case 'Listed':
      return { crd, items: list.items };
    case 'Forbidden':
      return { crd, items: [], missing: list.missing ?? { verb: 'list', group, resource } };
    case 'Unavailable':
      return { crd, items: [], unavailable: { kind, apiVersion: apiVersionOf(crd), message: list.message } };
    default:
      return list satisfies never;
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
