import assert from 'node:assert/strict';
import { join, resolve } from 'node:path';
import { before, describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import { execa } from 'execa';
import type { ChartLibrary, FetchedChart } from '../../../src/chart/chart-library.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { loadTools } from '../../../src/embedded/cluster/tools.ts';
import { credentialsOf } from '../../support/chart-secrets.ts';
import { chartFiles, packChart, serveHttps, temporaryFolder, writeFiles } from '../../support/charts.ts';
import { type RegistryOptions, serveRegistry, type TestRegistry } from '../../support/registry.ts';
import { assertFails, fetchURL, libraryFor } from './library.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const ANN = { username: 'ann', password: 's3cret-pass' };
const BASIC = `Basic ${Buffer.from('ann:s3cret-pass').toString('base64')}`;
let helm = 'helm';
before(async () => {
  ({ helm } = await loadTools(resolve(import.meta.dirname, '../../..')));
});

describe('a private registry', () => {
  for (const kind of ['Basic', 'Token'] as const) {
    it(`that helm has pushed to (${kind}) gives the chart for the password, also out of a docker configuration`, async (t) => {
      const { registry, library } = await pushed(t, { login: { kind, ...ANN } });
      const chart = await fetchAs(library, registry, ANN);
      assert.equal(chart.contents.metadata.version, '1.2.0');
      const auths = { [registry.host]: { auth: Buffer.from('ann:s3cret-pass').toString('base64') } };
      await fetchAs(library, registry, { '.dockerconfigjson': JSON.stringify({ auths }) });
      await assertFails(fetchAs(library, registry, undefined), 'ChartUnauthorized', /answered 401; it asks for credentials/);
      const wrong = fetchAs(library, registry, { ...ANN, password: 'wr0ng-pass' });
      await assertFails(wrong, 'ChartUnauthorized', /answered 401; it rejected username and password of Secret "ops\/repo"/);
      await assert.rejects(wrong, (error: Error) => !`${error.stack}${stringifyJson(error.cause)}`.includes('wr0ng-pass'));
    });
  }

  it('gets the password only when it asks for it, and a token otherwise', async (t) => {
    const { registry, library } = await pushed(t, { login: { kind: 'Token', ...ANN } });
    registry.asked.length = 0;
    await fetchAs(library, registry, ANN);
    const [first = '', second = '', ...rest] = registry.asked;
    assert.match(first, /manifests\/1\.2\.0 without credentials$/);
    assert.equal(second, `GET /token?service=charts&scope=repository%3Ateam%2Fdemo%3Apull ${BASIC}`);
    assert.ok(rest.length === 2 && rest.every((line) => / Bearer [0-9a-f-]{36}$/.test(line)), rest.join('\n'));
  });

  it('takes a token as it is', async (t) => {
    const { registry, library } = await pushed(t, { login: { kind: 'Bearer', token: 't0ken' } });
    await fetchAs(library, registry, { bearerToken: 't0ken' });
    await assertFails(fetchAs(library, registry, { bearerToken: 'other' }), 'ChartUnauthorized', /rejected the token of Secret/);
  });

  it('lists tags over several pages, and is not led elsewhere by the link to the next', async (t) => {
    const { registry, library } = await pushed(t, {
      login: { kind: 'Basic', ...ANN },
      tagsPerPage: 2,
      pagesAt: 'https://elsewhere.invalid',
    });
    const manifest = JSON.parse(registry.manifest('team/demo', '1.2.0')?.toString() ?? '') as object;
    for (const tag of ['1.0.0', '1.1.0', '1.3.0_a.1', '2.0.0', 'latest']) registry.putManifest('team/demo', tag, manifest);
    const credentials = credentialsOf(ANN, `oci://${registry.host}/team`);
    const source = { kind: 'repository', repoURL: `oci://${registry.host}/team`, name: 'demo', version: '*' } as const;
    const versions = await library.versions(source, AbortSignal.timeout(60_000), { credentials });
    assert.deepEqual(versions, ['2.0.0', '1.3.0+a.1', '1.2.0', '1.1.0', '1.0.0']);
    assert.equal(registry.asked.filter((line) => line.includes('tags/list') && line.endsWith(BASIC)).length, 3);
  });

  it('has its blobs fetched from another host without password or token', async (t) => {
    const asked: string[] = [];
    const store = await serveHttps(t, (request, response) => {
      asked.push(request.headers.authorization ?? 'without credentials');
      response.end(registry.blobs.get(request.url?.slice(1) ?? ''));
    });
    const { registry, library } = await pushed(t, { login: { kind: 'Token', ...ANN } }, [store.authority]);
    registry.options.blobStore = store;
    await fetchAs(library, registry, ANN);
    assert.deepEqual(asked, ['without credentials']);
  });

  for (const login of [{ kind: 'Token', ...ANN }, { kind: 'Open' }] as const) {
    it(`whose blobs are elsewhere is not asked for a password by that other host (${login.kind})`, async (t) => {
      const asked: string[] = [];
      const store = await serveHttps(t, (request, response) => {
        asked.push(`${request.url} ${request.headers.authorization ?? 'without credentials'}`);
        const realm = `Bearer realm="https://${request.headers.host}/token",service="x"`;
        response.writeHead(401, { 'www-authenticate': request.url === '/token' ? '' : realm }).end();
      });
      const { registry, library } = await pushed(t, { login }, [store.authority]);
      registry.options.blobStore = store;
      await assertFails(
        fetchAs(library, registry, ANN),
        'ChartUnauthorized',
        /were not sent there, because they are for https:\/\/localhost/,
      );
      assert.equal(asked.length, 1);
      assert.match(asked[0] ?? '', /without credentials$/);
    });
  }

  it('cannot have the password sent to a token server of another origin, by http, or into a private network', async (t) => {
    const { registry, library } = await pushed(t, { login: { kind: 'Token', ...ANN } });
    const asked: string[] = [];
    const thief = await serveHttps(t, (request, response) => {
      asked.push(request.url ?? '');
      response.end('{"token": "x"}');
    });
    // Another host, another port of the same host, and a host of the same domain.
    for (const origin of [thief.address.replace('localhost', '127.0.0.1'), thief.address, 'https://auth.localhost']) {
      registry.options.realm = `${origin}/token`;
      const sentence = new RegExp(`for ${origin}, another origin, so nothing was sent; .* tokenServer: ${origin}`);
      await assertFails(fetchAs(library, registry, ANN), 'ChartUnauthorized', sentence);
    }
    registry.options.realm = `${thief.address.replace('https:', 'http:')}/token`;
    await assertFails(fetchAs(library, registry, ANN), 'ChartUnauthorized', /another origin, so nothing was sent/);
    await assertFails(fetchAs(library, registry, undefined), 'EgressDenied', /https only/);
    registry.options.realm = 'https://169.254.169.254/token';
    await assertFails(fetchAs(library, registry, undefined), 'EgressDenied', /egress policy/);
    assert.deepEqual(asked, []);
  });

  it('has the password sent to the token server that the Secret names', async (t) => {
    const asked: string[] = [];
    const server = await serveHttps(t, (request, response) => {
      asked.push(`${request.url} ${request.headers.authorization}`);
      response.end('{"token": "x"}');
    });
    const { registry, library } = await pushed(t, { login: { kind: 'Token', ...ANN } }, [server.authority]);
    registry.options.realm = `${server.address}/token`;
    // Its token is none of this registry.
    await assertFails(fetchAs(library, registry, { ...ANN, tokenServer: server.address }), 'ChartUnauthorized', /answered 401/);
    assert.deepEqual(asked, [`/token?service=charts&scope=repository%3Ateam%2Fdemo%3Apull ${BASIC}`]);
    for (const tokenServer of [
      'http://auth.example.com',
      'https://a:b@auth.example.com',
      'https://auth.example.com/token',
      'auth.example.com',
    ])
      assert.throws(() => credentialsOf({ ...ANN, tokenServer }, `oci://${registry.host}`), { message: /key "tokenServer" is no origin/ });
  });

  it('may be pinned by the digest of the manifest, which helm prints, or of the archive', async (t) => {
    const { registry, library, digest } = await pushed(t);
    const chart = await fetchAs(library, registry, undefined, { digest });
    await fetchAs(library, registry, undefined, { digest: chart.digest });
    assert.equal((await fetchURL(library, `oci://${registry.host}/team/demo@${digest}`)).digest, chart.digest);
    assert.equal((await fetchURL(library, `oci://${registry.host}/team/demo:1.2.0@${digest}`)).digest, chart.digest);
    const other = `sha256:${'0'.repeat(64)}`;
    const sentence = new RegExp(`that of its manifest ${digest}, but ${other} is expected`);
    await assertFails(fetchAs(library, registry, undefined, { digest: other }), 'DigestMismatch', sentence);
  });

  it('that gives another manifest than the digest names is found out', async (t) => {
    const { registry, library } = await pushed(t);
    const liar = await serveHttps(t, (_request, response) => response.end(registry.manifest('team/demo', '1.2.0')));
    const trusting = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities: [liar.authority] });
    const address = `oci://${new URL(liar.address).host}/team/demo@sha256:${'1'.repeat(64)}`;
    await assertFails(fetchURL(trusting, address), 'DigestMismatch', /returned other content than requested/);
    assert.ok(library);
  });
});

interface Pushed {
  readonly registry: TestRegistry;
  readonly library: ChartLibrary;
  /** Of the manifest, as helm prints it. */
  readonly digest: string;
}

/** A registry to which helm has pushed the chart team/demo 1.2.0, before anybody has to sign in. */
async function pushed(t: TestContext, options: RegistryOptions = {}, authorities: readonly string[] = []): Promise<Pushed> {
  const registry = await serveRegistry(t);
  const folder = await temporaryFolder(t);
  await writeFiles(folder, { 'demo-1.2.0.tgz': await packChart('demo', chartFiles('demo', '1.2.0')), 'ca.crt': registry.authority });
  const where = { cwd: folder, env: { HOME: folder, PATH: '' }, extendEnv: false };
  const flags = ['--ca-file', join(folder, 'ca.crt')];
  const { all } = await execa(helm, ['push', 'demo-1.2.0.tgz', `oci://${registry.host}/team`, ...flags], { ...where, all: true });
  Object.assign(registry.options, options);
  const library = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities: [registry.authority, ...authorities] });
  return { registry, library, digest: /Digest: (sha256:[0-9a-f]{64})/.exec(all)?.[1] ?? '' };
}

function fetchAs(
  library: ChartLibrary,
  { host }: TestRegistry,
  texts: Readonly<Record<string, string>> | undefined,
  more: { readonly digest?: string } = {},
): Promise<FetchedChart> {
  const repoURL = `oci://${host}/team`;
  const access = texts === undefined ? {} : { credentials: credentialsOf(texts, repoURL) };
  return library.fetch({ kind: 'repository', repoURL, name: 'demo', version: '1.2.0', ...more }, AbortSignal.timeout(60_000), access);
}
