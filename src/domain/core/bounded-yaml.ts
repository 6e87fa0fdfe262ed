import {
  type CST,
  Composer,
  type Document,
  type DocumentOptions,
  isScalar,
  Lexer,
  LineCounter,
  parseDocument,
  type ParseOptions,
  Parser,
  type ScalarTag,
  type Tags,
  visit,
} from 'yaml';
import { AppError, isAppError, messageOf } from './errors.ts';
import type { Json } from '../kubernetes/resource.ts';
import { yamlValue, YamlValueError } from '../yaml/yaml-value.ts';

/** How much hostile YAML may ask of us. */
interface YamlBounds {
  readonly maxCharacters: number;
  readonly maxDepth: number;
  /** How much aliases may add to a document, in characters. */
  readonly maxAliased: number;
  readonly maxDocuments: number;
}

export const YAML_BOUNDS: YamlBounds = { maxCharacters: 4 * 1024 * 1024, maxDepth: 100, maxAliased: 2 * 1024 * 1024, maxDocuments: 5000 };
const MAX_UNBALANCED = 1000;

/** A place in a text, counted from 1. */
interface TextPlace {
  readonly line: number;
  readonly column: number;
}

/** The documents of a text, whose scalars are all text as they stand (`jsonOf` resolves them), and where an offset of the text is. */
export interface YamlStream {
  readonly documents: readonly Document.Parsed[];
  placeAt(offset: number): TextPlace;
}

/** The members of the lexer that say how far lines have to be indented; they are private, so a test watches over them. */
interface Indentation {
  indentNext: number;
  parseQuotedScalar(): Generator<string, unknown>;
  parseFlowCollection(): Generator<string, unknown>;
}

/**
 * Reads YAML the way Kubernetes and Helm do (YAML 1.1: `yes` is a boolean, the last of duplicate keys wins; but timestamps and `1:30` stay
 * text), within bounds, so that neither an alias bomb nor deep nesting can stop the process. Empty documents are `null`. What parsers of YAML read
 * differently is rejected.
 *
 * @throws AppError `InvalidInput` with line and column where there are some.
 */
export function parseYamlDocuments(text: string, bounds: YamlBounds = YAML_BOUNDS): Json[] {
  if (text.length > bounds.maxCharacters) throw fault(`has ${text.length} characters, more than the ${bounds.maxCharacters} allowed`);
  try {
    const { documents, placeAt } = parseYamlStream(text);
    if (documents.length > bounds.maxDocuments) throw fault(`has more than ${bounds.maxDocuments} documents`);
    const broken = documents.find((document) => document.errors.length > 0)?.errors[0];
    // The parser reports its own overflow as an error of the text.
    if (broken?.message.includes('call stack') === true) throw new RangeError('too deep');
    if (broken !== undefined) throw fault(`is not YAML: ${broken.message}`, placeAt(broken.pos[0]));
    return documents.map((document) => placed(() => jsonOf(document, bounds), placeAt));
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

/** The value of a document of a stream. Throws like `yamlValue`. */
export function jsonOf(
  document: Document.Parsed,
  { maxDepth, maxAliased }: Omit<YamlBounds, 'maxCharacters' | 'maxDocuments'> = YAML_BOUNDS,
): Json {
  return yamlValue(document.contents, { maxDepth, maxAliased });
}

function placed<T>(task: () => T, placeAt: YamlStream['placeAt']): T {
  try {
    return task();
  } catch (error) {
    if (!(error instanceof YamlValueError)) throw error;
    throw fault(error.message, error.offset === undefined ? undefined : placeAt(error.offset));
  }
}

/** What go-yaml takes for the end of a line and YAML 1.2 does not, and what go-yaml rejects. */
// oxlint-disable-next-line no-control-regex
const FOREIGN_CHARACTER = /[\0-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\u2028\u2029\ufeff\ufffe\uffff]|\p{Cs}/u;
/** A separator with more than a comment behind it, which kubectl rejects and Helm splits at. */
const ODD_SEPARATOR = /^---(?![ \t]*$|[ \t]+#)/m;
/** kubectl sees no separator behind a carriage return, but go-yaml does. */
const HIDDEN_SEPARATOR = /\r(?=---|\.\.\.)/;

/**
 * The documents of a text, each with its own errors. This is how every manifest is read, wherever it comes from.
 *
 * @throws AppError `InvalidInput` with line and column for what kubectl, Helm and YAML 1.2 split into documents differently.
 */
export function parseYamlStream(source: string): YamlStream {
  const text = source.replace(/^\uFEFF/, '');
  if (mayNestDeeply(text)) throw new RangeError('too deep');
  if (/,[\s,]{2000}/.test(text)) throw fault('holds long runs of empty items');
  const lines = new LineCounter();
  const placeAt = (offset: number): TextPlace => {
    const { line, col } = lines.linePos(offset);
    return { line, column: col };
  };
  const documents = composeLeniently(text.replaceAll(/\r(?!\n)/g, '\n'), lines, placeAt);
  for (const [pattern, what] of [
    [
      FOREIGN_CHARACTER,
      'has a control character, or a line separator that not all parsers of YAML know; write it as an escape in double quotes',
    ],
    [ODD_SEPARATOR, 'has text behind a document separator; put it on the next line'],
    [HIDDEN_SEPARATOR, 'has a document separator behind a carriage return; end lines with a line feed'],
  ] as const) {
    const found = pattern.exec(text);
    if (found !== null) throw fault(what, placeAt(found.index));
  }
  return { documents, placeAt };
}

/** Why `parseYamlStream` could not read a text: a fault of the file, whatever the parser threw. Its place is line 0 where none is known. */
export function streamFault(error: unknown): TextPlace & { readonly message: string } {
  // The parser recurses, so that thousands of nested brackets end its stack.
  if (error instanceof RangeError) return { line: 0, column: 0, message: 'invalid YAML: it is nested too deeply' };
  const [fault] = isAppError(error) ? error.faults : [];
  const message = fault?.message ?? messageOf(error).split('\n')[0] ?? '';
  return { line: fault?.line ?? 0, column: fault?.column ?? 0, message: `invalid YAML: ${message}` };
}

/** For documents that are edited: the tags of YAML 1.1 that go-yaml knows: no sexagesimal numbers, timestamps stay text, no sets, pairs or binary. */
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

/** A document as text to edit, with its comments and quotes; it means what `parseYamlDocument` reads in it. Its keys may be there twice: ask `repeatedKey`. */
export function editableYaml(
  text: string,
  options: Pick<ParseOptions & DocumentOptions, 'lineCounter' | 'logLevel'> = {},
): Document.Parsed {
  const dialect = { version: '1.1', customTags: goTags, intAsBigInt: true } as const;
  return parseDocument(text, { ...dialect, uniqueKeys: false, prettyErrors: false, logLevel: 'silent', ...options });
}

/** Integers by their prefixes in both cases, and binary data as the text that it encodes. */
const GO_TAGS: readonly ScalarTag[] = [
  {
    tag: 'tag:yaml.org,2002:int',
    default: true,
    test: /^[-+]?0(?:[oO][0-7_]+|X[0-9a-fA-F_]+|B[01_]+)$/,
    resolve: (text) => {
      const digits = text.replaceAll(/[-+_]/g, '').toLowerCase();
      return text.startsWith('-') ? -BigInt(digits) : BigInt(digits);
    },
  },
  { tag: 'tag:yaml.org,2002:binary', resolve: (text) => Buffer.from(text, 'base64').toString('utf8') },
];

/** To go-yaml a number has digits before its exponent; the parser takes `.` and `e1234567` for numbers, too, and makes NaN of them. */
function withDigits(tag: ScalarTag): ScalarTag {
  if (tag.tag !== 'tag:yaml.org,2002:float' || tag.test === undefined || /nan/i.test(tag.test.source)) return tag;
  return { ...tag, test: new RegExp(`^(?=[-+]?\\.?[0-9])(?:${tag.test.source})`) };
}

/** The composer recurses, and is slow to find out; so unbalanced brackets are counted first, wherever they stand. Other deep nesting ends in `yamlValue`. */
function mayNestDeeply(text: string): boolean {
  let open = 0;
  for (const [bracket] of text.matchAll(/[[\]{}]/g)) {
    open = bracket === '[' || bracket === '{' ? open + 1 : Math.max(0, open - 1);
    if (open > MAX_UNBALANCED) return true;
  }
  return false;
}

function fault(message: string, place?: TextPlace): AppError {
  const where = place === undefined ? '' : ` (line ${place.line}, column ${place.column})`;
  return new AppError('InvalidInput', `yaml: the text ${message}${where}`, { faults: [{ message: `The text ${message}`, ...place }] });
}

/**
 * Composes a YAML stream with the leniency of go-yaml: the lines of a quoted scalar or a flow collection may begin in any column, a carriage return ends
 * a line, and `\\'` is an escape. The emitter of go-yaml, through which Helm sends manifests to a post-renderer, writes the closing quote of some
 * scalars in column 0, though YAML asks for an indent (YAML 1.2, 7.3).
 */
function composeLeniently(text: string, lines: LineCounter, placeAt: YamlStream['placeAt']): readonly Document.Parsed[] {
  lines.addNewLine(0);
  const parser = new Parser(lines.addNewLine);
  const composer = new Composer({
    version: '1.1',
    schema: 'failsafe',
    resolveKnownTags: false,
    uniqueKeys: false,
    // As tolerant as go-yaml: what is unambiguous is read.
    strict: false,
    logLevel: 'silent',
    prettyErrors: false,
  });
  let previous: 'None' | 'Document' = 'None';
  const checked = (token: CST.Token): CST.Token => {
    if (token.type === 'directive') throw fault('has a directive (%); remove it', placeAt(token.offset));
    if (token.type !== 'document') return token;
    // go-yaml, kubectl and Helm read the first document of what is between two separators, and nothing behind it.
    if (previous === 'Document' && !token.start.some(({ type }) => type === 'doc-start'))
      throw fault('has a document without the separator (---) before it', placeAt(token.offset));
    previous = 'Document';
    return token;
  };
  const tokens = function* (): Generator<CST.Token, void> {
    for (const lexeme of lenientLexer().lex(text)) for (const token of parser.next(withKnownEscapes(lexeme))) yield checked(token);
    for (const token of parser.end()) yield checked(token);
  };
  return [...composer.compose(tokens())];
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
