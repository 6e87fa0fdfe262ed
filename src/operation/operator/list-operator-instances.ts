import pMap from 'p-map';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { operatorView } from '../../domain/catalog/operator-view.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import {
  type InstanceCount,
  instanceKey,
  type OperatorInstance,
  type OperatorInstances,
} from '../../domain/operator/operator-instances.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from '../../domain/kubernetes/resource.ts';
import type { UnavailableKind } from '../../domain/tree/tree.ts';
import { findOperator, type OperatorAddress } from './find-operator.ts';
import { listEnvironments } from '../environment/find-environment.ts';
import { listKind } from '../instance/list-kind.ts';
import type { Ports } from '../ports.ts';
import { at, booleanAt, listAt, textAt } from '../../domain/core/read.ts';

/** All instances of an Operator's kinds, read as the actor, by their metadata alone. */
export async function listOperatorInstances(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  address: OperatorAddress,
): Promise<OperatorInstances> {
  const { crds } = operatorView(await findOperator(ports, actor, address));
  return await listCrdInstances(
    ports,
    actor,
    crds.map(({ name }) => name),
  );
}

/** All instances of the kinds that CustomResourceDefinitions of these names define, read as the actor, by their metadata alone. */
export async function listCrdInstances(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  names: readonly string[],
): Promise<OperatorInstances> {
  const served = servedCrds(ports, names);
  const [lists, environments] = await Promise.all([readInstances(ports, actor, served), listEnvironments(ports, actor)]);
  const byNamespace = new Map(environments.map(({ namespace, name }) => [namespace, name]));
  const instances = lists.flatMap(({ crd, items }) => items.map((item) => instanceOf(crd, item, byNamespace)));
  return { instances: instances.sort(byPlace), ...uncounted(lists) };
}

interface KindInstances {
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

/** Kinds that are counted for one page at most; whoever wants more asks for one Operator. */
const MAX_KINDS = 100;
const PAGE = 500;

/**
 * How many instances each kind has in the whole cluster, counted as the actor: one short list of metadata for each kind, because the api-server
 * tells how many follow.
 *
 * @param names of CustomResourceDefinitions; those beyond the first hundred, and those that are not served, have no count.
 */
export async function countInstances(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  names: readonly string[],
): Promise<ReadonlyMap<string, InstanceCount>> {
  const cluster = ports.clusters.asActor(actor);
  const crds = servedCrds(ports, [...new Set(names)].slice(0, MAX_KINDS));
  const counts = await pMap(crds, async (crd) => [crd.name, await countOf(cluster, crd)] as const, { concurrency: 8 });
  return new Map(counts);
}

async function countOf(cluster: Pick<Cluster, 'pages'>, crd: ServedCrd): Promise<InstanceCount> {
  try {
    return { count: await total(cluster, crd) };
  } catch (error) {
    if (isAppError(error, 'NotFound')) return { count: 0 };
    if (isAppError(error) && error.unanswered !== undefined) return { unavailable: error.faults[0]?.message ?? error.message };
    if (!isAppError(error, 'Forbidden')) throw error;
    return { missing: error.missing ?? { verb: 'list', group: crd.group, resource: crd.resource } };
  }
}

/** The first page tells how many follow; an api-server that keeps it to itself is read to the end. */
async function total(cluster: Pick<Cluster, 'pages'>, { group, version, resource }: ServedCrd): Promise<number> {
  let count = 0;
  for await (const { items, remaining } of cluster.pages({ group, version, resource }, { content: 'metadata', size: PAGE })) {
    count += items.length;
    if (remaining > 0) return count + remaining;
  }
  return count;
}

/** A definition that the api-server serves. */
interface ServedCrd extends ResourceType {
  /** `<plural>.<group>` */
  readonly name: string;
  readonly kind: string;
}

/** The served ones of the definitions with these names, in their order. */
export function servedCrds({ catalog }: Pick<Ports, 'catalog'>, names: readonly string[]): ServedCrd[] {
  const known = new Map(catalog.customResourceDefinitions().map((crd) => [crd.metadata.name, crd]));
  return names.flatMap((name) => {
    const crd = known.get(name);
    const version = crd === undefined ? undefined : servedVersion(crd);
    if (crd === undefined || version === undefined) return [];
    const [group, resource, kind] = [['group'], ['names', 'plural'], ['names', 'kind']].map((path) => textAt(crd.spec, ...path) ?? '');
    return [{ name, group: group ?? '', version, resource: resource ?? '', kind: kind ?? '' }];
  });
}

/** The storage version while it is served, else the first one that is. */
function servedVersion({ spec, status }: KubeObject): string | undefined {
  const established = listAt(status, 'conditions').some((one) => at(one, 'type') === 'Established' && at(one, 'status') === 'True');
  const served = listAt(spec, 'versions').filter((version) => booleanAt(version, 'served') === true);
  const version = served.find((one) => booleanAt(one, 'storage') === true) ?? served[0];
  return established ? textAt(version, 'name') : undefined;
}
