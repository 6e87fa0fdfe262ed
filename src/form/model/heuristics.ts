import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { saysSecret, sensitivityOf, type FieldFacts } from '../../domain/sensitive/sensitivity.ts';
import { isDuration, isQuantity } from '../controls/measures.ts';

/** What is read from a text property beyond its type. `strict` when the schema itself says so, not its name or its words. */
export type TextMeaning =
  { readonly kind: 'text' | 'multiline' | 'secret' } | { readonly kind: 'quantity' | 'duration'; readonly strict: boolean };

const AMOUNT_NAME = /(size|storage|memory|cpu|capacity|disk|volume|limit|request)s?$/i;
const TIME_NAME = /(timeout|interval|period|delay|duration|ttl|retention|lifetime|age)s?$/i;
const LONG_NAME = /(script|certificate|publickey|manifest|cabundle)$/i;
// The pattern that controller-tools writes for resource.Quantity has this alternative in it.
const QUANTITY_PATTERN = /\[KMGTPE\]i|Ki\|Mi\|Gi/;
const QUANTITY_EXAMPLE = /\b\d+(Ki|Mi|Gi|Ti)\b/;

/** What a text property is about: its format and pattern first, then its name together with an example. */
export function textMeaning(facts: FieldFacts & { readonly schema: JsonObject }): TextMeaning {
  const { schema, path } = facts;
  const key = String(path.at(-1) ?? '');
  const format = schema['format'];
  const description = typeof schema['description'] === 'string' ? schema['description'].slice(0, 2000) : '';
  if (saysSecret(schema)) return { kind: 'secret' };
  if (format === 'quantity' || hasQuantityPattern(schema)) return { kind: 'quantity', strict: true };
  if (format === 'duration') return { kind: 'duration', strict: true };
  if (sensitivityOf(facts) === 'secret') return { kind: 'secret' };
  if (AMOUNT_NAME.test(key) && (isUnitful(schema['default']) || QUANTITY_EXAMPLE.test(description)))
    return { kind: 'quantity', strict: false };
  if (TIME_NAME.test(key) && isTime(schema['default'])) return { kind: 'duration', strict: false };
  if (format === 'multiline' || format === 'textarea' || hasLines(schema['default'])) return { kind: 'multiline' };
  if (LONG_NAME.test(key) && !isFilePath(schema['default'])) return { kind: 'multiline' };
  return { kind: 'text' };
}

/** Whether the pattern of a schema is that of quantities. */
export function hasQuantityPattern(schema: JsonObject): boolean {
  return typeof schema['pattern'] === 'string' && QUANTITY_PATTERN.test(schema['pattern'].slice(0, 500));
}

function isUnitful(value: unknown): boolean {
  return typeof value === 'string' && isQuantity(value) && /[a-z]$/i.test(value);
}

function isTime(value: unknown): boolean {
  return typeof value === 'string' && isDuration(value) && value !== '0';
}

function isFilePath(value: unknown): boolean {
  return typeof value === 'string' && /^\.{0,2}\/\S*$/.test(value);
}

function hasLines(value: unknown): boolean {
  return typeof value === 'string' && value.includes('\n');
}
