import { isIP } from 'node:net';
import { warnUnless } from './advice.ts';
import { helpText, type Control, type StringNode } from './control.ts';
import { descriptionOf, fits, formatOf, wordsOfName, type FieldFacts } from './field-facts.ts';
import { textTraits, TYPED_TEXT } from './typed-text.ts';

/** A DNS name or an IP address. */
export interface HostNode extends StringNode {
  readonly kind: 'host';
  /** Whether the schema itself asks for one; otherwise what is none is only warned of. */
  readonly strict: boolean;
}

const FORMATS = ['hostname', 'idn-hostname', 'ipv4', 'ipv6'];
const NAME = /(^| )(host|hostname|domain|fqdn|host name|domain name|dns name)$/;
const OTHER_NAME = /(^| )(fault|failure|protection|security|topology|update) domain$/;
const OTHER_HOSTS = /\b(templates?|regexp?|regular expression|header|host:port|path|comma|list of|url)\b/i;
const SAMPLES = ['db.example.com', 'example', '10.0.0.1'];

export const host: Control<HostNode> = {
  ...TYPED_TEXT,
  kind: 'host',
  ownGrammar: true,
  detect: (field) => {
    const strict = FORMATS.includes(formatOf(field.schema));
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
  return NAME.test(name) && !OTHER_NAME.test(name) && !OTHER_HOSTS.test(descriptionOf(schema)) && fits(schema, SAMPLES, isHost);
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
