import { parseArgs } from 'node:util';
import { AppError, messageOf } from '../domain/core/errors.ts';
import type { Completion } from './command.ts';

/** An option of a command: `--name VALUE`, or `--name` alone for one without a value. */
export interface Option {
  readonly name: string;
  readonly short?: string;
  /** What its value is called in the help; absent: it is a flag. */
  readonly value?: string;
  readonly many?: 'many';
  /** The only values that it takes. */
  readonly choices?: readonly string[];
  /** What its value is, for completion. */
  readonly completes?: Completion;
  readonly help: string;
}

/** What the command line says. */
export interface Arguments {
  readonly words: readonly string[];
  /** The last value that was given. */
  text(name: string): string | undefined;
  /** All values that were given. */
  texts(name: string): readonly string[];
  flag(name: string): boolean;
}

/** The left side of the help: `-o, --output FORMAT`. */
export function optionText({ name, short, value }: Pick<Option, 'name' | 'short' | 'value'>): string {
  return `${short === undefined ? '' : `-${short}, `}--${name}${value === undefined ? '' : ` ${value}`}`;
}

/**
 * Parses the arguments of a command.
 *
 * @param words how many words it takes beside its options: least and most.
 * @throws AppError `ConfigInvalid` for anything that it does not take, with what it takes.
 */
export function parseArguments(
  command: { readonly name: string; readonly usage: string; readonly options: readonly Option[]; readonly words: WordCount },
  argv: readonly string[],
): Arguments {
  const { name, usage, options, words } = command;
  const { values, positionals } = parsed(command, argv);
  if (positionals.length < words.least || positionals.length > words.most) {
    const extra = positionals[words.most];
    const why = extra === undefined ? 'an argument is missing' : `${JSON.stringify(extra)} is one argument too many`;
    throw wrong(name, `${why}; write chandlery ${name} ${usage}`.trimEnd());
  }
  const all = (option: string): readonly (string | boolean)[] => values[option] ?? [];
  for (const { name: option, choices } of options) {
    const bad = choices === undefined ? undefined : all(option).find((value) => !choices.includes(String(value)));
    if (bad !== undefined) throw wrong(name, `--${option}: ${JSON.stringify(bad)} is not one of ${choices?.join(', ') ?? ''}`);
  }
  const texts = (option: string): readonly string[] => all(option).map(String);
  return { words: positionals, text: (option) => texts(option).at(-1), texts, flag: (option) => all(option).at(-1) === true };
}

export interface WordCount {
  readonly least: number;
  readonly most: number;
}

function parsed(
  { name, options }: { readonly name: string; readonly options: readonly Option[] },
  argv: readonly string[],
): { readonly values: Readonly<Record<string, readonly (string | boolean)[] | undefined>>; readonly positionals: readonly string[] } {
  const known = Object.fromEntries(
    options.map(({ name: option, short, value }) => [
      option,
      { type: value === undefined ? ('boolean' as const) : ('string' as const), multiple: true, ...(short === undefined ? {} : { short }) },
    ]),
  );
  try {
    const { values, positionals } = parseArgs({ args: [...argv], options: known, strict: true, allowPositionals: true });
    return { values: Object.fromEntries(Object.entries(values).map(([option, given]) => [option, [given ?? []].flat()])), positionals };
  } catch (cause) {
    throw wrong(name, `${messageOf(cause).split(/\. To specify|\n/)[0] ?? ''}; "chandlery help ${name}" lists the options`, cause);
  }
}

/** A command was called wrongly. */
export function wrong(command: string, why: string, cause?: unknown): AppError {
  return new AppError('ConfigInvalid', `${command}: ${why}`, { cause });
}

/**
 * The one of some words that the command line names, such as an action.
 *
 * @throws AppError `ConfigInvalid` for any other word.
 */
export function choiceOf<C extends string>(command: string, word: string | undefined, choices: readonly C[]): C {
  const choice = choices.find((one) => one === word);
  if (choice === undefined) throw wrong(command, `${JSON.stringify(word ?? '')} is not one of ${choices.join(', ')}`);
  return choice;
}

const SECONDS: Readonly<Record<string, number>> = { s: 1, m: 60, h: 3600 };

/**
 * The milliseconds of a duration such as `90s`, `5m` or `1h`.
 *
 * @throws AppError `ConfigInvalid` for anything else.
 */
export function durationOf(command: string, option: string, text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,5})([smh])$/.exec(text) ?? [];
  const milliseconds = Number(count) * (SECONDS[unit] ?? 0) * 1000;
  if (milliseconds > 0) return milliseconds;
  throw wrong(command, `--${option}: ${JSON.stringify(text)} is not a duration such as 90s, 5m or 1h`);
}
