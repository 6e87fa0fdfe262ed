import { Composer, Lexer, LineCounter, Parser } from 'yaml';
import type { Document, DocumentOptions, ParseOptions, SchemaOptions, YAMLError } from 'yaml';

type YamlOptions = ParseOptions & DocumentOptions & SchemaOptions;

/** The documents of a text, and for each of its errors the line and column, both from 1. */
export interface ParsedYaml {
  readonly documents: readonly Document.Parsed[];
  placeOf(error: YAMLError): { readonly line: number; readonly column: number };
}

/**
 * Parses a YAML stream with the leniency of go-yaml: the lines of a quoted scalar or a flow collection may begin in any column, a carriage return ends
 * a line, and `\\'` is an escape. The emitter of go-yaml, through which Helm sends manifests to a post-renderer, writes the closing quote of some
 * scalars in column 0, though YAML asks for an indent (YAML 1.2, 7.3).
 */
export function parseLenientYaml(source: string, options: YamlOptions): ParsedYaml {
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

/** The members of the lexer that say how far lines have to be indented; they are private, so a test watches over them. */
interface Indentation {
  indentNext: number;
  parseQuotedScalar(): Generator<string, unknown>;
  parseFlowCollection(): Generator<string, unknown>;
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
