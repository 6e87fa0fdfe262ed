/** A text in one spelling: escapes decoded, upper and lower case the same; each character knows where it came from. */
export interface CanonicalText {
  readonly text: string;
  /** The place in the original where a character begins, and where it ends. */
  readonly starts: Uint32Array;
  readonly ends: Uint32Array;
}

/** `literal`: nothing is decoded. `readable`: all but quotes and backslashes. `dense`: no spaces either. `letters`: letters and digits alone. */
export type CanonicalForm = 'literal' | 'readable' | 'dense' | 'letters';

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
export function canonicalText(original: string, form: CanonicalForm): CanonicalText {
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
export function canonicalTextOnly(original: string, form: CanonicalForm): string {
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
