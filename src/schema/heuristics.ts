import type { JsonObject } from '../domain/resource.ts';
import { isDuration, isQuantity } from './measures.ts';

/** What is read from a text property beyond its type. `strict` when the schema itself says so, not its name or its words. */
export type TextMeaning =
  { readonly kind: 'text' | 'multiline' | 'secret' } | { readonly kind: 'quantity' | 'duration'; readonly strict: boolean };

const SECRET_NAME =
  /(^|[a-z0-9_-])(password|passwd|passphrase|pwd|secret|token|api[_-]?key|secret[_-]?key|private[_-]?key|access[_-]?key|credentials?)$/i;
const POINTS_ELSEWHERE = /(existing|pull|tls|ca|cert|ref|image|super)[_-]?secret$/i;
const NAMES_A_SECRET =
  /\b(names? of|reference to|refers? to|existing|secrets? (that|which|containing|with|holding|in|name|resource)|kubernetes secret)\b/i;
const AMOUNT_NAME = /(size|storage|memory|cpu|capacity|disk|volume|limit|request)s?$/i;
const TIME_NAME = /(timeout|interval|period|delay|duration|ttl|retention|lifetime|age)s?$/i;
const LONG_NAME = /(script|certificate|config(uration)?file|publickey|manifest|cabundle)$/i;
// The pattern that controller-tools writes for resource.Quantity has this alternative in it.
const QUANTITY_PATTERN = /\[KMGTPE\]i|Ki\|Mi\|Gi/;
const QUANTITY_EXAMPLE = /\b\d+(Ki|Mi|Gi|Ti)\b/;

/** What a text property is about: its format and pattern first, then its name together with an example. */
export function textMeaning(key: string, schema: JsonObject): TextMeaning {
  const format = schema['format'];
  const description = typeof schema['description'] === 'string' ? schema['description'].slice(0, 2000) : '';
  if (format === 'password' || schema['writeOnly'] === true) return { kind: 'secret' };
  if (format === 'quantity' || hasQuantityPattern(schema)) return { kind: 'quantity', strict: true };
  if (format === 'duration') return { kind: 'duration', strict: true };
  if (isSecretName(key, description)) return { kind: 'secret' };
  if (AMOUNT_NAME.test(key) && (isUnitful(schema['default']) || QUANTITY_EXAMPLE.test(description)))
    return { kind: 'quantity', strict: false };
  if (TIME_NAME.test(key) && isTime(schema['default'])) return { kind: 'duration', strict: false };
  if (format === 'multiline' || format === 'textarea' || LONG_NAME.test(key) || hasLines(schema['default'])) return { kind: 'multiline' };
  return { kind: 'text' };
}

/** Whether the pattern of a schema is that of quantities. */
export function hasQuantityPattern(schema: JsonObject): boolean {
  return typeof schema['pattern'] === 'string' && QUANTITY_PATTERN.test(schema['pattern'].slice(0, 500));
}

function isSecretName(key: string, description: string): boolean {
  return SECRET_NAME.test(key) && !POINTS_ELSEWHERE.test(key) && !NAMES_A_SECRET.test(description);
}

function isUnitful(value: unknown): boolean {
  return typeof value === 'string' && isQuantity(value) && /[a-z]$/i.test(value);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && isDuration(value) && value !== '0';
}

function hasLines(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\n');
}
