import assert from 'node:assert/strict';
import { createHash } from 'node:crypto';
import type { IncomingMessage, ServerResponse } from 'node:http';
import { test } from 'node:test';
import type { TestContext } from 'node:test';
import type { ChartLibrary } from '../../../src/chart/chart-library.ts';
import { chartFiles, packChart, serveHttps } from '../../support/charts.ts';
import { assertFails, fetchFrom, fetchURL, libraryFor } from './library.ts';

const LAYER = 'application/vnd.cncf.helm.chart.content.v1.tar+gzip';
const { signal } = new AbortController();

interface Site {
  readonly library: ChartLibrary;
  readonly host: string;
  readonly asked: string[];
}

/** A registry that wants a token for everything and keeps its blobs elsewhere, as public ones do. */
async function registry(t: TestContext, packed: Buffer, served = packed): Promise<Site> {
  const asked: string[] = [];
  const digest = `sha256:${createHash('sha256').update(packed).digest('hex')}`;
  const store = await serveHttps(t, (request, response) => {
    asked.push(`store ${request.url} ${request.headers.authorization ?? 'without credentials'}`);
    response.end(served);
  });
  const answers: Readonly<Record<string, (response: ServerResponse) => unknown>> = {
    '/token?for=charts&service=registry&scope=repository%3Ateam%2Fdemo%3Apull': (response) => response.end('{"token": "t0ken"}'),
    '/v2/team/demo/tags/list': (response) => response.end('{"tags": ["1.0.0", "1.1.0_build.1", "latest"]}'),
    '/v2/team/demo/manifests/1.1.0_build.1': (response) =>
      response.end(JSON.stringify({ layers: [{ mediaType: 'x' }, { mediaType: LAYER, digest }] })),
    '/v2/team/demo/manifests/9.9.9': (response) =>
      response.end(JSON.stringify({ layers: [{ mediaType: 'application/vnd.oci.image.layer.v1.tar+gzip' }] })),
    [`/v2/team/demo/blobs/${digest}`]: (response) => response.writeHead(307, { location: `${store.address}/blob` }).end(),
  };
  const site = await serveHttps(t, (request: IncomingMessage, response: ServerResponse) => {
    const url = request.url ?? '';
    asked.push(url);
    if (url.startsWith('/v2/') && request.headers.authorization !== 'Bearer t0ken') {
      const realm = `https://${request.headers.host}/token?for=charts`;
      response.writeHead(401, { 'www-authenticate': `Bearer realm="${realm}",service="registry",scope="repository:team/demo:pull"` }).end();
      return;
    }
    const answer = answers[url];
    if (answer === undefined) response.writeHead(404).end();
    else answer(response);
  });
  const certificateAuthorities = [site.authority, store.authority];
  const library = await libraryFor(t, { allowEgress: ['127.0.0.0/8', '::1/128'], certificateAuthorities });
  return { library, host: new URL(site.address).host, asked };
}

test('a chart comes out of a registry with a token for everybody, which does not go where the blobs are', async (t) => {
  const packed = await packChart('demo', chartFiles('demo', '1.1.0+build.1'));
  const { library, host, asked } = await registry(t, packed);
  const source = { repoURL: `oci://${host}/team`, name: 'demo', version: '^1' };
  assert.deepEqual(await library.versions({ kind: 'repository', ...source }, signal), ['1.1.0+build.1', '1.0.0']);
  const chart = await fetchFrom(library, source);
  assert.equal(chart.contents.metadata.version, '1.1.0+build.1');
  assert.ok(asked.includes('store /blob without credentials'));
  const again = await fetchURL(library, `oci://${host}/team/demo:1.1.0_build.1`);
  assert.equal(again.digest, chart.digest);
});

test('a version that is asked for exactly needs no list of tags', async (t) => {
  const { library, host, asked } = await registry(t, await packChart('demo', chartFiles('demo', '1.1.0+build.1')));
  await fetchFrom(library, { repoURL: `oci://${host}/team/`, name: 'demo', version: '1.1.0+build.1' });
  assert.ok(!asked.includes('/v2/team/demo/tags/list'));
});

test('a tag that is missing, an image, another chart’s bytes and a closed address are distinguished', async (t) => {
  const packed = await packChart('demo', chartFiles('demo', '1.1.0+build.1'));
  const { library, host } = await registry(t, packed, await packChart('demo', chartFiles('demo', '6.6.6')));
  const demo = { repoURL: `oci://${host}/team`, name: 'demo' };
  await assertFails(fetchFrom(library, { ...demo, version: '3.0.0' }), 'ChartNotFound', /manifests\/3.0.0: answered 404/);
  await assertFails(fetchFrom(library, { ...demo, version: '9.9.9' }), 'ChartInvalid', /under this tag is not a Helm chart/);
  await assertFails(fetchFrom(library, { ...demo, version: '1.1.0+build.1' }), 'DigestMismatch', /although it is listed as/);
  const closed = await libraryFor(t);
  await assertFails(fetchFrom(closed, { ...demo, version: '1.0.0' }), 'EgressDenied', /egress policy/);
});
