import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import { isMap, isNode, isScalar, isSeq, parseDocument, type Node } from 'yaml';
import type { Json, JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { rewriteYaml } from '../../../../src/form/yaml/rewrite-yaml.ts';
import { readYaml } from '../../../../src/schema/yaml-text.ts';
import { runs } from '../../../support/runs.ts';

const TEXT = `# What the shop needs.

storage:
  # Grow it before Christmas.
  size: "10Gi"   # was 5Gi
  class: fast
users:
  - name: anna # the owner
  # Leaves in May.
  - name: ben
tags: [a, b] # short

# The end.
`;

const cases: readonly { readonly world: string; readonly value: JsonObject; readonly text: string }[] = [
  {
    world: 'A value that is changed keeps its place, its quotes and its comments',
    value: { storage: { size: '20Gi', class: 'fast' }, users: [{ name: 'anna' }, { name: 'ben' }], tags: ['a', 'b'] },
    text: TEXT.replace('"10Gi"   #', '"20Gi" #'),
  },
  {
    world: 'A new field comes last',
    value: { storage: { size: '10Gi', class: 'fast' }, users: [{ name: 'anna' }, { name: 'ben' }], tags: ['a', 'b'], replicas: 3 },
    text: TEXT.replace('"10Gi"   #', '"10Gi" #').replace('\n# The end.', 'replicas: 3\n\n# The end.'),
  },
  {
    world: 'Rows take their comments with them',
    value: { storage: { size: '10Gi', class: 'fast' }, users: [{ name: 'ben' }, { name: 'anna' }], tags: ['a', 'b'] },
    text: TEXT.replace('"10Gi"   #', '"10Gi" #').replace(
      '  - name: anna # the owner\n  # Leaves in May.\n  - name: ben\n',
      '  # Leaves in May.\n  - name: ben\n  - name: anna # the owner\n',
    ),
  },
  {
    world: 'Comments on what goes away stay with what follows',
    value: { storage: { class: 'fast' }, users: [{ name: 'anna' }, { name: 'ben' }], tags: ['a', 'b'] },
    text: TEXT.replace('  size: "10Gi"   # was 5Gi\n', '  # was 5Gi\n'),
  },
];

for (const { world, value, text } of cases) {
  test(world, () => assert.equal(rewriteYaml(TEXT, value), text));
}

test('A text that holds the value already stays as it is, whatever it looks like', () => {
  const odd = "{ 'b':   1,\n\n   a: [ ] }   # odd\n";
  assert.equal(rewriteYaml(odd, { a: [], b: 1 }), odd);
});

test('In a whole resource only the spec is changed', () => {
  const whole = 'apiVersion: a/v1 # first\nkind: A\nmetadata: { name: x }\nspec: # mine\n  size: 1\n';
  assert.equal(
    rewriteYaml(whole, { size: 2 }, 'spec'),
    'apiVersion: a/v1 # first\nkind: A\nmetadata: {name: x}\nspec:\n  # mine\n  size: 2\n',
  );
});

const key = fc.constantFrom('a', 'b', 'name', 'x y', '__proto__', '5', 'null', 'c.d/e');
const scalar = fc.oneof(fc.integer(), fc.boolean(), fc.constant(null), fc.constantFrom('', 'x', '5', 'yes', 'a\nb\n', '# no', ': ', '- '));
const { value: anyValue } = fc.letrec<{ value: Json }>((tie) => ({
  value: fc.oneof(
    { depthSize: 'small' },
    scalar,
    fc.array(tie('value'), { maxLength: 4 }),
    fc.array(fc.tuple(key, tie('value')), { maxLength: 4 }).map((entries) => Object.fromEntries(entries) as Json),
  ),
}));
const anObject = fc.array(fc.tuple(key, anyValue), { maxLength: 5 }).map((entries) => Object.fromEntries(entries) as JsonObject);

/** The value as YAML with numbered comments wherever the numbers say. */
function commented(value: Json, places: readonly number[]): { readonly text: string; readonly comments: readonly string[] } {
  const document = parseDocument('');
  document.contents = document.createNode(value, { aliasDuplicateObjects: false }) as typeof document.contents;
  const nodes: Node[] = [];
  const collect = (node: unknown): void => {
    if (isMap(node)) {
      for (const pair of node.items) {
        if (isNode(pair.key)) nodes.push(pair.key);
        collect(pair.value);
      }
    } else if (isSeq(node)) for (const item of node.items) collect(item);
    else if (isScalar(node)) nodes.push(node);
  };
  collect(document.contents);
  places.forEach((place, index) => {
    const node = nodes[place % Math.max(1, nodes.length)];
    if (node !== undefined && place % 2 === 0) node.commentBefore = ` c${index};`;
    else if (node !== undefined && isScalar(node)) node.comment = ` c${index};`;
  });
  document.commentBefore = ' top;';
  const text = document.toString({ lineWidth: 0 });
  return { text, comments: text.match(/# (?:c\d+|top);/g) ?? [] };
}

test('Whatever changes, the text holds the new value and every comment that it had', () => {
  fc.assert(
    fc.property(anObject, anObject, fc.array(fc.nat(40), { maxLength: 8 }), (before, after, places) => {
      const { text, comments } = commented(before, places);
      fc.pre(readYaml(text).fault === undefined);
      const changed = rewriteYaml(text, after);
      assert.deepEqual(readYaml(changed).value, after);
      for (const comment of comments) assert.ok(changed.includes(comment), `${comment} is lost in\n${changed}`);
    }),
    { numRuns: runs(150) },
  );
});
