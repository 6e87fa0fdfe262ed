import { randomBytes } from 'node:crypto';
import { Low } from 'lowdb';
import { isObject } from '../domain/read.ts';
import type { SessionRecord } from '../domain/session.ts';
import { type JournalData, journalOf, parseJournal } from './journal-table.ts';
import { JsonFile } from './json-file.ts';
import { type PlanData, plansOf, sweepPlans } from './plan-table.ts';
import { type RecipeData, recipesOf } from './recipe-table.ts';
import type { SessionTable, Store } from './store.ts';

interface Data extends PlanData, RecipeData, JournalData {
  readonly sessions: Record<string, SessionRecord>;
  readonly secrets: Record<string, string>;
}

/**
 * Opens the store of one machine: a JSON file that only its owner may read. Sessions that have ended are swept at the start and
 * whenever somebody signs in.
 *
 * @param clock milliseconds since 1970
 * @throws AppError `ConfigInvalid` when the file cannot be understood.
 */
export async function createStore({ file, clock = Date.now }: { file: string; clock?: () => number }): Promise<Store> {
  const adapter = new JsonFile<Data>(file, parseData);
  const low = new Low<Data>(adapter, { sessions: {}, journal: [], secrets: {}, plans: {}, recipes: {}, earlierRecipes: {} });
  await low.read();
  sweep(low.data, clock());
  sweepPlans(low.data, clock());
  return {
    sessions: sessionsOf(low, clock),
    journal: journalOf(low),
    plans: plansOf(low, clock),
    recipes: recipesOf(low),
    secret: (name) => secretOf(low, name),
    close: () => adapter.settled(),
  };
}

/** Tables that an older version did not write are empty. */
function parseData(data: Readonly<Record<string, unknown>>): Data {
  const { sessions = {}, journal = [], secrets = {}, plans = {}, recipes = {}, earlierRecipes = {} } = data;
  const known = Array.isArray(journal) && [sessions, secrets, plans, recipes, earlierRecipes].every(isObject);
  if (!known) throw new TypeError('its tables are not what we write');
  return { sessions, journal: parseJournal(journal), secrets, plans, recipes, earlierRecipes } as unknown as Data;
}

function sessionsOf(low: Low<Data>, clock: () => number): SessionTable {
  return {
    get: async (key) => {
      const record = Object.hasOwn(low.data.sessions, key) ? low.data.sessions[key] : undefined;
      return record !== undefined && record.expiresAt > clock() ? structuredClone(record) : undefined;
    },
    put: async (key, record) => {
      sweep(low.data, clock());
      low.data.sessions[key] = structuredClone(record);
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

function isNamed(record: SessionRecord, { subject, issuerSession }: { subject?: string; issuerSession?: string }): boolean {
  if (subject !== undefined && record.subject !== subject) return false;
  if (issuerSession !== undefined) return record.issuerSession === issuerSession;
  return subject !== undefined;
}

function sweep(data: Data, now: number): void {
  for (const [key, record] of Object.entries(data.sessions)) {
    if (record.expiresAt <= now) delete data.sessions[key];
  }
}

async function secretOf(low: Low<Data>, name: string): Promise<Uint8Array> {
  if (!Object.hasOwn(low.data.secrets, name)) {
    low.data.secrets[name] = randomBytes(32).toString('base64');
    await low.write();
  }
  return new Uint8Array(Buffer.from(low.data.secrets[name] ?? '', 'base64'));
}
