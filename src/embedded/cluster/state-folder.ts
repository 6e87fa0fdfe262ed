import { createHash } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { link, mkdir, readdir, readFile, realpath, rename, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { AppError } from '../../domain/errors.ts';
import { endLeftovers } from './leftovers.ts';
import { birthMark } from './process-table.ts';

/** A state folder that this process has for itself until it lets go. */
export interface StateFolder {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  release(): Promise<void>;
}

const MARKER = '.chandlery-state';
const LOCK = 'lock';

/** The state folder of a clone: below the XDG state folder, so that two clones never meet. */
export function defaultStateDir(
  repoRoot: string,
  env: { readonly XDG_STATE_HOME?: string | undefined; readonly HOME?: string | undefined },
): string {
  const base = env.XDG_STATE_HOME?.startsWith('/') === true ? env.XDG_STATE_HOME : join(env.HOME ?? homedir(), '.local', 'state');
  return join(base, 'chandlery', createHash('sha256').update(realpathSync(repoRoot)).digest('hex').slice(0, 12));
}

/**
 * Takes a state folder for this process, and makes it when it is missing or empty. Programs that an earlier process left running on it are
 * ended. With `reset` all that it holds is deleted.
 *
 * @throws AppError `ConfigInvalid` when it holds files that are not ours, or when another process uses it.
 */
export async function claimStateFolder(path: string, options: { readonly reset?: boolean } = {}): Promise<StateFolder> {
  await mkdir(resolve(path), { recursive: true, mode: 0o700 });
  const folder = await realpath(resolve(path));
  await requireOurs(folder);
  await lock(folder);
  await endLeftovers(folder);
  if (options.reset === true) await empty(folder);
  return { path: folder, release: () => rm(join(folder, LOCK), { force: true }) };
}

async function requireOurs(folder: string): Promise<void> {
  const entries = await readdir(folder);
  if (entries.includes(MARKER)) return;
  if (entries.length > 0) {
    throw new AppError(
      'ConfigInvalid',
      `state folder "${folder}": holds files that Chandlery did not make: choose an empty folder with --state`,
    );
  }
  await writeFile(join(folder, MARKER), 'The state of a Chandlery. `npm start -- --reset` empties this folder.\n');
}

async function empty(folder: string): Promise<void> {
  const entries = (await readdir(folder)).filter((entry) => entry !== MARKER && entry !== LOCK);
  await Promise.all(entries.map((entry) => rm(join(folder, entry), { recursive: true, force: true })));
}

async function lock(folder: string): Promise<void> {
  const path = join(folder, LOCK);
  const draft = `${path}.${process.pid}`;
  await writeFile(draft, JSON.stringify({ pid: process.pid, born: await birthMark(process.pid) }));
  try {
    for (let attempt = 0; attempt < 3; attempt += 1) {
      if (await tryLink(draft, path)) return;
      const pid = await liveHolder(path);
      if (pid !== undefined) throw inUse(folder, pid);
      await discardStale(path);
    }
    throw new AppError('ConfigInvalid', `state folder "${folder}": several processes start on it at once: start one`);
  } finally {
    await rm(draft, { force: true });
  }
}

/** Links are made whole or not at all, and never over an existing one. */
async function tryLink(from: string, to: string): Promise<boolean> {
  try {
    await link(from, to);
    return true;
  } catch (error) {
    if (error instanceof Error && 'code' in error && error.code === 'EEXIST') return false;
    throw error;
  }
}

/** The process that holds the lock, unless it is gone or its number has been given to another one. */
async function liveHolder(path: string): Promise<number | undefined> {
  try {
    const holder: unknown = JSON.parse(await readFile(path, 'utf8'));
    if (typeof holder !== 'object' || holder === null || !('pid' in holder) || typeof holder.pid !== 'number') return undefined;
    const born = await birthMark(holder.pid);
    return born !== undefined && 'born' in holder && holder.born === born ? holder.pid : undefined;
  } catch {
    return undefined;
  }
}

/** Puts the stale lock aside under a name of our own; when somebody was faster and it is a live one, it goes back. */
async function discardStale(path: string): Promise<void> {
  const aside = `${path}.stale-${process.pid}`;
  try {
    await rename(path, aside);
  } catch {
    return;
  }
  if ((await liveHolder(aside)) !== undefined) await tryLink(aside, path);
  await rm(aside, { force: true });
}

function inUse(folder: string, pid: number): AppError {
  return new AppError(
    'ConfigInvalid',
    `state folder "${folder}": process ${pid} uses it: stop that process, or choose another folder with --state`,
  );
}
