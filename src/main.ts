import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline/promises';
import type { Terminal } from './cli/command.ts';
import { runCommandLine } from './cli/run-command-line.ts';
import { COMMANDS } from './compose/commands.ts';
import { openApi } from './compose/open-api.ts';

// The program: gives the command line its streams and signals, and ends with its code.

const repoRoot = resolve(import.meta.dirname, '..');

// Whoever reads us may have read enough: `chandlery form -f crd.yaml | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const stop = new AbortController();

process.exitCode = await runCommandLine(process.argv.slice(2), {
  commands: COMMANDS,
  openApi,
  openTerminal,
  print,
  warn: (text) => process.stderr.write(text),
  version,
  signal: stop.signal,
});
// Whatever still hangs then, a read from a drive that is away for example, does not keep the process.
setTimeout(() => process.exit(), 2_000).unref();

/** The server ends by itself by a signal. */
function openTerminal(name = ''): Terminal {
  if (name !== 'serve') for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  return {
    env: process.env,
    signal: stop.signal,
    print,
    note: (line) => process.stderr.write(`${line}\n`),
    ...(process.stdin.isTTY && process.stderr.isTTY ? { confirm } : {}),
    colors: process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb',
  };
}

/** Ctrl-C and the end of the input are a no. */
async function confirm(question: string): Promise<boolean> {
  const lines = createInterface({ input: process.stdin, output: process.stderr });
  const closed = once(lines, 'close').then(() => '');
  const answer = await Promise.race([lines.question(question).catch(() => ''), closed]);
  lines.close();
  return /^y(es)?$/i.test(answer.trim());
}

function print(text: string): void {
  process.stdout.write(text);
}

async function version(): Promise<string> {
  const { version: number } = JSON.parse(await readFile(join(repoRoot, 'package.json'), 'utf8')) as { version: string };
  return number;
}
