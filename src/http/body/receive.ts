import type { Request, Response } from 'express';
import { AppError } from '../../domain/core/errors.ts';
import { contextOf } from '../request-context.ts';
import { createHeldBytes, type Account } from './held-bytes.ts';
import { createTurns } from './turns.ts';

const MIB = 1024 * 1024;
/** What this process holds of bodies at once; one form with a file has at most 8 MiB. */
const held = createHeldBytes({ all: 64 * MIB, each: 16 * MIB });
const turns = createTurns({ all: 4, waiting: 16 });
/** What is smaller is parsed in about a millisecond and waits for nobody. */
const LARGE = 64 * 1024;
const NOBODY = '';

/** How large a body may be, and what is said of a larger one. */
export interface BodyLimit {
  readonly bytes: number;
  readonly tooLarge: () => AppError;
}

/**
 * Hands the body on piece by piece as it arrives, within a limit. A large one is complete only when it is its turn: its sender's other large
 * requests wait until this one has been answered.
 *
 * @throws AppError `UnsupportedMediaType` for a compressed body, what the limit says for a larger one, `LimitReached` and `TooBusy` when too much
 * is on its way, `MalformedRequest` for one that ends before its time.
 */
export async function receive(req: Request, res: Response, limit: BodyLimit, take: (piece: Buffer) => void): Promise<void> {
  refuseCompressed(req, res);
  if (Number(req.get('Content-Length') ?? 0) > limit.bytes) throw limit.tooLarge();
  const owner = contextOf(res).actor?.user ?? NOBODY;
  const account = held.open(owner);
  res.once('close', account.close);
  const size = await pieces(req, { limit, account, take });
  if (size <= LARGE) return;
  const gone = new AbortController();
  res.once('close', () => gone.abort());
  const end = await turns.take(owner, gone.signal);
  if (res.closed) end();
  else res.once('close', end);
}

/** The whole body. */
export async function receiveWhole(req: Request, res: Response, limit: BodyLimit): Promise<Buffer> {
  const found: Buffer[] = [];
  await receive(req, res, limit, (piece) => void found.push(piece));
  return Buffer.concat(found);
}

/** Whether a body was sent at all, be it empty (RFC 9112, 6.3). */
export function hasBody(req: Request): boolean {
  return req.headers['transfer-encoding'] !== undefined || req.headers['content-length'] !== undefined;
}

/** A few bytes can become gigabytes, and nobody sends so little that it would be worth it. */
function refuseCompressed(req: Request, res: Response): void {
  const coding = (req.get('Content-Encoding') ?? 'identity').trim().toLowerCase();
  if (coding === 'identity' || coding === '') return;
  res.set('Accept-Encoding', 'identity');
  throw new AppError('UnsupportedMediaType', 'request: compressed bodies are not read: send it without "Content-Encoding"');
}

interface Receiving {
  readonly limit: BodyLimit;
  readonly account: Account;
  readonly take: (piece: Buffer) => void;
}

async function pieces(req: Request, { limit, account, take }: Receiving): Promise<number> {
  let size = 0;
  const { promise, resolve, reject } = Promise.withResolvers<void>();
  const onData = (piece: Buffer): void => {
    try {
      size += piece.length;
      if (size > limit.bytes) throw limit.tooLarge();
      account.add(piece.length);
      take(piece);
    } catch (error) {
      reject(error);
    }
  };
  const onClose = (): void => reject(new AppError('MalformedRequest', 'request: the body ended before its announced length'));
  req.on('data', onData).once('end', resolve).once('error', onClose).once('close', onClose);
  try {
    await promise;
    return size;
  } finally {
    req.off('data', onData).off('end', resolve).off('error', onClose).off('close', onClose);
    req.on('error', () => undefined);
  }
}
