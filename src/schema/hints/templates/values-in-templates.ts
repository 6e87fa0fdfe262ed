import { evaluate, memberOf, refsIn, UNKNOWN, type Scope, type Value } from './evaluate.ts';
import { parseTemplate, type TemplateNode, type Word } from './parse-template.ts';

/** A value of a chart that a template writes into an object. */
export interface ValueUse {
  /** Keys of the values, `*` for rows. */
  readonly path: readonly string[];
  /** Empty where the object's kind is not written out. */
  readonly apiVersion: string;
  readonly kind: string;
  /** Keys of the object that lead to it, `*` for rows; absent where it is a part of a text. */
  readonly place?: readonly string[];
  /** Whether it stands there as it is; otherwise as a text. */
  readonly whole: boolean;
}

/** The templates of a chart within another one. */
export interface SubchartTemplates {
  /** The keys of the chart's values that lead to those of the subchart, once for each alias: `['redis']`. */
  readonly places: readonly (readonly string[])[];
  /** By name. */
  readonly templates: ReadonlyMap<string, string>;
}

const MAX_BYTES = 2 * 1024 * 1024;
const MAX_ACTIONS = 20_000;
const MAX_STEPS = 100_000;
const MAX_USES = 10_000;
const DEEPEST_INCLUDE = 12;
const ROOT: Value = { kind: 'root' };

/**
 * Where the templates of a chart write its values: `toYaml .Values.tolerations` below `tolerations:` of a Deployment. Templates are hostile: they are read
 * once, nothing is rendered, and bytes, actions and steps are counted. What is not understood is passed over.
 *
 * @param templates those of the chart itself, by name.
 * @param libraries those of the charts in it, of which only what they define is used.
 * @param subcharts the other templates of the charts in it, which come last: what is left of the budget is for them.
 */
export function valuesInTemplates(
  templates: ReadonlyMap<string, string>,
  libraries: ReadonlyMap<string, string>,
  subcharts: readonly SubchartTemplates[] = [],
): readonly ValueUse[] {
  const budget = { actions: MAX_ACTIONS };
  let bytes = MAX_BYTES;
  const parse = (texts: ReadonlyMap<string, string>): readonly (readonly TemplateNode[])[] =>
    [...texts.values()].flatMap((text) => {
      bytes -= text.length;
      return bytes < 0 ? [] : [parseTemplate(text, budget)];
    });
  const [own, others] = [parse(templates), parse(libraries)];
  const walk: Walk = { defined: new Map(), uses: [], steps: MAX_STEPS };
  for (const nodes of [...others, ...own]) define(walk, nodes);
  for (const nodes of own) visit(walk, nodes, start());
  for (const { places, templates: inside } of subcharts) {
    const first = walk.uses.length;
    for (const nodes of parse(inside)) visit(walk, nodes, start());
    const found = walk.uses.splice(first);
    for (const place of places) {
      const room = Math.max(0, MAX_USES - walk.uses.length);
      walk.uses.push(...found.slice(0, room).map((use) => ({ ...use, path: pathInParent(place, use.path) })));
    }
  }
  return walk.uses;
}

function start(): Visit {
  return { position: startOfDocument(), scope: topScope(ROOT), depth: 0 };
}

/** `global` is the same for all charts. */
function pathInParent(place: readonly string[], path: readonly string[]): readonly string[] {
  return path[0] === 'global' ? path : [...place, ...path];
}

interface Walk {
  readonly defined: Map<string, readonly TemplateNode[]>;
  readonly uses: ValueUse[];
  steps: number;
}

interface Visit {
  readonly position: Position;
  readonly scope: Scope;
  readonly depth: number;
}

function topScope(dot: Value): Scope {
  return { dot, variables: new Map([['$', dot]]) };
}

function define(walk: Walk, nodes: readonly TemplateNode[]): void {
  for (const node of nodes) {
    const [name] = node.kind === 'block' && node.keyword === 'define' ? node.words : [];
    if (node.kind === 'block' && name?.kind === 'text') walk.defined.set(name.text, node.body);
  }
}

function visit(walk: Walk, nodes: readonly TemplateNode[], here: Visit): void {
  for (const node of nodes) {
    walk.steps -= 1;
    if (walk.steps < 0 || walk.uses.length >= MAX_USES) return;
    if (node.kind === 'text') writeText(here.position, node.text);
    else if (node.kind === 'action') act(walk, node.words, here);
    else if (node.keyword !== 'define') visit(walk, node.body, { ...here, scope: scopeWithin(node.keyword, node.words, here.scope) });
  }
}

/** Within `with` and `range` the dot is another one, and `range` has each row in turn. */
function scopeWithin(keyword: 'if' | 'with' | 'range', words: readonly Word[], outside: Scope): Scope {
  const { names, expression } = assignment(words);
  const { value } = evaluate(expression, outside);
  const within = keyword === 'range' ? memberOf(value, '*') : value;
  const variables = new Map(outside.variables);
  const [first, second] = names;
  if (second !== undefined) variables.set(second, within);
  if (first !== undefined) variables.set(first, second === undefined ? within : UNKNOWN);
  return { dot: keyword === 'if' ? outside.dot : within, variables };
}

/** `$key, $value := …` */
function assignment(words: readonly Word[]): { readonly names: readonly string[]; readonly expression: readonly Word[] } {
  const sign = words.findIndex(({ kind, text }) => kind === 'sign' && text === ':=');
  if (sign === -1) return { names: [], expression: words };
  const names = words.slice(0, sign).flatMap(({ kind, text }) => (kind === 'path' ? [text] : []));
  return { names, expression: words.slice(sign + 1) };
}

function act(walk: Walk, words: readonly Word[], here: Visit): void {
  const { names, expression } = assignment(words);
  const { value, column } = evaluate(expression, here.scope);
  const [name] = names;
  if (name !== undefined) {
    here.scope.variables.set(name, value);
    return;
  }
  write(walk, value, { ...here, column });
  writeInLine(here.position, WRITTEN);
}

function write(walk: Walk, value: Value, { column, ...here }: Visit & { readonly column: number | undefined }): void {
  const { position } = here;
  const moved = column === undefined ? undefined : position.offset + column;
  if (moved !== undefined) endLine(position);
  for (const one of value.kind === 'any' ? value.of : [value]) {
    if (one.kind === 'included') include(walk, one, { ...here, moved });
    for (const ref of refsIn(one)) use(walk, ref, { position, moved });
  }
}

function use(
  { uses }: Walk,
  { path, whole }: Value & { readonly kind: 'ref' },
  { position, moved }: { readonly position: Position; readonly moved: number | undefined },
): void {
  const place = placeOf(position, moved);
  const { apiVersion, kind } = position;
  if (path.length > 0) uses.push({ path, apiVersion, kind, whole, ...(place === undefined ? {} : { place }) });
}

/** What another template writes, it writes here. One that is in none of the charts hands on the value that it is given, as those of libraries do. */
function include(
  walk: Walk,
  { name, context }: Value & { readonly kind: 'included' },
  { position, depth, moved }: Visit & { readonly moved: number | undefined },
): void {
  const nodes = walk.defined.get(name);
  if (depth >= DEEPEST_INCLUDE) return;
  if (nodes === undefined) {
    const handed = context.kind === 'dict' ? memberOf(context, 'value') : UNKNOWN;
    for (const ref of refsIn(handed)) use(walk, ref, { position, moved });
    return;
  }
  const place = placeOf(position, moved);
  if (place === undefined) return;
  const isInLine = moved === undefined && position.line.trim() !== '';
  if (isInLine) {
    const { line } = position;
    endLine(position);
    visit(walk, nodes, {
      position: positionBelow(position, columnOf(position, line) + line.length + 1),
      scope: topScope(context),
      depth: depth + 1,
    });
    position.line = line;
    return;
  }
  const below = positionBelow(position, moved ?? columnOf(position, position.line));
  visit(walk, nodes, { position: below, scope: topScope(context), depth: depth + 1 });
}

/** Where in a document of YAML a template writes next, as far as the lines so far tell. */
interface Position {
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
const WRITTEN = '\0';
const MAX_LINE_LENGTH = 1_000;
const DEEPEST = 60;

function startOfDocument(): Position {
  return { open: [], line: '', offset: 0, textBelow: undefined, apiVersion: '', kind: '' };
}

/** A position within a value: of what an included template writes there. */
function positionBelow(position: Position, column: number): Position {
  const open = openAt(position, column);
  return { ...position, open, line: '', offset: column, textBelow: undefined };
}

/** Goes over text that a template writes as it is. */
function writeText(position: Position, text: string): void {
  const lines = text.split('\n');
  lines.forEach((line, index) => {
    if (index > 0) endLine(position);
    writeInLine(position, line);
  });
}

/** Of a longer line the rest is passed over. */
function writeInLine(position: Position, text: string): void {
  if (position.line.length < MAX_LINE_LENGTH) position.line += text.slice(0, MAX_LINE_LENGTH);
}

/** Ends the current line, as an action does that begins a new one. */
function endLine(position: Position): void {
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
function placeOf(position: Position, column?: number): readonly string[] | undefined {
  if (column !== undefined) return isBelowText(position, column) ? undefined : stepsOf(openAt(position, column));
  const { line } = position;
  if (isText(position, line)) return undefined;
  if (line.trim() === '')
    return isBelowText(position, columnOf(position, line)) ? undefined : stepsOf(openAt(position, columnOf(position, line)));
  const { open, rest } = afterLine(position, line);
  return rest === '' || rest === '"' || rest === "'" ? stepsOf(open) : undefined;
}

/** The column in which a line begins. */
function columnOf({ offset }: Position, line: string): number {
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
