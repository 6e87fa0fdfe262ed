import { isObject, listAt, numberAt } from '../../core/read.ts';
import type { KubeObject } from '../../kubernetes/resource.ts';
import type { Health } from '../health.ts';
import { RUN } from './state-words.ts';

/** Members read of one object of a status. */
const MAX_MEMBERS = 100;

/** Parts that failed: `failedTasksCount: 1`, `degradedMachineCount: 1`. Attempts, checks and events of the past are none. */
const FAILED_COUNT =
  /^(failed|failing|degraded|unhealthy|errored|faulted)([A-Z]\w*)?$|^[a-z]\w*(Failed|Degraded|Unhealthy|Faulted|Failures)$|^(err|error)[A-Z]\w*$/;
const NO_PART = /(checks?|attempts?|retries|jobs|limit|time|times|at|since|generation|revision|version|seconds|timestamp|threshold)$/i;

/** What a status counts: parts that failed, and parts that are there of those that are wanted; undefined when it counts nothing. */
export function countsHealth(object: KubeObject): Health | undefined {
  return failedParts(object) ?? missingParts(object);
}

/** Parts of a kind that runs once may fail and be tried again. */
function failedParts({ kind, status }: KubeObject): Health | undefined {
  if (RUN.test(kind) || !isObject(status)) return undefined;
  const groups = [status, ...Object.values(status).filter(isObject)].slice(0, MAX_MEMBERS);
  for (const group of groups) {
    for (const [name, value] of Object.entries(group).slice(0, MAX_MEMBERS)) {
      if (typeof value === 'number' && value > 0 && FAILED_COUNT.test(name) && !NO_PART.test(name))
        return { status: 'Degraded', message: `${wordsOf(name)}: ${value}` };
    }
  }
  return undefined;
}

/** `failedTasksCount` → failed tasks. */
function wordsOf(name: string): string {
  return name
    .replace(/Count$/, '')
    .replaceAll(/([a-z])([A-Z])/g, '$1 $2')
    .toLowerCase();
}

type Pair = readonly [there: readonly string[], wanted: readonly string[]];

/** Members of a status that count what is there, and those of the same status that count what should be; the first number of each counts. */
const PAIRS: readonly Pair[] = [
  [
    ['readyReplicas', 'availableReplicas', 'readyPods'],
    ['desiredReplicas', 'replicas', 'pods'],
  ],
  [
    ['readyInstances', 'healthyInstances'],
    ['desiredInstances', 'instances'],
  ],
  [['readyMachineCount'], ['machineCount']],
  [['currentHealthy'], ['expectedMachines', 'desiredHealthy']],
  [['readyWorkerReplicas', 'availableWorkerReplicas'], ['desiredWorkerReplicas']],
  [['currentNodesRealized'], ['desiredNodesRealized']],
  [['availableNodes'], ['expectedNodes', 'count', 'desiredNodes']],
  [['readyMembers'], ['members']],
  [['readyClusters'], ['desiredReadyClusters']],
  [['numberReady', 'numberAvailable'], ['desiredNumberScheduled']],
  [
    ['ready', 'available'],
    ['desired', 'desiredReady', 'size', 'total', 'wanted', 'expected'],
  ],
];

/** By what is there of what is wanted; Healthy where all is. */
function missingParts(object: KubeObject): Health | undefined {
  const { spec, status } = object;
  const wanted = numberAt(spec, 'replicas');
  const first = pairIn(status, wanted);
  if (first !== undefined) return first;
  const members = pairOfInstances(object);
  if (members !== undefined) return members;
  return fractionIn(status) ?? listedParts(status);
}

function pairIn(status: unknown, specified: number | undefined): Health | undefined {
  for (const [index, [there, wanted]] of PAIRS.entries()) {
    const count = firstNumber(status, there);
    const all = (index === 0 ? specified : undefined) ?? firstNumber(status, wanted);
    if (count !== undefined && all !== undefined) return judged(count, all);
  }
  return undefined;
}

/** `spec.instances: 3` with one of them in the status. */
function pairOfInstances({ spec, status }: KubeObject): Health | undefined {
  const [count, all] = [numberAt(status, 'readyInstances') ?? numberAt(status, 'instances'), numberAt(spec, 'instances')];
  return count === undefined || all === undefined ? undefined : judged(count, all);
}

function firstNumber(value: unknown, names: readonly string[]): number | undefined {
  return names.map((name) => numberAt(value, name)).find((found) => found !== undefined);
}

function judged(count: number, all: number): Health {
  return {
    status: count < all ? 'Progressing' : 'Healthy',
    message: `${count} of ${all} ${all === 1 ? 'replica is' : 'replicas are'} ready`,
  };
}

const FRACTION = /^(\d{1,9})\/(\d{1,9})$/;

/** A text such as `statusReplicas: 1/3`, in the status or one level below. */
function fractionIn(status: unknown): Health | undefined {
  if (!isObject(status)) return undefined;
  for (const group of [status, ...Object.values(status).filter(isObject)].slice(0, MAX_MEMBERS)) {
    for (const [name, value] of Object.entries(group).slice(0, MAX_MEMBERS)) {
      const [, count, all] = (typeof value === 'string' && /ready|replicas|available/i.test(name) && FRACTION.exec(value)) || [];
      if (count !== undefined && all !== undefined) return judged(Number(count), Number(all));
    }
  }
  return undefined;
}

/** Parts that count for themselves: `instances: [{replicas: 2, readyReplicas: 1}]`; only what is missing says something. */
function listedParts(status: unknown): Health | undefined {
  if (!isObject(status)) return undefined;
  const parts = Object.values(status)
    .slice(0, MAX_MEMBERS)
    .flatMap((value) => listAt(value).slice(0, MAX_MEMBERS));
  const counted = parts.flatMap((part) => {
    const [count, all] = [numberAt(part, 'readyReplicas'), numberAt(part, 'replicas')];
    return count === undefined || all === undefined ? [] : [judged(count, all)];
  });
  return counted.find((health) => health.status !== 'Healthy');
}
