import { LRUCache } from 'lru-cache';
import { randomUUID } from 'node:crypto';
import { setTimeout as sleep } from 'node:timers/promises';
import { type AppError, isAppError } from '../domain/core/errors.ts';
import type { SessionRecord } from '../domain/core/session.ts';
import { isFaultOfOneRequest } from './issuer-errors.ts';

/** Where sessions are kept; keys are digests of the secrets that browsers hold. */
export interface SessionPort {
  get(key: string): Promise<SessionRecord | undefined>;
  put(key: string, record: SessionRecord): Promise<void>;
  /** Puts only over a session that is still there, so that a renewal cannot bring back one that has just ended. */
  replace(key: string, record: SessionRecord): Promise<boolean>;
  /** Claims the renewal of a session whose tokens are due, also from other replicas; undefined when it is not due or somebody else has the claim. */
  claimRenewal(
    key: string,
    claim: { readonly holder: string; readonly now: number; readonly until: number },
  ): Promise<SessionRecord | undefined>;
  releaseRenewal(key: string, holder: string): Promise<void>;
  /** Marks a session as used, and touches nothing else of it. */
  touch(key: string, seenAt: number): Promise<void>;
  delete(key: string): Promise<void>;
  deleteOf(named: { readonly subject?: string; readonly issuerSession?: string }): Promise<number>;
}

/** Asks the issuer for new tokens. @throws AppError `Unauthenticated` when it rejects, `IssuerUnavailable` when it is away. */
export type Renew = (record: SessionRecord) => Promise<SessionRecord>;

/** How long a session outlives its tokens while the issuer is away. */
const GRACE = 600_000;
/** How long an issuer that was away is left alone, and one that failed at the renewal of a session with that session. */
const PAUSE = 15_000;
/** Sessions that are remembered for that. */
const MAX_PAUSED = 10_000;
/** How long a replica may take for a renewal; after that it is taken for dead, and another one tries. The issuer is given five seconds for each call. */
const CLAIM = 20_000;
/** How often others look whether the renewal is done. */
const LOOK = 100;

interface RenewalDeps {
  readonly sessions: Pick<SessionPort, 'get' | 'replace' | 'delete' | 'claimRenewal' | 'releaseRenewal'>;
  readonly renew: Renew;
  readonly clock: () => number;
}

/** Renews the tokens of a session when it is time, once however many requests ask at the same moment, of however many replicas. */
export function createRenewal({ sessions, renew, clock }: RenewalDeps) {
  const underWay = new Map<string, Promise<SessionRecord | undefined>>();
  const holder = randomUUID();
  const pauses = createPauses(clock);

  /** Reads the session again, because another request may have renewed it since the caller read it, and waits while another replica does. */
  const renewNow = async (key: string): Promise<SessionRecord | undefined> => {
    for (;;) {
      const record = await sessions.get(key);
      if (record === undefined || !isDue(record, clock())) return record;
      const claimed = await sessions.claimRenewal(key, { holder, now: clock(), until: clock() + CLAIM });
      if (claimed !== undefined) return await renewClaimed(key, claimed);
      await sleep(LOOK);
    }
  };

  const renewClaimed = async (key: string, record: SessionRecord): Promise<SessionRecord | undefined> => {
    try {
      const renewed = await renew(record);
      return (await sessions.replace(key, renewed)) ? renewed : undefined;
    } catch (error) {
      if (isAppError(error, 'Unauthenticated')) {
        await sessions.delete(key);
        return undefined;
      }
      await sessions.releaseRenewal(key, holder).catch(() => undefined);
      if (!isAppError(error, 'IssuerUnavailable')) throw error;
      pauses.begin(key, error);
      if (isInGrace(record, clock())) return record;
      throw error;
    }
  };

  /** The session with tokens that still count; undefined when the issuer has ended it. */
  const current = async (key: string, record: SessionRecord): Promise<SessionRecord | undefined> => {
    const now = clock();
    if (!isDue(record, now)) return record;
    if (now < pauses.endOf(key) && isInGrace(record, now)) return record;
    const running = underWay.get(key) ?? renewNow(key).finally(() => underWay.delete(key));
    underWay.set(key, running);
    return running;
  };
  return { current };
}

/** An issuer that is away is not asked for anybody for a while, one that failed at a session not for that one. */
function createPauses(clock: () => number) {
  const ends = new LRUCache<string, number>({ max: MAX_PAUSED });
  let end = 0;
  return {
    begin: (key: string, error: AppError): void => {
      if (isFaultOfOneRequest(error)) ends.set(key, clock() + PAUSE);
      else end = clock() + PAUSE;
    },
    endOf: (key: string): number => Math.max(end, ends.get(key) ?? 0),
  };
}

function isDue({ refreshAt }: SessionRecord, now: number): boolean {
  return refreshAt !== undefined && now >= refreshAt;
}

function isInGrace({ refreshAt }: SessionRecord, now: number): boolean {
  return refreshAt !== undefined && now < refreshAt + GRACE;
}
