import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { rm } from 'node:fs/promises';
import { basename } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { FileStore } from './file-store.ts';
import type { Received } from '../fetch/receive.ts';

/** `Private`: what was fetched with credentials, and is not for everybody who knows its digest. */
export type ChartReach = 'Public' | 'Private';

/** Packed charts by the digest of their bytes. */
export interface ChartCache {
  /** The path for a chart that is being received. */
  incoming(): string;
  /** Takes a received file in, at once or not at all, and gives its path. */
  take(received: Received, reach: ChartReach): Promise<string>;
  /** Removes a received file that is not to be kept. */
  discard(received: Received): Promise<void>;
  /** The path of a chart whose bytes still have that digest; undefined when it is gone. What was tampered with is removed. */
  find(digest: string, reach: ChartReach): Promise<string | undefined>;
  /** Whether a chart is there, without looking at its bytes. */
  has(digest: string): Promise<boolean>;
  /** Whether a chart that was found or taken in is still there, with the same bytes. */
  isWhole(path: string): Promise<boolean>;
  /** Keeps the chart of that path from going while the task runs. */
  holding<T>(path: string, task: () => Promise<T>): Promise<T>;
}

/** The charts of a store. */
export function openCache(store: FileStore): ChartCache {
  return {
    incoming: () => store.incoming(),
    take: ({ path, digest }, reach) => store.keep(path, nameOf(digest, reach)),
    discard: ({ path }) => rm(path, { force: true }),
    find: (digest, reach) => find(store, digest, reach),
    has: async (digest) => {
      if (!isDigest(digest)) return false;
      return (await store.use(nameOf(digest, 'Public'))) !== undefined || (await store.use(nameOf(digest, 'Private'))) !== undefined;
    },
    isWhole: async (path) => {
      const { reach, digest } = readName(basename(path));
      return (await find(store, digest, reach)) === path;
    },
    holding: (path, task) => store.holding(basename(path), task),
  };
}

const ENDS: Readonly<Record<ChartReach, string>> = { Public: '.tgz', Private: '.private.tgz' };

async function find(store: FileStore, digest: string, reach: ChartReach): Promise<string | undefined> {
  if (!isDigest(digest)) return undefined;
  const name = nameOf(digest, reach);
  const path = await store.use(name);
  if (path === undefined) return undefined;
  if ((await digestOf(path)) === digest) return path;
  await store.drop(name);
  return undefined;
}

function isDigest(text: string): boolean {
  return /^sha256:[0-9a-f]{64}$/.test(text);
}

function nameOf(digest: string, reach: ChartReach): string {
  return digest.replace('sha256:', 'sha256-') + ENDS[reach];
}

function readName(name: string): { readonly reach: ChartReach; readonly digest: string } {
  const reach = name.endsWith(ENDS.Private) ? 'Private' : 'Public';
  return { reach, digest: name.slice(0, -ENDS[reach].length).replace('sha256-', 'sha256:') };
}

async function digestOf(path: string): Promise<string | undefined> {
  const hash = createHash('sha256');
  try {
    await pipeline(createReadStream(path), hash);
  } catch {
    return undefined;
  }
  return `sha256:${hash.digest('hex')}`;
}
