import assert from 'node:assert/strict';
import type { IncomingMessage, RequestListener, ServerResponse } from 'node:http';
import { before, describe, it } from 'node:test';
import type { TestContext } from 'node:test';
import type { ChartLibrary, FetchedChart } from '../../../src/chart/chart-library.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { issueCertificate } from '../../../src/embedded/cluster/certificate.ts';
import { credentialsOf } from '../../support/chart-secrets.ts';
import { chartFiles, packChart, serveHttp, serveHttps, type TlsSite } from '../../support/charts.ts';
import { assertFails, libraryFor } from './library.ts';

const LOOPBACK = ['127.0.0.0/8', '::1/128'];
const PASSWORD = 's3cret-pass';
const BASIC = `Basic ${Buffer.from(`ann:${PASSWORD}`).toString('base64')}`;
const ANN = { username: 'ann', password: PASSWORD };
let packed: Buffer;
before(async () => {
  packed = await packChart('demo', chartFiles('demo', '1.0.0'));
});

describe('a private repository', () => {
  it('gives index and chart to whom its Secret says we are, and to nobody else', async (t) => {
    const { site, seen } = await privateRepository(t);
    const library = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities: [site.authority] });
    const chart = await fetchAs(library, site.address, ANN);
    assert.equal(chart.contents.metadata.name, 'demo');
    assert.deepEqual(seen, [`/index.yaml ${BASIC}`, `/demo-1.0.0.tgz ${BASIC}`]);
    await assertFails(fetchAs(library, site.address, undefined), 'ChartUnauthorized', /answered 401; it asks for credentials; set spec/);
  });

  it('that does not take the password says so with the Secret’s name, and not the password', async (t) => {
    const { site } = await privateRepository(t);
    const library = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities: [site.authority] });
    const wrong = fetchAs(library, site.address, { username: 'ann', password: 'wr0ng-pass' });
    await assert.rejects(wrong, (error: Error) => {
      assert.match(error.message, /answered 401; it rejected username and password of Secret "ops\/repo"; check the Secret/);
      assert.doesNotMatch(everythingIn(error), new RegExp(`wr0ng-pass|${Buffer.from('ann:wr0ng-pass').toString('base64')}`));
      return true;
    });
  });

  it('takes a bearer token, and distinguishes a lack of permissions from a wrong token', async (t) => {
    const site = await serveHttps(t, (request, response) => {
      if (request.headers.authorization !== 'Bearer t0ken') response.writeHead(401).end();
      else if (request.url === '/index.yaml') response.end(indexOf('demo-1.0.0.tgz'));
      else response.writeHead(403).end();
    });
    const library = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities: [site.authority] });
    await assertFails(
      fetchAs(library, site.address, { bearerToken: 't0ken' }),
      'ChartUnauthorized',
      /demo-1\.0\.0\.tgz: answered 403; it denied access to the token of Secret "ops\/repo"/,
    );
    await assertFails(fetchAs(library, site.address, { bearerToken: 'x' }), 'ChartUnauthorized', /rejected the token of Secret/);
  });

  it('sends credentials to no other host that its index names, unless the Secret says so', async (t) => {
    const asked: (string | undefined)[] = [];
    const elsewhere = await serveHttps(t, (request, response) => {
      asked.push(request.headers.authorization);
      if (request.headers.authorization === BASIC) response.end(packed);
      else response.writeHead(401, { 'www-authenticate': 'Basic realm="give it to me"' }).end();
    });
    const { site } = await privateRepository(t, { listed: `${elsewhere.address}/demo.tgz` });
    const certificateAuthorities = [site.authority, elsewhere.authority];
    const library = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities });
    await assertFails(
      fetchAs(library, site.address, ANN),
      'ChartUnauthorized',
      new RegExp(
        `answered 401; the credentials of Secret "ops/repo" were not sent there, because they are for ${site.address}; .*passCredentialsAll`,
      ),
    );
    assert.deepEqual(asked, [undefined]);
    await fetchAs(library, site.address, { ...ANN, passCredentialsAll: 'true' });
    assert.deepEqual(asked, [undefined, BASIC]);
  });

  for (const passCredentialsAll of ['false', 'true']) {
    it(`sends credentials to no other host of a redirect, nor to its own when it leads back (passCredentialsAll: ${passCredentialsAll})`, async (t) => {
      const asked: string[] = [];
      const note = (name: string, listener: RequestListener): RequestListener => {
        return (request, response) => {
          asked.push(`${name}${request.url} ${request.headers.authorization === undefined ? 'nobody' : 'ann'}`);
          listener(request, response);
        };
      };
      const here = await serveHttps(
        t,
        note('here', (request, response) => {
          if (request.url === '/index.yaml') response.end(indexOf('/start.tgz'));
          else if (request.url === '/start.tgz') response.writeHead(302, { location: '/second.tgz' }).end();
          else if (request.url === '/second.tgz') response.writeHead(302, { location: `${there.address}/third.tgz` }).end();
          else response.end(packed);
        }),
      );
      const there = await serveHttps(
        t,
        note('there', (_request, response) => response.writeHead(302, { location: `${here.address}/last.tgz` }).end()),
      );
      const library = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities: [here.authority, there.authority] });
      await fetchAs(library, here.address, { ...ANN, passCredentialsAll });
      assert.deepEqual(asked, [
        'here/index.yaml ann',
        'here/start.tgz ann',
        'here/second.tgz ann',
        'there/third.tgz nobody',
        'here/last.tgz nobody',
      ]);
    });
  }

  it('never sends a password over plain http, unless an admin has mapped that very address', async (t) => {
    const asked: (string | undefined)[] = [];
    const plain = await serveHttp(t, (request, response) => {
      asked.push(request.headers.authorization);
      response.end(request.url?.endsWith('index.yaml') === true ? indexOf('demo-1.0.0.tgz') : packed);
    });
    const { site } = await privateRepository(t, { listed: `${plain}/demo.tgz` });
    const library = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities: [site.authority] });
    const everywhere = { ...ANN, passCredentialsAll: 'true' };
    await assertFails(fetchAs(library, site.address, everywhere), 'EgressDenied', /https only/);
    await assertFails(fetchAs(library, plain, everywhere), 'EgressDenied', /https only/);
    const down = await serveHttps(t, (_request, response) => response.writeHead(301, { location: `${plain}/index.yaml` }).end());
    const downgraded = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities: [down.authority] });
    await assertFails(fetchAs(downgraded, down.address, everywhere), 'EgressDenied', /https only/);
    assert.deepEqual(asked, []);
    const mirrored = await libraryFor(t, { mirrors: [{ prefix: 'https://charts.example.com/', target: `${plain}/` }] });
    await fetchAs(mirrored, 'https://charts.example.com/', ANN);
    assert.deepEqual(asked, [BASIC, BASIC]);
  });

  it('is trusted by the authority in its Secret, which nobody else trusts then', async (t) => {
    const { site } = await privateRepository(t);
    const library = await libraryFor(t, { allowEgress: LOOPBACK });
    await assertFails(fetchAs(library, site.address, ANN), 'ChartUnreachable', /certificate is not trusted.*--chart-ca.*ca\.crt/);
    await fetchAs(library, site.address, { ...ANN, 'ca.crt': site.authority });
    await assertFails(fetchAs(library, site.address, ANN), 'ChartUnreachable', /certificate is not trusted/);
  });

  it('that wants a client certificate gets ours, and the host that it redirects to does not', async (t) => {
    const lifetime = { notBefore: new Date(Date.now() - 60_000), notAfter: new Date(Date.now() + 3_600_000) };
    const authority = issueCertificate({ commonName: 'clients', use: 'authority', ...lifetime });
    const pair = issueCertificate({ commonName: 'ann', use: 'client', ...lifetime }, authority);
    const clients = { authority: authority.certificate };
    let isAsked = false;
    const strict = await serveHttps(
      t,
      (_request, response) => {
        isAsked = true;
        response.end(packed);
      },
      clients,
    );
    const site = await serveHttps(
      t,
      (request, response) => {
        if (request.url === '/index.yaml') response.end(indexOf('demo.tgz', 'away.tgz'));
        else if (request.url === '/demo.tgz') response.end(packed);
        else response.writeHead(302, { location: `${strict.address}/demo.tgz` }).end();
      },
      clients,
    );
    const certificateAuthorities = [site.authority, strict.authority];
    const library = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities });
    const identity = { 'tls.crt': pair.certificate, 'tls.key': pair.key };
    await assertFails(fetchAs(library, site.address, undefined), 'ChartUnreachable', /wants one of ours|broke off/);
    const chart = await fetchAs(library, site.address, identity);
    assert.equal(chart.contents.metadata.version, '1.0.0');
    await assertFails(fetchAs(library, site.address, identity, { version: '1.1.0' }), 'ChartUnreachable', /wants one of ours|broke off/);
    assert.equal(isAsked, false);
  });
});

describe('a Secret that a source names', () => {
  it('must be read by anybody who asks for the chart: neither login nor policy is ever left out', async (t) => {
    const { site, seen } = await privateRepository(t);
    const library = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities: [site.authority] });
    const source = { kind: 'repository', repoURL: site.address, name: 'demo', version: '1.0.0' } as const;
    const signal = AbortSignal.timeout(60_000);
    const verify = { provider: 'Provenance', secret: 'signers' } as const;
    await assertFails(library.fetch({ ...source, secret: 'repo' }, signal, {}), 'Internal', /were not read/);
    await assertFails(
      library.fetch({ ...source, verify }, signal, { credentials: credentialsOf(ANN, site.address) }),
      'Internal',
      /were not read/,
    );
    assert.deepEqual(seen, []);
  });
});

describe('a private chart in the cache', () => {
  it('is not given to one who only knows its digest', async (t) => {
    const { site, seen } = await privateRepository(t);
    const library = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities: [site.authority] });
    const { digest, path } = await fetchAs(library, site.address, ANN);
    assert.match(path, /\.private\.tgz$/);
    await assertFails(fetchAs(library, site.address, undefined, { digest }), 'ChartUnauthorized', /asks for credentials/);
    await assertFails(
      fetchAs(library, site.address, { username: 'bob', password: 'x' }, { digest }),
      'ChartUnauthorized',
      /Secret "ops\/repo"/,
    );
    assert.ok(seen.length > 2);
  });

  it('needs no network for the same Secret, and is asked for again with a new version of it', async (t) => {
    const { site, seen } = await privateRepository(t);
    const library = await libraryFor(t, { allowEgress: LOOPBACK, certificateAuthorities: [site.authority] });
    const credentials = credentialsOf(ANN, site.address);
    const { digest } = await fetchAs(library, site.address, ANN);
    const source = { kind: 'repository', repoURL: site.address, name: 'demo', version: '1.0.0', digest } as const;
    await library.fetch(source, AbortSignal.timeout(60_000), { credentials });
    seen.length = 0;
    await library.fetch(source, AbortSignal.timeout(60_000), { credentials });
    assert.deepEqual(seen, []);
    await library.fetch(source, AbortSignal.timeout(60_000), { credentials: credentialsOf(ANN, site.address) });
    assert.ok(seen.length > 0);
  });
});

interface PrivateRepository {
  readonly site: TlsSite;
  readonly seen: string[];
}

async function privateRepository(t: TestContext, { listed = 'demo-1.0.0.tgz' } = {}): Promise<PrivateRepository> {
  const seen: string[] = [];
  const site = await serveHttps(t, (request: IncomingMessage, response: ServerResponse) => {
    seen.push(`${request.url} ${request.headers.authorization}`);
    if (request.headers.authorization !== BASIC) response.writeHead(401, { 'www-authenticate': 'Basic realm="charts"' }).end();
    else response.end(request.url === '/index.yaml' ? indexOf(listed) : packed);
  });
  return { site, seen };
}

function indexOf(...addresses: readonly string[]): string {
  const entries = addresses.map((address, minor) => ({ name: 'demo', version: `1.${minor}.0`, urls: [address] }));
  return JSON.stringify({ apiVersion: 'v1', entries: { demo: entries } });
}

function fetchAs(
  library: ChartLibrary,
  repoURL: string,
  texts: Readonly<Record<string, string>> | undefined,
  more: { readonly version?: string; readonly digest?: string } = {},
): Promise<FetchedChart> {
  const source = { kind: 'repository', repoURL, name: 'demo', version: '1.0.0', ...more } as const;
  const access = texts === undefined ? {} : { credentials: credentialsOf(texts, repoURL) };
  return library.fetch(source, AbortSignal.timeout(60_000), access);
}

/** The error with all that hangs on it. */
function everythingIn(error: Error): string {
  return `${error.stack} ${stringifyJson(error)} ${error.cause === undefined ? '' : stringifyJson(error.cause)}`;
}
