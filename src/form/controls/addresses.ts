import { isIP } from 'node:net';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { warnUnless } from './advice.ts';
import { type Control, helpText, type StringNode, type Traits, type TypedNode } from './control.ts';
import { descriptionOf, type FieldFacts, fits, formatOf, nameOf, wordsOfName } from './field-facts.ts';
import { numberTraits, TYPED_NUMBER } from './numbers.ts';
import { textTraits, TYPED_TEXT } from './typed-text.ts';
import { matchesPattern } from '../../schema/matches-pattern.ts';

/** A DNS name or an IP address. */
export interface HostNode extends StringNode {
  readonly kind: 'host';
  /** Whether the schema itself asks for one; otherwise what is none is only warned of. */
  readonly strict: boolean;
}

const HOST_FORMATS = ['hostname', 'idn-hostname', 'ipv4', 'ipv6'];
const HOST_NAME = /(^| )(host|hostname|domain|fqdn|host name|domain name|dns name)$/;
const OTHER_NAME = /(^| )(fault|failure|protection|security|topology|update) domain$/;
const OTHER_HOSTS = /\b(templates?|regexp?|regular expression|header|host:port|path|comma|list of|url)\b/i;
const HOST_SAMPLES = ['db.example.com', 'example', '10.0.0.1'];

export const host: Control<HostNode> = {
  ...TYPED_TEXT,
  kind: 'host',
  ownGrammar: true,
  detect: (field) => {
    const strict = HOST_FORMATS.includes(formatOf(field.schema));
    return strict || isCalledHost(field) ? { ...textTraits(field), strict } : undefined;
  },
  check: ({ strict, format }, value) => {
    if (!strict) return undefined;
    if (format === 'ipv4') return isIP(value) > 0 && value.includes('.') ? undefined : 'Enter an IPv4 address, such as 10.0.0.1';
    if (format === 'ipv6') return isIP(value) > 0 && value.includes(':') ? undefined : 'Enter an IPv6 address, such as 2001:db8::1';
    return isHost(value) ? undefined : 'Enter a host name, such as db.example.com';
  },
  advise: (_node, value) => warnUnless(isHost(value), value, warningOn(value)),
  hint: (node) => {
    if (/\w\.\w/.test(helpText(node))) return '';
    if (node.format === 'ipv4') return 'Such as 10.0.0.1.';
    return node.format === 'ipv6' ? 'Such as 2001:db8::1.' : 'Such as db.example.com.';
  },
  takes: () => 'a host name or address',
  view: () => ({ part: 'advised', width: 'medium' }),
  examples: [
    {
      name: 'listenOn',
      schema: { type: 'string', format: 'hostname' },
      text: 'db.example.com',
      value: 'db.example.com',
      wrong: { text: 'https://db.example.com', says: 'Enter a host name, such as db.example.com' },
    },
  ],
};

function isCalledHost(field: FieldFacts): boolean {
  const { schema } = field;
  if (formatOf(schema) !== '') return false;
  const name = wordsOfName(field);
  return HOST_NAME.test(name) && !OTHER_NAME.test(name) && !OTHER_HOSTS.test(descriptionOf(schema)) && fits(schema, HOST_SAMPLES, isHost);
}

/** Whether a text can be a DNS name, wildcards and underscores included, or an IP address. */
function isHost(text: string): boolean {
  return text.length <= 253 && (/^[\p{L}\p{N}_*]([\p{L}\p{N}_.-]*[\p{L}\p{N}_.])?$/u.test(text) || /^[0-9a-f:]*:[0-9a-f:.]*$/i.test(text));
}

function warningOn(value: string): string {
  return value.includes('://') || value.includes('/')
    ? 'A host has no scheme and no path: write db.example.com rather than https://db.example.com/path'
    : 'This looks like no host name and no IP address, such as db.example.com or 10.0.0.1';
}

/** The number of a port, or its name where text is taken too. */
export interface PortNode extends TypedNode {
  readonly kind: 'port';
}

const LAST_PORT = 65_535;
const CALLED_PORT = /(^| )port$/;
const PORT_NAME = /^(?=.*[a-z])[a-z0-9]([a-z0-9-]{0,13}[a-z0-9])?$/;

export const port: Control<PortNode> = {
  ...TYPED_NUMBER,
  kind: 'port',
  holds: ['integer', 'mixed'],
  detect: (field) => (isPort(field) ? portTraits(field) : undefined),
  advise: (_node, value) => warnUnless(PORT_NAME.test(value), value, 'This is no number and no name of a port, such as http'),
  hint: ({ types }) => (types.length > 1 ? 'A number, or the name of a port.' : ''),
  takes: () => 'a port',
  view: ({ types }) => ({ part: 'advised', width: 'short', ...(types.length === 1 ? { inputMode: 'numeric' } : {}) }),
  examples: [
    { name: 'port', schema: { type: 'integer' }, text: '8080', value: 8080, wrong: { text: '70000', says: 'Enter 65535 or less' } },
    {
      name: 'targetPort',
      schema: { 'x-kubernetes-int-or-string': true },
      text: 'http',
      value: 'http',
      wrong: { text: '70000', says: 'Enter 65535 or less' },
    },
  ],
};

/** Whether a whole number is a port: its format, its name, or its limits together with its words say so, and nothing speaks against it. */
function isPort(field: FieldFacts): boolean {
  const { schema, types } = field;
  if (!types.includes('integer') || types.includes('boolean')) return false;
  const { maximum = LAST_PORT, default: fallback = 1, pattern } = schema;
  if (formatOf(schema) === 'port') return true;
  if (typeof maximum !== 'number' || maximum > LAST_PORT || (typeof fallback === 'number' && fallback > LAST_PORT)) return false;
  if (typeof pattern === 'string' && !matchesPattern(pattern, 'http')) return false;
  return (
    CALLED_PORT.test(wordsOfName(field)) ||
    (schema['maximum'] === LAST_PORT && /\bports?\b/i.test(`${nameOf(field)} ${descriptionOf(schema)}`))
  );
}

/** The limits of a port, where its schema has none of its own. Only a format says that there is a lower one: many apps take 0 for off, or for any. */
function portTraits(field: FieldFacts): Traits<PortNode> {
  const { types, constraints: limits } = numberTraits(field);
  const isOpen = limits.minimum === undefined && limits.exclusiveMinimum === undefined;
  const least = isOpen && formatOf(field.schema) === 'port' ? { minimum: 1 } : {};
  const most = limits.maximum === undefined && limits.exclusiveMaximum === undefined ? { maximum: LAST_PORT } : {};
  return { types, constraints: { ...limits, ...least, ...most } };
}

/** An address with a scheme, or a path. */
export interface UrlNode extends StringNode {
  readonly kind: 'url';
  /** Whether the schema itself asks for one; otherwise what is none is only warned of. */
  readonly strict: boolean;
}

const URL_FORMATS = ['uri', 'url', 'uri-reference', 'iri', 'iri-reference'];
const URL_NAME = /(^| )(url|uri)$/;
const URL_SAMPLES = ['https://example.com/a', 'http://example.com', 's3://bucket/path', '/path', 'oci://example.com/a'];
const NO_URLS = ['example', 'example.com/a', '/path'];
const MAX_SCHEMES = 4;

export const url: Control<UrlNode> = {
  ...TYPED_TEXT,
  kind: 'url',
  ownGrammar: true,
  detect: (field) => {
    const format = formatOf(field.schema);
    return URL_FORMATS.includes(format) || isCalledUrl(field, format) ? { ...textTraits(field), strict: format === 'uri' } : undefined;
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
  return (URL_NAME.test(wordsOfName(field)) || asksForScheme(field.schema)) && fits(field.schema, URL_SAMPLES, hasScheme);
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
