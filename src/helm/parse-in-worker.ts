import { Worker } from 'node:worker_threads';
import { AppError } from '../domain/core/errors.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';

/** What the thread answers: some of the objects, and whether more come when they are asked for; or a sentence about what is wrong with the text. */
export type ParseAnswer = { readonly objects: readonly KubeObject[]; readonly more: boolean } | { readonly fault: string };
/** What the thread is asked: to parse a text, or for the next objects of it. */
export type ParseRequest = { readonly text: string } | { readonly next: true };

/**
 * The objects of what a chart rendered, parsed in a thread that is ended when it takes too long: the text is foreign, and large charts take seconds.
 * Throws AppError `HelmFailed` when it cannot be read, as a clause: the caller adds what was rendered.
 */
export type ParseInWorker = (text: string, timeoutMs: number) => Promise<KubeObject[]>;

/** It counts for the whole process; what a release can hold takes less. */
const MEMORY_MIB = 256;
/** To start a thread costs as much as to render a small chart, so one is kept for the next text, so long. */
const IDLE_MS = 10_000;

interface Idle {
  readonly thread: Thread;
  readonly timer: NodeJS.Timeout;
}

/** Makes a parser; the thread that it keeps does not keep the process. */
export function createParser(): ParseInWorker {
  let idle: Idle | undefined;
  const take = (): Thread => {
    const known = idle;
    idle = undefined;
    clearTimeout(known?.timer);
    return known === undefined || known.thread.ended() ? startThread() : known.thread;
  };
  const keep = (thread: Thread): void => {
    if (idle !== undefined) return thread.end();
    const forget = (): void => {
      idle = undefined;
      thread.end();
    };
    idle = { thread, timer: setTimeout(forget, IDLE_MS).unref() };
  };
  return async (text, timeoutMs) => {
    const thread = take();
    let answer: Parsed;
    try {
      answer = await thread.ask(text, timeoutMs);
    } catch (error) {
      thread.end();
      throw error;
    }
    keep(thread);
    if ('fault' in answer) throw new AppError('HelmFailed', answer.fault);
    return answer.objects;
  };
}

type Parsed = { readonly objects: KubeObject[] } | { readonly fault: string };

interface Thread {
  /** One text at a time. */
  ask(text: string, timeoutMs: number): Promise<Parsed>;
  ended(): boolean;
  end(): void;
}

function startThread(): Thread {
  const worker = new Worker(new URL('parse-worker.ts', import.meta.url), {
    env: {},
    resourceLimits: { maxOldGenerationSizeMb: MEMORY_MIB },
  });
  let asked = Promise.withResolvers<Parsed>();
  let objects: KubeObject[] = [];
  let ended = false;
  const giveUp = (error: unknown): void => {
    ended = true;
    asked.reject(error);
  };
  worker.on('message', (answer: ParseAnswer) => {
    if ('fault' in answer) return asked.resolve(answer);
    objects.push(...answer.objects);
    if (!answer.more) return asked.resolve({ objects });
    // To take them all at once would keep everybody else waiting.
    return void setImmediate(() => worker.postMessage({ next: true }));
  });
  worker.on('error', (error) => giveUp(failureOfParser(error)));
  worker.on('exit', (code) => giveUp(new AppError('HelmFailed', `the parser ended with ${code}`)));
  return {
    ask: async (text, timeoutMs) => {
      asked = Promise.withResolvers<Parsed>();
      objects = [];
      const late = new AppError('HelmFailed', `it could not be parsed in ${timeoutMs / 1000} s`);
      const timer = setTimeout(() => giveUp(late), timeoutMs);
      worker.ref();
      worker.postMessage({ text });
      try {
        return await asked.promise;
      } finally {
        clearTimeout(timer);
        worker.unref();
      }
    },
    ended: () => ended,
    end: () => void worker.terminate(),
  };
}

function failureOfParser(error: Error & { readonly code?: string }): Error {
  if (error.code !== 'ERR_WORKER_OUT_OF_MEMORY') return error;
  return new AppError('HelmFailed', `it takes more than ${MEMORY_MIB} MiB to parse`, { cause: error });
}
