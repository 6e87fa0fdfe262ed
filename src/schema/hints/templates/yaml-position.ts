/** Where in a document of YAML a template writes next, as far as the lines so far tell. */
export interface Position {
  /** The keys that are open, with the column of each; `*` is an entry of a list. */
  open: readonly OpenKey[];
  /** The current line so far; NUL stands for what an action has written. */
  line: string;
  /** Columns that everything stands further to the right. */
  readonly offset: number;
  /** The column of a key whose text follows, line by line. */
  textBelow: number | undefined;
  apiVersion: string;
  kind: string;
}

interface OpenKey {
  readonly column: number;
  readonly step: string;
  /** Whether nothing stands behind it in its line. */
  readonly empty: boolean;
}

/** What an action has written, whatever it was. */
export const WRITTEN = '\0';
const MAX_LINE_LENGTH = 1_000;
const DEEPEST = 60;

export function startOfDocument(): Position {
  return { open: [], line: '', offset: 0, textBelow: undefined, apiVersion: '', kind: '' };
}

/** A position within a value: of what an included template writes there. */
export function positionBelow(position: Position, column: number): Position {
  const open = openAt(position, column);
  return { ...position, open, line: '', offset: column, textBelow: undefined };
}

/** Goes over text that a template writes as it is. */
export function writeText(position: Position, text: string): void {
  const lines = text.split('\n');
  lines.forEach((line, index) => {
    if (index > 0) endLine(position);
    writeInLine(position, line);
  });
}

/** Of a longer line the rest is passed over. */
export function writeInLine(position: Position, text: string): void {
  if (position.line.length < MAX_LINE_LENGTH) position.line += text.slice(0, MAX_LINE_LENGTH);
}

/** Ends the current line, as an action does that begins a new one. */
export function endLine(position: Position): void {
  const { line } = position;
  position.line = '';
  if (line.trim() === '' || line.trimStart().startsWith('#')) return;
  if (line.startsWith('---')) {
    Object.assign(position, { ...startOfDocument(), offset: position.offset });
    return;
  }
  if (isText(position, line)) return;
  const { open, rest } = afterLine(position, line);
  const last = open.at(-1);
  position.textBelow = last !== undefined && /^[|>]/.test(rest) ? last.column : undefined;
  position.open = open;
  if (open.length === 1 && last?.column === 0 && !rest.includes(WRITTEN)) {
    if (last.step === 'kind') position.kind = rest.trim();
    if (last.step === 'apiVersion') position.apiVersion = rest.trim();
  }
}

/**
 * The keys that lead to what is written next.
 *
 * @param column where it begins a line of its own; absent: it goes on in the current one.
 * @returns undefined where it is only a part of a text.
 */
export function placeOf(position: Position, column?: number): readonly string[] | undefined {
  if (column !== undefined) return isBelowText(position, column) ? undefined : stepsOf(openAt(position, column));
  const { line } = position;
  if (isText(position, line)) return undefined;
  if (line.trim() === '')
    return isBelowText(position, columnOf(position, line)) ? undefined : stepsOf(openAt(position, columnOf(position, line)));
  const { open, rest } = afterLine(position, line);
  return rest === '' || rest === '"' || rest === "'" ? stepsOf(open) : undefined;
}

/** The column in which a line begins. */
export function columnOf({ offset }: Position, line: string): number {
  return offset + line.length - line.trimStart().length;
}

function isText(position: Position, line: string): boolean {
  return line.trim() !== '' && isBelowText(position, columnOf(position, line));
}

function isBelowText({ textBelow }: Position, column: number): boolean {
  return textBelow !== undefined && column > textBelow;
}

/** What a value belongs to that begins in a column: the last key left of it, or an empty key above it, whose list may stand below it. */
function openAt({ open }: Position, column: number): readonly OpenKey[] {
  const last = open.at(-1);
  if (last?.column === column && last.empty && last.step !== '*') return open;
  return open.filter((key) => key.column < column);
}

function stepsOf(open: readonly OpenKey[]): readonly string[] {
  return open.map(({ step }) => step);
}

/** What is open behind a line: its entries of lists, and its key. */
function afterLine(position: Position, line: string): { readonly open: readonly OpenKey[]; readonly rest: string } {
  let column = columnOf(position, line);
  let rest = line.trimStart();
  let { open } = position;
  while ((rest.startsWith('- ') || rest === '-') && open.length < DEEPEST) {
    const here = column;
    open = [...open.filter((key) => key.column < here || (key.column === here && key.step !== '*')), { column, step: '*', empty: false }];
    const next = rest.slice(1).trimStart();
    column += rest.length - next.length;
    rest = next;
  }
  const key = keyOf(rest);
  if (key === undefined || open.length >= DEEPEST) return { open, rest };
  const behind = rest.slice(key.length + 1).trim();
  const here = column;
  return { open: [...open.filter((one) => one.column < here), { column, step: unquoted(key), empty: behind === '' }], rest: behind };
}

/** The key that a line begins with, quotes included. */
function keyOf(rest: string): string | undefined {
  const quote = rest[0] === '"' || rest[0] === "'" ? rest[0] : '';
  const end = quote === '' ? rest.indexOf(':') : rest.indexOf(`${quote}:`, 1) + 1;
  if (end <= 0 || (rest[end + 1] !== undefined && rest[end + 1] !== ' ')) return undefined;
  const key = rest.slice(0, end);
  return quote === '' && /[\s{[]/.test(key) ? undefined : key;
}

function unquoted(key: string): string {
  return /^["']/.test(key) ? key.slice(1, -1) : key;
}
