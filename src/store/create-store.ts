import { rm } from 'node:fs/promises';
import { Low } from 'lowdb';
import { isObject } from '../domain/core/read.ts';
import type { Seal } from '../domain/core/seal.ts';
import { AUDIT_FILE_LIMITS, AuditFiles, completed, FileAuditLog } from './audit/audit-log.ts';
import {
  type AccessTokenData,
  accessTokensOf,
  createUsedIds,
  type DeploymentData,
  deploymentsOf,
  sealOlderSessions,
  type SessionData,
  sessionsOf,
  sweepSessions,
} from './file-tables.ts';
import { JsonFile } from './json-file.ts';
import type { Store } from './store.ts';

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
