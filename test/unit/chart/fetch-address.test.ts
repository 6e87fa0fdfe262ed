import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { createServer } from 'node:net';
import type { AddressInfo } from 'node:net';
import { test } from 'node:test';
import { chartFiles, packChart, serveHttp, serveHttps } from '../../support/charts.ts';
import { assertFails, fetchURL, libraryFor } from './library.ts';

const PREFIX = 'https://charts.example.com/';
const ADDRESS = `${PREFIX}demo-1.0.0.tgz?raw=true`;

test('an address behind a mirror gives the chart, known by the digest of its bytes', async (t) => {
  const packed = await packChart('demo', chartFiles('demo', '1.0.0'));
  const asked: (string | undefined)[] = [];
  const target = await serveHttp(t, (request, response) => {
    asked.push(request.url);
    response.end(packed);
  });
  const library = await libraryFor(t, { mirrors: [{ prefix: PREFIX, target: `${target}/mirror` }] });
  const chart = await fetchURL(library, ADDRESS);
  assert.deepEqual(asked, ['/mirror/demo-1.0.0.tgz']);
  assert.equal(chart.digest, `sha256:${createHash('sha256').update(packed).digest('hex')}`);
  assert.deepEqual(await readFile(chart.path), packed);
  assert.equal(chart.contents.metadata.name, 'demo');
  assert.deepEqual(await library.contents(chart.digest), chart.contents);
});

const ANSWERS: readonly {
  title: string;
  answer: (response: ServerResponse) => void;
  code: 'ChartInvalid' | 'ChartNotFound' | 'ChartUnauthorized' | 'ChartUnreachable';
  sentence: RegExp;
}[] = [
  {
    title: 'a page of HTML is not a chart, and the error says what was fetched',
    answer: (response) => response.setHeader('content-type', 'text/html; charset=utf-8').end('<html>'),
    code: 'ChartInvalid',
    sentence:
      /^chart: http:\/\/localhost:\d+\/demo-1\.0\.0\.tgz|^chart: https:\/\/charts\.example\.com\/demo-1\.0\.0\.tgz: answered 200 text\/html, not a gzip archive; give the address/,
  },
  {
    title: 'an empty body is not a chart',
    answer: (response) => response.end(),
    code: 'ChartInvalid',
    sentence: /the body is empty/,
  },
  {
    title: 'a body of one byte is not a chart',
    answer: (response) => response.end('x'),
    code: 'ChartInvalid',
    sentence: /not a gzip archive/,
  },
  {
    title: 'a chart that is not there is a ChartNotFound',
    answer: (response) => response.writeHead(404).end('no'),
    code: 'ChartNotFound',
    sentence: /answered 404; check the address/,
  },
  {
    title: 'a server that asks for credentials is named as such',
    answer: (response) => response.writeHead(401).end(),
    code: 'ChartUnauthorized',
    sentence: /answered 401; it asks for credentials; set spec/,
  },
  {
    title: 'a server in trouble may be asked again later',
    answer: (response) => response.writeHead(503).end(),
    code: 'ChartUnreachable',
    sentence: /answered 503; try again later/,
  },
  {
    title: 'a connection that breaks off is distinguished from a bad chart',
    answer: (response) => {
      response.writeHead(200, { 'content-length': '1000' });
      response.write(Buffer.from([0x1f, 0x8b]));
      setImmediate(() => response.destroy());
    },
    code: 'ChartUnreachable',
    sentence: /the connection broke off before the end/,
  },
];

for (const { title, answer, code, sentence } of ANSWERS) {
  test(title, async (t) => {
    const target = await serveHttp(t, (_request, response) => answer(response));
    const library = await libraryFor(t, { mirrors: [{ prefix: PREFIX, target }] });
    await assertFails(fetchURL(library, ADDRESS), code, sentence);
  });
}

test('a body of 100 MB is cut off soon after the limit, not read to its end', async (t) => {
  let sent = 0;
  const target = await serveHttp(t, (_request, response) => {
    const chunk = Buffer.alloc(64 * 1024);
    chunk.set([0x1f, 0x8b]);
    const write = () => {
      while (!response.destroyed && sent < 100_000_000) {
        sent += chunk.length;
        if (!response.write(chunk)) {
          response.once('drain', write);
          return;
        }
      }
      response.end();
    };
    write();
  });
  const limits = { packedBytes: 4 * 1024 * 1024 };
  const library = await libraryFor(t, { mirrors: [{ prefix: PREFIX, target }], limits });
  await assertFails(fetchURL(library, ADDRESS), 'ChartTooLarge', /more than the 4 MiB that a packed chart may have/);
  assert.ok(sent < 40_000_000, `the server could send ${sent} bytes`);
});

test('a body that is announced as 100 MB is not read at all', async (t) => {
  const target = await serveHttp(t, (_request, response) => {
    response.writeHead(200, { 'content-length': '100000000' });
    response.flushHeaders();
  });
  const library = await libraryFor(t, { mirrors: [{ prefix: PREFIX, target }] });
  await assertFails(fetchURL(library, ADDRESS), 'ChartTooLarge', /more than the 20 MiB/);
});

test('a server that is silent is given up after the idle time', async (t) => {
  const target = await serveHttp(t, () => undefined);
  const library = await libraryFor(t, { mirrors: [{ prefix: PREFIX, target }], limits: { idleMs: 200 } });
  await assertFails(fetchURL(library, ADDRESS), 'ChartUnreachable', /did not answer in time/);
});

test('a server that drips is given up after the whole time', async (t) => {
  const target = await serveHttp(t, (_request, response) => {
    response.write(Buffer.from([0x1f, 0x8b]));
    const timer = setInterval(() => response.write('.'), 20);
    response.once('close', () => clearInterval(timer));
  });
  const library = await libraryFor(t, { mirrors: [{ prefix: PREFIX, target }], limits: { totalMs: 400 } });
  await assertFails(fetchURL(library, ADDRESS), 'ChartUnreachable', /took too long in all/);
});

test('a caller who gives up gets the reason of its own signal', async (t) => {
  const target = await serveHttp(t, () => undefined);
  const library = await libraryFor(t, { mirrors: [{ prefix: PREFIX, target }] });
  const reason = new Error('the operator was suspended');
  const signal = AbortSignal.any([AbortSignal.timeout(20_000), AbortSignal.abort(reason)]);
  await assert.rejects(library.fetch({ kind: 'url', url: ADDRESS }, signal), reason);
});

test('nothing listening, a name that does not exist and an untrusted certificate are distinguished', async (t) => {
  const site = await serveHttps(t, (_request, response) => response.end());
  const library = await libraryFor(t, { allowEgress: ['127.0.0.0/8', '::1/128'] });
  await assertFails(
    fetchURL(library, `https://127.0.0.1:${await closedPort()}/a.tgz`),
    'ChartUnreachable',
    /nothing accepts a connection there.*ECONNREFUSED/,
  );
  await assertFails(fetchURL(library, 'https://no-such-host.invalid/a.tgz'), 'ChartUnreachable', /host name cannot be resolved.*--mirror/);
  await assertFails(fetchURL(library, `${site.address}/a.tgz`), 'ChartUnreachable', /TLS certificate is not trusted/);
});

test('what is not an address, or of a scheme that nobody speaks, is said plainly', async (t) => {
  const library = await libraryFor(t);
  await assertFails(fetchURL(library, 'not an address'), 'ChartUnreachable', /"not an address": this is not an address/);
  await assertFails(fetchURL(library, 'oci://registry.example.com/a'), 'ChartUnreachable', /an oci address ends in :<version>/);
  await assertFails(fetchURL(library, 'ftp://example.com/a.tgz'), 'ChartUnreachable', /the scheme ftp: is not known/);
  await assertFails(fetchURL(library, 'http://charts.example.com/a.tgz'), 'EgressDenied', /https only/);
});

/** A port that was free a moment ago. */
async function closedPort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => {
    server.listen(0, '127.0.0.1', resolve);
  });
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => {
    server.close(resolve);
  });
  return port;
}
