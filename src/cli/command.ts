import { join } from 'node:path';
import { AppError } from '../domain/core/errors.ts';
import { quoted } from '../domain/instance/instance-commands.ts';
import { SETTINGS } from '../domain/setting/settings.ts';

/** The headings of the overview, in its order. */
const COMMAND_GROUPS = ['Catalogue and instances', 'Sign-in and kubectl', 'Files', 'Server'] as const;

/** What a word of a command can be, for the completion of shells. */
export type Completion =
  'command' | 'app' | 'environment' | 'environment-action' | 'instance' | 'operator' | 'source' | 'source-action' | 'file' | 'shell';

/** One word of the command line: `chandlery NAME …`. */
export interface Command {
  readonly name: string;
  readonly group: (typeof COMMAND_GROUPS)[number];
  /** What stands behind the name, e.g. `-f FILE|- [-o json]`. */
  readonly usage: string;
  /** One line for the list of commands. */
  readonly summary: string;
  /** What it takes besides, a line each: the option and what it does. */
  readonly options: readonly (readonly [string, string])[];
  /** The settings that mean something to it; `all` for the server. */
  readonly settings: readonly string[] | 'all';
  readonly examples: readonly string[];
  /** What its words are, one after another; absent: it takes none. */
  readonly words?: readonly Completion[];
  /** Its options, as far as completion knows what their values are. */
  readonly optionWords?: readonly OptionWord[];
  /** @returns the text to print, or the code to exit with, or both. */
  run(argv: readonly string[], terminal: Terminal): Promise<string | number | CommandOutput>;
}

/** An option whose values completion knows. */
export interface OptionWord {
  readonly name: string;
  readonly short?: string;
  readonly value?: string;
  readonly choices?: readonly string[];
  readonly completes?: Completion;
}

/** What surrounds a command. */
export interface Terminal {
  readonly env: Readonly<Record<string, string | undefined>>;
  /** Aborts when somebody presses Ctrl-C. */
  readonly signal: AbortSignal;
  /** Prints to the standard output before the end, for what goes on. */
  readonly print: (text: string) => void;
  /** A line of progress or a warning, to the standard error. */
  readonly note: (line: string) => void;
  /** Asks a person at a terminal, and answers whether they said yes; absent where there is none. */
  readonly confirm?: (question: string) => Promise<boolean>;
  /** Whether statuses are coloured: a person looks at the standard output, and `NO_COLOR` is not set. */
  readonly colors: boolean;
}

/** The text that a command prints, and the code that it exits with then. */
export interface CommandOutput {
  readonly text: string;
  readonly code: number;
}

const WIDTH = 34;

/**
 * The command line of a clone as a shell in the folder `cwd` runs it, without a PATH. Never `npx`: outside the clone it would run the package that a
 * stranger publishes under the name.
 */
export function programOfClone(repoRoot: string, cwd: string): string {
  return cwd === repoRoot ? './bin/chandlery' : quoted(join(repoRoot, 'bin', 'chandlery'));
}

/** The text of `chandlery help`. */
export function overviewOf(commands: readonly Command[]): string {
  const rows = COMMAND_GROUPS.flatMap((group) => [
    `${group}:`,
    ...commands.filter((one) => one.group === group).map(({ name, usage, summary }) => row(`chandlery ${name}${firstOf(usage)}`, summary)),
    '',
  ]);
  return [
    'Chandlery: a self-service catalogue of managed apps for Kubernetes',
    '',
    ...rows,
    row('chandlery help [COMMAND]', 'this text, or the help of a command'),
    row('chandlery --version', 'the version'),
    '',
    'Exit codes: 0 done; 1 failed; 2 wrong usage; 3 not healthy, blocked or different; 130 interrupted.',
    '"chandlery help serve" lists the settings. Each is also a variable of the environment: --port 9000 is CHANDLERY_PORT=9000.',
    '',
  ].join('\n');
}

/** The text of `chandlery help COMMAND`. */
export function helpOf({ name, usage, summary, options, settings, examples }: Command): string {
  const known = SETTINGS.filter((setting) => settings === 'all' || settings.includes(setting.name));
  const rows = [...options, ...known.map((setting) => [`--${setting.name} ${setting.value}`.trimEnd(), setting.help] as const)];
  return [
    `Usage: chandlery ${name} ${usage}`.trimEnd(),
    '',
    `${summary.charAt(0).toUpperCase()}${summary.slice(1)}.`,
    ...(rows.length === 0 ? [] : ['', 'Options:', ...rows.map(([option, text]) => row(option, text))]),
    ...(examples.length === 0 ? [] : ['', 'Examples:', ...examples.map((example) => `  ${example}`)]),
    '',
  ].join('\n');
}

/** Only what must be given. */
function firstOf(usage: string): string {
  const [required = ''] = usage.split(' [');
  return required === '' || required.startsWith('[') ? '' : ` ${required}`;
}

function row(left: string, right: string): string {
  return left.length < WIDTH - 2 ? `  ${left.padEnd(WIDTH)}${right}` : `  ${left}\n  ${' '.repeat(WIDTH)}${right}`;
}

export type Output = 'lines' | 'json';

/**
 * Takes `-o FORMAT`, `-oFORMAT` or `--output FORMAT` out of the arguments of a command.
 *
 * @throws AppError `ConfigInvalid` for another format than `json`.
 */
export function takeOutput(command: string, argv: readonly string[]): { readonly output: Output; readonly rest: readonly string[] } {
  const at = argv.findIndex((word) => /^(-o|--output)/.test(word));
  if (at < 0) return { output: 'lines', rest: argv };
  const [word = '', next] = argv.slice(at);
  const inline = /^(?:-o=?|--output=)(.+)$/.exec(word)?.[1];
  const output = inline ?? next;
  if (output !== 'json' && output !== 'lines') {
    throw new AppError('ConfigInvalid', `${command}: -o: ${JSON.stringify(output ?? '')} is not one of lines, json`);
  }
  return { output, rest: argv.toSpliced(at, inline === undefined ? 2 : 1) };
}

const MAX_BYTES = 20 * 1024 * 1024;

/**
 * Everything on the standard input, for commands that take `-` for a file.
 *
 * @throws AppError `ConfigInvalid` when nobody types or pipes anything, `TooLarge` above 20 MiB.
 */
export async function readStandardInput(): Promise<Buffer> {
  if (process.stdin.isTTY) throw new AppError('ConfigInvalid', '-: pipe a file into the command, e.g. kubectl get crd NAME -o yaml | …');
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of process.stdin as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > MAX_BYTES) throw new AppError('TooLarge', `-: the standard input is larger than ${MAX_BYTES / 1024 / 1024} MiB`);
    chunks.push(chunk);
  }
  if (size === 0) throw new AppError('ConfigInvalid', '-: the standard input is empty');
  return Buffer.concat(chunks);
}
