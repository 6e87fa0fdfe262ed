import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseYamlDocument, parseYamlDocuments } from '../../../../src/domain/core/bounded-yaml.ts';
import { parseManifest, splitRendered } from '../../../../src/domain/kubernetes/manifest.ts';

test('YAML is read as Kubernetes reads it', () => {
  const text =
    'yes: on\nword: "yes"\ntime: 1:30\ndate: 2020-01-01\noctal: 0644\nlast: 1\nlast: 2\nnothing:\nbase: &b {a: 1}\nmerged: {<<: *b, c: 2}\n';
  assert.deepEqual(parseYamlDocument(text), {
    true: true,
    word: 'yes',
    time: '1:30',
    date: '2020-01-01',
    octal: 420,
    last: 2,
    nothing: null,
    base: { a: 1 },
    merged: { a: 1, c: 2 },
  });
  assert.deepEqual(parseYamlDocuments('a: 1\n---\n---\nb: 2\n'), [{ a: 1 }, null, { b: 2 }]);
  assert.equal(parseYamlDocument(''), null);
});

test('a number has digits before its exponent, as go-yaml has it', () => {
  const text = 'path: .\nrevision: e1234567\nsigned: +E5\nsmall: .5\nwhole: 1.\nlarge: 1e3\nnegative: -1.5e-3\nbare: e0\n';
  assert.deepEqual(parseYamlDocument(text), {
    path: '.',
    revision: 'e1234567',
    signed: '+E5',
    small: 0.5,
    whole: 1,
    large: 1000,
    negative: -0.0015,
    bare: 'e0',
  });
});

test('what go-yaml reads is read, also where YAML asks for more', () => {
  const cases: readonly (readonly [string, string, unknown])[] = [
    ['the emitter of go-yaml closes a quote in column 0', "a:\n  b: 'one\n\n    two\n\n'\n  c: 1\n", { a: { b: 'one\ntwo\n', c: 1 } }],
    ['double quotes, too', 'a:\n  b: "x\ny"\n', { a: { b: 'x y' } }],
    ['a flow collection ends in any column', 'a:\n  b: {\nc: 1,\n\td: [2,\n3]\n}\n', { a: { b: { c: 1, d: [2, 3] } } }],
    ['integers by their prefix', 'a: 0o644\nb: -0O7\nc: 0X1F\nd: 0B11\n', { a: 420, b: -7, c: 31, d: 3 }],
    ['an escaped apostrophe', `a: "it\\'s \\\\'"\n`, { a: "it's \\'" }],
    ['binary data is the text that it encodes', 'a: !!binary aGVsbG8=\n', { a: 'hello' }],
    ['a carriage return ends a line', 'a: 1\rb: 2\r\nc: 3\r', { a: 1, b: 2, c: 3 }],
  ];
  for (const [world, text, expected] of cases) assert.deepEqual(parseYamlDocument(text), expected, world);
  assert.throws(() => parseYamlDocument("a:\n  b: 'x\n---\nc: 'y'\n"), { code: 'InvalidInput', message: /\(line 2, column 8\)/ });
});

test('a fault of YAML has its place', () => {
  assert.throws(() => parseYamlDocument('a: 1\nb: [\n'), { code: 'InvalidInput', message: /is not YAML: .* \(line \d, column \d+\)/ });
  assert.throws(() => parseYamlDocument('a: *nobody'), { code: 'InvalidInput' });
  assert.throws(() => parseYamlDocument('a: 1\n---\nb: 2'), { code: 'InvalidInput', message: /2 documents where one/ });
});

test('neither size, depth nor aliases stop the process', () => {
  const bounds = { maxCharacters: 100_000, maxDepth: 50, maxAliases: 100, maxDocuments: 10 };
  const block = Array.from({ length: 200 }, (_, depth) => `${' '.repeat(depth)}a:`).join('\n');
  const flow = `a: ${'[ '.repeat(20_000)}${']'.repeat(20_000)}`;
  const mixed = `a: ${'{a: '.repeat(15_000)}`;
  for (const text of ['x'.repeat(100_001), block, flow, mixed, '---\na: 1\n'.repeat(11)]) {
    assert.throws(() => parseYamlDocuments(text, bounds), { code: 'InvalidInput' }, text.slice(0, 40));
  }
});

test('a stream gives its objects in order, lists taken apart', () => {
  const text = `# first
apiVersion: v1
kind: ConfigMap
metadata: {name: a}
data: {text: "---"}
---
---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: Secret, metadata: {name: b}}
  - {apiVersion: batch/v1, kind: Job, metadata: {generateName: c-}}
`;
  assert.deepEqual(
    parseManifest(text).map(({ kind, metadata }) => [kind, metadata.name]),
    [
      ['ConfigMap', 'a'],
      ['Secret', 'b'],
      ['Job', ''],
    ],
  );
});

test('what is no Kubernetes object is named by its position', () => {
  const good = 'apiVersion: v1\nkind: A\nmetadata: {name: a}\n---\n';
  for (const [document, why] of [
    ['just text', /document 2 .* not a map/],
    ['kind: A', /no apiVersion/],
    ['apiVersion: v1', /no kind/],
    ['apiVersion: v1\nkind: A', /the A has no metadata/],
    ['apiVersion: v1\nkind: A\nmetadata: {}', /the A has no metadata.name/],
  ] as const) {
    assert.throws(() => parseManifest(good + document), { code: 'InvalidInput', message: why });
  }
});

test('a stream is split without changing a letter of its documents', () => {
  const one = 'kind: A\ntext: |\n  ---\n  not a mark: yes   # kept\nflow: {a:   1}';
  const two = '# Source: x\nkind: B';
  assert.deepEqual(splitRendered(`---\n${one}\n---\n# only a comment\n---\n\n--- \n${two}\n`), [one, two]);
});
