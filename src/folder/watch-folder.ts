import { readdir, stat, watch } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { isIgnoredName } from './read-folder.ts';

const RESCAN_MS = 1_000;
const DEBOUNCE_MS = 200;
const MAX_ENTRIES = 10_000;

/**
 * Calls `onChange` once it watches, as it does not know what somebody has read before, and after anything in a folder changed: at most 200 ms after an
 * event of the system, and at most about a second after a change that the system did not tell (network drives, a folder that appears later). Resolves when
 * the signal aborts; never rejects.
 */
export async function watchFolder(path: string, onChange: () => void, signal: AbortSignal): Promise<void> {
  let seen = await fingerprint(path);
  if (!signal.aborted) onChange();
  let pending: Promise<void> | undefined;
  const notify = async (): Promise<void> => {
    await pause(DEBOUNCE_MS, signal);
    pending = undefined;
    // Taken before the folder is read, so that a change which comes back to an earlier state is still a change.
    seen = await fingerprint(path);
    if (!signal.aborted) onChange();
  };
  const soon = (): void => {
    pending ??= notify();
  };
  const rescan = async (): Promise<void> => {
    while (!signal.aborted) {
      await pause(RESCAN_MS, signal);
      if ((await fingerprint(path)) !== seen) soon();
    }
  };
  await Promise.all([followEvents(path, soon, signal), rescan()]);
  await pending;
}

/**
 * Follows the system's events; where it has none to give, waits a while and asks again. The rescan fills the gap, also on a local drive: Node's
 * recursive watch on Linux loses a file once another was renamed over it, as editors do.
 */
async function followEvents(path: string, soon: () => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      for await (const { filename } of watch(path, { recursive: true, signal })) {
        if (filename === null || !isIgnoredName(basename(filename))) soon();
      }
    } catch {
      await pause(RESCAN_MS, signal);
    }
  }
}

/** Names, sizes and times of everything below the folder; a text of its own when it is not there. */
async function fingerprint(path: string): Promise<string> {
  try {
    const entries = await readdir(path, { recursive: true, withFileTypes: true });
    const files = entries.filter((entry) => !entry.isDirectory() && !isIgnoredName(entry.name)).slice(0, MAX_ENTRIES);
    const lines = await Promise.all(files.map((entry) => line(join(entry.parentPath, entry.name))));
    return lines.sort().join('\n');
  } catch {
    return 'absent';
  }
}

async function line(path: string): Promise<string> {
  try {
    const { mtimeMs, ctimeMs, size } = await stat(path);
    return `${path} ${mtimeMs} ${ctimeMs} ${size}`;
  } catch {
    return `${path} gone`;
  }
}

async function pause(ms: number, signal: AbortSignal): Promise<void> {
  try {
    await sleep(ms, undefined, { signal, ref: false });
  } catch {
    // The signal aborted the pause, and the loop around it ends by that same signal.
  }
}
