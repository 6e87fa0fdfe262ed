import { createHash, randomUUID } from 'node:crypto';
import { existsSync, realpathSync } from 'node:fs';
import { appendFile, mkdir, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { AppError } from '../../domain/core/errors.ts';
import { endLeftovers } from './leftovers.ts';
import { lockFolder } from './lock-folder.ts';

/** A state folder that this process has for itself until it lets go. */
export interface StateFolder {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
  /** Of this folder alone, however often it is used or emptied. */
  readonly id: string;
  release(): Promise<void>;
}

const MARKER = '.chandlery-state';
const LOCK = 'lock';
const PATIENCE_MS = 4000;

export interface ClaimOptions {
  readonly reset?: boolean;
  /** How long a process that uses the folder may need to let go, because it is stopping. Default: 4 s. */
  readonly patienceMs?: number;
}

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
export async function claimStateFolder(path: string, options: ClaimOptions = {}): Promise<StateFolder> {
  await mkdir(resolve(path), { recursive: true, mode: 0o700 });
  const folder = await realpath(resolve(path));
  await requireOurs(folder);
  const release = await lockFolder(join(folder, LOCK), {
    patienceMs: options.patienceMs ?? PATIENCE_MS,
    inUse: (pid) => inUse(folder, pid),
  });
  try {
    await endLeftovers(folder);
    if (options.reset === true) await empty(folder);
    return { path: folder, id: await ensureId(join(folder, MARKER)), release };
  } catch (error) {
    await release();
    throw error;
  }
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

/** The marker has the id, so that a reset keeps it. */
async function ensureId(marker: string): Promise<string> {
  const known = /^id: (\S+)$/m.exec(await readFile(marker, 'utf8'))?.[1];
  if (known !== undefined) return known;
  const id = randomUUID();
  await appendFile(marker, `id: ${id}\n`);
  return id;
}

/** The names that a reset deletes in a state folder, sorted; none in a folder that is missing or not ours. */
export async function resettableEntries(path: string): Promise<readonly string[]> {
  const folder = resolve(path);
  const entries = existsSync(folder) ? await readdir(folder) : [];
  return entries.includes(MARKER) ? entries.filter((entry) => entry !== MARKER && entry !== LOCK).sort() : [];
}

async function empty(folder: string): Promise<void> {
  await Promise.all((await resettableEntries(folder)).map((entry) => rm(join(folder, entry), { recursive: true, force: true })));
}

function inUse(what: string, pid: number): AppError {
  return new AppError(
    'ConfigInvalid',
    `state folder "${what}": process ${pid} uses it: stop that process, or choose another folder with --state`,
  );
}
