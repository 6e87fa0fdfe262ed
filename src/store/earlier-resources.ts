import { rm } from 'node:fs/promises';
import { isObject } from '../domain/core/read.ts';
import { JsonFile } from './json-file.ts';

type Entry = Readonly<Record<string, unknown>>;
type Kept = Readonly<Record<string, Readonly<Record<string, unknown>>>>;

/** What an earlier version kept in files, and what becomes resources of the cluster. */
export interface EarlierResources {
  readonly entries: readonly Entry[];
  /** What a second table has of an entry; undefined when there is none. */
  besides(id: string): unknown;
  /** Forgets the entries with these ids, which are resources by now. */
  forget(ids: ReadonlySet<string>): Promise<void>;
}

interface EarlierInput {
  /** That of the store; what is kept beside it is in `<store>.<name>.json`. */
  readonly file: string;
  readonly name: string;
  /** The table of the entries by id, and one of what belongs to them. */
  readonly tables: readonly [string, string?];
}

/**
 * Opens what an earlier version kept beside `store.json`, or in it. Call it before the store is opened, which writes its own file anew.
 *
 * @throws AppError `ConfigInvalid` when a file cannot be understood.
 */
export async function openEarlierResources({ file, name, tables }: EarlierInput): Promise<EarlierResources> {
  const own = file.replace(/\.json$/, `.${name}.json`);
  const parse = (object: Entry): Kept =>
    parseTables(
      object,
      tables.filter((table) => table !== undefined),
    );
  const adapter = new JsonFile<Kept>(own, parse);
  const beside = await adapter.read();
  const inside = beside === null ? await new JsonFile<Kept>(file, parse).read() : null;
  let kept = beside ?? inside ?? {};
  const [main, second = ''] = tables;
  const entriesOf = (): [string, Entry][] =>
    Object.entries(kept[main] ?? {}).filter((entry): entry is [string, Record<string, unknown>] => isObject(entry[1]));
  if (beside === null && entriesOf().length > 0) await adapter.write(kept);
  if (beside !== null && entriesOf().length === 0) await rm(own, { force: true });
  return {
    entries: entriesOf().map(([, entry]) => entry),
    besides: (id) => kept[second]?.[id],
    forget: async (ids) => {
      const left = Object.entries(kept).map(([table, rows]) => [table, Object.entries(rows).filter(([id]) => !ids.has(id))] as const);
      kept = Object.fromEntries(left.map(([table, rows]) => [table, Object.fromEntries(rows)]));
      if (entriesOf().length === 0) await rm(own, { force: true });
      else await adapter.write(kept);
    },
  };
}

function parseTables(object: Entry, tables: readonly string[]): Kept {
  const found = tables.map((table) => [table, object[table] ?? {}] as const);
  if (!found.every((entry): entry is [string, Record<string, unknown>] => isObject(entry[1]))) {
    throw new TypeError('its tables are not what we write');
  }
  return Object.fromEntries(found);
}
