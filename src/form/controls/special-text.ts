import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { readCron } from './cron/read-cron.ts';
import { matchesPattern } from '../../schema/matches-pattern.ts';
import { nameWords } from '../../domain/core/name-words.ts';

/** A text that has a grammar of its own. `strict` when the schema itself says so, not its name or its words. */
export interface SpecialText {
  readonly kind: 'cron' | 'host' | 'url';
  readonly strict: boolean;
}

const CRON_NAME = /(^| )(schedule|crontab|cron|cron expression|cron spec)$/;
const HOST_NAME = /(^| )(host|hostname|domain|fqdn|host name|domain name|dns name)$/;
const NO_HOST = /(^| )(fault|failure|protection|security|topology|update) domain$/;
const URL_NAME = /(^| )(url|uri)$/;
const HOST_FORMATS = ['hostname', 'idn-hostname', 'ipv4', 'ipv6'];
const URL_FORMATS = ['uri', 'url', 'uri-reference', 'iri', 'iri-reference'];
const OTHER_SCHEDULES = /\brrule\b|\boncalendar\b|\bcalendar event\b|\b(name|reference) of (the|a|an) |\bplacement\b/i;
const OTHER_HOSTS = /\b(templates?|regexp?|regular expression|header|host:port|path|comma|list of|url)\b/i;
const CRONS = ['0 2 * * *', '30 1 * * 1', '0 0 2 * * *', '@daily'];
const HOSTS = ['db.example.com', 'example', '10.0.0.1'];
const URLS = ['https://example.com/a', 'http://example.com', 's3://bucket/path', '/path', 'oci://example.com/a'];

/** What grammar a text property has: its format first, then its name, unless its pattern, its default or its words say otherwise. */
export function specialText(name: string, schema: JsonObject): SpecialText | undefined {
  const format = typeof schema['format'] === 'string' ? schema['format'] : '';
  if (format === 'cron') return { kind: 'cron', strict: true };
  if (HOST_FORMATS.includes(format)) return { kind: 'host', strict: true };
  if (URL_FORMATS.includes(format)) return { kind: 'url', strict: format === 'uri' };
  if (format !== '') return undefined;
  const description = typeof schema['description'] === 'string' ? schema['description'].slice(0, 2000) : '';
  const called = nameWords(name).join(' ');
  if (CRON_NAME.test(called) && !OTHER_SCHEDULES.test(description) && fits(schema, CRONS, isCron)) return { kind: 'cron', strict: false };
  if (HOST_NAME.test(called) && !NO_HOST.test(called) && !OTHER_HOSTS.test(description) && fits(schema, HOSTS, isHost))
    return { kind: 'host', strict: false };
  if ((URL_NAME.test(called) || asksForScheme(schema)) && fits(schema, URLS, hasScheme)) return { kind: 'url', strict: false };
  return undefined;
}

/** Whether the pattern takes addresses with a scheme and nothing else. */
function asksForScheme({ pattern }: JsonObject): boolean {
  if (typeof pattern !== 'string' || !pattern.includes('://')) return false;
  return !['example', 'example.com/a', '/path'].some((text) => matchesPattern(pattern, text));
}

/** How many parts a schedule has, where its default or description says so: six with the seconds first, as robfig/cron offers it. */
export function cronParts(schema: JsonObject): 5 | 6 | undefined {
  const description = typeof schema['description'] === 'string' ? schema['description'].slice(0, 2000) : '';
  const fallback = typeof schema['default'] === 'string' ? readCron(schema['default']) : undefined;
  if (fallback?.fault === undefined && fallback?.parts === 6) return 6;
  if (/\bseconds? (specifier|field)\b|\bsix\b.{0,20}\b(fields|parts)\b/i.test(description)) return 6;
  return /\bfive\b.{0,20}\b(fields|parts)\b|\bCronJobs?\b/i.test(description) ? 5 : undefined;
}

/** Whether the schema lets usual texts of the kind through, and its default is one. */
function fits(schema: JsonObject, samples: readonly string[], isOne: (text: string) => boolean): boolean {
  const { pattern, default: fallback, maxLength } = schema;
  if (typeof fallback === 'string' && fallback !== '' && !isOne(fallback)) return false;
  const allowed = typeof maxLength === 'number' ? samples.filter((sample) => sample.length <= maxLength) : samples;
  return typeof pattern === 'string' ? allowed.some((sample) => matchesPattern(pattern, sample)) : allowed.length > 0;
}

function isCron(text: string): boolean {
  return readCron(text).fault === undefined;
}

/** Whether a text can be a DNS name, wildcards and underscores included, or an IP address. */
export function isHost(text: string): boolean {
  return text.length <= 253 && (/^[\p{L}\p{N}_*]([\p{L}\p{N}_.-]*[\p{L}\p{N}_.])?$/u.test(text) || /^[0-9a-f:]*:[0-9a-f:.]*$/i.test(text));
}

/** Whether a text begins as an absolute address does. */
export function hasScheme(text: string): boolean {
  return /^[a-z][a-z0-9+.-]*:/i.test(text);
}
