import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parseYamlDocument, parseYamlDocuments } from '../../../../src/domain/core/bounded-yaml.ts';
import { parseManifest, parseRendered } from '../../../../src/domain/kubernetes/manifest.ts';
import { writeManifest } from '../../../../src/domain/kubernetes/write-manifest.ts';

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
  const bounds = { maxCharacters: 100_000, maxDepth: 50, maxAliased: 100, maxDocuments: 10 };
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

test('a list is what has items, whatever its kind, and what is wrong in it has its place', () => {
  const names = (items: string): (string | undefined)[] =>
    parseManifest(`apiVersion: v1\nkind: ConfigMap\nmetadata: {name: l}\nitems: ${items}\n`).map(
      ({ kind, metadata }) => `${kind} ${metadata.name}`,
    );
  assert.deepEqual(names('[{apiVersion: v1, kind: B, metadata: {name: b}}, {metadata: {name: c}}]'), ['B b', 'ConfigMap c']);
  assert.deepEqual(names('[{kind: C, items: [{apiVersion: v1, kind: D, metadata: {name: d}}]}]'), ['D d']);
  assert.deepEqual([names('[]'), names('')], [[], []]);
  for (const [items, why] of [
    ['{}', /document 1, items: it is not a list/],
    ['[{metadata: {name: a}}, 1]', /document 1, items\[1\]: it is not an object/],
    ['[{kind: C, items: }]', /document 1, items\[0\].items: it is not a list/],
    [
      '[{kind: C, items: [{kind: D, apiVersion: v1}]}]',
      /document 1, items\[0\].items\[0\] is not a Kubernetes object: the D has no metadata/,
    ],
  ] as const)
    assert.throws(() => names(items), { code: 'InvalidInput', message: why });
});

test('whole numbers keep 64 bits, merges are made in order, and what JSON has no value for is rejected', () => {
  const text = 'long: 9007199254740993\nhex: 0xFFFFFFFFFFFFFFFFFF\nbig: 1_0\na: 1\n<<: [{a: 2, b: 2}, {b: 3, c: 3}]\nc: 4\n';
  assert.deepEqual(parseYamlDocument(text), { long: 9007199254740993n, hex: '0xFFFFFFFFFFFFFFFFFF', big: 10, a: 2, b: 2, c: 4 });
  for (const odd of ['.inf', '!!timestamp 2020-01-01', '!foo {}', '{1: a, "1": b}', '{1.25e9: a}', '{[a]: b}', '&a [*a]', '{~: a}'])
    assert.throws(() => parseYamlDocument(`a: ${odd}\n`), { code: 'InvalidInput', message: /line 1, column/ }, odd);
});

test('a manifest that is written is read as it was', () => {
  const texts = [
    '',
    ' ',
    'yes',
    '0o17',
    '1:30',
    '~',
    '<<',
    'e1',
    '-',
    '? a',
    'a: b',
    '# a',
    '&a',
    '*a',
    '!a',
    '%a',
    '@a',
    "it's",
    '\\',
    '"',
  ];
  const lines = [
    'a\nb\n',
    'a\n\nb',
    ' a\nb',
    'a \nb',
    'a\n\n',
    '\na',
    'a\tb\nc',
    'a\r\nb',
    'a\u2028b\nc',
    '\u0085',
    '---\na',
    '...\nb\n',
    '# a\nb',
    '😀\nb',
  ];
  const data = Object.fromEntries(
    [...texts, ...lines, 'k'.repeat(2000)].map((text) => [text, { text, list: [text, [text], {}, [], null, [[]]] }]),
  );
  const object = { apiVersion: 'v1', kind: 'A', metadata: { name: 'a' }, data, numbers: [1, -1.5, 1e21, 9007199254740993n, 0.1, true] };
  assert.deepEqual(parseManifest(writeManifest([object, object])), [object, object]);
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

test('what a chart renders is read document by document, and a fault names the object and its file', () => {
  const one = 'kind: A\napiVersion: v1\nmetadata: {name: a}\ntext: |\n  ---\n  not a mark: yes   # kept\n';
  const two = '# Source: x\nkind: B\nmetadata:\n  name: b\n';
  assert.deepEqual(
    parseRendered(`---\n${one}---\n# only a comment\n---\n\n--- \napiVersion: v1\n${two}`).map((object) => [object.kind, object['text']]),
    [
      ['A', '---\nnot a mark: yes   # kept\n'],
      ['B', undefined],
    ],
  );
  assert.throws(() => parseRendered(`${one}---\n${two}`), { message: /^B "b" \(x\): .*it has no apiVersion$/ });
});
