import { LRUCache } from 'lru-cache';
import type { Seal } from '../domain/core/seal.ts';
import type { SessionRecord } from '../domain/core/session.ts';
import type { SessionTable, UsedIdTable } from './store.ts';
import { MAX_SESSIONS, openSession, sealSession, type StoredSession } from './stored-session.ts';

/** The part of a file that sessions are in. */
export interface SessionData {
  readonly sessions: Record<string, StoredSession>;
}

interface SessionFile {
  readonly data: SessionData;
  write(): Promise<void>;
}

interface SessionDeps {
  readonly seal: Seal;
  readonly clock: () => number;
}

/** Used ids that are remembered. */
const MAX_USED_IDS = 40_000;

/** The sessions of one machine, in the part of a file that holds them. */
export function sessionsOf(low: SessionFile, { seal, clock }: SessionDeps): SessionTable {
  const find = (key: string): SessionRecord | undefined => {
    const stored = Object.hasOwn(low.data.sessions, key) ? low.data.sessions[key] : undefined;
    return stored !== undefined && stored.expiresAt > clock() ? openSession(key, structuredClone(stored), seal) : undefined;
  };
  const write = async (key: string, record: SessionRecord): Promise<void> => {
    low.data.sessions[key] = structuredClone(sealSession(key, record, seal));
    endOldest(low.data, record.subject);
    await low.write();
  };
  const claims = renewalClaims(find);
  return {
    ...claims,
    get: async (key) => find(key),
    put: async (key, record) => {
      sweepSessions(low.data, clock());
      await write(key, record);
    },
    replace: async (key, record) => {
      claims.end(key);
      if (!Object.hasOwn(low.data.sessions, key)) return false;
      await write(key, record);
      return true;
    },
    touch: async (key, seenAt) => {
      const record = low.data.sessions[key];
      if (record === undefined) return;
      low.data.sessions[key] = { ...record, seenAt };
      await low.write();
    },
    delete: async (key) => void (await end(low, (_record, one) => one === key)),
    deleteOf: async (named) => await end(low, (record) => isNamed(record, named)),
  };
}

async function end(low: SessionFile, isEnded: (record: StoredSession, key: string) => boolean): Promise<number> {
  const ended = Object.entries(low.data.sessions).filter(([key, record]) => isEnded(record, key));
  for (const [key] of ended) delete low.data.sessions[key];
  if (ended.length > 0) await low.write();
  return ended.length;
}

/** In memory: only this process renews. */
function renewalClaims(
  find: (key: string) => SessionRecord | undefined,
): Pick<SessionTable, 'claimRenewal' | 'releaseRenewal'> & { end(key: string): void } {
  const claims = new Map<string, { readonly holder: string; readonly until: number }>();
  return {
    claimRenewal: async (key, { holder, now, until }) => {
      const record = find(key);
      const isClaimed = (claims.get(key)?.until ?? 0) > now;
      if (isClaimed || record?.refreshAt === undefined || record.refreshAt > now) return undefined;
      claims.set(key, { holder, until });
      return record;
    },
    releaseRenewal: async (key, holder) => {
      if (claims.get(key)?.holder === holder) claims.delete(key);
    },
    end: (key) => void claims.delete(key),
  };
}

/** Seals the tokens that an older version wrote as they are; the answer is of how many sessions. */
export function sealOlderSessions({ sessions }: SessionData, seal: Seal): number {
  const older = Object.entries(sessions).filter(([, record]) => 'refreshToken' in record || 'idToken' in record);
  for (const [key, record] of older) sessions[key] = sealSession(key, record, seal);
  return older.length;
}

/** Kept in memory: a replay after a restart finds the session of the id ended already. */
export function createUsedIds(clock: () => number): UsedIdTable {
  const used = new LRUCache<string, true>({ max: MAX_USED_IDS, ttl: 1, ttlResolution: 0, perf: { now: clock } });
  return {
    use: async (id, until) => {
      if (used.has(id)) return false;
      used.set(id, true, { ttl: Math.max(1, until - clock()) });
      return true;
    },
    release: async (id) => void used.delete(id),
  };
}

/** Whoever signs in again and again must not fill the file: the sessions that were not used for longest end. */
function endOldest({ sessions }: SessionData, subject: string): void {
  const own = Object.entries(sessions).filter(([, record]) => record.subject === subject);
  const oldest = own
    .toReversed()
    .toSorted(([, a], [, b]) => b.seenAt - a.seenAt)
    .slice(MAX_SESSIONS);
  for (const [key] of oldest) delete sessions[key];
}

function isNamed(record: StoredSession, { subject, issuerSession }: { subject?: string; issuerSession?: string }): boolean {
  if (subject !== undefined && record.subject !== subject) return false;
  if (issuerSession !== undefined) return record.issuerSession === issuerSession;
  return subject !== undefined;
}

export function sweepSessions(data: SessionData, now: number): void {
  for (const [key, record] of Object.entries(data.sessions)) {
    if (record.expiresAt <= now) delete data.sessions[key];
  }
}
