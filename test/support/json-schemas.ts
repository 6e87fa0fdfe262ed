import * as fc from 'fast-check';
import type { Json, JsonObject } from '../../src/domain/kubernetes/resource.ts';

/** Schemas as strange as charts have them. */
export function schemas(depth: number): fc.Arbitrary<JsonObject> {
  const names = fc.constantFrom('a', 'b', '__proto__', 'ü', 'a.b');
  const below = depth === 0 ? fc.constant<JsonObject>({}) : fc.oneof(fc.constant<JsonObject>({}), schemas(depth - 1));
  const type = fc.constantFrom('object', 'array', 'string', 'integer', 'number', 'boolean', 'null');
  return fc.record<Record<string, Json>>(
    {
      type: fc.oneof(type, fc.uniqueArray(type, { minLength: 1, maxLength: 3 })),
      properties: fc.dictionary(names, below, { maxKeys: 3 }),
      additionalProperties: fc.oneof(fc.boolean(), below),
      patternProperties: fc.constant<Json>({ '^a': {} }),
      required: fc.uniqueArray(names, { maxLength: 2 }),
      items: below,
      minItems: fc.integer({ min: 0, max: 2 }),
      enum: fc.uniqueArray(fc.oneof(names, fc.integer({ min: 0, max: 3 }), fc.boolean(), fc.constant(null)), {
        minLength: 1,
      }),
      const: fc.oneof(names, fc.constant(null)),
      minimum: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constant(1e30)),
      exclusiveMaximum: fc.oneof(fc.integer({ min: -3, max: 3 }), fc.constant(0.5)),
      multipleOf: fc.constantFrom(1, 2, 0.5, 2.5),
      minLength: fc.constantFrom(0, 1, 1.5),
      pattern: fc.constantFrom('^a', '\\s', '[^a]$', '^\\p{L}', '(?=a)'),
      oneOf: fc.array(below, { minLength: 1, maxLength: 3 }),
      anyOf: fc.array(below, { minLength: 1, maxLength: 3 }),
      allOf: fc.array(below, { minLength: 1, maxLength: 2 }),
      not: below,
      if: below,
      nullable: fc.boolean(),
    },
    { requiredKeys: [] },
  );
}

/** Values that have a chance to fit. */
export function samplesOf(schema: JsonObject, any: Json): Json[] {
  const names = ['a', 'b', '__proto__', 'ü', 'z'];
  const maps = names.map((name) => Object.fromEntries([[name, any]]) as Json);
  const leaves: Json[] = ['a', 'ab', 1, 2, 0.5, true, null, {}, [], ['a'], [{ a: 1 }]];
  const deep = leaves.flatMap((leaf) => [{ a: leaf }, { b: leaf, a: {} }, [leaf], { a: { b: leaf } }] as Json[]);
  return [...leaves, ...maps, ...deep, ...((schema['enum'] as Json[] | undefined) ?? [])];
}
