import { readdirSync, readFileSync } from 'node:fs';
import { eventually } from '../support/eventually.ts';

/** Programs that all files of a process share until it ends. */
const SHARED = /chrom|zygote|kill -KILL \$minded/;
const PATIENCE_SECONDS = 5;

/** The process ids of the children of this process; empty where Linux does not tell them. */
export function runningChildren(): ReadonlySet<number> {
  try {
    const threads = readdirSync('/proc/self/task');
    const ids = threads.flatMap((thread) => readFileSync(`/proc/self/task/${thread}/children`, 'utf8').trim().split(' '));
    return new Set(ids.filter((id) => id !== '').map(Number));
  } catch {
    return new Set();
  }
}

/** The command lines of children that were not there before, and that do not end by themselves now. */
export async function leftBehind(before: ReadonlySet<number>): Promise<readonly string[]> {
  const left = (): readonly string[] => [...runningChildren()].filter((id) => !before.has(id)).flatMap((id) => commandOf(id) ?? []);
  return await eventually(async () => left().length === 0 && left(), 'all children have ended', PATIENCE_SECONDS).catch(left);
}

function commandOf(id: number): string | undefined {
  try {
    const command = readFileSync(`/proc/${id}/cmdline`, 'utf8').replaceAll('\0', ' ').trim();
    return command === '' || SHARED.test(command) ? undefined : `${id}: ${command}`;
  } catch {
    return undefined;
  }
}

/** The processes of a run that carry this variable in their environment, with their command lines. */
export function processesWith(variable: string): readonly { readonly id: number; readonly command: string }[] {
  try {
    const ids = readdirSync('/proc')
      .map(Number)
      .filter((id) => Number.isInteger(id) && id !== process.pid);
    return ids.filter((id) => hasVariable(id, variable)).map((id) => ({ id, command: commandOf(id) ?? 'a browser' }));
  } catch {
    return [];
  }
}

function hasVariable(id: number, variable: string): boolean {
  try {
    return readFileSync(`/proc/${id}/environ`, 'utf8').split('\0').includes(variable);
  } catch {
    return false;
  }
}
