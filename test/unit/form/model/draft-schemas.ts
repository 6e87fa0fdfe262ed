import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../../../src/domain/kubernetes/resource.ts';

export const DRAFTS = ['draft-04', 'draft-06', 'draft-07', '2019-09', '2020-12'] as const;
export type Draft = (typeof DRAFTS)[number];

/** A schema in the words of a draft, and a value that somebody may have: often one that fits. */
export interface Sample {
  readonly schema: JsonObject;
  readonly value: Json;
}

/** The address that a schema of the draft names in `$schema`. */
export function addressOf(draft: Draft): string {
  return draft.startsWith('draft') ? `http://json-schema.org/${draft}/schema#` : `https://json-schema.org/draft/${draft}/schema`;
}

/** Whole schemas of values, with definitions that their parts refer to in the ways of the draft. */
export function samplesOf(draft: Draft): fc.Arbitrary<{ readonly schema: JsonObject; readonly value: JsonObject }> {
  return fc.tuple(objects(draft, 3), fc.oneof(nodes(draft, 0), objects(draft, 0))).map(([{ schema, value }, shared]) => ({
    schema: { $schema: addressOf(draft), ...schema, ...definitions(draft, shared.schema) },
    value: value as JsonObject,
  }));
}

const KEYS = ['a', 'b.c', 'd/e', 'name', 'parts', 'constructor', 'ü'] as const;
const since = (draft: Draft, first: Draft): boolean => DRAFTS.indexOf(draft) >= DRAFTS.indexOf(first);
/** `then` by any other name: an object literal with that key could be mistaken for a promise. */
const keyed = (entries: readonly (readonly [string, Json])[]): JsonObject => Object.fromEntries(entries);

function definitions(draft: Draft, shared: JsonObject): JsonObject {
  const anchor = since(draft, '2019-09') ? { $anchor: 'shared' } : { [draft === 'draft-04' ? 'id' : '$id']: '#shared' };
  const all = { plain: shared, named: { ...shared, ...anchor }, again: { type: 'object', properties: { next: { $ref: '#' } } } };
  return since(draft, '2019-09') ? { $defs: all } : { definitions: all };
}

function nodes(draft: Draft, depth: number): fc.Arbitrary<Sample> {
  const leaves = [texts(draft), numbers(draft), flags(), choices(draft), nullables(draft)];
  if (depth === 0) return fc.oneof(...leaves);
  return fc.oneof(
    ...leaves,
    objects(draft, depth - 1),
    lists(draft, depth - 1),
    tuples(draft),
    references(draft),
    alternatives(draft, depth - 1),
  );
}

function texts(_draft: Draft): fc.Arbitrary<Sample> {
  const limits = fc.constantFrom<JsonObject>({}, { minLength: 2 }, { maxLength: 3 }, { pattern: '^[a-z]*$' }, { format: 'date' });
  return fc.tuple(limits, fc.constantFrom('', 'ab', 'Äöü', '2026-01-01', '7', 'null', 'true')).map(([limit, value]) => ({
    schema: { type: 'string', ...limit },
    value,
  }));
}

/** Draft 4 excludes a limit by a flag beside it, all later ones by a number. */
function numbers(draft: Draft): fc.Arbitrary<Sample> {
  const excluded: JsonObject = draft === 'draft-04' ? { minimum: 1, exclusiveMinimum: true } : { exclusiveMinimum: 1 };
  const above: JsonObject = draft === 'draft-04' ? { maximum: 9, exclusiveMaximum: true } : { exclusiveMaximum: 9 };
  const limits = fc.constantFrom<JsonObject>({}, excluded, above, { minimum: 1, maximum: 9 }, { multipleOf: 3 });
  return fc
    .tuple(fc.constantFrom('integer', 'number'), limits, fc.constantFrom(0, 1, 2, 3, 9, -4, 1.5, 1e21))
    .map(([type, limit, value]) => ({
      schema: { type, ...limit },
      value,
    }));
}

function flags(): fc.Arbitrary<Sample> {
  return fc.boolean().map((value) => ({ schema: { type: 'boolean' }, value }));
}

function choices(draft: Draft): fc.Arbitrary<Sample> {
  const constant: JsonObject = since(draft, 'draft-06') ? { const: 'on' } : { enum: ['on'] };
  return fc
    .tuple(fc.constantFrom<JsonObject>(constant, { enum: ['on', 'off', 3, null] }), fc.constantFrom<Json>('on', 'off', 3, null))
    .map(([schema, value]) => ({ schema, value }));
}

function nullables(draft: Draft): fc.Arbitrary<Sample> {
  return fc.tuple(fc.oneof(texts(draft), numbers(draft)), fc.boolean()).map(([{ schema, value }, isNull]) => ({
    schema: { ...schema, type: [schema['type'] as string, 'null'] },
    value: isNull ? null : value,
  }));
}

function objects(draft: Draft, depth: number): fc.Arbitrary<Sample> {
  const members = fc.uniqueArray(fc.tuple(fc.constantFrom(...KEYS), nodes(draft, depth), fc.boolean(), fc.boolean()), {
    maxLength: 4,
    selector: ([key]) => key,
  });
  return fc.tuple(members, fc.constantFrom(...closings(draft))).map(([found, closing]) => {
    const required = found.filter(([, , isRequired]) => isRequired).map(([key]) => key);
    const schema = {
      type: 'object',
      properties: Object.fromEntries(found.map(([key, node]) => [key, node.schema])),
      ...(required.length === 0 ? {} : { required }),
      ...closing,
    };
    return { schema, value: Object.fromEntries(found.filter(([, , , isSet]) => isSet).map(([key, node]) => [key, node.value])) };
  });
}

/** What an object says about its members beyond naming them. */
function closings(draft: Draft): JsonObject[] {
  const all: JsonObject[] = [
    {},
    { additionalProperties: false },
    { additionalProperties: { type: 'string' } },
    { patternProperties: { '^x-': {} } },
  ];
  if (!since(draft, '2019-09')) all.push({ dependencies: { a: ['name'], name: { required: ['a'] } } });
  if (since(draft, 'draft-06')) all.push({ propertyNames: { maxLength: 20 } });
  if (since(draft, 'draft-07'))
    all.push(
      keyed([
        ['if', { required: ['a'] }],
        ['then', { required: ['name'] }],
        ['else', { properties: { parts: {} } }],
      ]),
    );
  if (since(draft, '2019-09')) {
    all.push({ dependentRequired: { a: ['name'] } }, { dependentSchemas: { name: { required: ['a'] } } }, { unevaluatedProperties: false });
  }
  return all;
}

function lists(draft: Draft, depth: number): fc.Arbitrary<Sample> {
  const limits: JsonObject[] = [
    {},
    { uniqueItems: true },
    { maxItems: 2 },
    ...(since(draft, 'draft-06') ? [{ contains: { type: 'string' } }] : []),
  ];
  return fc.tuple(nodes(draft, depth), fc.constantFrom(...limits), fc.nat(3)).map(([item, limit, count]) => ({
    schema: { type: 'array', items: item.schema, ...limit },
    value: Array.from({ length: count }, () => item.value),
  }));
}

function tuples(draft: Draft): fc.Arbitrary<Sample> {
  return fc.tuple(texts(draft), numbers(draft), fc.boolean()).map(([one, other, isOpen]) => {
    const places = [one.schema, other.schema];
    const schema: JsonObject = since(draft, '2020-12')
      ? { type: 'array', prefixItems: places, items: isOpen }
      : { type: 'array', items: places, additionalItems: isOpen };
    return { schema, value: [one.value, other.value] };
  });
}

function references(draft: Draft): fc.Arbitrary<Sample> {
  const folder = since(draft, '2019-09') ? '$defs' : 'definitions';
  const ways: JsonObject[] = [{ $ref: `#/${folder}/plain` }, { $ref: '#shared' }, { $ref: `#/${folder}/again` }];
  if (draft === '2019-09') ways.push({ $recursiveRef: '#' });
  if (draft === '2020-12') ways.push({ $dynamicRef: '#' });
  return fc
    .tuple(fc.constantFrom(...ways), fc.constantFrom<Json>('ab', 3, {}, { next: {} }, []))
    .map(([schema, value]) => ({ schema, value }));
}

function alternatives(draft: Draft, depth: number): fc.Arbitrary<Sample> {
  return fc
    .tuple(nodes(draft, depth), nodes(draft, depth), fc.constantFrom('oneOf', 'anyOf', 'allOf'), fc.boolean())
    .map(([one, other, word, isFirst]) => ({ schema: { [word]: [one.schema, other.schema] }, value: isFirst ? one.value : other.value }));
}
