import { stringify } from 'yaml';
import { stringifyJson } from '../domain/core/exact-json.ts';
import { manifestYaml } from '../domain/instance/instance-commands.ts';

/** How a result is printed: a table for people, everything for programs, or names, one a line. */
export const OUTPUT_FORMATS = ['table', 'wide', 'json', 'yaml', 'name'] as const;
export type OutputFormat = (typeof OUTPUT_FORMATS)[number];

/** A column: its heading and the cell of an item. */
export interface Column<T> {
  readonly title: string;
  readonly cell: (item: T) => string;
  /** Only with `-o wide`. */
  readonly wide?: 'wide';
}

/** Columns as kubectl prints them: capital titles, three spaces between, no lines. The text is other people's: nothing in it reaches the terminal as a control character. */
export function tableOf<T>(columns: readonly Column<T>[], items: readonly T[], { wide, colors }: TableStyle): string {
  const shown = columns.filter((column) => column.wide === undefined || wide === 'wide');
  const rows = [shown.map(({ title }) => title), ...items.map((item) => shown.map(({ cell }) => cellText(cell(item)) || '<none>'))];
  const widths = shown.map((_, at) => Math.max(...rows.map((row) => row[at]?.length ?? 0)));
  return rows.map((row, line) => lineOf(row, widths, colors && line > 0)).join('');
}

/** As `oneLine`; spaces stay, because those of a tree mean something. */
function cellText(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]+/gu, ' ').trimEnd();
}

export interface TableStyle {
  readonly wide?: 'wide';
  readonly colors: boolean;
}

function lineOf(row: readonly string[], widths: readonly number[], colors: boolean): string {
  const cells = row.map((cell, at) => {
    const padded = at === row.length - 1 ? cell : cell.padEnd((widths[at] ?? 0) + 3);
    return colors ? colored(padded) : padded;
  });
  return `${cells.join('').trimEnd()}\n`;
}

const GREEN = 32;
const YELLOW = 33;
const RED = 31;
const STATUS_COLORS: Readonly<Record<string, number>> = {
  Healthy: GREEN,
  Ready: GREEN,
  Available: GREEN,
  Progressing: YELLOW,
  Installing: YELLOW,
  Suspended: YELLOW,
  Degraded: RED,
  Missing: RED,
  Blocked: RED,
  Unavailable: RED,
};

/** A status in its colour; any other text as it is. */
export function colored(text: string): string {
  const color = STATUS_COLORS[text.trimEnd()];
  return color === undefined ? text : `\u001b[${color}m${text}\u001b[39m`;
}

/** A value for programs. */
export function dataText(value: unknown, format: 'json' | 'yaml'): string {
  if (format === 'json') return `${stringifyJson(value, 2)}\n`;
  return typeof value === 'object' && value !== null ? manifestYaml(value) : stringify(value);
}

const UNITS = [
  ['d', 86_400],
  ['h', 3600],
  ['m', 60],
] as const;

/** How long ago an RFC 3339 time was, as kubectl prints it: `5d`, `3h`, `2m`, `9s`. */
export function ageOf(time: string | undefined, now: number): string {
  const began = Date.parse(time ?? '');
  if (Number.isNaN(began)) return '<unknown>';
  const seconds = Math.max(0, Math.floor((now - began) / 1000));
  const unit = UNITS.find(([, length]) => seconds >= 2 * length);
  return unit === undefined ? `${seconds}s` : `${Math.floor(seconds / unit[1])}${unit[0]}`;
}
