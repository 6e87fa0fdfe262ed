import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { checkScalar } from '../../../../src/form/controls/scalar.ts';
import { coverage } from '../../../../src/form/model/coverage.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import type { TextNode } from '../../../../src/form/controls/text.ts';
import type { FormNode } from '../../../../src/form/model/form-node.ts';

interface Case {
  readonly world: string;
  readonly schema: () => JsonObject;
  /** Why fields of the form are YAML. */
  readonly yaml?: string;
}

/** As many nodes as a form has at most. */
const MAX_NODES = 10_000;

const cases: readonly Case[] = [
  {
    world: 'A schema a thousand levels deep ends in YAML',
    schema: () => nested(1000, (inner) => ({ type: 'object', properties: { a: inner } })),
    yaml: 'nested too deeply',
  },
  {
    world: 'A list in a list a thousand times ends in YAML',
    schema: () => ({ properties: { a: nested(1000, (inner) => ({ type: 'array', items: inner })) } }),
    yaml: 'nested too deeply',
  },
  {
    world: 'allOf in allOf a thousand times ends in YAML',
    schema: () => ({ properties: { a: nested(1000, (inner) => ({ allOf: [inner] })) } }),
    yaml: 'nested too deeply',
  },
  {
    world: 'anyOf in anyOf a thousand times ends in YAML',
    schema: () => ({ properties: { a: nested(1000, (inner) => ({ anyOf: [inner] })) } }),
    yaml: 'nested too deeply',
  },
  {
    world: 'References in a circle end in YAML',
    schema: () => ({ properties: { a: { $ref: '#/$defs/a' } }, $defs: { a: { $ref: '#/$defs/b' }, b: { $ref: '#/$defs/a' } } }),
    yaml: 'refers to itself',
  },
  { world: 'A root that refers to itself ends in YAML', schema: () => ({ $ref: '#' }), yaml: 'refers to itself' },
  { world: 'References that double at each level end in YAML', schema: doubling, yaml: 'the schema is too large' },
  { world: 'Merged references that double at each level end in YAML', schema: doublingAllOf, yaml: 'nested too deeply' },
  {
    world: 'Ten thousand properties are all there',
    schema: () => ({ properties: Object.fromEntries(Array.from({ length: 10_000 }, (_, n) => [`p${n}`, { type: 'string' }])) }),
  },
  {
    world: 'A choice of a hundred thousand is text',
    schema: () => ({ properties: { a: { type: 'string', enum: Array.from({ length: 100_000 }, (_, n) => `e${n}`) } } }),
  },
  {
    world: 'Names of the language are only names',
    schema: () =>
      JSON.parse(
        '{"properties":{"__proto__":{"type":"string"},"constructor":{"type":"object","properties":{"prototype":{"type":"string"}}}}}',
      ) as JsonObject,
  },
  {
    world: 'Keywords of the wrong type are ignored',
    schema: () => ({
      properties: { a: { type: 7, enum: 'x', required: 'y', items: 3, allOf: {}, title: [], description: {}, default: null } },
    }),
    yaml: 'any value is allowed',
  },
];

for (const { world, schema, yaml } of cases) {
  test(world, () => {
    const given = schema();
    const model = buildForm({ schema: given, root: 'spec', curated: [], mode: 'create' });
    assert.deepEqual(coverage(given, model).unreachable, []);
    const nodes = nodesFrom(model.root);
    assert.ok(nodes.length <= MAX_NODES, `${nodes.length} nodes`);
    assert.deepEqual([...new Set(nodes.flatMap((node) => (node.kind === 'yaml' ? [node.reason] : [])))], yaml === undefined ? [] : [yaml]);
  });
}

function nodesFrom(node: FormNode): FormNode[] {
  const below = 'children' in node ? node.children : 'branches' in node ? node.branches.map((branch) => branch.node) : [];
  return [node, ...below.flatMap(nodesFrom)];
}

test('A description with HTML stays text, and a long one is cut at a word', () => {
  const description = `<script>alert(1)</script> ${'word '.repeat(5000)}`;
  const { root } = buildForm({ schema: { properties: { a: { type: 'string', description } } }, root: 'spec', curated: [], mode: 'create' });
  const [node] = root.kind === 'group' ? root.children : [];
  assert.ok(node?.help.summary.startsWith('<script>alert(1)</script> word'));
  assert.ok((node?.help.summary.length ?? 0) <= 221);
});

test('A pattern is matched without backtracking, in which this one would never end; one that is too large or cannot be read rejects nothing', () => {
  assert.equal(checkScalar(textNode('^(a+)+$'), `${'a'.repeat(1000)}b`), 'Use the form ^(a+)+$');
  assert.equal(checkScalar(textNode('[a-z]{1000}'.repeat(90)), 'x'.repeat(10_000)), undefined);
  assert.equal(checkScalar(textNode('(?=a)b'), 'c'), undefined);
  assert.equal(checkScalar(textNode('('), 'c'), undefined);
});

function textNode(pattern: string): TextNode {
  const { root } = buildForm({ schema: { properties: { a: { type: 'string', pattern } } }, root: 'spec', curated: [], mode: 'create' });
  const node: FormNode | undefined = root.kind === 'group' ? root.children[0] : undefined;
  if (node?.kind !== 'text') assert.fail('not a text');
  return node;
}

function nested(depth: number, around: (inner: JsonObject) => JsonObject): JsonObject {
  let schema: JsonObject = { type: 'string' };
  for (let level = 0; level < depth; level += 1) schema = around(schema);
  return schema;
}

function doubling(): JsonObject {
  const level = (n: number) => ({ type: 'object', properties: { a: { $ref: `#/$defs/l${n + 1}` }, b: { $ref: `#/$defs/l${n + 1}` } } });
  return { $ref: '#/$defs/l0', $defs: Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`l${n}`, level(n)])) };
}

function doublingAllOf(): JsonObject {
  const level = (n: number) => ({ allOf: [{ $ref: `#/$defs/l${n + 1}` }, { $ref: `#/$defs/l${n + 1}` }] });
  return {
    properties: { a: { $ref: '#/$defs/l0' } },
    $defs: Object.fromEntries(Array.from({ length: 40 }, (_, n) => [`l${n}`, level(n)])),
  };
}
