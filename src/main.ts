import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Command, helpOf, overviewOf, type Terminal } from './cli/command.ts';
import { complete } from './cli/completion.ts';
import { failureText } from './cli/failure-text.ts';
import { COMMANDS } from './compose/commands.ts';
import { openApi } from './compose/open-api.ts';
import { AppError, isAppError } from './domain/core/errors.ts';

// The command line: finds the command, prints what it gives back, and ends with its code.

const repoRoot = resolve(import.meta.dirname, '..');
/** For whatever called us wrongly: an option, an argument, a setting. */
const USAGE_ERROR = 2;
const FAILED = 1;
/** As shells count a program that Ctrl-C ended. */
const INTERRUPTED = 130;

// Whoever reads us may have read enough: `chandlery form -f crd.yaml | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => process.exit(error.code === 'EPIPE' ? 0 : 1));

const stop = new AbortController();

try {
  process.exitCode = await run(process.argv.slice(2));
} catch (error) {
  process.exitCode = stop.signal.aborted ? INTERRUPTED : isAppError(error, 'ConfigInvalid') ? USAGE_ERROR : FAILED;
  if (!stop.signal.aborted) process.stderr.write(error instanceof AppError ? failureText(error) : `chandlery: ${(error as Error).stack}\n`);
}
// Whatever still hangs then, a read from a drive that is away for example, does not keep the process.
setTimeout(() => process.exit(), 2_000).unref();

async function run([name = 'help', ...argv]: readonly string[]): Promise<number> {
  if (name === '--version' || name === 'version') return print(`${await version()}\n`);
  if (['help', '--help', '-h'].includes(name)) return print(helpFor(argv[0]));
  if (name === '__complete') return print(await complete(COMMANDS, argv, { openApi, terminal: openTerminal() }));
  const command = commandOf(name);
  if (isHelpAsked(argv)) return print(helpOf(command));
  const result = await command.run(argv, openTerminal(command));
  if (typeof result === 'number') return result;
  if (typeof result === 'string') return print(result);
  print(result.text);
  return result.code;
}

/** Not behind `--`, where words are names. */
function isHelpAsked(argv: readonly string[]): boolean {
  const end = argv.indexOf('--');
  return argv.slice(0, end < 0 ? argv.length : end).some((word) => word === '--help' || word === '-h');
}

/** The server ends by itself when it is told to. */
function openTerminal({ name }: Pick<Command, 'name'> = { name: '' }): Terminal {
  if (name !== 'serve') for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) process.once(signal, () => stop.abort());
  return {
    env: process.env,
    signal: stop.signal,
    print,
    note: (line) => process.stderr.write(`${line}\n`),
    colors: process.stdout.isTTY && (process.env['NO_COLOR'] ?? '') === '' && process.env['TERM'] !== 'dumb',
  };
}

function commandOf(name: string): Command {
  const command = COMMANDS.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  throw new AppError('ConfigInvalid', `${JSON.stringify(name)} is not a command; "chandlery help" lists them`);
}

function helpFor(name: string | undefined): string {
  return name === undefined || name.startsWith('-') ? overviewOf(COMMANDS) : helpOf(commandOf(name));
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}

async function version(): Promise<string> {
  const { version: number } = JSON.parse(await readFile(join(repoRoot, 'package.json'), 'utf8')) as { version: string };
  return number;
}
