import type { Help } from './field.ts';

const ACRONYMS = new Set(
  'acl api aws ca cidr cpu crd dns fqdn gcp gcs gid hpa html http https id ip ipv4 ipv6 jdbc json jvm jwt ldap mtls nfs oidc os pdb pvc qos ram rbac s3 saml sasl sql ssd ssh sso ssl tcp tls ttl udp uid uri url uuid vm wal xml yaml'.split(
    ' ',
  ),
);
/** So few words are shown at once; folding the second sentence away would only be in the way. */
const SHORT_ENOUGH = 200;
const MAX_SUMMARY_LENGTH = 220;
/** Twice as long as the longest that we know. */
const MAX_HELP_LENGTH = 10_000;

/** White space other than single blanks between words. */
const UNEVEN = /[^\S ]|  | $/;

/** A name for people of a property: `storageClassName` reads `Storage class name`, `externalIPs` reads `External IPs`. */
export function humanise(key: string): string {
  const words = key
    .replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2')
    .replaceAll(/([A-Z]+)([A-Z][a-z]{2,})/g, '$1 $2')
    .split(/[\s_-]+/)
    .filter((word) => word !== '')
    .map(wordOf);
  const text = words.join(' ');
  return text === '' ? key : `${text.charAt(0).toUpperCase()}${text.slice(1)}`;
}

function wordOf(word: string): string {
  if (ACRONYMS.has(word.toLowerCase())) return word.toUpperCase();
  const singular = word.toLowerCase().replace(/s$/, '');
  if (/^[A-Z]{2,}s$/.test(word)) return word;
  if (ACRONYMS.has(singular) && word.length > 2) return `${singular.toUpperCase()}s`;
  return /^[A-Z0-9]{2,}$/.test(word) ? word : word.toLowerCase();
}

/** The help that a description gives: the first sentence, unless it is long, and what follows. */
export function helpOf(description: unknown): Help {
  if (typeof description !== 'string') return { summary: '', more: '' };
  const text = description.trim().slice(0, MAX_HELP_LENGTH);
  const end = text.length <= SHORT_ENOUGH && !/\n\s*\n/.test(text) ? text.length : sentenceEnd(text);
  const summary = text.slice(0, end);
  return { summary: UNEVEN.test(summary) ? summary.replaceAll(/\s+/g, ' ').trim() : summary, more: text.slice(end).trim() };
}

/** Where the first sentence ends: at a stop before a capital, at an empty line, or at the last word before it grows too long. */
function sentenceEnd(text: string): number {
  const stop = /[.!?](?=\s+[^a-z\s])|\n\s*\n/.exec(text.slice(0, MAX_SUMMARY_LENGTH + 1));
  if (stop !== null) return stop.index + (stop[0].startsWith('\n') ? 0 : 1);
  if (text.length <= MAX_SUMMARY_LENGTH) return text.length;
  const space = text.lastIndexOf(' ', MAX_SUMMARY_LENGTH);
  return space > 0 ? space : MAX_SUMMARY_LENGTH;
}
