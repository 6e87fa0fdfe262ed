import { randomInt, randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../domain/core/errors.ts';
import { birthMark } from './process-table.ts';

const PAUSE_MS = { shortest: 50, longest: 250 };

/**
 * Takes the lock that a folder of claims stands for; returns how to let go of it. Each process lays down a claim first and looks for others
 * then, so of two at least one sees the other and yields; both may, and try again after a pause of chance. A claim is a file that says in its
 * unique name who made it, so that claims of processes that are gone can be removed without ever removing a live one.
 *
 * @param what the folder that is locked, for the message.
 * @param patienceMs how long another process may still need to let go, because it is about to end.
 * @throws AppError `ConfigInvalid` when another process holds it.
 */
export async function lockFolder(claims: string, { what, patienceMs }: { what: string; patienceMs: number }): Promise<() => Promise<void>> {
  await mkdir(claims, { recursive: true, mode: 0o700 });
  const born = encodeURIComponent((await birthMark(process.pid)) ?? '');
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
    if (born !== '' && encodeURIComponent((await birthMark(Number(pid))) ?? '') === born) return Number(pid);
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
