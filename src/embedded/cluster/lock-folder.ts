import { randomInt, randomUUID } from 'node:crypto';
import { mkdir, readdir, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import type { AppError } from '../../domain/core/errors.ts';
import { processStartTime } from './process-table.ts';

interface LockOptions {
  readonly patienceMs: number;
  readonly inUse: (pid: number) => AppError;
}

const PAUSE_MS = { shortest: 50, longest: 250 };

/**
 * Takes the lock that a folder of claims stands for; returns how to let go of it. Each process lays down a claim first and looks for others
 * then, so of two at least one sees the other and yields; both may, and try again after a pause of chance. A claim is a file that says in its
 * unique name who made it, so that claims of processes that are gone can be removed without ever removing a live one.
 *
 * @param patienceMs how long another process may still need to let go.
 * @param inUse what is thrown when another process holds it for longer.
 */
export async function lockFolder(claims: string, { patienceMs, inUse }: LockOptions): Promise<() => Promise<void>> {
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
    if (performance.now() > until) throw inUse(other);
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
