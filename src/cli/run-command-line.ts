import { ERROR_TABLE } from '../domain/core/error-table.ts';
import { AppError, type FieldFault, isAppError, sentenceOfFault } from '../domain/core/errors.ts';
import { manyLines } from '../domain/core/plain-text.ts';
import { type Command, helpOf, overviewOf, type Terminal } from './command.ts';
import type { OpenApi } from './client-command.ts';
import { complete } from './completion.ts';

/** Commands, streams and signal of a run of `chandlery`. */
export interface CommandLine {
  readonly commands: readonly Command[];
  readonly openApi: OpenApi;
  /** Environment, streams and signal for the command of that name; without a name, for completion. */
  readonly openTerminal: (name?: string) => Terminal;
  /** To the standard output. */
  readonly print: (text: string) => void;
  /** To the standard error, as it stands. */
  readonly warn: (text: string) => void;
  readonly version: () => Promise<string>;
  /** Aborts on SIGINT, SIGTERM or SIGHUP. */
  readonly signal: AbortSignal;
}

/** Exit code for an invalid command, option, argument or setting. */
const USAGE_ERROR = 2;
const FAILED = 1;
/** Exit code of an interrupted command: 128 + SIGINT, as in shells. */
const INTERRUPTED = 130;
/** Maximum characters in a line of the remedy. */
const WIDTH = 100;

/** Finds the command, prints what it gives back, or why it failed. @returns the code to exit with. */
export async function runCommandLine(argv: readonly string[], line: CommandLine): Promise<number> {
  try {
    return await run(argv, line);
  } catch (error) {
    if (line.signal.aborted) return INTERRUPTED;
    line.warn(error instanceof AppError ? failureText(error) : `chandlery: ${(error as Error).stack}\n`);
    return isAppError(error, 'ConfigInvalid') ? USAGE_ERROR : FAILED;
  }
}

async function run([name = 'help', ...argv]: readonly string[], line: CommandLine): Promise<number> {
  const { commands, openApi, openTerminal } = line;
  const print = (text: string): number => {
    line.print(text);
    return 0;
  };
  if (name === '--version' || name === 'version') return print(`${await line.version()}\n`);
  if (['help', '--help', '-h'].includes(name)) return print(helpFor(commands, argv[0]));
  if (name === '__complete') return print(await complete(commands, argv, { openApi, terminal: openTerminal() }));
  const command = commandOf(commands, name);
  if (isHelpAsked(argv)) return print(helpOf(command));
  const result = await command.run(argv, openTerminal(name));
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

function commandOf(commands: readonly Command[], name: string): Command {
  const command = commands.find((candidate) => candidate.name === name);
  if (command !== undefined) return command;
  throw new AppError('ConfigInvalid', `${JSON.stringify(name)} is not a command; "chandlery help" lists them`);
}

function helpFor(commands: readonly Command[], name: string | undefined): string {
  return name === undefined || name.startsWith('-') ? overviewOf(commands) : helpOf(commandOf(commands, name));
}

/** Error message with details and remedy; a usage error is one line. */
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
