import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { matchesPattern } from '../../schema/matches-pattern.ts';
import { warnUnless } from './advice.ts';
import { helpText, type Control, type StringNode } from './control.ts';
import { fits, formatOf, wordsOfName, type FieldFacts } from './field-facts.ts';
import { textTraits, TYPED_TEXT } from './typed-text.ts';

/** An address with a scheme, or a path. */
export interface UrlNode extends StringNode {
  readonly kind: 'url';
  /** Whether the schema itself asks for one; otherwise what is none is only warned of. */
  readonly strict: boolean;
}

const FORMATS = ['uri', 'url', 'uri-reference', 'iri', 'iri-reference'];
const NAME = /(^| )(url|uri)$/;
const SAMPLES = ['https://example.com/a', 'http://example.com', 's3://bucket/path', '/path', 'oci://example.com/a'];
const NO_URLS = ['example', 'example.com/a', '/path'];
const MAX_SCHEMES = 4;

export const url: Control<UrlNode> = {
  ...TYPED_TEXT,
  kind: 'url',
  ownGrammar: true,
  detect: (field) => {
    const format = formatOf(field.schema);
    return FORMATS.includes(format) || isCalledUrl(field, format) ? { ...textTraits(field), strict: format === 'uri' } : undefined;
  },
  check: ({ strict }, value) => (strict && !isAddress(value) ? 'Enter an address with its scheme, such as https://example.com' : undefined),
  advise: (_node, value) => warnUnless(isAddress(value), value, 'The URL has no scheme; most programs require one, such as https://'),
  hint: hintOn,
  takes: () => 'an address, such as https://example.com',
  // The type of the input stays text: what a browser rejects as an address would keep a draft from being sent.
  view: () => ({ part: 'advised', width: 'medium', inputMode: 'url' }),
  examples: [
    {
      name: 'callback',
      schema: { type: 'string', format: 'uri' },
      text: 'https://example.com/a',
      value: 'https://example.com/a',
      wrong: { text: 'example.com', says: 'Enter an address with its scheme, such as https://example.com' },
    },
  ],
};

function isCalledUrl(field: FieldFacts, format: string): boolean {
  if (format !== '') return false;
  return (NAME.test(wordsOfName(field)) || asksForScheme(field.schema)) && fits(field.schema, SAMPLES, hasScheme);
}

/** Whether the pattern takes addresses with a scheme and nothing else. */
function asksForScheme({ pattern }: JsonObject): boolean {
  if (typeof pattern !== 'string' || !pattern.includes('://')) return false;
  return !NO_URLS.some((text) => matchesPattern(pattern, text));
}

function isAddress(text: string): boolean {
  return hasScheme(text) || text.startsWith('/');
}

/** Whether a text begins as an absolute address does. */
function hasScheme(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(text);
}

/** The schemes that the pattern or the help names. */
function hintOn(node: UrlNode): string {
  if (/\w:\/\//.test(node.help.summary)) return '';
  const pattern = node.constraints.pattern ?? '';
  const group = /^\^?\(?\??:?([a-z0-9|+?-]+)\)?:\\?\/\\?\//.exec(pattern)?.[1] ?? '';
  const inPattern = group.split('|').flatMap((word) => (word.endsWith('s?') ? [word.slice(0, -2), word.slice(0, -1)] : [word]));
  const inHelp = Array.from(helpText(node).matchAll(/\b([a-z][a-z0-9+.-]{1,15}):\/\//g), ([, scheme]) => scheme ?? '');
  const schemes = [...new Set(group === '' ? inHelp : inPattern)].slice(0, MAX_SCHEMES);
  if (schemes.length === 0) return node.format === 'uri-reference' ? 'An address or a path.' : 'Such as https://example.com.';
  return `Begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}.`;
}
