import { readdir, readFile, rm } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { AppError } from '../../domain/core/errors.ts';
import { processStartTime, commandLine } from './process-table.ts';

const POLL_MS = 20;
const PATIENCE_MS = 5000;

/** Where a running program's process number is recorded, so that a later start can end it. */
export function pidFile(stateFolder: string, program: string): string {
  return join(stateFolder, 'run', `${program}.pid`);
}

/**
 * Ends the programs that a killed process left running on this state. A recorded process is ours only when its command line names the
 * folder: numbers are given anew, and nobody else's process may be ended. Returns the names of the programs that were ended.
 */
export async function endLeftovers(stateFolder: string): Promise<readonly string[]> {
  const ended: string[] = [];
  for (const file of await recordedPids(stateFolder)) {
    const pid = Number.parseInt(await readFile(file.path, 'utf8'), 10);
    if (await isOurs(pid, stateFolder)) {
      await end(pid, stateFolder);
      ended.push(file.program);
    }
    await rm(file.path, { force: true });
  }
  return ended;
}

async function recordedPids(stateFolder: string): Promise<readonly { readonly program: string; readonly path: string }[]> {
  try {
    const names = (await readdir(join(stateFolder, 'run'))).filter((name) => name.endsWith('.pid')).sort();
    return names.map((name) => ({ program: name.slice(0, -'.pid'.length), path: join(stateFolder, 'run', name) }));
  } catch {
    return [];
  }
}

async function isOurs(pid: number, stateFolder: string): Promise<boolean> {
  return Number.isInteger(pid) && pid > 1 && ((await commandLine(pid))?.includes(`${stateFolder}/`) ?? false);
}

/** Its command line goes before its sockets do, so that its end is looked for in the birth mark. */
async function end(pid: number, stateFolder: string): Promise<void> {
  const born = await processStartTime(pid);
  signalQuietly(pid, 'SIGKILL');
  for (let waited = 0; waited < PATIENCE_MS; waited += POLL_MS) {
    if (born === undefined || (await processStartTime(pid)) !== born) return;
    await delay(POLL_MS);
  }
  throw new AppError('ConfigInvalid', `state folder "${stateFolder}": process ${pid} of an earlier start does not stop; stop it by hand`);
}

function signalQuietly(pid: number, signal: NodeJS.Signals): void {
  try {
    process.kill(pid, signal);
  } catch {
    // It ended by itself between the two looks.
  }
}
