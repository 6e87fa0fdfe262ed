import { Worker } from 'node:worker_threads';
import type { KubeObject } from '../../domain/resource.ts';
import type { RulesAnswer } from './check-rules.ts';
import type { NewRule } from './new-rules.ts';

/** Checks objects against rules, a page of them at a time. */
export interface RuleChecker {
  check(objects: readonly KubeObject[]): Promise<RulesAnswer>;
  close(): Promise<void>;
}

export interface RuleCheckerInput {
  /** `openAPIV3Schema` of the version that the objects are in. */
  readonly schema: unknown;
  readonly rules: readonly NewRule[];
  /** Milliseconds that a page may take. */
  readonly timeoutMs: number;
}

const MEMORY_MIB = 256;

/**
 * Checks in a thread that is ended when a page takes too long: rules are foreign, and patterns in them can keep a program busy for ever. From then
 * on every rule counts as unchecked.
 */
export function startRuleChecker({ schema, rules, timeoutMs }: RuleCheckerInput): RuleChecker {
  if (rules.length === 0) return { check: async () => ({ broken: [], unchecked: [] }), close: async () => undefined };
  const worker = new Worker(new URL('rules-worker.ts', import.meta.url), {
    workerData: { schema, rules },
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
  });
  const nothing: RulesAnswer = { broken: [], unchecked: [...new Set(rules.map(({ message }) => message))].sort() };
  let ended = false;
  worker.once('exit', () => {
    ended = true;
  });
  worker.on('error', () => {
    ended = true;
  });
  const check = async (objects: readonly KubeObject[]): Promise<RulesAnswer> => {
    if (ended) return nothing;
    const answer = await answerOf(worker, objects, timeoutMs);
    if (answer !== undefined) return answer;
    ended = true;
    await worker.terminate();
    return nothing;
  };
  return { check, close: async () => void (await worker.terminate()) };
}

async function answerOf(worker: Worker, objects: readonly KubeObject[], timeoutMs: number): Promise<RulesAnswer | undefined> {
  const { promise, resolve } = Promise.withResolvers<RulesAnswer | undefined>();
  const timer = setTimeout(resolve, timeoutMs, undefined);
  const give = (answer: RulesAnswer): void => resolve(answer);
  const giveUp = (): void => resolve(undefined);
  worker.once('message', give).once('error', giveUp).once('exit', giveUp);
  worker.postMessage(objects);
  try {
    return await promise;
  } finally {
    clearTimeout(timer);
    worker.off('message', give).off('error', giveUp).off('exit', giveUp);
  }
}
