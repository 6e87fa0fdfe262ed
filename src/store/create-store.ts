import { rm } from 'node:fs/promises';
import { Low } from 'lowdb';
import { isObject } from '../domain/core/read.ts';
import type { Seal } from '../domain/core/seal.ts';
import { AUDIT_FILE_LIMITS, AuditFiles, completed, FileAuditLog } from './audit/audit-log.ts';
import { JsonFile } from './json-file.ts';
import type { Store, SessionTable, UsedIdTable } from './store.ts';
import { LRUCache } from 'lru-cache';
import { type AccessToken, type AccessTokenTable, EXPIRED_KEPT_MS } from '../domain/access-token/access-token.ts';
import { compareTexts } from '../domain/core/compare-texts.ts';
import type { SessionRecord } from '../domain/core/session.ts';
import { type JobDeployment, type JobDeploymentTable, MAX_DEPLOYMENT_TARGETS, pipelineKey } from '../domain/environment/job-deployment.ts';
import { MAX_SESSIONS, openSession, sealSession, type StoredSession } from './stored-session.ts';

interface Part<T extends object> {
  readonly low: Low<T>;
  flush(): Promise<void>;
}

interface PartSpec<T extends object> {
  readonly empty: T;
  /** Makes the data of what a file holds; it throws when that is not ours. */
  readonly parse: (object: Readonly<Record<string, unknown>>) => T;
}

const ACCOUNT: PartSpec<SessionData> = { empty: { sessions: {} }, parse: (object) => tables(object, ['sessions']) };
const ACCESS_TOKENS: PartSpec<AccessTokenData> = { empty: { accessTokens: {} }, parse: (object) => tables(object, ['accessTokens']) };
const DEPLOYMENTS: PartSpec<DeploymentData> = { empty: { deployments: {} }, parse: (object) => tables(object, ['deployments']) };

interface StoreInput {
  /** Ends with `.json`. */
  readonly file: string;
  /** For the tokens of sessions. */
  readonly seal: Seal;
  /** How long entries of the audit log are kept, in milliseconds. */
  readonly auditRetention?: number;
  /** Milliseconds since 1970. */
  readonly clock?: () => number;
}

/**
 * Opens the store of one machine: JSON files that only their owner may read. Sessions are in `file`; what is larger or written more often has a file of
 * its own beside it (`store.deployments.json`), because a file is written whole. The audit log is a folder of append-only files (`store.audit-log/`). Sessions that
 * have ended are swept at the start and whenever somebody signs in.
 *
 * @throws AppError `ConfigInvalid` when a file cannot be understood.
 */
export async function createStore({
  file,
  seal,
  auditRetention = AUDIT_FILE_LIMITS.retentionMs,
  clock = Date.now,
}: StoreInput): Promise<Store> {
  const beside = (name: string): string => file.replace(/\.json$/, `.${name}.json`);
  const auditLog = await openAuditLog({
    folder: file.replace(/\.json$/, '.audit-log'),
    earlier: [beside('audit-log'), file],
    retentionMs: auditRetention,
    clock,
  });
  const accessTokens = await openPart(beside('access-tokens'), ACCESS_TOKENS);
  const deployments = await openPart(beside('deployments'), DEPLOYMENTS);
  const account = await openPart(file, ACCOUNT);
  sweepSessions(account.low.data, clock());
  if (sealOlderSessions(account.low.data, seal) > 0) await account.low.write();
  return {
    sessions: sessionsOf(account.low, { seal, clock }),
    accessTokens: accessTokensOf(accessTokens.low, clock),
    auditLog,
    usedIds: createUsedIds(clock),
    deployments: deploymentsOf(deployments.low),
    unavailableReason: () => Promise.resolve(undefined),
    close: async () => {
      await Promise.all([account, accessTokens, deployments, auditLog].map(async (part) => await part.flush()));
    },
  };
}

interface AuditLogPlace {
  readonly folder: string;
  /** Where older versions kept it, the latest first. */
  readonly earlier: readonly [string, string];
  readonly retentionMs: number;
  readonly clock: () => number;
}

/** Takes over what an older version kept in one file, once. */
async function openAuditLog({ folder, earlier, retentionMs, clock }: AuditLogPlace): Promise<FileAuditLog> {
  const files = new AuditFiles(folder, { limits: { ...AUDIT_FILE_LIMITS, retentionMs }, clock });
  if (await files.isEmpty()) {
    for (const file of earlier) {
      const found = await new JsonFile(file, ({ auditLog }) => ({
        entries: Array.isArray(auditLog) ? auditLog.filter(isObject) : [],
      })).read();
      if (found === null || found.entries.length === 0) continue;
      await files.append(found.entries.map((entry, index) => completed(entry, index + 1)));
      break;
    }
  }
  await rm(earlier[0], { force: true });
  return await FileAuditLog.open(files);
}

async function openPart<T extends object>(file: string, { empty, parse }: PartSpec<T>): Promise<Part<T>> {
  const adapter = new JsonFile<T>(file, parse);
  const low = new Low<T>(adapter, (await adapter.read()) ?? structuredClone(empty));
  return { low, flush: () => adapter.flush() };
}

/** The tables of a file; those that an older version did not write are empty. */
function tables<T>(object: Readonly<Record<string, unknown>>, names: readonly (keyof T & string)[]): T {
  const found = names.map((name) => [name, object[name] ?? {}] as const);
  if (!found.every(([, table]) => isObject(table))) throw strange();
  return Object.fromEntries(found) as T;
}

function strange(): TypeError {
  return new TypeError('its tables are not what we write');
}

/** The part of a file that sessions are in. */
interface SessionData {
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
function sessionsOf(low: SessionFile, { seal, clock }: SessionDeps): SessionTable {
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
function sealOlderSessions({ sessions }: SessionData, seal: Seal): number {
  const older = Object.entries(sessions).filter(([, record]) => 'refreshToken' in record || 'idToken' in record);
  for (const [key, record] of older) sessions[key] = sealSession(key, record, seal);
  return older.length;
}

/** Kept in memory: a replay after a restart finds the session of the id ended already. */
function createUsedIds(clock: () => number): UsedIdTable {
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

function sweepSessions(data: SessionData, now: number): void {
  for (const [key, record] of Object.entries(data.sessions)) {
    if (record.expiresAt <= now) delete data.sessions[key];
  }
}

/** The part of a file that personal access tokens are in, by id. */
interface AccessTokenData {
  readonly accessTokens: Record<string, AccessToken>;
}

interface AccessTokenFile {
  readonly data: AccessTokenData;
  write(): Promise<void>;
}

/** The personal access tokens of one machine. */
function accessTokensOf(low: AccessTokenFile, clock: () => number): AccessTokenTable {
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
interface DeploymentData {
  readonly deployments: Record<string, readonly JobDeployment[]>;
}

interface DeploymentFile {
  readonly data: DeploymentData;
  write(): Promise<void>;
}

/** Beyond these, those of the environment that came first are forgotten. */
const MAX_ENVIRONMENTS = 1_000;

/** The deployments of one machine. */
function deploymentsOf(low: DeploymentFile): JobDeploymentTable {
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
