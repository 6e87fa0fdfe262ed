import { rm } from 'node:fs/promises';
import { isObject } from '../domain/core/read.ts';
import { JsonFile } from './json-file.ts';

interface Kept {
  readonly changeRequests: Readonly<Record<string, Readonly<Record<string, unknown>>>>;
}

/** The change requests that an earlier version kept in files, and that become resources of the cluster. */
export interface EarlierRequests {
  readonly entries: readonly Readonly<Record<string, unknown>>[];
  /** Forgets the entries with these ids, which are resources by now. */
  forget(ids: ReadonlySet<string>): Promise<void>;
}

/**
 * Opens what an earlier version kept beside `store.json`, or in it. Call it before the store is opened, which writes its own file anew.
 *
 * @throws AppError `ConfigInvalid` when a file cannot be understood.
 */
export async function openEarlierRequests(file: string): Promise<EarlierRequests> {
  const own = file.replace(/\.json$/, '.change-requests.json');
  const adapter = new JsonFile<Kept>(own, parse);
  const beside = await adapter.read();
  const inside = beside === null ? await new JsonFile<Kept>(file, parse).read() : null;
  let kept = (beside ?? inside)?.changeRequests ?? {};
  if (beside === null && Object.keys(kept).length > 0) await adapter.write({ changeRequests: kept });
  return {
    entries: Object.values(kept),
    forget: async (ids) => {
      kept = Object.fromEntries(Object.entries(kept).filter(([id]) => !ids.has(id)));
      if (Object.keys(kept).length === 0) await rm(own, { force: true });
      else await adapter.write({ changeRequests: kept });
    },
  };
}

function parse({ changeRequests = {} }: Readonly<Record<string, unknown>>): Kept {
  if (!isObject(changeRequests)) throw new TypeError('its change requests are not what we write');
  const entries = Object.entries(changeRequests).filter((entry): entry is [string, Record<string, unknown>] => isObject(entry[1]));
  return { changeRequests: Object.fromEntries(entries) };
}
