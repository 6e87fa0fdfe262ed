import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import type { Received } from './receive.ts';

/** Packed charts by the digest of their bytes. */
export interface ChartCache {
  /** Where charts are received; on the same file system as the cache. */
  readonly incomingDir: string;
  /** Takes a received file in, at once or not at all, and gives its path. */
  take(received: Received): Promise<string>;
  /** Removes a received file that is not to be kept. */
  discard(received: Received): Promise<void>;
  /** The path of a chart whose bytes still have that digest; undefined when it is gone. What was tampered with is removed. */
  find(digest: string): Promise<string | undefined>;
}

const STALE_MS = 3_600_000;

/** Makes the folder, and removes what a process that was killed left half received in it. */
export async function openCache(dir: string): Promise<ChartCache> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  for (const name of await readdir(dir)) {
    const path = join(dir, name);
    const age = name.startsWith('.incoming-') ? Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Infinity) : 0;
    if (age > STALE_MS) await rm(path, { force: true });
  }
  return {
    incomingDir: dir,
    take: async ({ path, digest }) => {
      const place = placeOf(dir, digest);
      await rename(path, place);
      return place;
    },
    discard: ({ path }) => rm(path, { force: true }),
    find: async (digest) => {
      if (!/^sha256:[0-9a-f]{64}$/.test(digest)) return undefined;
      const place = placeOf(dir, digest);
      const actual = await digestOf(place);
      if (actual === digest) return place;
      if (actual !== undefined) await rm(place, { force: true });
      return undefined;
    },
  };
}

function placeOf(dir: string, digest: string): string {
  return join(dir, `${digest.replace('sha256:', 'sha256-')}.tgz`);
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
