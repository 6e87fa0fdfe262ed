import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile, readdir, truncate, writeFile } from 'node:fs/promises';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { join } from 'node:path';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { ChartLibraryOptions } from '../../../src/chart/chart-library.ts';
import type { ChartAccess } from '../../../src/domain/chart/chart-access.ts';
import { secret } from '../../../src/domain/core/secret.ts';
import { chartFiles, packChart, serveHttp, temporaryFolder, writeFiles } from '../../support/charts.ts';
import { eventually } from '../../support/eventually.ts';
import { assertFails, fetchFrom, libraryFor } from './library.ts';

const REPOSITORY = 'https://charts.example.com/stable';
const DEMO = { kind: 'repository', repoURL: REPOSITORY, name: 'demo', version: '' } as const;

function indexOf(...versions: readonly string[]): string {
  return `apiVersion: v1\nentries:\n  demo:\n${versions.map((version) => `  - version: ${version}\n    urls:\n    - demo.tgz\n`).join('')}`;
}

/** A repository whose requests for the index are counted, and a library that counts what it parses. */
async function repository(
  t: TestContext,
  answer: (request: IncomingMessage, response: ServerResponse) => void,
  options: Partial<ChartLibraryOptions> = {},
) {
  const packed = await packChart('demo', chartFiles('demo', '1.0.0'));
  const asked: IncomingMessage['headers'][] = [];
  const target = await serveHttp(t, (request, response) => {
    if (request.url === '/demo.tgz') {
      response.end(packed);
      return;
    }
    asked.push(request.headers);
    answer(request, response);
  });
  const parsed: object[] = [];
  const cacheDir = join(await temporaryFolder(t), 'cache');
  const log = { info: (keys: object, message: string) => void (message === 'repository index read' && parsed.push(keys)) };
  const all = { cacheDir, mirrors: [{ prefix: `${REPOSITORY}/`, target }], log, ...options };
  const versions = async (name = 'demo', access?: ChartAccess) => library.versions({ ...DEMO, name }, AbortSignal.timeout(20_000), access);
  const library = await libraryFor(t, all);
  return { library, versions, asked, parsed, cacheDir, again: () => libraryFor(t, all) };
}

test('a server that says that its index is the same sends it once, and it is parsed once', async (t) => {
  let index = indexOf('1.0.0');
  const { library, versions, asked, parsed } = await repository(t, ({ headers }, response) => {
    const etag = `"${createHash('sha256').update(index).digest('hex')}"`;
    if (headers['if-none-match'] === etag) response.writeHead(304).end();
    else response.setHeader('etag', etag).end(index);
  });
  const first = await fetchFrom(library, DEMO);
  assert.deepEqual(await versions(), ['1.0.0'], 'fetch and versions share one download');
  assert.equal(asked.length, 1);
  assert.equal((await fetchFrom(library, DEMO)).digest, first.digest);
  assert.equal(asked.length, 2);
  assert.match(String(asked[1]?.['if-none-match']), /^"[0-9a-f]{64}"$/);
  assert.deepEqual(
    parsed.map((counts) => ({ ...counts, digest: undefined })),
    [{ address: `${REPOSITORY}/index.yaml`, digest: undefined, charts: 1, versions: 1, skipped: 0 }],
  );
  index = indexOf('1.0.0', '1.1.0');
  await fetchFrom(library, { ...DEMO, version: '1.0.0' }).catch(() => undefined);
  assert.deepEqual(await versions(), ['1.1.0', '1.0.0']);
  assert.equal(parsed.length, 2);
});

test('a date does where there is no tag, and the same bytes are parsed once even without both', async (t) => {
  const dated = await repository(t, ({ headers }, response) => {
    if (headers['if-modified-since'] === 'Sat, 01 Jun 2024 00:00:00 GMT') response.writeHead(304).end();
    else response.setHeader('last-modified', 'Sat, 01 Jun 2024 00:00:00 GMT').end(indexOf('1.0.0'));
  });
  await fetchFrom(dated.library, DEMO);
  await fetchFrom(dated.library, DEMO);
  assert.deepEqual([dated.asked.length, dated.parsed.length], [2, 1]);
  const plain = await repository(t, (_request, response) => response.end(indexOf('1.0.0')));
  await fetchFrom(plain.library, DEMO);
  await fetchFrom(plain.library, DEMO);
  assert.deepEqual([plain.asked.length, plain.parsed.length], [2, 1]);
  assert.deepEqual((await readdir(plain.cacheDir)).map((name) => name.replace(/^sha256-\w+/, '')).sort(), ['.index', '.tgz']);
});

test('an index that was parsed before a restart is not parsed again', async (t) => {
  const { versions, parsed, again } = await repository(t, (_request, response) => response.end(indexOf('1.0.0')));
  await versions();
  const restarted = await again();
  assert.deepEqual(await restarted.versions(DEMO, AbortSignal.timeout(20_000)), ['1.0.0']);
  assert.equal(parsed.length, 1);
});

test('all who want an index at the same time share one download', async (t) => {
  let waiting: ServerResponse | undefined;
  const { library, versions, asked, parsed } = await repository(t, (_request, response) => {
    waiting = response;
  });
  const impatient = new AbortController();
  const reason = new Error('the operator was suspended');
  const left = library.versions(DEMO, impatient.signal);
  const all = [versions(), versions(), versions(), fetchFrom(library, DEMO)];
  await eventually(async () => waiting !== undefined, 'the request');
  impatient.abort(reason);
  await assert.rejects(left, reason);
  waiting?.end(indexOf('1.0.0'));
  const [first] = await Promise.all(all);
  assert.deepEqual(first, ['1.0.0']);
  assert.deepEqual([asked.length, parsed.length], [1, 1]);
});

test('a download that nobody waits for any more is ended', async (t) => {
  let isClosed = false;
  const { library, asked } = await repository(t, (_request, response) => {
    response.write('apiVersion: v1\n');
    response.once('close', () => {
      isClosed = true;
    });
  });
  const impatient = new AbortController();
  const left = library.versions(DEMO, impatient.signal);
  await eventually(async () => asked.length === 1, 'the request');
  impatient.abort(new Error('no more'));
  await assert.rejects(left, /no more/);
  await eventually(async () => isClosed, 'the end of the answer');
});

test('a chart whose digest the index has is fetched once', async (t) => {
  const packed = await packChart('demo', chartFiles('demo', '1.0.0'));
  const digest = createHash('sha256').update(packed).digest('hex');
  const asked: (string | undefined)[] = [];
  const target = await serveHttp(t, (request, response) => {
    asked.push(request.url);
    response.end(request.url === '/index.yaml' ? `${indexOf('1.0.0')}    digest: ${digest}\n` : packed);
  });
  const library = await libraryFor(t, { mirrors: [{ prefix: `${REPOSITORY}/`, target }] });
  for (const _time of [1, 2]) assert.equal((await fetchFrom(library, DEMO)).digest, `sha256:${digest}`);
  assert.deepEqual(asked, ['/index.yaml', '/demo.tgz', '/index.yaml']);
});

test('an index may be redirected to an address that a folder serves', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFiles(folder, { 'index.yaml': indexOf('1.0.0') });
  const target = await serveHttp(t, (_request, response) =>
    response.writeHead(302, { location: 'https://elsewhere.example.com/index.yaml' }).end(),
  );
  const mirrors = [
    { prefix: `${REPOSITORY}/`, target },
    { prefix: 'https://elsewhere.example.com/', target: folder },
  ];
  const library = await libraryFor(t, { mirrors });
  assert.deepEqual(await library.versions(DEMO, AbortSignal.timeout(20_000)), ['1.0.0']);
});

test('what one may read is never shown to another', async (t) => {
  const { versions, asked } = await repository(t, ({ headers }, response) => {
    if (headers.authorization === undefined) response.end(indexOf('1.0.0'));
    else response.end(indexOf(headers.authorization === 'Basic YQ==' ? '2.0.0' : '3.0.0'));
  });
  const accessOf = (name: string, revision: string, word: string): ChartAccess => ({
    credentials: {
      source: `Secret "ns/${name}"`,
      revision,
      login: { scheme: 'Basic', authorization: secret(`Basic ${word}`) },
      authorities: [],
      reach: 'OwnOrigin',
    },
  });
  const accesses = [undefined, accessOf('a', '1', 'YQ=='), accessOf('b', '1', 'Yg=='), accessOf('a', '2', 'Yg==')];
  const wanted = [['1.0.0'], ['2.0.0'], ['3.0.0'], ['3.0.0']];
  assert.deepEqual(await Promise.all(accesses.map((access) => versions('demo', access))), wanted);
  assert.deepEqual(await Promise.all(accesses.map((access) => versions('demo', access))), wanted);
  assert.equal(asked.length, 4);
});

test('an index that is larger than the limit is not read to its end', async (t) => {
  const limits = { indexBytes: 1000 };
  const announced = await repository(t, (_request, response) => response.end(indexOf('1.0.0') + ' '.repeat(1000)), { limits });
  await assertFails(
    announced.versions(),
    'ChartTooLarge',
    /index\.yaml: answered 200 .* more than the 1000 bytes that the index of a repository may have/,
  );
  const endless = await repository(
    t,
    (_request, response) => {
      const write = (): void => {
        while (!response.destroyed && response.write('# more and more\n'));
        response.once('drain', write);
      };
      write();
    },
    { limits },
  );
  await assertFails(endless.versions(), 'ChartTooLarge', /index of a repository/);
  assert.deepEqual(await readdir(endless.cacheDir), []);
});

test('an index that takes too long to parse is given up, and not tried again for each chart', async (t) => {
  const { versions, asked } = await repository(t, (_request, response) => response.end(indexOf('1.0.0')), { limits: { indexParseMs: 1 } });
  await assertFails(
    versions(),
    'ChartInvalid',
    /charts\.example\.com\/stable\/index\.yaml: its index\.yaml could not be parsed in 0\.001 s/,
  );
  await assertFails(versions('other'), 'ChartInvalid', /could not be parsed in 0\.001 s/);
  assert.equal(asked.length, 2);
});

const DAMAGES: Readonly<Record<string, (path: string) => Promise<void>>> = {
  'is broken off': (path) => truncate(path, 100),
  'is empty': (path) => truncate(path, 0),
  'has another byte': async (path) => {
    const bytes = await readFile(path);
    bytes[20] = (bytes[20] ?? 0) ^ 1;
    await writeFile(path, bytes);
  },
  'has another table': async (path) => {
    const bytes = await readFile(path);
    bytes[bytes.length - 70] = (bytes[bytes.length - 70] ?? 0) ^ 1;
    await writeFile(path, bytes);
  },
  'claims an enormous table': async (path) => {
    const bytes = await readFile(path);
    bytes.writeUInt32BE(0xffffffff, bytes.length - 48);
    await writeFile(path, bytes);
  },
};

for (const [damage, inflict] of Object.entries(DAMAGES)) {
  test(`a parsed index that ${damage} is made again`, async (t) => {
    const { versions, parsed, cacheDir } = await repository(t, (_request, response) =>
      response.setHeader('etag', '"1"').end(indexOf('1.0.0')),
    );
    // Another chart than the one that is asked for then: what was found once is held in memory.
    await assertFails(versions('other'), 'ChartNotFound', /no chart named "other"/);
    const [name = ''] = (await readdir(cacheDir)).filter((file) => file.endsWith('.index'));
    await inflict(join(cacheDir, name));
    assert.deepEqual(await versions(), ['1.0.0']);
    assert.equal(parsed.length, 2);
  });
}

test('what an index says of a chart is read once, until there is another index', async (t) => {
  let text = indexOf('1.0.0');
  const { library, versions, parsed, cacheDir } = await repository(t, (_request, response) => response.end(text));
  assert.deepEqual(await versions(), ['1.0.0']);
  const [name = ''] = (await readdir(cacheDir)).filter((file) => file.endsWith('.index'));
  await truncate(join(cacheDir, name), 0);
  assert.deepEqual(await versions(), ['1.0.0']);
  assert.equal(parsed.length, 1);
  text = indexOf('2.0.0');
  await fetchFrom(library, { ...DEMO, version: '2.0.0' });
  assert.deepEqual(await versions(), ['2.0.0']);
});

test('what was left out is reported to those who do not find a chart or version', async (t) => {
  const broken = `${indexOf('1.0.0')}  - version: none\n  bad: 7\n`;
  const { library, versions, parsed } = await repository(t, (_request, response) => response.end(broken));
  await assertFails(
    fetchFrom(library, { ...DEMO, version: '9.0.0' }),
    'ChartNotFound',
    /newest ones are 1\.0\.0; entries that cannot be read and were left out: 1$/,
  );
  await assertFails(
    versions('bad'),
    'ChartNotFound',
    /no chart named "bad"; check the name; charts of its index that cannot be read and were left out: 1$/,
  );
  assert.deepEqual(Object.entries(parsed[0] ?? {}).slice(2), [
    ['charts', 1],
    ['versions', 1],
    ['skipped', 2],
  ]);
});

test('an index from elsewhere cannot point into a folder of ours', async (t) => {
  const index =
    'entries:\n  demo:\n  - version: 1.0.0\n    urls: ["file://charts/demo.tgz"]\n  - version: 0.9.0\n    urls: ["http://[bad"]\n';
  const { library } = await repository(t, (_request, response) => response.end(index), { roots: { charts: await temporaryFolder(t) } });
  await assertFails(
    fetchFrom(library, DEMO),
    'ChartNotFound',
    /there is no version of the chart "demo"; entries that cannot be read and were left out: 2/,
  );
});
