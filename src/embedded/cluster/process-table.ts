import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { promisify } from 'node:util';

const run = promisify(execFile);

/** The command line of a running process, arguments joined by spaces; undefined when there is none or it is only waiting to be reaped. */
export async function commandLine(pid: number): Promise<string | undefined> {
  const text = process.platform === 'linux' ? await procFile(pid, 'cmdline') : await ps(pid, 'command=');
  const line = text?.replaceAll('\0', ' ').trim() ?? '';
  return line === '' ? undefined : line;
}

/** A text that two processes of one number never share: when it was started. Undefined when there is no such process. */
export async function processStartTime(pid: number): Promise<string | undefined> {
  if (process.platform !== 'linux') return (await ps(pid, 'lstart='))?.trim();
  const stat = await procFile(pid, 'stat');
  // The command's name stands in parentheses and may hold anything; what follows the last one is the state and 49 numbers (proc(5)).
  const fields = stat?.slice(stat.lastIndexOf(')') + 2).split(' ');
  // The first thread of a process can be a zombie while others still hold its sockets, so that the number of threads counts too.
  const isOver = fields === undefined || (fields[0] === 'Z' && Number(fields[17]) <= 1);
  return isOver ? undefined : fields[19];
}

async function procFile(pid: number, name: string): Promise<string | undefined> {
  try {
    return await readFile(`/proc/${pid}/${name}`, 'utf8');
  } catch {
    return undefined;
  }
}

async function ps(pid: number, column: string): Promise<string | undefined> {
  try {
    return (await run('ps', ['-ww', '-o', column, '-p', String(pid)])).stdout;
  } catch {
    return undefined;
  }
}
