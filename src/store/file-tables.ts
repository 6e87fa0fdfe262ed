import { LRUCache } from 'lru-cache';
import { type AccessToken, type AccessTokenTable, EXPIRED_KEPT_MS } from '../domain/access-token/access-token.ts';
import { compareTexts } from '../domain/core/compare-texts.ts';
import type { Seal } from '../domain/core/seal.ts';
import type { SessionRecord } from '../domain/core/session.ts';
import { type JobDeployment, type JobDeploymentTable, MAX_DEPLOYMENT_TARGETS, pipelineKey } from '../domain/environment/job-deployment.ts';
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

/** The part of a file that personal access tokens are in, by id. */
export interface AccessTokenData {
  readonly accessTokens: Record<string, AccessToken>;
}

interface AccessTokenFile {
  readonly data: AccessTokenData;
  write(): Promise<void>;
}

/** The personal access tokens of one machine. */
export function accessTokensOf(low: AccessTokenFile, clock: () => number): AccessTokenTable {
  const all = (): readonly AccessToken[] => Object.values(low.data.accessTokens);
  return {
    find: async (digest) => structuredClone(all().find((token) => token.digest === digest)),
    list: async (user) => structuredClone(all().filter((token) => user === undefined || token.user === user)).sort(byUserAndAge),
    add: async (token, most) => {
      for (const { id, expiresAt } of all()) if (expiresAt + EXPIRED_KEPT_MS <= clock()) delete low.data.accessTokens[id];
      if (all().filter(({ user }) => user === token.user).length >= most) return 'full';
      low.data.accessTokens[token.id] = structuredClone(token);
      await low.write();
      return 'added';
    },
    touch: async (id, usedAt) => {
      const token = findToken(low, id);
      if (token === undefined) return;
      low.data.accessTokens[id] = { ...token, usedAt };
      await low.write();
    },
    renew: async ({ user, subject, groups, person, seenAt }) => {
      const own = all().filter((token) => token.user === user && token.subject === subject);
      for (const token of own) low.data.accessTokens[token.id] = structuredClone({ ...token, groups, person, seenAt });
      if (own.length > 0) await low.write();
    },
    revoke: async (id, user) => {
      const token = findToken(low, id);
      if (token === undefined || (user !== undefined && token.user !== user)) return undefined;
      delete low.data.accessTokens[id];
      await low.write();
      return token;
    },
    ...registrationsOf(low),
  };
}

/** What only registration tokens need. */
function registrationsOf(low: AccessTokenFile): Pick<AccessTokenTable, 'rotate' | 'countUse' | 'returnUse'> {
  return {
    rotate: async (id, user, next) => {
      const token = findToken(low, id);
      if (token?.user !== user) return undefined;
      const rotated = { ...token, ...next };
      low.data.accessTokens[id] = structuredClone(rotated);
      await low.write();
      return rotated;
    },
    countUse: async (id, most) => {
      const token = findToken(low, id);
      const uses = token?.uses ?? 0;
      if (token === undefined || uses >= most) return false;
      low.data.accessTokens[id] = { ...token, uses: uses + 1 };
      await low.write();
      return true;
    },
    returnUse: async (id) => {
      const token = findToken(low, id);
      if (token === undefined) return;
      low.data.accessTokens[id] = { ...token, uses: Math.max(0, (token.uses ?? 0) - 1) };
      await low.write();
    },
  };
}

function findToken({ data }: AccessTokenFile, id: string): AccessToken | undefined {
  return Object.hasOwn(data.accessTokens, id) ? data.accessTokens[id] : undefined;
}

function byUserAndAge(a: AccessToken, b: AccessToken): number {
  if (a.user !== b.user) return a.user < b.user ? -1 : 1;
  return b.createdAt - a.createdAt || (a.id < b.id ? -1 : 1);
}

/** The part of a file that deployments are in, by environment. */
export interface DeploymentData {
  readonly deployments: Record<string, readonly JobDeployment[]>;
}

interface DeploymentFile {
  readonly data: DeploymentData;
  write(): Promise<void>;
}

/** Beyond these, those of the environment that came first are forgotten. */
const MAX_ENVIRONMENTS = 1_000;

/** The deployments of one machine. */
export function deploymentsOf(low: DeploymentFile): JobDeploymentTable {
  const listed = (environment: string): readonly JobDeployment[] =>
    Object.hasOwn(low.data.deployments, environment) ? (low.data.deployments[environment] ?? []) : [];
  return {
    list: async (environment) => structuredClone(listed(environment)),
    put: async (environment, deployment) => {
      const kept = listed(environment).filter((one) => one.target !== deployment.target || !isReplaced(one, deployment));
      low.data.deployments[environment] = newestTargets([...kept, structuredClone(deployment)]);
      const [first] = Object.keys(low.data.deployments);
      if (first !== undefined && Object.keys(low.data.deployments).length > MAX_ENVIRONMENTS) delete low.data.deployments[first];
      await low.write();
    },
  };
}

function isReplaced(before: JobDeployment, deployment: JobDeployment): boolean {
  return before.outcome === deployment.outcome || (before.outcome === 'Running' && pipelineKey(before) === pipelineKey(deployment));
}

function newestTargets(deployments: readonly JobDeployment[]): readonly JobDeployment[] {
  const newest = deployments.toSorted((a, b) => compareTexts(b.time, a.time));
  const targets = new Set([...new Set(newest.map(({ target }) => target))].slice(0, MAX_DEPLOYMENT_TARGETS));
  return deployments.filter(({ target }) => targets.has(target));
}
