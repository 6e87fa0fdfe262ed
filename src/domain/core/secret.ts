import { inspect } from 'node:util';

/** A value that prints as `[secret]` wherever it is printed, logged or serialised. */
export interface Secret<T = string> {
  /** The value itself, for the one place that needs it. */
  reveal(): T;
  toString(): string;
  toJSON(): string;
}

const HIDDEN = '[secret]';

/** Wraps a value that must never be printed. */
export function secret<T>(value: T): Secret<T> {
  const hide = (): string => HIDDEN;
  return Object.freeze({ reveal: () => value, toString: hide, toJSON: hide, [inspect.custom]: hide });
}

const MASK = '[secret]';

/** The spellings of the secrets that were asked for last: messages come in series. */
const known = new WeakMap<readonly string[], (text: string) => readonly Span[]>();

/**
 * Takes every secret out of a text before anybody sees it, however it is spelled: in other letters, escaped for JSON, YAML, Go, HTML or an address, in base64,
 * base32 or hexadecimal, with other signs or lines between its letters, and any half of it or eight characters in a row. A secret of fewer than four
 * characters is only taken out where it stands as a word, or every message would be unreadable.
 */
export function redact(text: string, secrets: readonly string[]): string {
  if (secrets.length === 0 || text === '') return text;
  const find = known.get(secrets) ?? createSpellings(secrets);
  known.set(secrets, find);
  let at = 0;
  const parts: string[] = [];
  for (const { start, end } of joined(find(text))) {
    parts.push(text.slice(at, start), MASK);
    at = end;
  }
  return parts.length === 0 ? text : parts.join('') + text.slice(at);
}

function joined(spans: readonly Span[]): Span[] {
  const result: { start: number; end: number }[] = [];
  for (const { start, end } of [...spans].sort((a, b) => a.start - b.start)) {
    const last = result.at(-1);
    if (last !== undefined && start < last.end) last.end = Math.max(last.end, end);
    else result.push({ start, end });
  }
  return result;
}

/** A part of a text. */
interface Span {
  readonly start: number;
  readonly end: number;
}

/** So many characters in a row of a long secret occur in no other text by chance. */
const FRAGMENT = 8;
/** Fewer are only a secret where they stand as a word. */
const SHORT = 4;
/** Of a long secret not every fragment is looked for: one that is longer by this many is. */
const STRIDES: readonly (readonly [longest: number, stride: number])[] = [
  [512, 1],
  [8_192, 4],
  [65_536, 16],
  [Infinity, 64],
];
/**
 * What is looked for at most, in fragments: it takes about 20 ms, in which nobody else is served. Where there is more, as in an object of thousands of
 * passwords, each text about it is a secret as a whole, but for single words such as `Healthy`.
 */
const MAX_FRAGMENTS = 40_000;
const MAX_LENGTH_IN_BASE32 = 1_024;
/** Longer ones are found by their parts. */
const MAX_WHOLE_LENGTH = 256;

/** Finds every spelling of some secrets in texts, in time that grows with the lengths and not with their product. */
function createSpellings(secrets: readonly string[]): (text: string) => readonly Span[] {
  if (tooMany(secrets)) return (text) => (isPlainWord(text, secrets) ? [] : [{ start: 0, end: text.length }]);
  const unique = [...new Set(secrets.flatMap((secret) => [secret, ...linesOf(secret)]))];
  const words = unique.map((secret) => secret.trim()).filter(({ length }) => length > 0 && length < SHORT);
  const indexes = new Map<CanonicalForm, FragmentIndex>();
  for (const secret of unique.filter((secret) => secret.trim().length >= SHORT)) {
    for (const { form, text, kind } of patternsOf(secret)) {
      const index = indexes.get(form) ?? new FragmentIndex();
      indexes.set(form, index);
      index.add(text, kind);
    }
  }
  const word = wordPattern(words);
  return (text) => [
    ...[...indexes].flatMap(([form, index]) => index.find(canonicalText(text, form), text)),
    ...(word === undefined ? [] : [...text.matchAll(word)].map(({ 0: found, index }) => ({ start: index, end: index + found.length }))),
  ];
}

/** One word of letters, such as a status or reason, that no secret is or is part of. */
function isPlainWord(text: string, secrets: readonly string[]): boolean {
  if (!/^[A-Za-z]{0,24}$/.test(text)) return false;
  const word = text.toLowerCase();
  return !secrets.some((secret) => secret.length >= SHORT && word.includes(secret.toLowerCase())) && !secrets.includes(text);
}

function tooMany(secrets: readonly string[]): boolean {
  let fragments = 0;
  for (const { length } of new Set(secrets)) {
    fragments += 8 + length / strideOf(length);
    if (fragments > MAX_FRAGMENTS) return true;
  }
  return false;
}

function strideOf(length: number): number {
  return STRIDES.find(([longest]) => length <= longest)?.[1] ?? 1;
}

function linesOf(secret: string): string[] {
  const lines = secret.split(/\r?\n/).map((line) => line.trim());
  return lines.length === 1 ? [] : lines.filter((line) => line.length >= SHORT);
}

/** `whole`: nothing less than all of it is looked for. `encoded`: what is around it belongs to it. */
type PatternKind = 'whole' | 'parts' | 'encoded';

interface Pattern {
  readonly form: CanonicalForm;
  readonly text: string;
  readonly kind: PatternKind;
}

function patternsOf(secret: string): readonly Pattern[] {
  const readable = canonicalTextOnly(secret, 'readable').trim();
  const dense = canonicalTextOnly(secret, 'dense');
  const letters = canonicalTextOnly(secret, 'letters');
  const own: Pattern[] =
    secret.length > MAX_WHOLE_LENGTH
      ? []
      : [
          { form: 'literal', text: canonicalTextOnly(secret.trim(), 'literal'), kind: 'whole' },
          { form: 'readable', text: readable, kind: 'whole' },
        ];
  if (dense.length >= FRAGMENT) own.push({ form: 'dense', text: dense, kind: 'parts' });
  if (letters.length >= FRAGMENT) own.push({ form: 'letters', text: letters, kind: 'parts' });
  return [...own, ...encodings(secret).map((text): Pattern => ({ form: 'letters', text, kind: 'encoded' }))].filter(
    ({ text }) => text.length >= SHORT,
  );
}

/** What stands for certain in an encoding of anything that the secret is a part of, without the signs in which alphabets differ. */
function encodings(secret: string): string[] {
  const bytes = Buffer.from(secret);
  const base64 = [0, 1, 2].map((offset) => {
    const text = Buffer.concat([Buffer.alloc(offset), bytes])
      .toString('base64')
      .replaceAll('=', '');
    return text.slice(Math.ceil((offset * 8) / 6), Math.floor(((offset + bytes.length) * 8) / 6));
  });
  const twice = secret.length > MAX_LENGTH_IN_BASE32 ? [] : [Buffer.from(bytes.toString('base64')).toString('base64')];
  const others = secret.length > MAX_LENGTH_IN_BASE32 ? [] : [base32(bytes)];
  const lettersOnly = [...base64, ...twice, ...others, bytes.toString('hex')].map((text) => canonicalTextOnly(text, 'letters'));
  return lettersOnly.filter((text) => text.length >= SHORT + 1);
}

const BASE32 = 'abcdefghijklmnopqrstuvwxyz234567';

/** Whole groups of five bits; the last ones may depend on what follows. */
function base32(bytes: Buffer): string {
  let [bits, value, text] = [0, 0, ''];
  for (const byte of bytes) {
    value = ((value << 8) | byte) & 0xfff;
    bits += 8;
    for (; bits >= 5; bits -= 5) text += BASE32[(value >> (bits - 5)) & 31] ?? '';
  }
  return text;
}

function wordPattern(words: readonly string[]): RegExp | undefined {
  if (words.length === 0) return undefined;
  const spelled = words.flatMap((word) => [
    word,
    JSON.stringify(word).slice(1, -1),
    encodeURIComponent(word.toWellFormed()),
    Buffer.from(word).toString('base64'),
  ]);
  const sorted = [...new Set(spelled)].sort((a, b) => b.length - a.length);
  return new RegExp(`(?<![\\w-])(?:${sorted.map((one) => RegExp.escape(one)).join('|')})(?![\\w-])`, 'gi');
}

interface Known {
  readonly text: string;
  readonly at: number;
  readonly kind: PatternKind;
  readonly least: number;
}

/** Fragments of secrets by their text, in groups of equal length. */
class FragmentIndex {
  readonly #bySize = new Map<number, Map<string, Known>>();

  add(text: string, kind: PatternKind): void {
    const least = kind === 'whole' ? text.length : Math.min(text.length, Math.max(SHORT, Math.min(FRAGMENT, Math.ceil(text.length / 2))));
    const size = Math.min(least, FRAGMENT);
    const stride = kind === 'whole' ? text.length : strideOf(text.length);
    const fragments = this.#bySize.get(size) ?? new Map<string, Known>();
    this.#bySize.set(size, fragments);
    for (let at = 0; at + size <= text.length; at += stride) {
      const fragment = text.slice(at, at + size);
      const before = fragments.get(fragment);
      if (before === undefined || (before.kind === 'whole' && kind !== 'whole')) fragments.set(fragment, { text, at, kind, least });
    }
  }

  /** Each run of a text that a secret has as well. */
  find({ text, starts, ends }: CanonicalText, original: string): Span[] {
    const spans: Span[] = [];
    for (const [size, fragments] of this.#bySize) {
      for (let at = 0; at + size <= text.length;) {
        const known = fragments.get(text.slice(at, at + size));
        const run = known === undefined ? undefined : runAround(text, at, known);
        if (run === undefined || known === undefined) {
          at += 1;
          continue;
        }
        const span = { start: starts[run.start] ?? 0, end: ends[run.end - 1] ?? 0 };
        const isAll = run.end - run.start === known.text.length && known.kind !== 'encoded';
        spans.push(isAll ? span : wordAround(original, span));
        at = Math.max(at + 1, run.end - size + 1);
      }
    }
    return spans;
  }
}

/** How far the text and the secret go on alike; undefined where that is less than tells something. */
function runAround(text: string, at: number, known: Known): Span | undefined {
  let [start, from] = [at, known.at];
  for (; start > 0 && from > 0 && text[start - 1] === known.text[from - 1]; start -= 1) from -= 1;
  let [end, to] = [at, known.at];
  for (; end < text.length && to < known.text.length && text[end] === known.text[to]; end += 1) to += 1;
  return end - start >= known.least ? { start, end } : undefined;
}

const MAX_REASON_LENGTH = 200;

/** What is left of the word that a part of a secret stands in would tell more of it. */
function wordAround(text: string, { start, end }: Span): Span {
  let [from, to] = [start, end];
  while (from > 0 && start - from < MAX_REASON_LENGTH && /[\w+/=%\\-]/.test(text[from - 1] ?? '')) from -= 1;
  while (to < text.length && to - end < MAX_REASON_LENGTH && /[\w+/=%\\-]/.test(text[to] ?? '')) to += 1;
  return { start: from, end: to };
}

/** A text in one spelling: escapes decoded, upper and lower case the same; each character knows where it came from. */
interface CanonicalText {
  readonly text: string;
  /** The place in the original where a character begins, and where it ends. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** `literal`: nothing is decoded. `readable`: all but quotes and backslashes. `dense`: no spaces either. `letters`: letters and digits alone. */
type CanonicalForm = 'literal' | 'readable' | 'dense' | 'letters';

/**
 * What Go, JSON, YAML, JavaScript, HTML and addresses write for a character, also several times over: `\u003c`, `\\u003c`, `\u{3c}`, `\U0000003c`, `\x3c`,
 * `%3C`, `%253C`, `&lt;`, `&#60;`.
 */
const ESCAPE =
  /\\+(?:(?-i:U)([0-9a-f]{8})|u(?:\{([0-9a-f]{1,6})\}|([0-9a-f]{4}))|x([0-9a-f]{2})|([0-7]{3})|([abefnrtv0]))|((?:%(?:25)*[0-9a-f]{2})+)|&(?:amp;)*(?:#x([0-9a-f]{1,6})|#([0-9]{1,7})|(lt|gt|amp|quot|apos|nbsp));/giy;
const CONTROLS: Readonly<Record<string, string>> = {
  a: '\u0007',
  b: '\b',
  e: '\u001B',
  f: '\f',
  n: '\n',
  r: '\r',
  t: '\t',
  v: '\v',
  '0': '\0',
};
const ENTITIES: Readonly<Record<string, string>> = { lt: '<', gt: '>', amp: '&', quot: '"', apos: "'", nbsp: '\u00A0' };
const LETTER = /[\p{L}\p{N}]/u;

/** Brings a text into a form in which every spelling of a secret is the same. Takes time in proportion to its length. */
function canonicalText(original: string, form: CanonicalForm): CanonicalText {
  const writer = { text: [] as string[], starts: [] as number[], ends: [] as number[], form };
  for (let at = 0; at < original.length;) {
    const escaped = form === 'literal' ? undefined : escapeAt(original, at);
    const end = escaped?.end ?? at + ((original.codePointAt(at) ?? 0) > 0xffff ? 2 : 1);
    const decoded = escaped?.decoded ?? original.slice(at, end);
    for (const character of decoded) write(writer, character, [at, end]);
    at = end;
  }
  return { text: writer.text.join(''), starts: Uint32Array.from(writer.starts), ends: Uint32Array.from(writer.ends) };
}

/** The text of it alone, which most secrets are at once: those of ASCII in which nothing is escaped. */
function canonicalTextOnly(original: string, form: CanonicalForm): string {
  if (!PLAIN.test(original)) return canonicalText(original, form).text;
  const folded = original.toLowerCase();
  switch (form) {
    case 'literal':
      return folded;
    case 'readable':
      return folded.replaceAll(/["']/g, '');
    case 'dense':
      return folded.replaceAll(/["'+\s]/g, '');
    case 'letters':
      return folded.replaceAll(/[^a-z0-9]/g, '');
    default:
      return form satisfies never;
  }
}

const PLAIN = /^[\t\n\r -$'-[\]-~]*$/;

interface Writer {
  readonly text: string[];
  readonly starts: number[];
  readonly ends: number[];
  readonly form: CanonicalForm;
}

function write({ text, starts, ends, form }: Writer, character: string, [start, end]: readonly [number, number]): void {
  if (!isKept(character, form)) return;
  // Both ways, because some letters have two small forms.
  const folded = character < '\u0080' ? character.toLowerCase() : character.toUpperCase().toLowerCase();
  for (let index = 0; index < folded.length; index += 1) {
    text.push(folded.charAt(index));
    starts.push(start);
    ends.push(end);
  }
}

function isKept(character: string, form: CanonicalForm): boolean {
  if (form === 'literal') return true;
  if (form === 'letters') return character < '\u0080' ? /[a-z0-9]/i.test(character) : LETTER.test(character);
  if (character === '\\' || character === '"' || character === "'") return false;
  return form === 'readable' || (character.trim() !== '' && character !== '+');
}

function escapeAt(text: string, at: number): { readonly decoded: string; readonly end: number } | undefined {
  const sign = text[at];
  if (sign !== '\\' && sign !== '%' && sign !== '&') return undefined;
  ESCAPE.lastIndex = at;
  const match = ESCAPE.exec(text);
  if (match === null) return undefined;
  const [whole, eight, braced, four, two, octal, control, address, hex, decimal, entity] = match;
  const end = at + whole.length;
  if (address !== undefined) return { decoded: decodeAddress(address), end };
  if (control !== undefined) return { decoded: CONTROLS[control] ?? CONTROLS[control.toLowerCase()] ?? '', end };
  if (entity !== undefined) return { decoded: ENTITIES[entity.toLowerCase()] ?? '', end };
  const code = [eight, braced, four, two, hex].find((digits) => digits !== undefined);
  const point = code === undefined ? Number.parseInt(octal ?? decimal ?? '', octal === undefined ? 10 : 8) : Number.parseInt(code, 16);
  return { decoded: point <= 0x10ffff ? String.fromCodePoint(point) : '', end };
}

/** Bytes of UTF-8. */
function decodeAddress(text: string): string {
  const digits = [...text.matchAll(/%(?:25)*([0-9a-f]{2})/gi)].map(([, pair = '']) => pair);
  return Buffer.from(digits.join(''), 'hex').toString('utf8');
}
