import type { SessionRecord } from '../domain/core/session.ts';

/** Where sessions are kept; keys are digests of the secrets that browsers hold. */
export interface SessionPort {
  get(key: string): Promise<SessionRecord | undefined>;
  put(key: string, record: SessionRecord): Promise<void>;
  /** Puts only over a session that is still there, so that a renewal cannot bring back one that has just ended. */
  replace(key: string, record: SessionRecord): Promise<boolean>;
  /** Marks a session as used, and touches nothing else of it. */
  touch(key: string, seenAt: number): Promise<void>;
  delete(key: string): Promise<void>;
  deleteOf(named: { readonly subject?: string; readonly issuerSession?: string }): Promise<number>;
}
