import { createHash, randomInt, randomUUID } from 'node:crypto';
import { realpathSync } from 'node:fs';
import { mkdir, readdir, realpath, rm, writeFile } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../domain/core/errors.ts';
import { endLeftovers } from './leftovers.ts';
import { processStartTime } from './process-table.ts';

/** A state folder that this process has for itself until it lets go. */
export interface StateFolder {
  /** Absolute, symbolic links resolved. */
  readonly path: string;
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

const PAUSE_MS = { shortest: 50, longest: 250 };

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
  const release = await lockFolder(join(folder, LOCK), { what: folder, patienceMs: options.patienceMs ?? PATIENCE_MS });
  try {
    await endLeftovers(folder);
    if (options.reset === true) await empty(folder);
    return { path: folder, release };
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

async function empty(folder: string): Promise<void> {
  const entries = (await readdir(folder)).filter((entry) => entry !== MARKER && entry !== LOCK);
  await Promise.all(entries.map((entry) => rm(join(folder, entry), { recursive: true, force: true })));
}

/**
 * Takes the lock that a folder of claims stands for; returns how to let go of it. Each process lays down a claim first and looks for others
 * then, so of two at least one sees the other and yields; both may, and try again after a pause of chance. A claim is a file that says in its
 * unique name who made it, so that claims of processes that are gone can be removed without ever removing a live one.
 *
 * @param what the folder that is locked, for the message.
 * @param patienceMs how long another process may still need to let go, because it is about to end.
 * @throws AppError `ConfigInvalid` when another process holds it.
 */
async function lockFolder(claims: string, { what, patienceMs }: { what: string; patienceMs: number }): Promise<() => Promise<void>> {
  await mkdir(claims, { recursive: true, mode: 0o700 });
  const born = encodeURIComponent((await processStartTime(process.pid)) ?? '');
  const until = performance.now() + patienceMs;
  for (;;) {
    const name = `${process.pid}_${born}_${randomUUID()}`;
    await writeFile(join(claims, name), '');
    const release = (): Promise<void> => rm(join(claims, name), { force: true });
    const other = await findOther(claims, name);
    if (other === undefined) return release;
    await release();
    if (performance.now() > until) throw inUse(what, other);
    await delay(randomInt(PAUSE_MS.shortest, PAUSE_MS.longest));
  }
}

/** The process of another live claim. Claims of processes that are gone are removed. */
async function findOther(claims: string, own: string): Promise<number | undefined> {
  for (const name of (await readdir(claims)).sort()) {
    if (name === own) continue;
    const [pid = '', born = ''] = name.split('_');
    if (born !== '' && encodeURIComponent((await processStartTime(Number(pid))) ?? '') === born) return Number(pid);
    await rm(join(claims, name), { force: true, recursive: true });
  }
  return undefined;
}

function inUse(what: string, pid: number): AppError {
  return new AppError(
    'ConfigInvalid',
    `state folder "${what}": process ${pid} uses it: stop that process, or choose another folder with --state`,
  );
}
