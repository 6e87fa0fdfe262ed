import type { Request, RequestHandler, Response } from 'express';
import { AppError } from '../../domain/core/errors.ts';
import { contextOf } from '../request-context.ts';

/** Lets one large request of each person be worked on at a time, and few of all people. */
interface Turns {
  /**
   * Resolves when it is the request's turn, with the function that ends it.
   *
   * @param signal aborts when the request has gone: it leaves the queue.
   * @throws AppError `LimitReached` when too many of the owner's wait already.
   */
  take(owner: string, signal: AbortSignal): Promise<() => void>;
}

interface TurnsLimits {
  /** At once, of different owners. */
  readonly all: number;
  /** Of one owner that wait. */
  readonly waiting: number;
}

interface Waiting {
  readonly owner: string;
  readonly start: () => void;
}

/** The bytes of bodies that are in memory now, all requests together. */
interface HeldBytes {
  /**
   * Begins the account of a request.
   *
   * @param owner whose request it is; those that nobody is known of share one.
   */
  open(owner: string): Account;
}

interface Account {
  /** Adds bytes that have arrived. @throws AppError `LimitReached` or `TooBusy` when there would be too many; none are added then. */
  add(bytes: number): void;
  /** The request is over. */
  close(): void;
}

interface HeldBytesLimits {
  readonly all: number;
  /** Of one owner. */
  readonly each: number;
}

const RETRY_SECONDS = 1;

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
  rejectCompressed(req, res);
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
function rejectCompressed(req: Request, res: Response): void {
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

/** Bounds the memory that bodies take, however many requests bring them at once. */
function createHeldBytes({ all, each }: HeldBytesLimits): HeldBytes {
  const byOwner = new Map<string, number>();
  let total = 0;
  const change = (owner: string, bytes: number): void => {
    total += bytes;
    const left = (byOwner.get(owner) ?? 0) + bytes;
    if (left === 0) byOwner.delete(owner);
    else byOwner.set(owner, left);
  };
  return {
    open: (owner) => {
      let own = 0;
      return {
        add: (bytes) => {
          if ((byOwner.get(owner) ?? 0) + bytes > each) {
            const message = 'requests: you are sending too many large bodies at once: send one after the other';
            throw new AppError('LimitReached', message);
          }
          if (total + bytes > all) {
            const message = 'requests: the server is receiving too many large bodies: try again in a moment';
            throw new AppError('TooBusy', message, { retryAfter: RETRY_SECONDS });
          }
          change(owner, bytes);
          own += bytes;
        },
        close: () => {
          change(owner, -own);
          own = 0;
        },
      };
    },
  };
}

/** A queue in which each owner has one place: whoever sends a hundred large requests waits for themselves, not others for them. */
function createTurns({ all, waiting: mostWaiting }: TurnsLimits): Turns {
  const active = new Set<string>();
  const queue: Waiting[] = [];
  const next = (): void => {
    const at = active.size < all ? queue.findIndex(({ owner }) => !active.has(owner)) : -1;
    if (at < 0) return;
    const [first] = queue.splice(at, 1);
    if (first === undefined) return;
    active.add(first.owner);
    first.start();
  };
  const endOf = (owner: string) => (): void => {
    active.delete(owner);
    next();
  };
  return {
    take: (owner, signal) => {
      if (queue.filter((other) => other.owner === owner).length >= mostWaiting) {
        const message = 'requests: too many of your large bodies are waiting: send one after the other';
        throw new AppError('LimitReached', message);
      }
      const { promise, resolve, reject } = Promise.withResolvers<() => void>();
      const waiting: Waiting = { owner, start: () => resolve(endOf(owner)) };
      const leave = (): void => {
        const at = queue.indexOf(waiting);
        if (at < 0) return;
        queue.splice(at, 1);
        reject(new AppError('MalformedRequest', 'request: it was cancelled before its turn'));
      };
      signal.addEventListener('abort', leave, { once: true });
      queue.push(waiting);
      next();
      if (signal.aborted) leave();
      return promise;
    },
  };
}

/** Long enough for a browser to send the rest of a form, so that it reads the answer instead of a broken connection. */
const DRAIN_MS = 5_000;

/**
 * What is left of a body when the answer is out is thrown away as it comes, and the connection ends when that takes long: nobody is waited for who was
 * rejected.
 */
export function dropUnread(): RequestHandler {
  return (req, res, next) => {
    res.once('finish', () => {
      if (req.complete) return;
      const timer = setTimeout(() => req.socket.destroy(), DRAIN_MS).unref();
      const done = (): void => clearTimeout(timer);
      req.once('end', done).once('close', done);
      req.resume();
    });
    next();
  };
}
