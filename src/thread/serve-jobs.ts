import { parentPort } from 'node:worker_threads';
import { isAppError, type ErrorCode, type FieldFault } from '../domain/core/errors.ts';

/** What a thread can do. Arguments and results are copied from thread to thread. A generator answers in parts: what it yields, and then its result. */
export type Jobs = Readonly<Record<string, (...args: never[]) => unknown>>;

export type PartOf<F extends Jobs[string]> = ReturnType<F> extends Generator<infer P, unknown> ? P : never;
export type ResultOf<F extends Jobs[string]> = ReturnType<F> extends Generator<unknown, infer R> ? R : ReturnType<F>;

type WorkerRequest = { readonly job: string; readonly args: readonly never[] } | { readonly next: true };

/** What a thread says: that it can begin, a part, and then the result or the AppError that the job threw. Any other error ends the thread. */
export type Answer =
  | { readonly kind: 'Started' }
  | { readonly kind: 'Part'; readonly part: unknown }
  | { readonly kind: 'Result'; readonly result: unknown }
  | { readonly kind: 'Rejection'; readonly code: ErrorCode; readonly message: string; readonly faults: readonly FieldFault[] };

/** Makes a module the thread of a `ThreadHost`: does one job after the other. */
export function serveJobs(jobs: Jobs): void {
  let rest: Iterator<unknown> | undefined;
  const advance = (parts: Iterator<unknown>): Answer => {
    const { done, value } = parts.next();
    rest = done === true ? undefined : parts;
    return done === true ? { kind: 'Result', result: value } : { kind: 'Part', part: value };
  };
  const work = (request: WorkerRequest): Answer => {
    if ('next' in request) return rest === undefined ? { kind: 'Result', result: undefined } : advance(rest);
    const result = jobs[request.job]?.(...request.args);
    return isGenerator(result) ? advance(result) : { kind: 'Result', result };
  };
  parentPort?.on('message', (request: WorkerRequest) => say(answerOf(() => work(request))));
  parentPort?.on('messageerror', (error) => {
    throw error;
  });
  say({ kind: 'Started' });
}

function answerOf(work: () => Answer): Answer {
  try {
    return work();
  } catch (error) {
    if (!isAppError(error)) throw error;
    const { code, message, faults } = error;
    return { kind: 'Rejection', code, message, faults };
  }
}

function say(answer: Answer): void {
  parentPort?.postMessage(answer);
}

function isGenerator(value: unknown): value is Generator {
  return Object.prototype.toString.call(value) === '[object Generator]';
}
