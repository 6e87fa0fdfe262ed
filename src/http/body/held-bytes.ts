import { AppError } from '../../domain/core/errors.ts';

/** The bytes of bodies that are in memory now, all requests together. */
export interface HeldBytes {
  /**
   * Begins the account of a request.
   *
   * @param owner whose request it is; those that nobody is known of share one.
   */
  open(owner: string): Account;
}

export interface Account {
  /** Adds bytes that have arrived. @throws AppError `LimitReached` or `TooBusy` when there would be too many; none are added then. */
  add(bytes: number): void;
  /** The request is over. */
  close(): void;
}

export interface HeldBytesLimits {
  readonly all: number;
  /** Of one owner. */
  readonly each: number;
}

const RETRY_SECONDS = 1;

/** Bounds the memory that bodies take, however many requests bring them at once. */
export function createHeldBytes({ all, each }: HeldBytesLimits): HeldBytes {
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
