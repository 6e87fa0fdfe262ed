import { rm } from 'node:fs/promises';
import { Low } from 'lowdb';
import { isObject } from '../domain/core/read.ts';
import type { Seal } from '../domain/core/seal.ts';
import {
  isForEverybody,
  isSameOwner,
  type SavedConfiguration,
  type SavedConfigurationBounds,
  type SavedConfigurationOwner,
  type SavedConfigurationTable,
} from '../domain/saved-configuration/saved-configuration.ts';
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
import type { FileStore } from './store.ts';

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
const SAVED_CONFIGURATIONS: PartSpec<SavedConfigurationData> = {
  empty: { savedConfigurations: {}, savedConfigurationVersions: {} },
  parse: (object) => tables(object, ['savedConfigurations', 'savedConfigurationVersions']),
};

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
 * its own beside it (`store.savedConfigurations.json`), because a file is written whole. The audit log is a folder of append-only files (`store.audit-log/`). Sessions that
 * have ended are swept at the start and whenever somebody signs in.
 *
 * @throws AppError `ConfigInvalid` when a file cannot be understood.
 */
export async function createStore({
  file,
  seal,
  auditRetention = AUDIT_FILE_LIMITS.retentionMs,
  clock = Date.now,
}: StoreInput): Promise<FileStore> {
  const beside = (name: string): string => file.replace(/\.json$/, `.${name}.json`);
  const savedConfigurations = await openPart([beside('saved-configurations'), file], SAVED_CONFIGURATIONS);
  const auditLog = await openAuditLog({
    folder: file.replace(/\.json$/, '.audit-log'),
    earlier: [beside('audit-log'), file],
    retentionMs: auditRetention,
    clock,
  });
  const accessTokens = await openPart([beside('access-tokens')], ACCESS_TOKENS);
  const deployments = await openPart([beside('deployments')], DEPLOYMENTS);
  const account = await openPart([file], ACCOUNT);
  sweepSessions(account.low.data, clock());
  if (sealOlderSessions(account.low.data, seal) > 0) await account.low.write();
  return {
    sessions: sessionsOf(account.low, { seal, clock }),
    accessTokens: accessTokensOf(accessTokens.low, clock),
    auditLog,
    usedIds: createUsedIds(clock),
    deployments: deploymentsOf(deployments.low),
    savedConfigurations: savedConfigurationsOf(savedConfigurations.low),
    unavailableReason: () => Promise.resolve(undefined),
    close: async () => {
      await Promise.all([account, accessTokens, savedConfigurations, deployments, auditLog].map(async (part) => await part.flush()));
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

/** @param files the one of this part, and the one in which an older version kept it. */
async function openPart<T extends object>([file, older]: readonly [string, string?], { empty, parse }: PartSpec<T>): Promise<Part<T>> {
  const adapter = new JsonFile<T>(file, parse);
  const present = await adapter.read();
  const low = new Low<T>(adapter, present ?? structuredClone(empty));
  const earlier = present === null && older !== undefined ? await new JsonFile<T>(older, parse).read() : null;
  if (earlier !== null) {
    low.data = earlier;
    await low.write();
  }
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

/** The part of a file that saved configurations are in. */
interface SavedConfigurationData {
  readonly savedConfigurations: Record<string, SavedConfiguration>;
  /** What they were before, by id, the newest first. */
  readonly savedConfigurationVersions: Record<string, readonly SavedConfiguration[]>;
}

const MAX_VERSIONS = 5;

interface SavedConfigurationFile {
  readonly data: SavedConfigurationData;
  write(): Promise<void>;
}

/** The saved configurations of one machine. */
function savedConfigurationsOf(low: SavedConfigurationFile): SavedConfigurationTable {
  const find = (id: string): SavedConfiguration | undefined =>
    Object.hasOwn(low.data.savedConfigurations, id) ? low.data.savedConfigurations[id] : undefined;
  return {
    get: async (id) => structuredClone(find(id)),
    listOf: async (owners) => {
      const theirs = Object.values(low.data.savedConfigurations).filter(({ owner }) => owners.some((one) => isSameOwner(one, owner)));
      return structuredClone(theirs.sort((a, b) => a.title.localeCompare(b.title) || a.id.localeCompare(b.id)));
    },
    add: async (savedConfiguration, bounds) => {
      if (!hasRoom(low.data, savedConfiguration, bounds)) return 'full';
      put(low.data, savedConfiguration, bounds);
      await low.write();
      return 'added';
    },
    replace: async (savedConfiguration, { version, bounds }) => {
      const before = find(savedConfiguration.id);
      if (before?.version !== version) return 'stale';
      if (!hasRoom(low.data, savedConfiguration, bounds)) return 'full';
      low.data.savedConfigurationVersions[savedConfiguration.id] = [before, ...earlierOf(low.data, savedConfiguration.id)].slice(
        0,
        MAX_VERSIONS,
      );
      put(low.data, savedConfiguration, bounds);
      await low.write();
      return 'done';
    },
    earlierOf: async (id) => structuredClone(earlierOf(low.data, id)),
    delete: async (id, version) => {
      if (find(id)?.version !== version) return false;
      delete low.data.savedConfigurations[id];
      delete low.data.savedConfigurationVersions[id];
      await low.write();
      return true;
    },
  };
}

function earlierOf({ savedConfigurationVersions }: SavedConfigurationData, id: string): readonly SavedConfiguration[] {
  return Object.hasOwn(savedConfigurationVersions, id) ? (savedConfigurationVersions[id] ?? []) : [];
}

function hasRoom(
  { savedConfigurations }: SavedConfigurationData,
  savedConfiguration: SavedConfiguration,
  { count, characters, ofAuthor }: SavedConfigurationBounds,
): boolean {
  const others = Object.values(savedConfigurations).filter(
    ({ id, owner }) => id !== savedConfiguration.id && isSameOwner(owner, savedConfiguration.owner),
  );
  const fits = others.length < count && sizeOf([savedConfiguration, ...others]) <= characters;
  if (!fits || !isForEverybody(savedConfiguration.owner)) return fits;
  const own = others.filter(({ author }) => author === savedConfiguration.author);
  return own.length < ofAuthor.count && sizeOf([savedConfiguration, ...own]) <= ofAuthor.characters;
}

function put(data: SavedConfigurationData, savedConfiguration: SavedConfiguration, bounds: SavedConfigurationBounds): void {
  data.savedConfigurations[savedConfiguration.id] = structuredClone(savedConfiguration);
  forgetEarlier(data, savedConfiguration.owner, bounds);
}

function sizeOf(savedConfigurations: readonly SavedConfiguration[]): number {
  return savedConfigurations.reduce((sum, { values }) => sum + JSON.stringify(values).length, 0);
}

/** Forgets what saved configurations of an owner were before, the oldest first, until all of theirs is within the bounds. */
function forgetEarlier(data: SavedConfigurationData, owner: SavedConfigurationOwner, { characters }: SavedConfigurationBounds): void {
  const own = Object.values(data.savedConfigurations).filter((savedConfiguration) => isSameOwner(savedConfiguration.owner, owner));
  const earlier = own.flatMap(({ id }) => earlierOf(data, id)).toSorted((a, b) => b.updated.localeCompare(a.updated));
  let room = characters - sizeOf(own);
  const kept = new Set(
    earlier.filter((savedConfiguration) => {
      room -= sizeOf([savedConfiguration]);
      return room >= 0;
    }),
  );
  for (const { id } of own) {
    const left = earlierOf(data, id).filter((savedConfiguration) => kept.has(savedConfiguration));
    if (left.length === 0) delete data.savedConfigurationVersions[id];
    else data.savedConfigurationVersions[id] = left;
  }
}
