import { isDeepStrictEqual } from 'node:util';
import { parseQuantity, type Nanos } from '../core/quantity.ts';
import { at, isObject, listAt, numberAt, objectAt, textAt } from '../core/read.ts';
import { type KubeObject, parseApiVersion } from '../kubernetes/resource.ts';
import { podOf } from './as-dry-run-pod.ts';
import { CONTAINER_RESOURCES, type ClaimDemand, type ContainerDemand, type Demand } from './demand.ts';

/** The pods of one workload of a release. */
export interface PodSet {
  /** `Deployment web`. */
  readonly of: string;
  /** How many there are at a time, on each node that takes one, or in each run of a CronJob. */
  readonly count: number;
  readonly per: 'Release' | 'Node' | 'Run';
  /** Of a Pod. */
  readonly spec: unknown;
}

/** What a LimitRange gives to containers that name no amount of their own. */
export interface ContainerDefaults {
  readonly requests: Readonly<Record<string, unknown>>;
  readonly limits: Readonly<Record<string, unknown>>;
}

export type Amounts = Readonly<Record<string, Nanos>>;

/** What the objects of a release are measured with. */
export interface DemandContext {
  readonly plurals: Plurals;
  readonly defaults: ContainerDefaults;
  /** How many nodes take a pod; 0 where the nodes are not known. */
  readonly nodesFor: (podSpec: unknown) => number;
}

/** Pods that come for a time, beside those that a release has at rest. */
export interface TemporaryDemand {
  /** `A run of CronJob nightly`. */
  readonly of: string;
  readonly demand: Demand;
}

/** The plural of each kind that the cluster serves, by `group/Kind`. */
export type Plurals = ReadonlyMap<string, string>;

const HOOK = 'helm.sh/hook';
const MAX_PODS = 1_000_000;

/**
 * What the objects of a release take of a quota, by the rules of Kubernetes: pods with their effective requests, volumes of claims and of StatefulSets, and the
 * number of objects of each kind, Helm's record of the revision among them. Left out is what comes and goes: hooks, and the pods of CronJobs (see `temporaryDemands`).
 */
export function releaseDemand(objects: readonly KubeObject[], { plurals, defaults, nodesFor }: DemandContext): Demand {
  const lasting = objects.filter(isLasting);
  const counted = podSetsOf(lasting).filter(({ per }) => per !== 'Run');
  const pods = counted.map(({ spec, count, per }) => podsDemand(spec, per === 'Node' ? nodesFor(spec) : count, defaults));
  return {
    containers: pods.flatMap(({ containers }) => containers),
    claims: lasting.flatMap(claimsOf),
    pods: pods.reduce((sum, { pods: count }) => sum + count, 0),
    objects: countsOf(lasting, plurals),
  };
}

/**
 * The pods of each run of a CronJob, and those that a Deployment cannot be rolled out without: with a surge and no pod that may be unavailable, it waits until there is
 * room for one pod more.
 *
 * @param from what the release has now; only what is there already is rolled out.
 */
export function temporaryDemands(
  to: readonly KubeObject[],
  from: readonly KubeObject[],
  defaults: ContainerDefaults,
): readonly TemporaryDemand[] {
  const runs = podSetsOf(to).filter(({ per }) => per === 'Run');
  const rolledOut = podSetsOf(to.filter((object) => waitsForSurge(object) && isRolledOut(object, from)));
  return [
    ...runs.map(({ of, spec, count }) => ({ of: `A run of ${of}`, demand: podsDemand(spec, count, defaults) })),
    ...rolledOut.map(({ of, spec }) => ({ of: `The rollout of ${of}`, demand: podsDemand(spec, 1, defaults) })),
  ];
}

function isRolledOut(object: KubeObject, from: readonly KubeObject[]): boolean {
  const before = from.find(({ kind, metadata }) => kind === object.kind && metadata.name === object.metadata.name);
  return before !== undefined && !isDeepStrictEqual(at(before.spec, 'template'), at(object.spec, 'template'));
}

/** By default a quarter of the pods may be unavailable, rounded down, and a quarter may come before, rounded up. */
function waitsForSurge(object: KubeObject): boolean {
  const { kind, spec } = object;
  const replicas = countOf(object);
  if (kind !== 'Deployment' || replicas === 0 || textAt(spec, 'strategy', 'type') === 'Recreate') return false;
  const share = (name: string, round: (pods: number) => number): number => {
    const rolling = at(spec, 'strategy', 'rollingUpdate');
    return numberAt(rolling, name) ?? round((Number.parseFloat(textAt(rolling, name) ?? '25%') / 100) * replicas);
  };
  return share('maxUnavailable', Math.floor) === 0 && share('maxSurge', Math.ceil) > 0;
}

/** The pods of workloads, hooks left out. */
export function podSetsOf(objects: readonly KubeObject[]): PodSet[] {
  return objects.filter(isLasting).flatMap((object) => {
    const pod = object.kind === 'Pod' ? object : podOf(object, '');
    if (pod === undefined) return [];
    return [{ of: `${object.kind} ${object.metadata.name}`, count: countOf(object), per: PER[object.kind] ?? 'Release', spec: pod.spec }];
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

const PER: Readonly<Record<string, PodSet['per']>> = { DaemonSet: 'Node', CronJob: 'Run' };

function countOf({ kind, spec }: KubeObject): number {
  if (kind === 'Pod' || kind === 'DaemonSet') return 1;
  if (kind === 'CronJob' && at(spec, 'suspend') === true) return 0;
  const job = kind === 'CronJob' ? at(spec, 'jobTemplate', 'spec') : spec;
  const isJob = kind === 'Job' || kind === 'CronJob';
  const count = isJob ? Math.min(numberAt(job, 'parallelism') ?? 1, numberAt(job, 'completions') ?? MAX_PODS) : numberAt(spec, 'replicas');
  return Number.isInteger(count ?? 1) && (count ?? 1) >= 0 ? Math.min(count ?? 1, MAX_PODS) : 0;
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

function podsDemand(spec: unknown, count: number, defaults: ContainerDefaults): Demand {
  return { containers: containersOf(spec, count, defaults), claims: [], pods: count };
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
  const count = countOf(object);
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
