import assert from 'node:assert/strict';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';
import * as fc from 'fast-check';
import { stringify } from 'yaml';
import { listedVersion, type ListedChart } from '../../../src/chart/repository/index-format.ts';
import { openIndexFile, parseIndex } from '../../../src/chart/repository/parse-index.ts';
import { parseYamlDocument } from '../../../src/domain/core/bounded-yaml.ts';
import type { Json, JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { temporaryFolder, writeFiles } from '../../support/charts.ts';
import { runs } from '../../support/runs.ts';

interface Outcome {
  readonly charts: Readonly<Record<string, ListedChart>>;
  readonly leftOut: number;
  /** Whether the text had to be parsed at once. */
  readonly way: 'parts' | 'whole';
}

async function parsed(t: TestContext, text: string): Promise<Outcome> {
  const folder = await temporaryFolder(t);
  await writeFiles(folder, { 'index.yaml': text });
  return parsedFile(join(folder, 'index.yaml'));
}

function parsedFile(path: string): Outcome {
  const charts = new Map<string, ListedChart>();
  const file = openIndexFile(path);
  let way: Outcome['way'] = 'parts';
  const whole = (): string => {
    way = 'whole';
    return file.whole();
  };
  const sink = {
    chart: (name: string, { versions, skipped }: ListedChart) => charts.set(name, { versions, skipped }),
    restart: () => charts.clear(),
  };
  const leftOut = parseIndex({ ...file, whole }, sink);
  return { charts: Object.fromEntries(charts), leftOut, way };
}

/** The same by the parser alone. */
function expected(text: string): Readonly<Record<string, ListedChart>> {
  const { entries } = parseYamlDocument(text) as { entries: JsonObject };
  const charts = Object.entries(entries).filter((entry): entry is [string, readonly Json[]] => Array.isArray(entry[1]));
  return Object.fromEntries(
    charts.map(([name, list]) => {
      const versions = list.flatMap((entry) => listedVersion(entry) ?? []);
      return [name, { versions, skipped: list.length - versions.length }];
    }),
  );
}

function tryExpected(text: string): Readonly<Record<string, ListedChart>> | undefined {
  try {
    return expected(text);
  } catch {
    return undefined;
  }
}

/** Texts that are hard on whoever reads lines. */
const words = fc.oneof(
  fc.string({ maxLength: 40 }),
  fc.constantFrom(
    'a: b',
    '- item',
    'entries:',
    '---',
    '# no comment',
    "it's",
    '"',
    'two\nlines\n',
    '  indented\n  - x: y\n',
    'end\n\n\n',
    '&a',
    '*a',
  ),
  fc.lorem({ maxCount: 30 }),
);
const entries = fc.record(
  {
    annotations: fc.dictionary(fc.constantFrom('category', 'images', 'version', 'x/y'), words, { maxKeys: 3 }),
    version: fc.constantFrom('1.0.0', '1.2.3-rc.1', 'v2.0.0', '10.0.0+build', 'latest', 1, '1.0.0\n'),
    appVersion: fc.oneof(words, fc.constantFrom(1.1, true, null)),
    urls: fc.oneof(fc.array(fc.webUrl(), { maxLength: 2 }), words),
    digest: fc.constantFrom('a'.repeat(64), 'B'.repeat(64), 'none'),
    created: fc.constant('2024-05-01T10:11:12.5Z'),
    description: words,
    dependencies: fc.array(fc.record({ name: words, version: words }), { maxLength: 2 }),
    keywords: fc.array(words, { maxLength: 3 }),
    deprecated: fc.boolean(),
    home: words,
  },
  { requiredKeys: [] },
);
const names = fc.oneof(
  fc.stringMatching(/^[a-z][a-z0-9-]{0,8}$/),
  fc.constantFrom('true', '1.0', '0x10', 'entries', 'a b', '-', 'a: b', 'ü', '~'),
);
const models = fc.dictionary(names, fc.array(entries, { maxLength: 4 }), { maxKeys: 5 });
const styles = fc.record({
  indent: fc.integer({ min: 2, max: 6 }),
  indentSeq: fc.boolean(),
  collectionStyle: fc.constantFrom('any', 'block', 'flow'),
  defaultStringType: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE', 'QUOTE_SINGLE', 'BLOCK_LITERAL', 'BLOCK_FOLDED'),
  defaultKeyType: fc.constantFrom('PLAIN', 'QUOTE_DOUBLE'),
  lineWidth: fc.constantFrom(0, 30, 80),
} as const);
const dressings = fc.record({
  head: fc.constantFrom(
    '',
    'apiVersion: v1\n',
    '---\napiVersion: v1\n',
    '# comment\n\n---\n',
    '%YAML 1.1\n---\n',
    '\uFEFF',
    'text: |\n  entries:\n    x: []\n',
  ),
  tail: fc.constantFrom('', 'generated: "2024-05-01T00:00:00Z"\n', '# end\n', '...\n', 'serverInfo: {}\n'),
  lineEnd: fc.constantFrom('\n', '\r\n'),
  between: fc.constantFrom('', '# comment\n', '\n', '      # deep comment\n', '   \n'),
});

test('an index that is read by its parts says the same as one that is parsed at once', async (t) => {
  const folder = await temporaryFolder(t);
  let number = 0;
  const ways = { parts: 0, whole: 0 };
  await fc.assert(
    fc.asyncProperty(models, styles, dressings, async (model, style, { head, tail, lineEnd, between }) => {
      const body = stringify({ entries: model }, { ...style, version: '1.1', schema: 'yaml-1.1' });
      const dressed = between === '' ? body : body.replace(/\n(?=( {2,6})[a-z-]+:\n)/g, `\n${between}`);
      const text = (head + dressed + tail).replaceAll('\n', lineEnd);
      const wanted = tryExpected(text);
      if (wanted === undefined) return;
      number += 1;
      await writeFiles(folder, { [`${number}.yaml`]: text });
      const { charts, way } = parsedFile(join(folder, `${number}.yaml`));
      ways[way] += 1;
      assert.deepEqual(charts, wanted);
    }),
    { numRuns: Math.max(100, runs(100)) },
  );
  assert.ok(ways.parts > 10 && ways.whole > 10, JSON.stringify(ways));
});

test('entries that are no versions are left out and counted, and spoil no others', async (t) => {
  const { charts, leftOut, way } = await parsed(
    t,
    `entries:
  demo:
  - version: 1.0.0
    urls: [a.tgz]
  - version: latest
    urls: [b.tgz]
  - version: 2.0.0
  - "text"
  - version: "unclosed
    urls: [c.tgz]
  other: {no: list}
  demo-two:
  - {version: 1.1.0, urls: [d.tgz], appVersion: 1.10, deprecated: true}
  - urls: [${'x'.repeat(5000)}]
    version: 1.2.0
  "quoted key": # with a comment
    # and one more
    - urls: [e.tgz]
      version: v1.0.0
`,
  );
  assert.equal(way, 'whole');
  assert.equal(leftOut, 1);
  assert.deepEqual(charts, {
    demo: { versions: [{ version: '1.0.0', address: 'a.tgz' }], skipped: 4 },
    'demo-two': { versions: [{ version: '1.1.0', address: 'd.tgz', appVersion: '1.1', deprecated: true }], skipped: 1 },
    'quoted key': { versions: [{ version: 'v1.0.0', address: 'e.tgz' }], skipped: 0 },
  });
});

test('the last of charts and keys of one name counts', async (t) => {
  const list = (version: string): string => `  - urls: [a.tgz]\n    version: 0.0.1\n    version: ${version}\n`;
  const text = `entries:\n  demo:\n${list('1.0.0')}  demo:\n${list('2.0.0')}`;
  const { charts, way } = await parsed(t, text);
  assert.deepEqual([charts, way], [expected(text), 'parts']);
  assert.deepEqual(charts['demo']?.versions[0]?.version, '2.0.0');
  const twice = `entries:\n  gone:\n${list('1.0.0')}apiVersion: v1\nentries:\n  demo:\n${list('3.0.0')}`;
  assert.deepEqual(Object.keys((await parsed(t, twice)).charts), ['demo']);
});

test('a chart that is nested without end is left out', async (t) => {
  const { charts, leftOut } = await parsed(t, `entries:\n  deep: ${'['.repeat(100_000)}\n  demo:\n  - version: 1.0.0\n    urls: [a.tgz]\n`);
  assert.deepEqual([Object.keys(charts), leftOut], [['demo'], 1]);
});

test('names that mean something to JavaScript are names like any other', async (t) => {
  const { charts } = await parsed(t, 'entries:\n  __proto__:\n  - version: 1.0.0\n    urls: [a.tgz]\n  constructor: []\n');
  assert.deepEqual(Object.keys(charts), ['__proto__', 'constructor']);
});

test('an anchor of another chart is found, in an index that is small enough', async (t) => {
  const text = 'entries:\n  a:\n  - &x\n    version: 1.0.0\n    urls: [a.tgz]\n  b:\n  - <<: *x\n    version: 2.0.0\n';
  const { charts, way } = await parsed(t, text);
  assert.deepEqual([charts, way], [expected(text), 'whole']);
  assert.equal(charts['b']?.versions[0]?.address, 'a.tgz');
});

test('an anchor that stands where nobody reads is minded', async (t) => {
  const text = 'entries:\n  a:\n  - version: &v 1.0.0\n    urls: [a.tgz]\n    home: &v elsewhere\n    description: *v\n';
  const { charts, way } = await parsed(t, text);
  assert.deepEqual([charts, way], [expected(text), 'parts']);
  assert.equal(charts['a']?.versions[0]?.description, 'elsewhere');
});

const NOT_AN_INDEX: Readonly<Record<string, { readonly text: string; readonly why: RegExp }>> = {
  'a page of HTML': { text: '<!doctype html><html><body class="a">no: charts</body></html>', why: /its index\.yaml: it/ },
  'a map without entries': { text: 'apiVersion: v1\n', why: /has no entries/ },
  'entries that are a list': { text: 'entries:\n- a\n', why: /it/ },
  'several documents': { text: 'entries: {}\n---\nentries: {}\n', why: /2 documents/ },
  'JSON that breaks off': { text: '{"entries": {"a": [', why: /cannot be read/ },
  'a bomb of aliases': {
    text: `a: &a [x,x,x,x,x,x,x,x]\n${'bcdefghi'
      .split('')
      .map((name, number) => `${name}: &${name} [${`*${'abcdefghi'[number]},`.repeat(8)}]\n`)
      .join('')}entries:\n  demo: *i\n`,
    why: /expands its aliases/,
  },
};

for (const [title, { text, why }] of Object.entries(NOT_AN_INDEX)) {
  test(`${title} is no index`, async (t) => {
    await assert.rejects(parsed(t, text), (error: Error) => {
      assert.match(error.message, why);
      return true;
    });
  });
}
