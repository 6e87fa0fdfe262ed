import { Worker } from 'node:worker_threads';
import type { InstanceFault } from '../../domain/upgrade/crd-safety/finding.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { RulesAnswer } from '../rules/check-rules.ts';
import type { NewRule } from '../rules/new-rules.ts';

/** What objects are held against. */
export interface CheckerSubject {
  /** `openAPIV3Schema` of the version that the objects are in. */
  readonly schema: unknown;
  /** What paths of faults begin with. */
  readonly prefix: string;
  readonly rules: readonly NewRule[];
}

/** What the thread says of a page of objects, in this order. */
export type CheckerMessage = { readonly faults: readonly InstanceFault[] } | { readonly rules: RulesAnswer };

export interface PageAnswer {
  /** By the schema: the first fault of each object that has one. */
  readonly faults: readonly InstanceFault[];
  readonly rules: RulesAnswer;
}

/** Checks objects, a page of them at a time. */
export interface StoredChecker {
  /** Undefined: the schema takes too long, for these and for all that come. */
  check(objects: readonly KubeObject[]): Promise<PageAnswer | undefined>;
  close(): Promise<void>;
}

const MEMORY_MIB = 256;

/**
 * Checks in a thread that is ended when a page takes too long: schemas and rules are foreign, and can keep a program busy for ever. Rules that do count
 * as unchecked from then on.
 *
 * @param timeoutMs that a page may take
 */
export function startStoredChecker({ schema, prefix, rules: all }: CheckerSubject, timeoutMs: number): StoredChecker {
  let worker: Worker | undefined;
  let rules = all;
  let isOver = false;
  const skipped = (): RulesAnswer => ({ broken: [], unchecked: rules.length === 0 ? messagesOf(all) : [] });
  const end = async (): Promise<void> => {
    await worker?.terminate();
    worker = undefined;
  };
  const check = async (objects: readonly KubeObject[]): Promise<PageAnswer | undefined> => {
    if (isOver) return undefined;
    if (objects.length === 0) return { faults: [], rules: skipped() };
    worker ??= startWorker({ schema, prefix, rules });
    const { faults, rules: answer } = await askWorker(worker, objects, timeoutMs);
    if (answer === undefined) {
      await end();
      rules = [];
      isOver = faults === undefined;
    }
    return faults === undefined ? undefined : { faults, rules: answer === undefined || rules.length === 0 ? skipped() : answer };
  };
  return { check, close: end };
}

function messagesOf(rules: readonly NewRule[]): string[] {
  return [...new Set(rules.map(({ message }) => message))].sort();
}

function startWorker(workerData: CheckerSubject): Worker {
  const worker = new Worker(new URL('stored-worker.ts', import.meta.url), {
    workerData,
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
  });
  // Whoever asked is told by the end of the thread; nobody asks between pages.
  worker.on('error', () => undefined);
  return worker;
}

/** As much of the answer as came in time. */
async function askWorker(worker: Worker, objects: readonly KubeObject[], timeoutMs: number): Promise<Partial<PageAnswer>> {
  const { promise, resolve } = Promise.withResolvers<void>();
  let answer: Partial<PageAnswer> = {};
  const give = (message: CheckerMessage): void => {
    answer = { ...answer, ...message };
    if ('rules' in message) resolve();
  };
  const timer = setTimeout(resolve, timeoutMs);
  worker.on('message', give).once('exit', resolve);
  worker.postMessage(objects);
  try {
    await promise;
    return answer;
  } finally {
    clearTimeout(timer);
    worker.off('message', give).off('exit', resolve);
  }
}
