import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartFiles, packChart, serveHttp, serveHttps } from '../../support/charts.ts';
import { assertFails, fetchURL, libraryFor } from './library.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];

test('redirects are followed', async (t) => {
  const packed = await packChart('demo', chartFiles('demo', '1.0.0'));
  const elsewhere = await serveHttps(t, (_request, response) => response.end(packed));
  const first = await serveHttps(t, (request, response) => {
    const location = request.url === '/start.tgz' ? '/second.tgz' : `${elsewhere.address}/demo.tgz`;
    response.writeHead(302, { location }).end();
  });
  const library = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities: [first.authority, elsewhere.authority] });
  assert.equal((await fetchURL(library, `${first.address}/start.tgz`)).contents.metadata.name, 'demo');
});

test('an error never shows the query of an address', async (t) => {
  const library = await libraryFor(t);
  await assert.rejects(fetchURL(library, 'https://127.0.0.1/a.tgz?token=t0ken'), (error: Error) => !error.message.includes('t0ken'));
});

test('a redirect from https to http is rejected', async (t) => {
  const plain = await serveHttp(t, (_request, response) => response.end());
  const site = await serveHttps(t, (_request, response) => response.writeHead(301, { location: `${plain}/a.tgz` }).end());
  const library = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities: [site.authority] });
  await assertFails(fetchURL(library, `${site.address}/a.tgz`), 'EgressDenied', /https only/);
});

test('a redirect to a file of this machine is rejected', async (t) => {
  const site = await serveHttps(t, (_request, response) => response.writeHead(301, { location: 'file://charts/a.tgz' }).end());
  const library = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities: [site.authority], roots: { charts: '/' } });
  await assertFails(fetchURL(library, `${site.address}/a.tgz`), 'EgressDenied', /redirects to a file/);
});

test('a redirect in a circle ends after five hops', async (t) => {
  let hops = 0;
  const site = await serveHttps(t, (_request, response) => {
    hops += 1;
    response.writeHead(302, { location: `/${hops}.tgz` }).end();
  });
  const library = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities: [site.authority] });
  await assertFails(fetchURL(library, `${site.address}/a.tgz`), 'ChartUnreachable', /redirects more than 5 times/);
  assert.equal(hops, 6);
});

test('loopback is closed by its figures, by its name, and behind the redirect of a trusted mirror', async (t) => {
  let reached = 0;
  const inner = await serveHttps(t, (_request, response) => {
    reached += 1;
    response.end();
  });
  const mirror = await serveHttp(t, (_request, response) => response.writeHead(302, { location: `${inner.address}/a.tgz` }).end());
  const library = await libraryFor(t, {
    mirrors: [{ prefix: 'https://charts.example.com/', target: mirror }],
    certificateAuthorities: [inner.authority],
  });
  const port = new URL(inner.address).port;
  for (const host of ['127.0.0.1', 'localhost', '[::1]', '[::ffff:127.0.0.1]', '2130706433', '0x7f.1', '0.0.0.0']) {
    await assertFails(fetchURL(library, `https://${host}:${port}/a.tgz`), 'EgressDenied', /egress policy.*--allow-egress/);
  }
  await assertFails(fetchURL(library, 'https://charts.example.com/a.tgz'), 'EgressDenied', /egress policy/);
  assert.equal(reached, 0);
});
