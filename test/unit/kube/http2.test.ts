import assert from 'node:assert/strict';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { connect } from 'node:net';
import { createSecureServer, type Http2ServerRequest, type Http2ServerResponse, type ServerHttp2Session } from 'node:http2';
import { tmpdir } from 'node:os';
import type { Duplex } from 'node:stream';
import { join } from 'node:path';
import { describe, test } from 'node:test';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { createKube } from '../../../src/kube/kube.ts';
import { localTls } from '../../support/local-tls.ts';

const CONFIG_MAPS = { group: '', version: 'v1', resource: 'configmaps' } as const;
const REF = { ...CONFIG_MAPS, namespace: 'ns', name: 'cm' };
const OBJECT = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'cm', namespace: 'ns' } };
const TLS = localTls();

type Answer = (request: Http2ServerRequest, response: Http2ServerResponse) => void;

/** As the api-server, it takes 100 streams a connection. */
async function startServer(answer: Answer, proxy?: string) {
  const { certificate: cert, key } = TLS.server;
  const sessions = new Set<ServerHttp2Session>();
  const server = createSecureServer({ cert, key, settings: { maxConcurrentStreams: 100 }, maxHeaderListPairs: 2_000 });
  let connections = 0;
  server.on('session', (session) => {
    connections += 1;
    sessions.add(session);
    session.on('close', () => sessions.delete(session));
  });
  server.on('request', answer);
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' && address !== null ? address.port : 0;
  const folder = await mkdtemp(join(tmpdir(), 'chandlery-http2-'));
  const kubeconfigPath = join(folder, 'kubeconfig');
  const authority = Buffer.from(TLS.authority).toString('base64');
  const way = proxy === undefined ? '' : `, proxy-url: "${proxy}"`;
  await writeFile(kubeconfigPath, kubeconfig(port, `${authority}${way}`));
  const kube = createKube({ kubeconfigPath, userAgent: 'chandlery/1' });
  return {
    kube,
    connections: () => connections,
    [Symbol.asyncDispose]: async () => {
      await kube.close();
      for (const session of sessions) session.destroy();
      server.close();
      await rm(folder, { recursive: true });
    },
  };
}

/** A proxy for HTTP CONNECT, with the client's side of each tunnel. */
async function startProxy() {
  const tunnels = new Set<Duplex>();
  const proxy = createServer().on('connect', ({ url = '' }, socket) => {
    tunnels.add(socket);
    const [host = '', port = ''] = url.split(':');
    const server = connect(Number(port), host, () => {
      socket.write('HTTP/1.1 200 OK\r\n\r\n');
      server.pipe(socket).pipe(server);
    });
    socket.on('error', () => server.destroy());
    server.on('error', () => socket.destroy());
  });
  proxy.listen(0, '127.0.0.1');
  await once(proxy, 'listening');
  const address = proxy.address();
  return { proxy, tunnels, url: `http://127.0.0.1:${typeof address === 'object' && address !== null ? address.port : 0}` };
}

function kubeconfig(port: number, authority: string): string {
  return `apiVersion: v1
kind: Config
current-context: c
clusters: [{name: c, cluster: {server: "https://127.0.0.1:${port}", certificate-authority-data: ${authority}}}]
contexts: [{name: c, context: {cluster: c, user: u}}]
users: [{name: u, user: {token: t}}]
`;
}

function reply(response: Http2ServerResponse, body: unknown): void {
  response.writeHead(200, { 'content-type': 'application/json' });
  response.end(stringifyJson(body));
}

function iterate<T>(watch: AsyncIterable<T>): AsyncIterator<T> {
  return watch[Symbol.asyncIterator]();
}

describe('over HTTP/2', () => {
  test('each of 300 groups leaves in a header of its own', async () => {
    const groups = Array.from({ length: 300 }, (_, n) => `oidc:team-${String(n).padStart(3, '0')}`);
    let arrived: string[] = [];
    await using server = await startServer(({ rawHeaders }, response) => {
      arrived = rawHeaders.filter((_, index) => rawHeaders[index - 1] === 'impersonate-group' && index % 2 === 1);
      reply(response, OBJECT);
    });
    await server.kube.asActor({ user: 'oidc:dev-a', groups }).get(REF);
    assert.deepEqual(arrived, groups);
  });

  test('250 watches share three connections, and one that is given up leaves the others alone', async () => {
    const open = new Set<Http2ServerResponse>();
    await using server = await startServer((_request, response) => {
      response.writeHead(200, { 'content-type': 'application/json' });
      response.write(`${JSON.stringify({ type: 'ADDED', object: OBJECT })}\n`);
      open.add(response);
      response.on('close', () => open.delete(response));
    });
    const endings = Array.from({ length: 250 }, () => new AbortController());
    const watches = endings.map(({ signal }) => iterate(server.kube.asController().watch(CONFIG_MAPS, { resourceVersion: '1', signal })));
    await Promise.all(watches.map(async (watch) => assert.equal((await watch.next()).value?.type, 'ADDED')));
    assert.equal(server.connections(), 3);
    endings[0]?.abort();
    while (open.size > 249) await once([...open][0] as Http2ServerResponse, 'close');
    for (const response of open) response.write(`${JSON.stringify({ type: 'MODIFIED', object: OBJECT })}\n`);
    await Promise.all(watches.slice(1).map(async (watch) => assert.equal((await watch.next()).value?.type, 'MODIFIED')));
    assert.equal(server.connections(), 3);
    for (const ending of endings) ending.abort();
  });

  test('the calls of a kubeconfig with a proxy go through it, in one tunnel', async () => {
    const { proxy, url, tunnels } = await startProxy();
    {
      await using server = await startServer((_request, response) => reply(response, OBJECT), url);
      const reads = Array.from({ length: 20 }, async () => await server.kube.asController().get(REF));
      assert.equal((await Promise.all(reads)).length, 20);
      assert.deepEqual([tunnels.size, server.connections()], [1, 1]);
    }
    proxy.close();
  });

  test('after bytes that TLS cannot read, calls take another connection', async () => {
    const { proxy, url, tunnels } = await startProxy();
    {
      await using server = await startServer((_request, response) => reply(response, OBJECT), url);
      const cluster = server.kube.asController();
      await cluster.get(REF);
      for (const socket of tunnels) socket.write(Buffer.concat([Buffer.from([23, 3, 3, 0, 64]), Buffer.alloc(64, 7)]));
      const first = await cluster.get(REF).then(
        () => 'answered',
        () => 'failed',
      );
      assert.equal((await cluster.get(REF)).metadata.name, 'cm', `the first call ${first}`);
    }
    proxy.close();
  });

  test('a read whose connection breaks is answered on another one, and one that gets a GOAWAY takes no further call', async () => {
    let calls = 0;
    await using server = await startServer((request, response) => {
      calls += 1;
      if (calls === 1) return request.stream.session?.destroy();
      if (calls === 2) request.stream.session?.goaway();
      return reply(response, OBJECT);
    });
    assert.equal((await server.kube.asController().get(REF)).metadata.name, 'cm');
    assert.equal(server.connections(), 2);
    assert.equal((await server.kube.asController().get(REF)).metadata.name, 'cm');
    assert.equal(server.connections(), 3);
  });

  test('watches that nobody reads on do not hold up the other answers of their connection', { timeout: 20_000 }, async () => {
    const large = { ...OBJECT, data: { text: 'x'.repeat(100_000) } };
    const line = `${JSON.stringify({ type: 'MODIFIED', object: large })}\n`;
    await using server = await startServer((request, response) => {
      if (!request.url.includes('watch=')) return reply(response, large);
      response.writeHead(200, { 'content-type': 'application/json' });
      const more = (): void => {
        while (response.write(line));
        response.once('drain', more);
      };
      return more();
    });
    const ending = new AbortController();
    const watches = Array.from({ length: 8 }, () =>
      iterate(server.kube.asController().watch(CONFIG_MAPS, { resourceVersion: '1', signal: ending.signal })),
    );
    await Promise.all(watches.map((watch) => watch.next()));
    for (let n = 0; n < 20; n += 1) assert.equal((await server.kube.asController().get(REF)).metadata.name, 'cm');
    assert.equal(server.connections(), 1);
    ending.abort();
  });
});
