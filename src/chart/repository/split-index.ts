/** A part of an index.yaml that can be parsed by itself. */
export type IndexPart =
  /** `entries:` begins; what an earlier one held does not count any more. */
  | { readonly kind: 'entries' }
  /** A chart begins, its versions follow as items. The text is its key. */
  | { readonly kind: 'chart'; readonly key: string }
  /** One version: a list of one item. */
  | { readonly kind: 'version'; readonly text: string }
  /** A chart with all of its versions, laid out in some other way: a map of one key. */
  | { readonly kind: 'block'; readonly text: string }
  /** What stands outside of `entries`; comes last. */
  | { readonly kind: 'outside'; readonly text: string }
  /** The text must be parsed as a whole, if at all; comes last. */
  | { readonly kind: 'unfit'; readonly why: string };

/** A line of content. */
interface Line {
  readonly text: string;
  readonly indent: number;
  readonly isItem: boolean;
}

const ENTRIES = /^(entries|"entries"|'entries')[ \t]*:[ \t]*(#.*)?\r?$/;
const SIMPLE_KEY = /^ +(?<key>[A-Za-z0-9_][A-Za-z0-9_./-]*|"[^"\\]*"|'[^']*')[ \t]*:[ \t]*(#.*)?\r?$/;
const START = /^---[ \t\r]*(#.*)?$/;
const MARKER = /^(---(?=\s|$)|\.\.\.(?=\s|$)|%)/;
const OUTSIDE_CHARACTERS = 1024 * 1024;

/**
 * Splits an index.yaml by the indentation of its lines, which is all that is needed where the entries are laid out as Helm writes them: a line that
 * begins a chart or a version is never indented as much as what belongs to the one before. Whatever does not fit is reported, never guessed.
 *
 * @param lines without line feeds.
 */
export function* splitIndex(lines: Iterable<string>): Generator<IndexPart> {
  const outside = new Outside();
  let entries: Entries | undefined;
  for (const text of lines) {
    const line = contentOf(text);
    if (line?.indent === 0) {
      if (entries !== undefined) yield* entries.end();
      entries = outside.begin(text);
      if (entries !== undefined) yield { kind: 'entries' };
    } else if (entries === undefined) outside.keep(text);
    else if (line === undefined) entries.keep(text);
    else yield* entries.take(line);
    const fault = outside.fault ?? entries?.fault;
    if (fault !== undefined) {
      yield { kind: 'unfit', why: fault };
      return;
    }
  }
  if (entries !== undefined) yield* entries.end();
  yield { kind: 'outside', text: outside.text() };
}

/** The lines that belong to no chart. */
class Outside {
  /** Why the lines cannot be split. */
  fault: string | undefined;
  readonly #lines: string[] = [];
  #characters = 0;
  #hasContent = false;

  keep(text: string): void {
    this.#characters += text.length;
    this.#lines.push(text);
    if (this.#characters > OUTSIDE_CHARACTERS) this.fault = 'it holds more than 1 MiB outside of its entries';
  }

  /** Takes a line without indent; gives the entries that it begins. */
  begin(text: string): Entries | undefined {
    if (!this.#hasContent && START.test(text)) return undefined;
    if (MARKER.test(text)) this.fault = 'it holds directives, or several documents';
    this.#hasContent = true;
    const isEntries = ENTRIES.test(text);
    this.keep(isEntries ? 'entries:' : text);
    return isEntries ? new Entries() : undefined;
  }

  text(): string {
    return textOf(this.#lines);
  }
}

/** The lines below one `entries:`. */
class Entries {
  /** Why the lines cannot be split. */
  fault: string | undefined;
  #indent: number | undefined;
  #itemIndent: number | undefined;
  #layout: 'none' | 'key' | 'items' | 'block' = 'none';
  /** The lines of the item or block that is not yet ended. */
  #lines: string[] = [];

  /** A blank line or a comment: belongs to whatever it stands in. */
  keep(text: string): void {
    this.#lines.push(text);
  }

  *take(line: Line): Generator<IndexPart> {
    this.#indent ??= line.indent;
    const beginsChart = line.indent === this.#indent && !line.isItem;
    if (line.indent < this.#indent) this.fault = 'its charts are not indented alike';
    else if (beginsChart) yield* this.#beginChart(line);
    else if (this.#layout === 'none') this.fault = 'its entries are no map';
    else if (this.#layout === 'block') this.#lines.push(line.text);
    else if (this.#layout === 'key' && line.isItem) yield* this.#beginItems(line);
    else if (this.#layout === 'key') this.#toBlock(line);
    else if (line.indent > (this.#itemIndent ?? 0)) this.#lines.push(line.text);
    else if (line.indent === this.#itemIndent && line.isItem) yield* this.#nextItem(line);
    else this.fault = 'its versions are not indented alike';
  }

  *end(): Generator<IndexPart> {
    if (this.#layout === 'items') yield { kind: 'version', text: textOf(this.#lines) };
    else if (this.#layout !== 'none') yield { kind: 'block', text: textOf(this.#lines) };
    this.#layout = 'none';
    this.#lines = [];
  }

  *#beginChart({ text }: Line): Generator<IndexPart> {
    yield* this.end();
    this.#layout = SIMPLE_KEY.test(text) ? 'key' : 'block';
    this.#lines = [text];
  }

  #toBlock({ text }: Line): void {
    this.#layout = 'block';
    this.#lines.push(text);
  }

  *#beginItems({ text, indent }: Line): Generator<IndexPart> {
    yield { kind: 'chart', key: SIMPLE_KEY.exec(this.#lines[0] ?? '')?.groups?.['key'] ?? '' };
    this.#layout = 'items';
    this.#itemIndent = indent;
    this.#lines = [text];
  }

  *#nextItem({ text }: Line): Generator<IndexPart> {
    yield { kind: 'version', text: textOf(this.#lines) };
    this.#lines = [text];
  }
}

/** Undefined for a blank line and for what looks like a comment. */
function contentOf(text: string): Line | undefined {
  if (/^[ \t\r]*$/.test(text)) return undefined;
  const indent = text.search(/[^ ]/);
  const rest = text.charAt(indent);
  return rest === '#' ? undefined : { text, indent, isItem: rest === '-' && /^([ \t\r]|$)/.test(text.slice(indent + 1, indent + 2)) };
}

function textOf(lines: readonly string[]): string {
  return `${lines.join('\n')}\n`;
}
