import { createHash, randomUUID } from 'node:crypto';
import { open, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { chartError } from './chart-error.ts';
import { sizeOf } from './limits.ts';

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

/**
 * Writes a chart archive to a temporary file, and gives up at the first byte that cannot be one: what is too large is not read to its end, and
 * what is not gzip is not read at all.
 *
 * @throws AppError `ChartInvalid`, `ChartTooLarge`, and whatever the bytes throw; the file is removed then.
 */
export async function receive(incoming: Incoming, dir: string, maxBytes: number): Promise<Received> {
  const { address, answered } = incoming;
  if (incoming.length !== undefined && incoming.length > maxBytes) throw tooLarge(incoming, maxBytes);
  const path = join(dir, `.incoming-${randomUUID()}`);
  const file = await open(path, 'wx', 0o600);
  const hash = createHash('sha256');
  let size = 0;
  let start = Buffer.alloc(0);
  try {
    for await (const piece of incoming.bytes) {
      const chunk = Buffer.isBuffer(piece) ? piece : Buffer.from(piece as Uint8Array);
      size += chunk.length;
      if (size > maxBytes) throw tooLarge(incoming, maxBytes);
      if (start.length < 2) start = Buffer.concat([start, chunk.subarray(0, 2)]);
      if (start.length >= 2 && !isGzip(start)) throw notAnArchive(incoming);
      hash.update(chunk);
      await file.write(chunk);
    }
    if (size === 0) throw chartError('ChartInvalid', address, `${answered}, but the body is empty`);
    if (!isGzip(start)) throw notAnArchive(incoming);
    const digest = `sha256:${hash.digest('hex')}`;
    if (incoming.digest !== undefined && incoming.digest !== digest) {
      throw chartError(
        'DigestMismatch',
        address,
        `${answered} with the digest ${digest}, although it is listed as ${incoming.digest}; try again`,
      );
    }
    return { path, digest };
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await file.close();
  }
}

function isGzip(start: Buffer): boolean {
  return start[0] === 0x1f && start[1] === 0x8b;
}

function notAnArchive({ address, answered }: Incoming): Error {
  return chartError('ChartInvalid', address, `${answered}, not a gzip archive; give the address of the packed chart (.tgz) itself`);
}

function tooLarge({ address, answered }: Incoming, maxBytes: number): Error {
  return chartError('ChartTooLarge', address, `${answered} with more than the ${sizeOf(maxBytes)} that a packed chart may have`);
}
