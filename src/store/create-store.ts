import { randomBytes } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { Low } from 'lowdb';
import { type ChangeRequest, type ChangeRequestTable, requestAt } from '../domain/change-request/change-request.ts';
import { isObject } from '../domain/core/read.ts';
import type { SessionRecord } from '../domain/core/session.ts';
import {
  isForEverybody,
  isSameOwner,
  type SavedConfiguration,
  type SavedConfigurationBounds,
  type SavedConfigurationOwner,
  type SavedConfigurationTable,
} from '../domain/saved-configuration/saved-configuration.ts';
import { AuditFiles, completed, FileAuditLog } from './audit/audit-log.ts';
import { JsonFile } from './json-file.ts';
import type { SessionTable, Store } from './store.ts';

/** The part of a file that change requests are in. */
interface ChangeRequestData {
  readonly changeRequests: Record<string, ChangeRequest>;
}

interface ChangeRequestFile {
  readonly data: ChangeRequestData;
  write(): Promise<void>;
}

/** How long a change request can still be looked at after its time. */
const KEPT_MS = 14 * 24 * 3_600_000;

/** Browsers in which one person can be signed in. */
const MAX_SESSIONS = 50;

interface Account {
  readonly sessions: Record<string, SessionRecord>;
  readonly secrets: Record<string, string>;
}

interface Part<T extends object> {
  readonly low: Low<T>;
  flush(): Promise<void>;
}

interface PartSpec<T extends object> {
  readonly empty: T;
  /** Makes the data of what a file holds; it throws when that is not ours. */
  readonly parse: (object: Readonly<Record<string, unknown>>) => T;
}

const ACCOUNT: PartSpec<Account> = { empty: { sessions: {}, secrets: {} }, parse: (object) => tables(object, ['sessions', 'secrets']) };
const CHANGE_REQUESTS: PartSpec<ChangeRequestData> = {
  empty: { changeRequests: {} },
  parse: (object) => tables(object, ['changeRequests']),
};
const SAVED_CONFIGURATIONS: PartSpec<SavedConfigurationData> = {
  empty: { savedConfigurations: {}, savedConfigurationVersions: {} },
  parse: (object) => tables(object, ['savedConfigurations', 'savedConfigurationVersions']),
};

/**
 * Opens the store of one machine: JSON files that only their owner may read. Sessions are in `file`; what is larger or written more often has a file of
 * its own beside it (`store.savedConfigurations.json`), because a file is written whole. The audit log is a folder of append-only files (`store.audit-log/`). Sessions that
 * have ended are swept at the start and whenever somebody signs in.
 *
 * @param file ends with `.json`
 * @param clock milliseconds since 1970
 * @throws AppError `ConfigInvalid` when a file cannot be understood.
 */
export async function createStore({ file, clock = Date.now }: { file: string; clock?: () => number }): Promise<Store> {
  const beside = (name: string): string => file.replace(/\.json$/, `.${name}.json`);
  const changeRequests = await openPart([beside('change-requests'), file], CHANGE_REQUESTS);
  const savedConfigurations = await openPart([beside('saved-configurations'), file], SAVED_CONFIGURATIONS);
  const auditLog = await openAuditLog({ folder: file.replace(/\.json$/, '.audit-log'), earlier: [beside('audit-log'), file], clock });
  const account = await openPart([file], ACCOUNT);
  sweep(account.low.data, clock());
  sweepChangeRequests(changeRequests.low.data, clock());
  return {
    sessions: sessionsOf(account.low, clock),
    auditLog,
    changeRequests: changeRequestsOf(changeRequests.low, clock),
    savedConfigurations: savedConfigurationsOf(savedConfigurations.low),
    secret: (name) => secretOf(account.low, name),
    close: async () => {
      await Promise.all([account, changeRequests, savedConfigurations, auditLog].map(async (part) => await part.flush()));
    },
  };
}

interface AuditLogPlace {
  readonly folder: string;
  /** Where older versions kept it, the latest first. */
  readonly earlier: readonly [string, string];
  readonly clock: () => number;
}

/** Takes over what an older version kept in one file, once. */
async function openAuditLog({ folder, earlier, clock }: AuditLogPlace): Promise<FileAuditLog> {
  const files = new AuditFiles(folder, { clock });
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

function sessionsOf(low: Low<Account>, clock: () => number): SessionTable {
  return {
    get: async (key) => {
      const record = Object.hasOwn(low.data.sessions, key) ? low.data.sessions[key] : undefined;
      return record !== undefined && record.expiresAt > clock() ? structuredClone(record) : undefined;
    },
    put: async (key, record) => {
      sweep(low.data, clock());
      low.data.sessions[key] = structuredClone(record);
      endOldest(low.data, record.subject);
      await low.write();
    },
    replace: async (key, record) => {
      if (!Object.hasOwn(low.data.sessions, key)) return false;
      low.data.sessions[key] = structuredClone(record);
      await low.write();
      return true;
    },
    touch: async (key, seenAt) => {
      const record = low.data.sessions[key];
      if (record === undefined) return;
      low.data.sessions[key] = { ...record, seenAt };
      await low.write();
    },
    delete: async (key) => {
      if (!Object.hasOwn(low.data.sessions, key)) return;
      delete low.data.sessions[key];
      await low.write();
    },
    deleteOf: async (named) => {
      const ended = Object.entries(low.data.sessions).filter(([, record]) => isNamed(record, named));
      for (const [key] of ended) delete low.data.sessions[key];
      if (ended.length > 0) await low.write();
      return ended.length;
    },
  };
}

/** Whoever signs in again and again must not fill the file: the sessions that were not used for longest end. */
function endOldest({ sessions }: Account, subject: string): void {
  const own = Object.entries(sessions).filter(([, record]) => record.subject === subject);
  const oldest = own
    .toReversed()
    .toSorted(([, a], [, b]) => b.seenAt - a.seenAt)
    .slice(MAX_SESSIONS);
  for (const [key] of oldest) delete sessions[key];
}

function isNamed(record: SessionRecord, { subject, issuerSession }: { subject?: string; issuerSession?: string }): boolean {
  if (subject !== undefined && record.subject !== subject) return false;
  if (issuerSession !== undefined) return record.issuerSession === issuerSession;
  return subject !== undefined;
}

function sweep(data: Account, now: number): void {
  for (const [key, record] of Object.entries(data.sessions)) {
    if (record.expiresAt <= now) delete data.sessions[key];
  }
}

async function secretOf(low: Low<Account>, name: string): Promise<Uint8Array> {
  if (!Object.hasOwn(low.data.secrets, name)) {
    low.data.secrets[name] = randomBytes(32).toString('base64');
    await low.write();
  }
  return new Uint8Array(Buffer.from(low.data.secrets[name] ?? '', 'base64'));
}

/** The change requests of one machine. Old ones go whenever one is added. */
function changeRequestsOf(low: ChangeRequestFile, clock: () => number): ChangeRequestTable {
  const all = (): ChangeRequest[] => Object.values(low.data.changeRequests).map((changeRequest) => requestAt(changeRequest, clock()));
  const find = (id: string): ChangeRequest | undefined => {
    const changeRequest = Object.hasOwn(low.data.changeRequests, id) ? low.data.changeRequests[id] : undefined;
    return changeRequest === undefined ? undefined : requestAt(changeRequest, clock());
  };
  return {
    get: async (id) => structuredClone(find(id)),
    list: async () => all().sort((a, b) => b.created.localeCompare(a.created) || a.id.localeCompare(b.id)),
    add: async (changeRequest, { ofPerson, ofAll, ended }) => {
      sweepChangeRequests(low.data, clock());
      const open = all().filter(({ state }) => state === 'open');
      if (open.length >= ofAll) return 'ofAll';
      if (open.filter(({ requester }) => requester.user === changeRequest.requester.user).length >= ofPerson) return 'ofPerson';
      forgetEnded(low.data, changeRequest.requester.user, { most: ended, now: clock() });
      low.data.changeRequests[changeRequest.id] = structuredClone(changeRequest);
      await low.write();
      return 'added';
    },
    decide: async (id, decision, late) => {
      const changeRequest = find(id);
      if (changeRequest === undefined || (changeRequest.state !== 'open' && late === undefined)) return false;
      low.data.changeRequests[id] = { ...changeRequest, ...decision };
      await low.write();
      return true;
    },
  };
}

/** Whoever asks and withdraws again and again must not fill the store. */
function forgetEnded(data: ChangeRequestData, user: string, { most, now }: { readonly most: number; readonly now: number }): void {
  const ended = Object.values(data.changeRequests).filter(
    (changeRequest) => changeRequest.requester.user === user && requestAt(changeRequest, now).state !== 'open',
  );
  const old = ended.toSorted((a, b) => b.created.localeCompare(a.created)).slice(most);
  for (const { id } of old) delete data.changeRequests[id];
}

/** Forgets the change requests whose time has been over for two weeks. */
function sweepChangeRequests(data: ChangeRequestData, now: number): void {
  for (const [id, changeRequest] of Object.entries(data.changeRequests)) {
    if (Date.parse(changeRequest.expires) + KEPT_MS <= now) delete data.changeRequests[id];
  }
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
