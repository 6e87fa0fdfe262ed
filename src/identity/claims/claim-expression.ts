import { type ASTNode, Environment, EvaluationError, ParseError, TypeError as CelTypeError } from '@marcbachmann/cel-js';
import { RE2JS } from 're2js';
import { messageOf } from '../../domain/core/errors.ts';

/** What an expression sees: the claims of a token, or the user that was made of them. */
export type ExpressionInput = 'claims' | 'user';

/** A text that names which an expression yields begin with. */
export interface NamePrefix {
  readonly text: string;
  /** Whether the text is the whole name. */
  readonly whole: boolean;
}

/** What the source of an expression says about the names that it yields. */
export interface MappedNames {
  readonly shape: 'text' | 'list';
  readonly prefixes: readonly NamePrefix[];
}

export interface ClaimExpression {
  /** The type that the checker finds: `string`, `bool`, `list<string>`, `dyn`. */
  readonly type: string;
  /** Undefined when names could begin with anything. */
  readonly names: MappedNames | undefined;
  /** Paths of claims that the expression reads: `claims.email`. */
  readonly reads: ReadonlySet<string>;
  /** @throws Error of CEL, for example for a claim that is not there. */
  evaluate(value: unknown): unknown;
}

const LIMITS = { maxAstNodes: 1_000, maxDepth: 60, maxListElements: 200, maxMapEntries: 200, maxCallArguments: 16 };
const COMPREHENSIONS = new Set(['map', 'filter', 'all', 'exists', 'exists_one']);
/** One list, and a list inside each item: with the bound of lists in claims, a quarter of a million steps. */
const MAX_NESTED_COMPREHENSIONS = 2;
const MAX_PATTERN_TEXT = 4_096;
const RE2_MATCHES = 'matchesRe2';

/** CEL as in the api-server's AuthenticationConfiguration, with patterns of RE2, so that no claim can make one run for ever. */
const environments = { claims: environmentFor('claims'), user: environmentFor('user') };

function environmentFor(input: ExpressionInput): Environment {
  return new Environment({ enableOptionalTypes: true, homogeneousAggregateLiterals: false, limits: LIMITS })
    .registerVariable(input, 'dyn')
    .registerFunction(`string.${RE2_MATCHES}(string): bool`, matchesRe2)
    .registerFunction('string.replace(string, string): string', (text: string, from: string, to: string) => text.replaceAll(from, to));
}

/**
 * Compiles an expression.
 *
 * @throws Error with a sentence about what is wrong with it.
 */
export function compileExpression(source: string, input: ExpressionInput): ClaimExpression {
  const environment = environments[input];
  try {
    const { ast } = environment.parse(source);
    const nodes = [...nodesOf(ast)];
    if (nestedComprehensions(ast) > MAX_NESTED_COMPREHENSIONS) {
      throw new Error(`more than ${MAX_NESTED_COMPREHENSIONS} comprehensions (map, filter, exists, …) are nested`);
    }
    const names = namesOf(ast);
    const program = environment.parse(withRe2(source, nodes));
    const { valid, type, error } = program.check();
    if (!valid) throw error ?? new Error('its types do not agree');
    const reads = new Set(nodes.map((node) => pathOf(node)).filter((path) => path !== ''));
    return { type: String(type), names, reads, evaluate: (value) => program({ [input]: value }) as unknown };
  } catch (error) {
    throw new Error(`the CEL expression does not compile: ${celErrorText(error)}`, { cause: error });
  }
}

const MAX_ERROR_LENGTH = 200;

/** The sentence of an error of CEL, without the picture of the expression below it. */
export function celErrorText(error: unknown): string {
  const isCel = error instanceof EvaluationError || error instanceof ParseError || error instanceof CelTypeError;
  const text = isCel ? error.summary : messageOf(error);
  return (text.split('\n')[0] ?? '').slice(0, MAX_ERROR_LENGTH);
}

function matchesRe2(text: string, pattern: string): boolean {
  if (text.length > MAX_PATTERN_TEXT) throw new Error(`a text of more than ${MAX_PATTERN_TEXT} characters is not matched`);
  return RE2JS.compile(pattern).matcher(text).find();
}

/** The source with `matches` replaced: the library's own uses patterns of JavaScript. From the end, so that places stay right. */
function withRe2(source: string, nodes: readonly ASTNode[]): string {
  const places = nodes.flatMap((node) => {
    if (node.op !== 'rcall' || node.args[0] !== 'matches') return [];
    return [source.indexOf('matches', node.args[1].end)];
  });
  return [...new Set(places)]
    .sort((a, b) => b - a)
    .reduce((text, at) => `${text.slice(0, at)}${RE2_MATCHES}${text.slice(at + 'matches'.length)}`, source);
}

function* nodesOf(node: ASTNode): Generator<ASTNode> {
  yield node;
  for (const child of childrenOf(node)) yield* nodesOf(child);
}

function childrenOf({ args }: ASTNode): ASTNode[] {
  const all: readonly unknown[] = Array.isArray(args) ? args.flat(2) : [args];
  return all.filter(isNode);
}

function isNode(value: unknown): value is ASTNode {
  return typeof value === 'object' && value !== null && 'op' in value && 'args' in value;
}

function nestedComprehensions(node: ASTNode): number {
  const own = node.op === 'rcall' && COMPREHENSIONS.has(node.args[0]) ? 1 : 0;
  return own + Math.max(0, ...childrenOf(node).map(nestedComprehensions));
}

/** `claims.email` for a field, however it is spelled; empty for other nodes. */
function pathOf(node: ASTNode): string {
  if (node.op === 'id') return node.args;
  if (node.op === '.' || node.op === '.?') return joined(pathOf(node.args[0]), node.args[1]);
  if (node.op === '[]' || node.op === '[?]') {
    const [owner, key] = node.args;
    return key.op === 'value' && typeof key.args === 'string' ? joined(pathOf(owner), key.args) : '';
  }
  return '';
}

function joined(owner: string, name: string): string {
  return owner === '' ? '' : `${owner}.${name}`;
}

/** Finds what names begin with in the source alone, so that no claim can change it. */
function namesOf(node: ASTNode): MappedNames | undefined {
  const { op } = node;
  if (op === 'value') return namesOfLiteral(node.args);
  if (op === 'list') return union('list', node.args.map(namesOf));
  if (op === '?:') return union(undefined, [namesOf(node.args[1]), namesOf(node.args[2])]);
  if (op === '+') return namesOfSum(...node.args);
  if (op === 'call') return ['dyn', 'string'].includes(node.args[0]) ? onlyOne(node.args[1]) : undefined;
  return op === 'rcall' ? namesOfCall(...node.args) : undefined;
}

function namesOfLiteral(value: unknown): MappedNames | undefined {
  if (value === null || value === '') return { shape: 'text', prefixes: [] };
  return typeof value === 'string' ? { shape: 'text', prefixes: [{ text: value, whole: true }] } : undefined;
}

function onlyOne([argument]: readonly ASTNode[]): MappedNames | undefined {
  return argument === undefined ? undefined : namesOf(argument);
}

function namesOfSum(left: ASTNode, right: ASTNode): MappedNames | undefined {
  const known = namesOf(left);
  if (known?.shape === 'list') return union('list', [known, namesOf(right)]);
  if (known === undefined || known.prefixes.length === 0) return undefined;
  return { shape: 'text', prefixes: known.prefixes.map(({ text }) => ({ text, whole: false })) };
}

function namesOfCall(name: string, receiver: ASTNode, args: readonly ASTNode[]): MappedNames | undefined {
  const last = args.at(-1);
  if (name === 'filter') return namesOf(receiver);
  if (last === undefined || (name !== 'map' && name !== 'bind')) return undefined;
  const body = namesOf(last);
  return name === 'map' && body !== undefined ? { ...body, shape: 'list' } : body;
}

/** A list beside a text without names, such as an empty one, is a list. */
function union(shape: MappedNames['shape'] | undefined, parts: readonly (MappedNames | undefined)[]): MappedNames | undefined {
  const known = parts.filter((part) => part !== undefined);
  if (known.length < parts.length) return undefined;
  const found = shape ?? (known.some((part) => part.shape === 'list') ? 'list' : 'text');
  return { shape: found, prefixes: known.flatMap(({ prefixes }) => prefixes) };
}
