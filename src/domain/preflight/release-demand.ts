import { parseQuantity, type Nanos } from '../core/quantity.ts';
import { at, isObject, listAt, numberAt, objectAt, textAt } from '../core/read.ts';
import { type KubeObject, parseApiVersion } from '../kubernetes/resource.ts';
import { podOf } from './as-dry-run-pod.ts';
import { CONTAINER_RESOURCES, type ClaimDemand, type ContainerDemand, type Demand } from './demand.ts';

/** The pods of one workload of a release. */
export interface PodSet {
  /** `Deployment web`. */
  readonly of: string;
  /** How many there are at a time; undefined: one on each node that takes it. */
  readonly count: number | undefined;
  /** Of a Pod. */
  readonly spec: unknown;
}

/** What a LimitRange gives to containers that name no amount of their own. */
export interface ContainerDefaults {
  readonly requests: Readonly<Record<string, unknown>>;
  readonly limits: Readonly<Record<string, unknown>>;
}

export type Amounts = Readonly<Record<string, Nanos>>;

/** The plural of each kind that the cluster serves, by `group/Kind`. */
export type Plurals = ReadonlyMap<string, string>;

const HOOK = 'helm.sh/hook';
const MAX_PODS = 1_000_000;

/**
 * What the objects of a release take of a quota, by the rules of Kubernetes: pods with their effective requests, volumes of claims and of StatefulSets, and the
 * number of objects of each kind, Helm's record of the revision among them. Hooks are left out, because they come and go, and so are the pods of CronJobs and DaemonSets.
 */
export function releaseDemand(objects: readonly KubeObject[], plurals: Plurals, defaults: ContainerDefaults): Demand {
  const lasting = objects.filter(isLasting);
  const sets = podSetsOf(lasting);
  const claims = lasting.flatMap(claimsOf);
  const counted = sets.filter((set): set is PodSet & { readonly count: number } => set.count !== undefined);
  return {
    containers: counted.flatMap(({ spec, count }) => containersOf(spec, count, defaults)),
    claims,
    pods: counted.reduce((sum, { count }) => sum + count, 0),
    objects: countsOf(lasting, plurals),
  };
}

/** The pods of workloads, hooks left out. */
export function podSetsOf(objects: readonly KubeObject[]): PodSet[] {
  return objects.filter(isLasting).flatMap((object) => {
    const pod = object.kind === 'Pod' ? object : podOf(object, '');
    if (pod === undefined || object.kind === 'CronJob') return [];
    return [{ of: `${object.kind} ${object.metadata.name}`, count: countOf(object), spec: pod.spec }];
  });
}

/** What containers get that name no amount, by the LimitRanges of a namespace. */
export function containerDefaults(limitRanges: readonly KubeObject[]): ContainerDefaults {
  const rules = limitRanges.flatMap(({ spec }) => listAt(spec, 'limits')).filter((rule) => textAt(rule, 'type') === 'Container');
  const merged = (part: string): Readonly<Record<string, unknown>> =>
    rules.reduce<Readonly<Record<string, unknown>>>((all, rule) => ({ ...all, ...objectAt(rule, part) }), {});
  const limits = merged('default');
  return { requests: { ...limits, ...merged('defaultRequest') }, limits };
}

/**
 * What the scheduler and quotas count for a pod: the sum of its containers and sidecars, or the largest init container with the sidecars before it, whichever is more;
 * what the pod itself names wins.
 */
export function podAmounts(spec: unknown, part: 'requests' | 'limits', defaults: ContainerDefaults): Amounts {
  const amounts = (container: unknown): Amounts => amountsOf(container, part, defaults);
  let sidecars: Amounts = {};
  let largest: Amounts = {};
  for (const container of listAt(spec, 'initContainers')) {
    const own = amounts(container);
    if (textAt(container, 'restartPolicy') === 'Always') sidecars = joined(sidecars, own, sum);
    largest = joined(largest, textAt(container, 'restartPolicy') === 'Always' ? sidecars : joined(sidecars, own, sum), max);
  }
  const running = listAt(spec, 'containers')
    .map(amounts)
    .reduce((all, one) => joined(all, one, sum), sidecars);
  return { ...joined(running, largest, max), ...parsed(objectAt(spec, 'resources', part)) };
}

function isLasting({ metadata }: KubeObject): boolean {
  return metadata.annotations?.[HOOK] === undefined;
}

function countOf({ kind, spec }: KubeObject): number | undefined {
  if (kind === 'DaemonSet') return undefined;
  if (kind === 'Pod') return 1;
  const wanted =
    kind === 'Job' ? Math.min(numberAt(spec, 'parallelism') ?? 1, numberAt(spec, 'completions') ?? MAX_PODS) : numberAt(spec, 'replicas');
  const count = wanted ?? 1;
  return Number.isInteger(count) && count >= 0 ? Math.min(count, MAX_PODS) : 0;
}

/** A limit alone is a request as well. */
function amountsOf(container: unknown, part: 'requests' | 'limits', defaults: ContainerDefaults): Amounts {
  const [requests, limits] = [objectAt(container, 'resources', 'requests'), objectAt(container, 'resources', 'limits')];
  return parsed(part === 'limits' ? { ...defaults.limits, ...limits } : { ...defaults.requests, ...limits, ...requests });
}

function parsed(group: Readonly<Record<string, unknown>>): Amounts {
  const read = Object.entries(group).flatMap(([key, text]) => {
    const value = parseQuantity(text);
    return value === undefined || value < 0n ? [] : [[key, value] as const];
  });
  return Object.fromEntries(read);
}

function joined(one: Amounts, other: Amounts, how: (a: Nanos, b: Nanos) => Nanos): Amounts {
  const keys = [...new Set([...Object.keys(one), ...Object.keys(other)])];
  return Object.fromEntries(keys.map((key) => [key, how(one[key] ?? 0n, other[key] ?? 0n)]));
}

function sum(a: Nanos, b: Nanos): Nanos {
  return a + b;
}

function max(a: Nanos, b: Nanos): Nanos {
  return a > b ? a : b;
}

/** One line for each resource of a pod: quotas count pods, not containers. */
function containersOf(spec: unknown, count: number, defaults: ContainerDefaults): ContainerDemand[] {
  const [requests, limits] = [podAmounts(spec, 'requests', defaults), podAmounts(spec, 'limits', defaults)];
  return CONTAINER_RESOURCES.flatMap((resource) => {
    const [request, limit] = [requests[resource], limits[resource]];
    if (request === undefined && limit === undefined) return [];
    return [
      {
        resource,
        count,
        ...(request === undefined ? {} : { request: { field: '', text: '', value: request } }),
        ...(limit === undefined ? {} : { limit: { field: '', text: '', value: limit } }),
      },
    ];
  });
}

function claimsOf(object: KubeObject): ClaimDemand[] {
  if (object.kind === 'PersistentVolumeClaim') return claimOf(object.spec, 1);
  if (object.kind !== 'StatefulSet') return [];
  const count = countOf(object) ?? 0;
  return listAt(object.spec, 'volumeClaimTemplates').flatMap((template) => claimOf(at(template, 'spec'), count));
}

function claimOf(spec: unknown, count: number): ClaimDemand[] {
  const value = parseQuantity(at(spec, 'resources', 'requests', 'storage')) ?? 0n;
  const storageClass = textAt(spec, 'storageClassName');
  return [{ size: { field: '', text: '', value }, count, ...(storageClass === undefined ? {} : { storageClass }) }];
}

/** By the keys of quotas: `count/deployments.apps`, and the older `services`, `services.nodeports` and so on. */
function countsOf(objects: readonly KubeObject[], plurals: Plurals): Readonly<Record<string, number>> {
  const counts = new Map<string, number>([
    ['secrets', 1],
    ['count/secrets', 1],
  ]);
  const add = (key: string, by: number): void => void counts.set(key, (counts.get(key) ?? 0) + by);
  for (const { apiVersion, kind, spec } of objects) {
    const { group } = parseApiVersion(apiVersion);
    const plural = plurals.get(`${group}/${kind}`);
    if (plural === undefined) continue;
    add(group === '' ? `count/${plural}` : `count/${plural}.${group}`, 1);
    if (group === '') add(plural, 1);
    if (group !== '' || kind !== 'Service' || !isObject(spec)) continue;
    const type = textAt(spec, 'type');
    if (type === 'LoadBalancer') add('services.loadbalancers', 1);
    if (type === 'LoadBalancer' || type === 'NodePort') add('services.nodeports', listAt(spec, 'ports').length);
  }
  return Object.fromEntries(counts);
}
