import {
  Composer,
  type Document,
  type DocumentOptions,
  isScalar,
  Lexer,
  LineCounter,
  type ParseOptions,
  Parser,
  type ScalarTag,
  type SchemaOptions,
  type Tags,
  visit,
  type YAMLError,
} from 'yaml';
import { AppError } from './errors.ts';
import type { Json } from '../kubernetes/resource.ts';

/** How much hostile YAML may ask of us. */
interface YamlBounds {
  readonly maxCharacters: number;
  readonly maxDepth: number;
  /** How often one anchor may be expanded, nested expansions multiplied. */
  readonly maxAliases: number;
  readonly maxDocuments: number;
}

export const YAML_BOUNDS: YamlBounds = { maxCharacters: 4 * 1024 * 1024, maxDepth: 100, maxAliases: 256, maxDocuments: 5000 };
const MAX_UNBALANCED = 1000;
const MAX_ALIAS_SIGNS = 20_000;

type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions;

/** The documents of a text, and for each of its errors the line and column, both from 1. */
interface ParsedYaml {
  readonly documents: readonly Document.Parsed[];
  placeOf(error: YAMLError): { readonly line: number; readonly column: number };
}

/** The members of the lexer that say how far lines have to be indented; they are private, so a test watches over them. */
interface Indentation {
  indentNext: number;
  parseQuotedScalar(): Generator<string, unknown>;
  parseFlowCollection(): Generator<string, unknown>;
}

/**
 * Reads YAML the way Kubernetes and Helm do (YAML 1.1: `yes` is a boolean, the last of duplicate keys wins; but timestamps and `1:30` stay
 * text), within bounds, so that neither an alias bomb nor deep nesting can stop the process. Empty documents are `null`.
 *
 * @throws AppError `InvalidInput` with line and column where there are some.
 */
export function parseYamlDocuments(text: string, bounds: YamlBounds = YAML_BOUNDS): Json[] {
  if (text.length > bounds.maxCharacters) throw fault(`has ${text.length} characters, more than the ${bounds.maxCharacters} allowed`);
  try {
    return readDocuments(text, bounds).map((document) => toJson(document, bounds));
  } catch (error) {
    if (error instanceof RangeError) throw fault(`is nested more than ${bounds.maxDepth} levels deep`);
    throw error;
  }
}

/** The one document of a YAML text; `null` for an empty one. Throws like `parseYamlDocuments`. */
export function parseYamlDocument(text: string, bounds: YamlBounds = YAML_BOUNDS): Json {
  const documents = parseYamlDocuments(text, bounds);
  if (documents.length > 1) throw fault(`has ${documents.length} documents where one is expected`);
  return documents[0] ?? null;
}

function readDocuments(text: string, bounds: YamlBounds): readonly Document.Parsed[] {
  if (mayNestDeeply(text)) throw fault(`is nested more than ${bounds.maxDepth} levels deep`);
  if (isCostly(text)) throw fault('expands its aliases more often than is allowed, or holds long runs of empty items');
  const { documents, placeOf } = parseLenientYaml(text.replace(/^\uFEFF/, ''), {
    version: '1.1',
    customTags: goTags,
    uniqueKeys: false,
    // As tolerant as go-yaml: what is unambiguous is read.
    strict: false,
    logLevel: 'silent',
  });
  if (documents.length > bounds.maxDocuments) throw fault(`has more than ${bounds.maxDocuments} documents`);
  const broken = documents.find((document) => document.errors.length > 0)?.errors[0];
  // The parser reports its own overflow as an error of the text.
  if (broken?.message.includes('call stack') === true) throw new RangeError('too deep');
  if (broken !== undefined) throw fault(`is not YAML: ${broken.message}`, placeOf(broken));
  return documents;
}

/** The tags of YAML 1.1 that go-yaml knows: no sexagesimal numbers, timestamps stay text, no sets, pairs or binary. */
export function goTags(tags: Tags): Tags {
  const unknown = new Set([
    'tag:yaml.org,2002:binary',
    'tag:yaml.org,2002:timestamp',
    'tag:yaml.org,2002:set',
    'tag:yaml.org,2002:omap',
    'tag:yaml.org,2002:pairs',
  ]);
  const known = tags.filter((tag) => typeof tag === 'string' || (!unknown.has(tag.tag) && (tag as ScalarTag).format !== 'TIME'));
  return [...known.map((tag) => (typeof tag === 'string' ? tag : withDigits(tag as ScalarTag))), ...GO_TAGS];
}

/** Integers by their prefixes in both cases, and binary data as the text that it encodes. */
const GO_TAGS: readonly ScalarTag[] = [
  {
    tag: 'tag:yaml.org,2002:int',
    default: true,
    test: /^[-+]?0(?:[oO][0-7_]+|X[0-9a-fA-F_]+|B[01_]+)$/,
    resolve: (text) => {
      const digits = text.replaceAll(/[-+_]/g, '').toLowerCase();
      return text.startsWith('-') ? -Number(digits) : Number(digits);
    },
  },
  { tag: 'tag:yaml.org,2002:binary', resolve: (text) => Buffer.from(text, 'base64').toString('utf8') },
];

/** To go-yaml a number has digits before its exponent; the parser takes `.` and `e1234567` for numbers, too, and makes NaN of them. */
function withDigits(tag: ScalarTag): ScalarTag {
  if (tag.tag !== 'tag:yaml.org,2002:float' || tag.test === undefined || /nan/i.test(tag.test.source)) return tag;
  return { ...tag, test: new RegExp(`^(?=[-+]?\\.?[0-9])(?:${tag.test.source})`) };
}

/** The composer recurses, and is slow to find out; so unbalanced brackets are counted first, wherever they stand. Other deep nesting ends in `checked`. */
function mayNestDeeply(text: string): boolean {
  let open = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open = bracket === '[' || bracket === '{' ? open + 1 : Math.max(0, open - 1);
    if (open > MAX_UNBALANCED) return true;
  }
  return false;
}

/** What takes the parser time that grows with the square of its number. Callers that read what strangers wrote set a bound on time as well. */
function isCostly(text: string): boolean {
  if (/,[\s,]{2000}/.test(text)) return true;
  let aliases = 0;
  for (const _alias of text.matchAll(/\*[^\s,[\]{}*]+/g)) aliases += 1;
  return aliases > MAX_ALIAS_SIGNS;
}

function toJson(document: Document.Parsed, bounds: YamlBounds): Json {
  let value: unknown;
  try {
    value = document.toJS({ maxAliasCount: bounds.maxAliases, mapAsMap: false });
  } catch (error) {
    if (error instanceof ReferenceError) throw fault('expands its aliases more often than is allowed, or names an unknown one');
    throw error;
  }
  return checked(value, bounds.maxDepth);
}

function checked(value: unknown, depth: number): Json {
  if (depth < 0) throw new RangeError('too deep');
  if (value === null || value === undefined) return null;
  if (typeof value === 'bigint') return Number(value);
  if (typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean') return value;
  if (Array.isArray(value)) return value.map((item) => checked(item, depth - 1));
  if (typeof value !== 'object') return null;
  // Entries are defined, not assigned, so that a key `__proto__` stays a plain key.
  return Object.fromEntries(Object.entries(value).map(([key, member]) => [key, checked(member, depth - 1)]));
}

function fault(message: string, place?: { readonly line: number; readonly column: number }): AppError {
  const where = place === undefined ? '' : ` (line ${place.line}, column ${place.column})`;
  return new AppError('InvalidInput', `yaml: the text ${message}${where}`, { faults: [{ message: `The text ${message}`, ...place }] });
}

/**
 * Parses a YAML stream with the leniency of go-yaml: the lines of a quoted scalar or a flow collection may begin in any column, a carriage return ends
 * a line, and `\\'` is an escape. The emitter of go-yaml, through which Helm sends manifests to a post-renderer, writes the closing quote of some
 * scalars in column 0, though YAML asks for an indent (YAML 1.2, 7.3).
 */
function parseLenientYaml(source: string, options: YamlOptions): ParsedYaml {
  const text = source.replaceAll(/\r(?!\n)/g, '\n');
  const lines = new LineCounter();
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer(options);
  const tokens = function* (): Generator<Parameters<Composer['next']>[0], void> {
    for (const lexeme of lenientLexer().lex(text)) yield* parser.next(withKnownEscapes(lexeme));
    yield* parser.end();
  };
  return {
    documents: [...composer.compose(tokens())],
    placeOf: ({ pos: [at] }) => {
      const { line, col } = lines.linePos(at);
      return { line, column: col };
    },
  };
}

function lenientLexer(): Lexer {
  const lexer = new Lexer();
  const inner = lexer as unknown as Indentation;
  for (const name of ['parseQuotedScalar', 'parseFlowCollection'] as const) {
    const strict = inner[name].bind(lexer);
    inner[name] = function* () {
      const { indentNext } = inner;
      inner.indentNext = 0;
      try {
        return yield* strict();
      } finally {
        inner.indentNext = indentNext;
      }
    };
  }
  return lexer;
}

function withKnownEscapes(lexeme: string): string {
  return lexeme.startsWith('"') ? lexeme.replaceAll(/\\(.)/gs, (escape: string, of: string) => (of === "'" ? "'" : escape)) : lexeme;
}

/**
 * Where a key stands a second time in its map, as an offset within the text; undefined when all are unique. The parser can say it too, but compares
 * each key with all before it, which takes minutes for a text of a few hundred KiB: parse with `uniqueKeys: false` and ask here.
 */
export function repeatedKey(document: Document): number | undefined {
  let found: number | undefined;
  visit(document, {
    Map: (_, { items }) => {
      const known = new Set<unknown>();
      for (const { key } of items) {
        if (!isScalar(key)) continue;
        if (known.has(key.value)) {
          found = key.range?.[0] ?? 0;
          return visit.BREAK;
        }
        known.add(key.value);
      }
      return undefined;
    },
  });
  return found;
}
