import { AppError, isAppError } from '../domain/core/errors.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { type JobOutcome, ThreadHost } from '../thread/thread-host.ts';
import type { PARSE_JOBS } from './parse-worker.ts';
import type { RevisionObjects } from './release-digest.ts';
import type { Transformation } from './transform.ts';

/**
 * The objects of what a chart rendered, parsed in a thread that is ended when it takes too long: the text is foreign, and large charts take seconds.
 * Throws AppError `HelmFailed` when it cannot be read, as a clause: the caller adds what was rendered.
 */
export type ParseInWorker = (text: string, timeoutMs: number) => Promise<KubeObject[]>;

/** What a post-renderer makes of what a chart rendered, in the same thread. Throws what `transform` throws, and AppError `HelmFailed` when the thread was ended. */
export type TransformInWorker = (text: string, how: Transformation, timeoutMs: number) => Promise<string>;

interface Parser {
  readonly parse: ParseInWorker;
  readonly transform: TransformInWorker;
  /** Reads `data.release` of the Secret of a revision in the same way. */
  readonly readRecord: (record: string, timeoutMs: number) => Promise<RevisionObjects>;
}

/** It counts for the whole process; what a release can hold takes less. */
const MEMORY_MIB = 256;
/** To start a thread costs more than to render a small chart, so some are kept for the next texts, so long. */
const IDLE_MS = 10_000;
/** As many as parse at once while many releases are made. */
const MAX_IDLE = 4;

/** Makes a parser; the threads that it keeps do not keep the process. */
export function createParser(): Parser {
  const file = new URL('parse-worker.ts', import.meta.url);
  const host = new ThreadHost<typeof PARSE_JOBS>({ file, memoryMib: MEMORY_MIB, idleMs: IDLE_MS, maxIdle: MAX_IDLE });
  type OnPart = (part: readonly KubeObject[]) => void;
  const objectsOf = async <R>(timeoutMs: number, ask: (onPart: OnPart) => Promise<JobOutcome<R>>) => {
    const objects: KubeObject[] = [];
    const outcome = await ask((part) => void objects.push(...part)).catch((error: unknown) => {
      throw isAppError(error) ? new AppError('HelmFailed', error.message) : error;
    });
    return { objects, result: resultOf(outcome, timeoutMs) };
  };
  return {
    parse: async (text, timeoutMs) => {
      const { objects } = await objectsOf(timeoutMs, (onPart) => host.run('parse', [text], { timeoutMs, onPart }));
      return objects;
    },
    readRecord: async (record, timeoutMs) => {
      const { objects, result } = await objectsOf(timeoutMs, (onPart) => host.run('readRecord', [record], { timeoutMs, onPart }));
      return { ...result, objects };
    },
    transform: async (text, how, timeoutMs) => resultOf(await host.run('transform', [text, how], { timeoutMs }), timeoutMs),
  };
}

function resultOf<R>(outcome: JobOutcome<R>, timeoutMs: number): R {
  switch (outcome.kind) {
    case 'Result':
      return outcome.result;
    case 'Late':
      throw new AppError('HelmFailed', `it could not be parsed in ${timeoutMs / 1000} s`);
    case 'OutOfMemory':
      throw new AppError('HelmFailed', `it takes more than ${MEMORY_MIB} MiB to parse`);
    case 'TooDeep':
      throw new AppError('HelmFailed', 'it is nested too deeply');
    case 'Died':
      throw outcome.why;
    default:
      return outcome satisfies never;
  }
}
