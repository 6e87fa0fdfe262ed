import { isScalar, type Constraints, type FormNode, type SpecialTextNode } from '../model/form-node.ts';
import { fallbackWords } from './value-words.ts';

/** Characters of a default that a line can show. */
export const LONGEST_DEFAULT = 60;
const MOST_SCHEMES = 4;

/** The help of a field in one line: what it is, which unit, which limits. */
export function hintOf(node: FormNode): string {
  const parts = [node.help.summary, unitHint(node), limitHint(node), rowDefault(node)];
  return parts
    .filter((part) => part !== '')
    .map(asSentence)
    .join(' ');
}

/** `Default: 3`, for the placeholder of an empty field. Never the default of a secret. */
export function defaultHint(node: FormNode): string {
  const { words } = fallbackWords(node, LONGEST_DEFAULT);
  return words === '' || words.length > LONGEST_DEFAULT || node.fallback === '' ? '' : `Default: ${words}`;
}

function unitHint(node: FormNode): string {
  if (/\d(m|s|h|Ki|Mi|Gi|Ti)\b/.test(node.help.summary)) return '';
  if (node.kind === 'quantity') return /cpu/i.test(node.path.join('.')) ? 'Such as 500m or 2.' : 'Such as 500Mi or 10Gi.';
  if (node.kind === 'duration') return 'Such as 30s, 5m or 1h30m.';
  if (node.kind === 'int-or-string') return mixedHint(node.types);
  if (node.kind !== 'text') return specialHint(node);
  switch (node.format) {
    case 'date-time':
      return 'Such as 2026-01-31T12:00:00Z.';
    case 'date':
      return 'Such as 2026-01-31.';
    case 'byte':
      return 'Written in base64.';
    default:
      return '';
  }
}

/** What a text with a grammar of its own looks like, unless its help shows that already. */
function specialHint(node: FormNode): string {
  const help = `${node.help.summary} ${node.help.more}`;
  if (node.kind === 'cron') return cronHint(node);
  if (node.kind === 'url') return urlHint(node, help);
  if (node.kind === 'host') return /\w\.\w/.test(help) ? '' : (HOST_HINTS[node.format] ?? 'Such as db.example.com.');
  if (node.kind === 'port') return node.types.length > 1 ? 'A number, or the name of a port.' : '';
  if (node.kind !== 'percentage' || /\d%/.test(help)) return '';
  return node.types.length > 1 ? 'A number, or a share such as 25%.' : 'Such as 25%.';
}

const HOST_HINTS: Readonly<Record<string, string>> = { ipv4: 'Such as 10.0.0.1.', ipv6: 'Such as 2001:db8::1.' };

function cronHint({ help, parts }: SpecialTextNode): string {
  if (/[\d*] [\d*]|@[a-z]{4}/.test(help.summary)) return '';
  return parts === 6 ? 'Six parts, seconds first, such as 0 0 2 * * * for 02:00 every day.' : 'Such as 0 2 * * * for 02:00 every day.';
}

/** The schemes that the pattern or the help names. */
function urlHint(node: SpecialTextNode, help: string): string {
  if (/\w:\/\//.test(node.help.summary)) return '';
  const pattern = node.constraints.pattern ?? '';
  const group = /^\^?\(?\??:?([a-z0-9|+?-]+)\)?:\\?\/\\?\//.exec(pattern)?.[1] ?? '';
  const inPattern = group.split('|').flatMap((word) => (word.endsWith('s?') ? [word.slice(0, -2), word.slice(0, -1)] : [word]));
  const inHelp = Array.from(help.matchAll(/\b([a-z][a-z0-9+.-]{1,15}):\/\//g), ([, scheme]) => scheme ?? '');
  const schemes = [...new Set(group === '' ? inHelp : inPattern)].slice(0, MOST_SCHEMES);
  if (schemes.length === 0) return node.format === 'uri-reference' ? 'An address or a path.' : 'Such as https://example.com.';
  return `Begins with ${schemes.map((scheme) => `${scheme}://`).join(' or ')}.`;
}

function mixedHint(types: readonly string[]): string {
  if (!types.includes('string')) return 'A number, or true or false.';
  return types.includes('boolean') ? 'Text, or true or false.' : 'A number, or text.';
}

function limitHint(node: FormNode): string {
  if (!isScalar(node) || node.kind === 'boolean' || node.kind === 'enum') return '';
  const { minimum, maximum, minLength, maxLength } = node.constraints;
  if (['quantity', 'duration', 'cron', 'host', 'url'].includes(node.kind) || isSaid(node.help.summary, [minimum, maximum])) return '';
  if (minimum !== undefined && maximum !== undefined) return `From ${minimum} to ${maximum}.`;
  if (minimum !== undefined && minimum > Number.MIN_SAFE_INTEGER) return `${minimum} or more.`;
  if (maximum !== undefined && maximum < 2 ** 31 - 1) return `At most ${maximum}.`;
  return lengthHint({ ...(minLength === undefined ? {} : { minLength }), ...(maxLength === undefined ? {} : { maxLength }) });
}

/** Whether the help names the limits already, such as `The hour, from 0 to 23`. */
function isSaid(help: string, limits: readonly (number | undefined)[]): boolean {
  const numbers = new Set(help.match(/-?\d+(\.\d+)?/g));
  const known = limits.filter((limit) => limit !== undefined);
  return known.length > 0 && known.every((limit) => numbers.has(String(limit)));
}

function lengthHint({ minLength = 0, maxLength }: Constraints): string {
  if (minLength > 1 && maxLength !== undefined) return `From ${minLength} to ${maxLength} characters.`;
  if (minLength > 1) return `At least ${minLength} characters.`;
  return maxLength !== undefined && maxLength <= 1000 ? `At most ${maxLength} characters.` : '';
}

/** Lists, maps and groups have no placeholder to show their default in. */
function rowDefault(node: FormNode): string {
  return node.kind === 'list' || node.kind === 'map' ? defaultHint(node) : '';
}

function asSentence(text: string): string {
  return /[.!?:]$/.test(text) ? text : `${text}.`;
}
