import { linkSync, mkdirSync, readFileSync, renameSync, rmSync, statSync, utimesSync, writeFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';

const POLL_MS = 500;
const BEAT_MS = 5000;
const SILENT_MS = 60_000;

/**
 * Runs `work` while no other process runs work under the same path. A lock whose process is gone, or has been silent for a minute because
 * its number was given to another one, is taken over. `onWait` is called once with whom we wait for.
 */
export async function withLock(path, onWait, work) {
  mkdirSync(dirname(path), { recursive: true });
  let hasTold = false;
  while (!tryLock(path)) {
    const holder = readHolder(path);
    if (!holder.isAlive) discard(path);
    else {
      if (!hasTold) onWait(holder.pid);
      hasTold = true;
      await delay(POLL_MS);
    }
  }
  const beat = setInterval(() => utimesSync(path, new Date(), new Date()), BEAT_MS);
  try {
    return await work();
  } finally {
    clearInterval(beat);
    rmSync(path, { force: true });
  }
}

/** A link appears with its whole content, and never over an existing file. */
function tryLock(path) {
  const draft = `${path}.${process.pid}`;
  writeFileSync(draft, String(process.pid));
  try {
    linkSync(draft, path);
    return true;
  } catch (error) {
    if (error.code === 'EEXIST') return false;
    throw error;
  } finally {
    rmSync(draft, { force: true });
  }
}

function readHolder(path) {
  try {
    const pid = Number.parseInt(readFileSync(path, 'utf8'), 10);
    return { pid, isAlive: isRunning(pid) && Date.now() - statSync(path).mtimeMs < SILENT_MS };
  } catch {
    return { pid: 0, isAlive: false };
  }
}

/** Whether there is a process of this number. */
export function isRunning(pid) {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return error.code === 'EPERM';
  }
}

/** Moves the stale lock aside first: if it turns out to be one that somebody has just taken, it goes back. */
function discard(path) {
  const aside = `${path}.stale-${process.pid}`;
  try {
    renameSync(path, aside);
    if (readHolder(aside).isAlive) linkSync(aside, path);
  } catch {
    // Somebody else was faster; the next round looks again.
  }
  rmSync(aside, { force: true });
}
