import { readFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { type Command, helpOf, overviewOf, type Terminal } from './cli/command.ts';
import { complete } from './cli/completion.ts';
import { manyLines } from './domain/core/plain-text.ts';
import { COMMANDS } from './compose/commands.ts';
import { openApi } from './compose/open-api.ts';
import { ERROR_TABLE } from './domain/core/error-table.ts';
import { AppError, type FieldFault, isAppError, sentenceOfFault } from './domain/core/errors.ts';

// The command line: finds the command, prints what it gives back, and ends with its code.

const repoRoot = resolve(import.meta.dirname, '..');
/** For whatever called us wrongly: an option, an argument, a setting. */
const USAGE_ERROR = 2;
const FAILED = 1;
/** As shells count a program that Ctrl-C ended. */
const INTERRUPTED = 130;
/** Of a line of the remedy. */
const WIDTH = 100;

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

/** The server ends by itself by a signal. */
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

/** What the terminal says of an error: what failed, its details, and what to do next. A wrong usage is one line. */
function failureText(error: AppError): string {
  const message = `chandlery: ${manyLines(error.message)}\n`;
  if (error.code === 'ConfigInvalid') return message;
  const faults = error.faults.map(placedSentence).filter((sentence) => !error.message.includes(sentence));
  const { verb, group, resource, namespace } = error.missing ?? {};
  const missing =
    verb === undefined
      ? []
      : [
          `missing permission: ${verb} ${resource ?? ''}${group === '' ? '' : `.${group ?? ''}`}${namespace === undefined ? '' : ` in namespace ${namespace}`}`,
        ];
  const lines = [...faults, ...missing].map((line) => `  ${manyLines(line)}\n`);
  return `${message}${lines.join('')}${wrapped(`What to do: ${plain(ERROR_TABLE[error.code].remedy)}`)}`;
}

/** With the place in the file, where the fault has one. */
function placedSentence(fault: FieldFault): string {
  const { file, line } = fault;
  return file === undefined ? sentenceOfFault(fault) : `${file}${line === undefined ? '' : `:${line}`}: ${sentenceOfFault(fault)}`;
}

/** Markdown without its marks. */
function plain(markdown: string): string {
  return markdown.replaceAll(/\[([^\]]+)\]\([^)]*\)/g, '$1').replaceAll('`', '');
}

function wrapped(text: string): string {
  const rows: string[] = [];
  for (const word of text.split(' ')) {
    const last = rows.at(-1);
    if (last !== undefined && last.length + word.length < WIDTH) rows[rows.length - 1] = `${last} ${word}`;
    else rows.push(word);
  }
  return rows.map((row, index) => `${index === 0 ? '' : '  '}${row}\n`).join('');
}
