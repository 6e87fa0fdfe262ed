import { LRUCache } from 'lru-cache';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { isSmall } from './is-small.ts';
import { ThreadHost } from '../../thread/thread-host.ts';
import type { ValuesVerdict } from './value-faults.ts';
import type { VALUES_JOBS } from './values-worker.ts';

interface ValuesToCheck {
  readonly schema: JsonObject;
  readonly values: JsonObject;
  /** Stands for the schema, such as the digest of its chart: what was too heavy is not tried again at once. */
  readonly id: string;
}

interface ValuesLimits {
  /** Milliseconds after which the thread is ended. */
  readonly timeoutMs: number;
  readonly memoryMib: number;
  /** Milliseconds for which a schema that took longer is left alone. */
  readonly restMs: number;
  readonly now: () => number;
}

/** Holds values against a foreign schema; never rejects. */
export type ValuesCheck = (question: ValuesToCheck) => Promise<ValuesVerdict>;

const LIMITS: ValuesLimits = { timeoutMs: 2_000, memoryMib: 256, restMs: 600_000, now: Date.now };
const MOST_REMEMBERED = 100;

/**
 * Makes a check that cannot hurt: each question has a thread of its own, one after the other, which is ended when it takes too long or too much memory.
 * Then the values count as unchecked, and so does that schema for a while; no other one is affected.
 */
export function createValuesCheck(limits: ValuesLimits = LIMITS): ValuesCheck {
  const { timeoutMs, memoryMib } = limits;
  const file = new URL('values-worker.ts', import.meta.url);
  const thread = new ThreadHost<typeof VALUES_JOBS>({ file, memoryMib, youngMib: 16, idleMs: 0 });
  const heavy = new LRUCache<string, number>({ max: MOST_REMEMBERED });
  let last: Promise<unknown> = Promise.resolve();
  return async ({ schema, values, id }) => {
    if (!isSmall(schema) || !isSmall(values)) return { faults: [], unchecked: 'the schema or the values are larger than the limits allow' };
    const answer = last.then(async () => {
      if ((heavy.get(id) ?? 0) > limits.now()) return tooHeavy(limits);
      const outcome = await thread.run('valueFaults', [schema, values], { timeoutMs });
      if (outcome.kind === 'Result') return outcome.result;
      heavy.set(id, limits.now() + limits.restMs);
      return tooHeavy(limits);
    });
    last = answer;
    return await answer;
  };
}

function tooHeavy({ timeoutMs }: ValuesLimits): ValuesVerdict {
  return { faults: [], unchecked: `the schema takes more than ${timeoutMs / 1000} s, or too much memory` };
}
