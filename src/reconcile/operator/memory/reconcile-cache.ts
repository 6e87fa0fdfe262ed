import { isDeepStrictEqual } from 'node:util';
import type { ReconcileResult } from '../../../controller/controller.ts';
import { findCondition } from '../../../domain/kubernetes/condition.ts';
import { isAppError } from '../../../domain/core/errors.ts';
import type { KubeObject, ResourceRef } from '../../../domain/kubernetes/resource.ts';
import { findObject } from '../../find-object.ts';
import { lookUpChart, type ChartMemory } from '../charts/fetch-chart.ts';
import { CONFIG_MAP, SECRET } from '../kinds.ts';
import type { Chart, OperatorPorts } from '../ports.ts';
import type { Reads } from './operator-cache.ts';
import type { Work } from '../work.ts';

/*
 * A look comes to the same end as the one before when all that it goes by is the same. So of an Operator in step it is kept what it went by, and the
 * next look only compares that: the objects, which are held in memory and never change in place, the chart that its source offers, and the version
 * of Kubernetes. Whatever differs has the Operator looked at as ever.
 */

/** Operators in step by their key, each with what the look went by that found it so. */
export type ReconcileCache = Map<string, Settled>;

interface SettledMemories {
  readonly settled: ReconcileCache;
  readonly charts: ChartMemory;
}

interface Look {
  readonly work: Work;
  readonly notes: ReadSet;
  readonly result: ReconcileResult;
}

interface Settled {
  readonly work: Omit<Work, 'ports' | 'signal'>;
  readonly questions: readonly Dependency[];
  readonly kubernetesVersion: string;
  readonly chart: Chart;
  readonly result: ReconcileResult;
}

/** Something that memory was asked, and whether it would answer the same today. */
type Dependency = () => Promise<boolean>;

/** Takes note of what a look asks for. */
export interface ReadSet {
  readonly reads: Reads;
  readonly kubernetesVersion: OperatorPorts['kubernetesVersion'];
  /** The version that was told; undefined when nobody asked. */
  version(): string | undefined;
  /** Undefined when something was asked for that a later look cannot compare. */
  questions(): readonly Dependency[] | undefined;
}

/**
 * @param readsFor gives the reads of memory, which ask the ones given for what they do not hold. Of those, only what the digest over the versions of
 *   references stands for can be compared later.
 */
export function recordReads({ ports, references, signal }: Work, readsFor: (live: Reads) => Reads): ReadSet {
  const questions: Dependency[] = [];
  let comparable = true;
  const live = <A extends readonly unknown[], R>(ask: (...args: A) => Promise<R>): ((...args: A) => Promise<R>) => {
    return (...args) => {
      comparable = false;
      return ask(...args);
    };
  };
  const { get, list, listMetadata } = ports.cluster;
  const memory = readsFor({ get: live(get), list: live(list), listMetadata: live(listMetadata) });
  const noted = (ask: Reads['list']): Reads['list'] => {
    return async (type, options) => {
      const answer = await ask(type, options);
      questions.push(async () => haveSame((await ask(type, options)).items, answer.items));
      return answer;
    };
  };
  const reads: Reads = {
    get: async (ref, options) => {
      if (references !== undefined && isReference(ref)) return await get(ref, options);
      const object = await memory.get(ref, options).catch((error: unknown) => {
        if (!isAppError(error, 'NotFound')) throw error;
        return error;
      });
      questions.push(async () => (await findObject(memory, ref, signal)) === (object instanceof Error ? undefined : object));
      if (object instanceof Error) throw object;
      return object;
    },
    list: noted(memory.list),
    listMetadata: noted(memory.listMetadata),
  };
  let version: string | undefined;
  const kubernetesVersion: ReadSet['kubernetesVersion'] = async (options) => (version = await ports.kubernetesVersion(options));
  return { reads, kubernetesVersion, version: () => version, questions: () => (comparable ? questions : undefined) };
}

/** Keeps what a look went by that found an Operator in step, where nothing of it depends on the time of day. */
export function rememberReconcile({ settled, charts }: SettledMemories, key: string, { work, notes, result }: Look): void {
  const { ports: _ports, signal: _signal, ...seen } = work;
  const { spec, status, generation } = work;
  const isReady = findCondition(status.conditions, 'Ready')?.status === 'True' && status.observedGeneration === generation;
  const isTimeless = spec.upgrade.window === undefined && spec.driftDetection.mode === 'Disabled';
  if (!isReady || !isTimeless || status.failures > 0 || result.requeueAfter !== spec.interval) return;
  const [questions, kubernetesVersion, chart] = [notes.questions(), notes.version(), charts.get(work.operator.metadata.uid ?? '')?.chart];
  if (questions === undefined || kubernetesVersion === undefined || chart === undefined) return;
  settled.set(key, { work: seen, questions, kubernetesVersion, chart, result });
}

/** How the last look ended, when this one would go by the very same; its source is asked for the chart as ever. */
export async function recallReconcile(
  { settled, charts }: SettledMemories,
  { ports, operator, signal }: Pick<Work, 'ports' | 'operator' | 'signal'>,
  key: string,
): Promise<ReconcileResult | undefined> {
  const known = settled.get(key);
  if (known === undefined) return undefined;
  const { work, questions, kubernetesVersion, chart, result } = known;
  const isSame = async (): Promise<boolean> =>
    work.operator === operator &&
    ports.references?.revisionOf(operator) === work.references &&
    (await ports.kubernetesVersion({ signal })) === kubernetesVersion &&
    (await areSame(questions)) &&
    isSameChart(await lookUpChart(charts, { ...work, ports, signal }), chart);
  // What goes wrong is told by a look in full.
  if (await isSame().catch(() => false)) return result;
  settled.delete(key);
  return undefined;
}

async function areSame(questions: readonly Dependency[]): Promise<boolean> {
  for (const isSame of questions) if (!(await isSame())) return false;
  return true;
}

function haveSame(items: readonly KubeObject[], others: readonly KubeObject[]): boolean {
  return items.length === others.length && items.every((item, index) => item === others[index]);
}

/** Its contents belong to its digest. */
function isSameChart({ contents: _contents, ...chart }: Chart, { contents: _before, ...before }: Chart): boolean {
  return isDeepStrictEqual(chart, before);
}

function isReference({ group, resource }: ResourceRef): boolean {
  return [SECRET, CONFIG_MAP].some((type) => type.group === group && type.resource === resource);
}
