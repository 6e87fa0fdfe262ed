import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { createKeptReconciler, type KeepPorts } from '../../src/reconcile/keep/reconcile-kept.ts';

/** Thrown by a write that has taken effect, as if the process had ended after it. */
class Killed extends Error {}

type Call = (...input: unknown[]) => Promise<unknown>;
const WRITES = ['create', 'applyStatus', 'patch', 'delete'] as const;

/**
 * Carries out the record of a kept object by one process after the other, each of which ends after a write: in each step the first process after the first write,
 * the next one after the second, until one reaches the end of the step.
 *
 * @returns how many processes ended before that.
 */
export async function keepThroughKills(ports: KeepPorts, record: string): Promise<number> {
  let kills = 0;
  let step = { first: '', writes: 0 };
  const process = (): KeepPorts['cluster'] => {
    let done = 0;
    const counted = (name: string, write: Call): Call => {
      return async (...input) => {
        const first = stringifyJson([name, input[0], input[1]]);
        if (done === 0) step = { first, writes: first === step.first ? step.writes + 1 : 1 };
        const answer = await write(...input);
        done += 1;
        if (done === step.writes) throw new Killed();
        return answer;
      };
    };
    return { ...ports.cluster, ...Object.fromEntries(WRITES.map((name) => [name, counted(name, ports.cluster[name] as Call)])) };
  };
  for (;;) {
    const reconcile = createKeptReconciler({ ...ports, cluster: process() });
    try {
      const { requeueAfter } = await reconcile(`chandlery-system/${record}`, new AbortController().signal);
      if (requeueAfter === undefined) return kills;
    } catch (error) {
      if (error instanceof Killed) kills += 1;
      // Another controller has written the object in the meantime.
      else if (!isAppError(error, 'Conflict')) throw error;
    }
  }
}
