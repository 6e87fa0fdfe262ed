import { randomUUID } from 'node:crypto';
import { mkdir, readdir, rename, rm, stat, statfs, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { AppError, isAppError } from '../../domain/core/errors.ts';

/** Files that can be made again, in a folder that does not outgrow its quota. */
export interface FileStore {
  readonly dir: string;
  /** The path for a file that is being made: in the same file system, and swept away if we die before it is kept. */
  incoming(): string;
  /** Takes a finished file in, at once or not at all, and gives its path. What was used least lately goes when the quota is exceeded. */
  keep(path: string, name: string): Promise<string>;
  /** The path of a file, which counts as a use; undefined when it is not there. */
  use(name: string): Promise<string | undefined>;
  /** Keeps a file from going while the task runs. */
  holding<T>(name: string, task: () => Promise<T>): Promise<T>;
  drop(name: string): Promise<void>;
  /** Removes what was used least lately until so many bytes are free on the disk; nothing at all, and false, when that would not do. */
  makeRoom(bytes: number): Promise<boolean>;
}

interface Kept {
  readonly bytes: number;
  /** Milliseconds since the epoch; written to disk now and then, so that it survives. */
  touchedAt: number;
}

const INCOMING = /^\.incoming-(\d+)-([0-9a-f]{8})-/;
const TOUCH_MS = 60_000;
const STALE_MS = 3_600_000;
/** Tells our files from those of a dead process that had our id, as the first process of a container always has. */
const OURS = randomUUID().slice(0, 8);

/** Makes the folder, sweeps what dead processes left half made in it, and holds it to the quota. */
export async function openFileStore(dir: string, quotaBytes: number): Promise<FileStore> {
  await mkdir(dir, { recursive: true, mode: 0o700 });
  const store = new Store(dir, quotaBytes);
  await store.load();
  return store;
}

class Store implements FileStore {
  readonly dir: string;
  readonly #quotaBytes: number;
  /** Used least lately first. */
  readonly #kept = new Map<string, Kept>();
  readonly #holds = new Map<string, number>();

  constructor(dir: string, quotaBytes: number) {
    this.dir = dir;
    this.#quotaBytes = quotaBytes;
  }

  async load(): Promise<void> {
    const found: [string, Kept][] = [];
    for (const name of await readdir(this.dir)) {
      const file = await stat(join(this.dir, name)).catch(() => undefined);
      if (file?.isFile() !== true) continue;
      if (isLeftOver(name, file.mtimeMs)) await rm(join(this.dir, name), { force: true });
      else if (!name.startsWith('.')) found.push([name, { bytes: file.size, touchedAt: file.mtimeMs }]);
    }
    found.sort(([, a], [, b]) => a.touchedAt - b.touchedAt).forEach(([name, file]) => this.#kept.set(name, file));
    await this.#evict();
  }

  incoming(): string {
    return join(this.dir, `.incoming-${process.pid}-${OURS}-${randomUUID()}`);
  }

  async keep(path: string, name: string): Promise<string> {
    const { size } = await stat(path);
    const place = join(this.dir, name);
    await rename(path, place);
    this.#kept.delete(name);
    this.#kept.set(name, { bytes: size, touchedAt: Date.now() });
    // Whoever brought it wants it, even if it is larger than the quota.
    await this.holding(name, () => this.#evict());
    return place;
  }

  async use(name: string): Promise<string | undefined> {
    const place = join(this.dir, name);
    const file = await stat(place).catch(() => undefined);
    if (file === undefined) {
      this.#kept.delete(name);
      return undefined;
    }
    const touchedAt = this.#kept.get(name)?.touchedAt ?? file.mtimeMs;
    const now = Date.now();
    this.#kept.delete(name);
    this.#kept.set(name, { bytes: file.size, touchedAt: now - touchedAt > TOUCH_MS ? now : touchedAt });
    if (now - touchedAt > TOUCH_MS) await utimes(place, now / 1000, now / 1000).catch(() => undefined);
    return place;
  }

  async holding<T>(name: string, task: () => Promise<T>): Promise<T> {
    this.#holds.set(name, (this.#holds.get(name) ?? 0) + 1);
    try {
      return await task();
    } finally {
      const left = (this.#holds.get(name) ?? 1) - 1;
      if (left === 0) this.#holds.delete(name);
      else this.#holds.set(name, left);
    }
  }

  async drop(name: string): Promise<void> {
    this.#kept.delete(name);
    await rm(join(this.dir, name), { force: true });
  }

  async makeRoom(bytes: number): Promise<boolean> {
    const loose = Array.from(this.#kept.keys()).filter((name) => !this.#holds.has(name));
    let missing = bytes - (await freeBytes(this.dir));
    const most = loose.reduce((sum, name) => sum + (this.#kept.get(name)?.bytes ?? 0), 0);
    if (missing <= 0 || missing > most) return false;
    for (const name of loose) {
      if (missing <= 0) break;
      missing -= this.#kept.get(name)?.bytes ?? 0;
      await this.drop(name);
    }
    return true;
  }

  async #evict(): Promise<void> {
    let total = [...this.#kept.values()].reduce((sum, { bytes }) => sum + bytes, 0);
    // A file that is used meanwhile moves to the end; it is not met a second time.
    for (const name of Array.from(this.#kept.keys())) {
      if (total <= this.#quotaBytes) return;
      if (this.#holds.has(name)) continue;
      total -= this.#kept.get(name)?.bytes ?? 0;
      await this.drop(name);
    }
  }
}

async function freeBytes(dir: string): Promise<number> {
  const { bavail, bsize } = await statfs(dir);
  return bavail * bsize;
}

function isLeftOver(name: string, mtimeMs: number): boolean {
  const [, pid, token] = INCOMING.exec(name) ?? [];
  if (!name.startsWith('.incoming-')) return false;
  if (Date.now() - mtimeMs > STALE_MS || pid === undefined) return true;
  return Number(pid) === process.pid ? token !== OURS : !isAlive(Number(pid));
}

function isAlive(pid: number): boolean {
  try {
    process.kill(pid, 0);
    return true;
  } catch (error) {
    // A process of somebody else is alive, too.
    return error instanceof Error && 'code' in error && error.code === 'EPERM';
  }
}

const FULL = new Set(['ENOSPC', 'EDQUOT', 'EFBIG']);

/** What a full disk means for the cache, and what to do; any other error is handed on as it is. */
export function storageFault(error: unknown, dir: string): unknown {
  const code = error instanceof Error && 'code' in error ? String(error.code) : '';
  if (!FULL.has(code)) return error;
  const advice = 'free space there, lower --chart-cache-size, or set another folder with --state';
  return new AppError('ChartCacheFull', `chart: the cache in ${dir} is full (${code}); ${advice}`, { cause: error });
}

/** Runs what writes into the cache. Throws AppError `ChartCacheFull` when there is no room on the disk. */
export async function writingTo<T>(dir: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    throw storageFault(error, dir);
  }
}

/**
 * Brings a file into a store. On a full disk what was used least lately goes, where that makes enough room, and it is brought once more; where it would
 * not, nothing goes. `bring` tells how many bytes it is about to write, as soon as it knows.
 *
 * @throws what `bring` throws.
 */
export async function withRoom<T>(store: FileStore, bring: (needs: (bytes: number) => void) => Promise<T>): Promise<T> {
  let needed: number | undefined;
  const needs = (bytes: number): void => {
    needed = bytes;
  };
  try {
    return await bring(needs);
  } catch (error) {
    if (!isAppError(error, 'ChartCacheFull') || needed === undefined || !(await store.makeRoom(needed))) throw error;
    return await bring(needs);
  }
}
