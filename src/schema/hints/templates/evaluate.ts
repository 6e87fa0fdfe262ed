import type { Word } from './parse-template.ts';

/** What an expression of a template is, as far as it comes from the values of the chart. */
export type Value =
  /** What `$` is at the top: it has `Values`. */
  | { readonly kind: 'root' }
  /** The value at a path of the chart's values, `*` for rows; `whole` false: it was made into a text. */
  | { readonly kind: 'ref'; readonly path: readonly string[]; readonly whole: boolean }
  | { readonly kind: 'dict'; readonly members: ReadonlyMap<string, Value> }
  | { readonly kind: 'list'; readonly items: readonly Value[] }
  /** One of several. */
  | { readonly kind: 'any'; readonly of: readonly Value[] }
  /** What another template of this name writes. */
  | { readonly kind: 'included'; readonly name: string; readonly context: Value }
  /** A text that stands in the template itself. */
  | { readonly kind: 'literal'; readonly text: string }
  | { readonly kind: 'unknown' };

export interface Scope {
  readonly dot: Value;
  readonly variables: Map<string, Value>;
}

/** What a pipeline gives, and the column to which it moves it. */
export interface Result {
  readonly value: Value;
  readonly column?: number;
}

export const UNKNOWN: Value = { kind: 'unknown' };
const DEEPEST = 32;
const MAX_PATH_LENGTH = 40;

/** What an action writes. */
export function evaluate(words: readonly Word[], scope: Scope): Result {
  return new Evaluation(words, scope).pipeline(0);
}

/** A member of a value. */
export function memberOf(value: Value, name: string): Value {
  if (value.kind === 'root') return name === 'Values' ? { kind: 'ref', path: [], whole: true } : UNKNOWN;
  if (value.kind === 'ref') return value.path.length < MAX_PATH_LENGTH ? { ...value, path: [...value.path, name] } : UNKNOWN;
  if (value.kind === 'dict') return value.members.get(name) ?? UNKNOWN;
  return value.kind === 'any' ? { kind: 'any', of: value.of.map((one) => memberOf(one, name)) } : UNKNOWN;
}

/** The references to values in what an action writes. */
export function refsIn(value: Value): readonly (Value & { readonly kind: 'ref' })[] {
  if (value.kind === 'ref') return [value];
  return value.kind === 'any' ? value.of.flatMap(refsIn) : [];
}

/** Reads the words of one action from the left to the right. */
class Evaluation {
  readonly #words: readonly Word[];
  readonly #scope: Scope;
  #at = 0;

  constructor(words: readonly Word[], scope: Scope) {
    this.#words = words;
    this.#scope = scope;
  }

  /** Commands with a bar between them: each gets what the one before gave, behind its own arguments. */
  pipeline(depth: number): Result {
    let result: Result | undefined;
    while (this.#at < this.#words.length && !this.#is(')')) {
      result = this.#command(result, depth);
      if (!this.#is('|')) break;
      this.#at += 1;
    }
    return result ?? { value: UNKNOWN };
  }

  #command(piped: Result | undefined, depth: number): Result {
    const head = this.#words[this.#at];
    if (head?.kind === 'name') this.#at += 1;
    const args: Value[] = [];
    while (this.#at < this.#words.length && !this.#is('|') && !this.#is(')')) args.push(this.#operand(depth));
    const all = piped === undefined ? args : [...args, piped.value];
    if (head?.kind !== 'name') return { value: all[0] ?? UNKNOWN };
    const column = head.text === 'nindent' || head.text === 'indent' ? this.#numberBehind(head) : piped?.column;
    return { value: call(head.text, all), ...(column === undefined ? {} : { column }) };
  }

  #operand(depth: number): Value {
    const word = this.#words[this.#at];
    this.#at += 1;
    if (word === undefined) return UNKNOWN;
    if (word.kind === 'path') return this.#path(word.text);
    if (word.kind === 'text') return { kind: 'literal', text: word.text };
    if (word.text !== '(' || depth > DEEPEST) return UNKNOWN;
    const { value } = this.pipeline(depth + 1);
    if (this.#is(')')) this.#at += 1;
    const next = this.#words[this.#at];
    if (next?.kind !== 'member') return value;
    this.#at += 1;
    return next.text.slice(1).split('.').reduce(memberOf, value);
  }

  #path(text: string): Value {
    const [first = '', ...names] = text.split('.');
    const start = first === '' ? this.#scope.dot : (this.#scope.variables.get(first) ?? UNKNOWN);
    return names.filter((name) => name !== '').reduce(memberOf, start);
  }

  #numberBehind(head: Word): number | undefined {
    const word = this.#words[this.#words.indexOf(head) + 1];
    return word?.kind === 'name' && /^\d{1,3}$/.test(word.text) ? Number(word.text) : undefined;
  }

  #is(sign: string): boolean {
    const word = this.#words[this.#at];
    return word?.kind === 'sign' && word.text === sign;
  }
}

const FIRST_ARGUMENT = new Set(['tpl', 'omit', 'pick', 'without']);
const LAST_ARGUMENT = new Set(['toYaml', 'toYamlPretty', 'deepCopy', 'required', 'indent', 'nindent', 'compact', 'uniq']);
const ONE_OF_THEM = new Set(['default', 'coalesce', 'merge', 'mergeOverwrite', 'mustMerge', 'mustMergeOverwrite', 'concat', 'or', 'and']);
const TEXT_OF_LAST = new Set(
  'quote squote toString trim lower upper int int64 float64 trunc trimSuffix trimPrefix b64enc replace'.split(' '),
);

/** What a function of Helm gives of what comes from values. */
function call(name: string, args: readonly Value[]): Value {
  const [first = UNKNOWN, second = UNKNOWN] = args;
  const last = args.at(-1) ?? UNKNOWN;
  if (FIRST_ARGUMENT.has(name)) return first;
  if (LAST_ARGUMENT.has(name)) return last;
  if (ONE_OF_THEM.has(name)) return { kind: 'any', of: args };
  if (TEXT_OF_LAST.has(name)) return asText(last);
  switch (name) {
    case 'ternary':
      return { kind: 'any', of: [first, second] };
    case 'dict':
      return dictOf(args);
    case 'list':
      return { kind: 'list', items: args };
    case 'first':
      return last.kind === 'list' ? (last.items[0] ?? UNKNOWN) : UNKNOWN;
    case 'index':
    case 'get':
      return args.slice(1).reduce((value, step) => (step.kind === 'literal' ? memberOf(value, step.text) : UNKNOWN), first);
    case 'include':
    case 'template':
      return first.kind === 'literal' ? { kind: 'included', name: first.text, context: second } : UNKNOWN;
    default:
      return UNKNOWN;
  }
}

function asText(value: Value): Value {
  if (value.kind === 'ref') return { ...value, whole: false };
  return value.kind === 'any' ? { kind: 'any', of: value.of.map(asText) } : UNKNOWN;
}

function dictOf(args: readonly Value[]): Value {
  const members = new Map<string, Value>();
  for (let at = 0; at + 1 < args.length; at += 2) {
    const key = args[at];
    if (key?.kind === 'literal') members.set(key.text, args[at + 1] ?? UNKNOWN);
  }
  return { kind: 'dict', members };
}
