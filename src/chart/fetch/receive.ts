import { createHash } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import { dirname } from 'node:path';
import { chartError } from '../chart-error.ts';
import { type ChartLimits, sizeOf } from '../limits.ts';
import { storageFault } from '../cache/file-store.ts';

/** Bytes on their way to us. */
export interface Incoming {
  readonly bytes: AsyncIterable<unknown>;
  /** Where they come from, for messages. */
  readonly address: string;
  /** What was answered, for messages: `answered 200 text/html`. */
  readonly answered: string;
  /** What the sender says the length is. */
  readonly length: number | undefined;
  /** What the sender says the digest is: `sha256:<hex>`. */
  readonly digest?: string;
  /** In a registry, the digest of the manifest that names these bytes. */
  readonly manifestDigest?: string;
}

export interface Received {
  readonly path: string;
  /** `sha256:<hex>` of the bytes. */
  readonly digest: string;
}

interface Receiving {
  /** The file to write; there is nothing yet. */
  readonly path: string;
  readonly maxBytes: number;
  readonly kind: 'chart' | 'artifact' | 'index';
}

/**
 * Writes a chart archive, or the index of a repository, to a file, and gives up at the first byte that cannot be right: what is too large is not read
 * to its end, and a chart that is not gzip is not read at all.
 *
 * @throws AppError `ChartInvalid`, `ChartTooLarge`, `ChartCacheFull`, and whatever the bytes throw; the file is removed then.
 */
export async function receive(incoming: Incoming, receiving: Receiving): Promise<Received> {
  const { path } = receiving;
  if (incoming.length !== undefined && incoming.length > receiving.maxBytes) throw tooLarge(incoming, receiving);
  try {
    const digest = await write(incoming, receiving);
    if (incoming.digest !== undefined && incoming.digest !== digest) {
      const why = `${incoming.answered} with the digest ${digest}, although it is listed as ${incoming.digest}; try again`;
      throw chartError('DigestMismatch', incoming.address, why);
    }
    return { path, digest };
  } catch (error) {
    await rm(path, { force: true });
    throw storageFault(error, dirname(path));
  }
}

/** Gives the digest of what was written. */
async function write(incoming: Incoming, receiving: Receiving): Promise<string> {
  const file = await open(receiving.path, 'wx', 0o600);
  try {
    const hash = createHash('sha256');
    let size = 0;
    let start = Buffer.alloc(0);
    for await (const piece of incoming.bytes) {
      const chunk = Buffer.isBuffer(piece) ? piece : Buffer.from(piece as Uint8Array);
      size += chunk.length;
      if (size > receiving.maxBytes) throw tooLarge(incoming, receiving);
      if (start.length < 2) start = Buffer.concat([start, chunk.subarray(0, 2)]);
      if (receiving.kind !== 'index' && start.length >= 2 && !isGzip(start)) throw notAnArchive(incoming);
      hash.update(chunk);
      await writeAll(file, chunk);
    }
    if (size === 0) throw chartError('ChartInvalid', incoming.address, `${incoming.answered}, but the body is empty`);
    if (receiving.kind !== 'index' && !isGzip(start)) throw notAnArchive(incoming);
    return `sha256:${hash.digest('hex')}`;
  } finally {
    await file.close();
  }
}

/** A disk that is almost full takes a part, and rejects the rest. */
async function writeAll(file: FileHandle, chunk: Buffer): Promise<void> {
  for (let done = 0; done < chunk.length;) done += (await file.write(chunk, done)).bytesWritten;
}

function isGzip(start: Buffer): boolean {
  return start[0] === 0x1f && start[1] === 0x8b;
}

function notAnArchive({ address, answered }: Incoming): Error {
  return chartError('ChartInvalid', address, `${answered}, not a gzip archive; give the address of the packed chart (.tgz) itself`);
}

function tooLarge({ address, answered }: Incoming, { maxBytes, kind }: Receiving): Error {
  const what = { chart: 'a packed chart', artifact: 'a packed artifact', index: 'the index of a repository' }[kind];
  return chartError('ChartTooLarge', address, `${answered} with more than the ${sizeOf(maxBytes)} that ${what} may have`);
}

/** The whole of a text that is not a chart: an index, a manifest. Throws AppError `ChartTooLarge`. */
export async function readText({ bytes, address, answered, length }: Incoming, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  const tooLarge = () => chartError('ChartTooLarge', address, `${answered} with more than the ${sizeOf(maxBytes)} that it may have`);
  if (length !== undefined && length > maxBytes) throw tooLarge();
  for await (const chunk of bytes) {
    chunks.push(chunk as Buffer);
    size += (chunk as Buffer).length;
    if (size > maxBytes) throw tooLarge();
  }
  return Buffer.concat(chunks).toString('utf8');
}

interface Bounded {
  readonly address: string;
  readonly limits: Pick<ChartLimits, 'totalMs'>;
  readonly signal: AbortSignal;
}

/**
 * Gives a task of several requests the time of one: a server that answers each a moment before its time is up cannot keep us for hours.
 *
 * @throws AppError `ChartUnreachable` when the time is over; the signal's reason when it aborts; what the task throws.
 */
export async function withinTotal<T>({ address, limits, signal }: Bounded, task: (bounded: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = AbortSignal.timeout(limits.totalMs);
  try {
    return await task(AbortSignal.any([signal, deadline]));
  } catch (error) {
    signal.throwIfAborted();
    if (deadline.aborted) throw chartError('ChartUnreachable', address, 'it took too long in all; try again later', error);
    throw error;
  }
}
