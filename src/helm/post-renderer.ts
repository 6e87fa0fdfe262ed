import { randomUUID } from 'node:crypto';
import type { Duplex } from 'node:stream';
import { AppError, type ErrorCode, isAppError } from '../domain/core/errors.ts';
import { redact } from '../domain/core/secret.ts';
import { RENDERED_BOUNDS } from '../domain/kubernetes/manifest.ts';
import { POST_RENDERER } from './home.ts';
import type { TransformInWorker } from './parse-in-worker.ts';
import type { PostRenderMode, TransformRules } from './transform.ts';

export interface PostRenderedRun<T> {
  readonly mode: PostRenderMode;
  /** For `uplift`. Default: none. */
  readonly rules?: TransformRules;
  /** What it is about, for the error. */
  readonly what: string;
  readonly secrets: readonly string[];
  readonly transform: TransformInWorker;
  /** Runs helm with more options, and gives the other end of its file descriptor 3 to `channel`. */
  readonly run: (options: readonly string[], channel: (stream: Duplex) => void) => Promise<T>;
}

/** Codes that a post-renderer may fail with. */
const CODES: readonly ErrorCode[] = ['UpliftFailed', 'ResourceNotAllowed', 'ObjectReserved'];
const TIMEOUT_MS = 60_000;

/**
 * Runs helm with a post-renderer: `post-renderer.sh` hands us the objects and helm our answer, so that no other program of ours has to start. In every mode Helm parses
 * the objects and writes them anew first. Helm drops what its plugins say when they fail, so the error says what failed here.
 *
 * @throws what the run throws; AppError `HelmFailed`, `UpliftFailed`, `ResourceNotAllowed` or `ObjectReserved` for what `transform` rejects.
 */
export async function postRendered<T>({ mode, rules, what, secrets, transform, run }: PostRenderedRun<T>): Promise<T> {
  // Nobody can guess it, so no chart ends its objects early.
  const end = randomUUID();
  let failure: unknown;
  const answer = async (stream: Duplex): Promise<void> => {
    try {
      const text = await readUntil(stream, `\n${end}\n`);
      if (text === undefined) return;
      stream.end(`ok\n${await transform(text, { mode, ...rules }, TIMEOUT_MS)}`);
    } catch (error) {
      failure = error;
      stream.end('failed\n');
    }
  };
  try {
    return await run(['--post-renderer', POST_RENDERER, '--post-renderer-args', end], (stream) => void answer(stream));
  } catch (error) {
    if (!isAppError(failure) || !isAppError(error, 'HelmFailed')) throw failure ?? error;
    const { code, message } = failure;
    throw new AppError(CODES.includes(code) ? code : 'HelmFailed', `helm ${what}: ${redact(message, secrets)}`, { cause: error });
  }
}

/**
 * What is written before the end; undefined when the stream closes before it. Reads no further than one release may be long, and then closes the stream.
 *
 * @throws AppError `InvalidInput` for more than that.
 */
async function readUntil(stream: Duplex, end: string): Promise<string | undefined> {
  const { bytes } = RENDERED_BOUNDS;
  const chunks: Buffer[] = [];
  let [size, tail] = [0, Buffer.alloc(0)];
  const { promise, resolve, reject } = Promise.withResolvers<string | undefined>();
  stream.on('data', (chunk: Buffer) => {
    chunks.push(chunk);
    size += chunk.length;
    tail = Buffer.concat([tail, chunk]).subarray(-end.length);
    if (tail.toString('latin1') === end) return resolve(Buffer.concat(chunks).toString('utf8').slice(0, -end.length));
    if (size <= bytes + end.length) return;
    reject(new AppError('InvalidInput', `the chart renders more than ${bytes / 1024 / 1024} MiB of objects`));
    stream.destroy();
  });
  // What ends the programs ends their ends of it in any order.
  stream.on('error', () => resolve(undefined));
  stream.once('close', () => resolve(undefined));
  return await promise;
}
