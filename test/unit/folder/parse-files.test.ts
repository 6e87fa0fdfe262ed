import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { located, parsePlainFile, type ParsedFile, type SourceFile } from '../../../src/domain/source/parse-file.ts';
import { parseFiles } from '../../../src/folder/parse-files.ts';

const parseFile = (file: SourceFile): ParsedFile => located(parsePlainFile(file));

describe('reading a file of the catalogue', () => {
  const faulty: readonly { title: string; text: string; line: number; column: number; message: RegExp }[] = [
    { title: 'a quote that is never closed is a fault', text: 'kind: A\nname: "x\n', line: 3, column: 1, message: /closing quote/ },
    {
      title: 'a key given twice is a fault at its second place',
      text: 'spec:\n  a: 1\n  a: 2\n',
      line: 3,
      column: 3,
      message: /duplicate key/,
    },
    { title: 'a tab for indentation is a fault', text: 'spec:\n\ta: 1\n', line: 2, column: 1, message: /tab/ },
    { title: 'an alias of nothing is a fault', text: 'kind: A\nb: *x\n', line: 2, column: 4, message: /alias/ },
    { title: 'a document that is a list is a fault', text: '# first\n\n- a\n', line: 3, column: 1, message: /not a resource/ },
    { title: 'a document that is a word is a fault', text: 'hello\n', line: 1, column: 1, message: /not a resource/ },
    { title: 'aliases that multiply are a fault', text: bomb(), line: 8, column: 10, message: /write out/ },
  ];
  for (const { title, text, line, column, message } of faulty) {
    it(title, () => {
      const { faults, documents } = parseFile({ file: 'a.yaml', text });
      assert.equal(documents.length, 0);
      assert.match(faults[0]?.message ?? '', message);
      assert.deepEqual({ file: faults[0]?.file, line: faults[0]?.line, column: faults[0]?.column }, { file: 'a.yaml', line, column });
    });
  }

  it('takes a list apart, whatever its kind, and finds the fields of its items', () => {
    const item = (name: string): string => `{kind: B, apiVersion: v1, metadata: {name: ${name}}}`;
    const text = `kind: ConfigMap\nmetadata: {name: a}\nitems:\n- ${item('b')}\n- kind: C\n  items: [${item('c')}]\n`;
    const { documents, faults } = parseFile({ file: 'a.yaml', text });
    assert.deepEqual(faults, []);
    assert.deepEqual(
      documents.map(({ content, place, locate }) => [content['kind'], place, locate('metadata.name')]),
      [
        ['B', { line: 4, column: 3 }, { line: 4, column: 40 }],
        ['B', { line: 6, column: 11 }, { line: 6, column: 48 }],
      ],
    );
    const malformed = parseFile({ file: 'a.yaml', text: 'kind: List\nitems:\n- a: b\n- text\n' });
    assert.deepEqual(malformed.documents, []);
    assert.match(malformed.faults[0]?.message ?? '', /^items\[1\]: it is not an object/);
    assert.equal(malformed.faults[0]?.line, 4);
  });

  it('rejects what parsers of YAML take for different documents, with its place', () => {
    for (const [text, line, message] of [
      ['kind: A\n...\nkind: B\n', 3, /without the separator/],
      ['%YAML 1.1\n---\nkind: A\n', 1, /directive/],
      ['kind: A\n--- {kind: B}\n', 2, /behind a document separator/],
      ['kind: A # a\u2028kind: B\n', 1, /line separator/],
      ['kind: A\r---\rkind: B\n', 1, /carriage return/],
    ] as const) {
      const { documents, faults } = parseFile({ file: 'a.yaml', text });
      assert.deepEqual([documents.length, faults[0]?.line], [0, line], JSON.stringify(text));
      assert.match(faults[0]?.message ?? '', message);
    }
  });

  it('says of brackets without end that they are too many', () => {
    const { faults } = parseFile({ file: 'a.yaml', text: `a: ${'['.repeat(20_000)}` });
    assert.match(faults[0]?.message ?? '', /nested too deeply/);
  });

  it('a fault in one document leaves the others as they are', () => {
    const { documents, faults } = parseFile({ file: 'a.yaml', text: 'kind: A\n---\nkind: B\nkind: C\n---\nkind: D\n' });
    assert.deepEqual(
      documents.map(({ content, place }) => [content['kind'], place.line]),
      [
        ['A', 1],
        ['D', 6],
      ],
    );
    assert.deepEqual(
      faults.map(({ line }) => line),
      [4],
    );
  });

  it('brackets nested without end are a fault, not the end of the process', () => {
    const { documents, faults } = parseFile({ file: 'a.yaml', text: '['.repeat(20_000) });
    assert.deepEqual([documents.length, faults.length], [0, 1]);
    assert.match(faults[0]?.message ?? '', /invalid YAML/);
  });

  it('whole numbers keep their digits', () => {
    const { documents } = parseFile({
      file: 'a.yaml',
      text: 'long: 9007199254740993\nold: 0644\nshort: [1, -2]\nhalf: 2.5\n1: one\n',
    });
    assert.deepEqual(documents[0]?.content, { long: 9007199254740993n, old: 420, short: [1, -2], half: 2.5, 1: 'one' });
  });

  it('empty documents and comments alone are nothing', () => {
    assert.deepEqual(parseFile({ file: 'a.yaml', text: '# only words\n---\n---\n' }), { documents: [], faults: [] });
    assert.deepEqual(parseFile({ file: 'a.yaml', text: '' }), { documents: [], faults: [] });
  });

  it('finds the line of a field, also behind lists, dotted keys and selectors', () => {
    const text =
      'metadata:\n  labels:\n    a.b/c: x\nspec:\n  users:\n    - name: u\n    - name: v\n      odd: 1\n  kinds: [{kind: Cache, bad: 2}]\n';
    const document = parseFile({ file: 'a.yaml', text }).documents[0];
    assert.ok(document);
    const cases: Readonly<Record<string, { line: number; column: number }>> = {
      'metadata.labels.a.b/c': { line: 3, column: 5 },
      'metadata.labels[a.b/c]': { line: 3, column: 5 },
      'spec.users[1].odd': { line: 8, column: 7 },
      '.spec.kinds[kind="Cache"].bad': { line: 9, column: 25 },
      'spec.users[7].odd': { line: 5, column: 3 },
      'spec.missing': { line: 4, column: 1 },
      '': { line: 1, column: 1 },
    };
    for (const [field, place] of Object.entries(cases)) assert.deepEqual(document.locate(field), place, field);
  });
});

describe('reading the files of a folder', () => {
  const head = 'apiVersion: v1\nkind: A\nmetadata:\n  name: a\nspec:\n';

  it('gives large files as small ones, from another thread', async () => {
    const text = `${head}  long: 9007199254740993\n  list:\n${'    - name: x\n'.repeat(1_000)}  odd: 0o17\n`;
    const [small, large] = await parseFiles([
      { file: 'a.yaml', text: `${head}  b: 1\n` },
      { file: 'b.yaml', text },
    ]);
    assert.deepEqual(small?.documents[0]?.locate('spec.b'), { line: 6, column: 3 });
    assert.deepEqual(large?.documents[0]?.locate('spec.list[999].name'), { line: 1007, column: 7 });
    assert.deepEqual(large?.documents[0]?.content, parseFile({ file: 'b.yaml', text }).documents[0]?.content);
  });

  it('leaves the event loop to others, and takes no more values from the thread than it can at once', async () => {
    const heavy: Readonly<Record<string, string>> = {
      'values.yaml': `${head}${'  - 1\n'.repeat(21_000)}`,
      'flow.yaml': `${head}  a: [${'0,'.repeat(21_000)}0]`,
      'lines.yaml': `${head}  a: |\n${'    text\n'.repeat(110_000)}`,
      'aliases.yaml': `${head}  a: &a [${'0,'.repeat(5_000)}0]\n  b: [${'*a,'.repeat(90)}*a]`,
      'comments.yaml': '#\n'.repeat(100_000),
      'documents.yaml': '---\nkind: A\n'.repeat(2_000),
    };
    let turns = 0;
    const turn = (): void => {
      turns += 1;
      if (turns < 100) setImmediate(turn);
    };
    setImmediate(turn);
    const parsed = await parseFiles(Object.entries(heavy).map(([file, text]) => ({ file, text })));
    assert.deepEqual(
      parsed.map(({ faults }) => faults[0]?.message.replace(/.* values; /, '') ?? 'read'),
      ['split the file', 'split the file', 'read', 'split the file', 'read', 'read'],
    );
    // Without the thread a file would take two turns.
    assert.equal(turns, 100);
  });
});

/** Nine levels of nine aliases each. */
function bomb(): string {
  const levels = Array.from({ length: 9 }, (_, level) => `l${level + 1}: &l${level + 1} [${Array(9).fill(`*l${level}`).join(', ')}]`);
  return ['l0: &l0 x', ...levels].join('\n');
}
