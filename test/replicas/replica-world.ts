import { once } from 'node:events';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import express from 'express';
import { createEmbeddedIssuer, type EmbeddedIssuer } from '../../src/embedded/issuer/create-embedded-issuer.ts';
import { readSecrets } from '../../src/embedded/issuer/issuer-secrets.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { createKeys } from '../../src/store/key-file.ts';
import { CookieBrowser } from '../http/support/cookie-browser.ts';
import { startThrowawayCluster } from '../support/cluster.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { repoRoot } from '../support/cluster.ts';
import { startPostgres } from '../support/postgres.ts';
import { createReplica, type Replica } from './replica-process.ts';

/** Two web replicas and two controllers over one PostgreSQL, one cluster and one issuer, behind a proxy that asks the web replicas in turn. */
export interface ReplicaWorld {
  readonly kube: Kube;
  readonly databaseUrl: URL;
  readonly issuerDir: string;
  readonly web: readonly [Replica, Replica];
  readonly controllers: readonly [Replica, Replica];
  /** The address for people. */
  readonly origin: string;
  /** Requests for tokens that reached the issuer: one for each sign-in and each renewal. */
  tokenCalls(): number;
  browser(): CookieBrowser;
  stop(): Promise<void>;
}

export async function startReplicas(): Promise<ReplicaWorld> {
  const ends: (() => Promise<unknown>)[] = [];
  const stop = async (): Promise<void> => {
    for (const end of ends.toReversed()) await end();
  };
  try {
    return { ...(await startAll((end) => void ends.push(end))), stop };
  } catch (error) {
    await stop();
    throw error;
  }
}

/** @param onEnd takes what is to be done at the end, the last first. */
async function startAll(onEnd: (end: () => Promise<unknown>) => void): Promise<Omit<ReplicaWorld, 'stop'>> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-replicas-'));
  onEnd(async () => await rm(folder, { recursive: true, force: true }));
  const postgres = await startPostgres();
  onEnd(postgres.stop);
  const cluster = await startThrowawayCluster(await loadTools(repoRoot));
  onEnd(cluster.stop);
  const front = createServer();
  await listen(front, 0);
  onEnd(async () => {
    front.closeAllConnections();
    await once(front.close(), 'close');
  });
  const origin = originOf(front);
  const issuer = await createEmbeddedIssuer({ publicUrl: new URL(origin), stateDir: folder });
  onEnd(issuer.close);
  const databaseUrl = await postgres.createDatabase();
  const options = await optionsOf({ folder, origin, databaseUrl, kubeconfig: cluster.kubeconfigPath });
  const ports = await freePorts(4);
  const replica = (name: string, role: 'web' | 'controller', index: number): Replica => {
    const one = createReplica({ name, port: ports[index] ?? 0, options: [...options[role], '--state', join(folder, name)] });
    onEnd(one.stop);
    return one;
  };
  const web = [replica('web-1', 'web', 0), replica('web-2', 'web', 1)] as const;
  const controllers = [replica('controller-1', 'controller', 2), replica('controller-2', 'controller', 3)] as const;
  const tokenCalls = answerAt(front, { issuer, web });
  const all = [...web, ...controllers];
  await Promise.all(all.map(async (one) => await one.start()));
  await Promise.all(all.map(async (one) => await one.ready()));
  const kube = openKube(cluster.kubeconfigPath, { userAgent: 'replicas-test' });
  onEnd(kube.close);
  return { kube, databaseUrl, issuerDir: folder, web, controllers, origin, tokenCalls, browser: () => new CookieBrowser(origin) };
}

interface OptionsInput {
  readonly folder: string;
  readonly origin: string;
  readonly databaseUrl: URL;
  readonly kubeconfig: string;
}

async function optionsOf({
  folder,
  origin,
  databaseUrl,
  kubeconfig,
}: OptionsInput): Promise<Record<'web' | 'controller', readonly string[]>> {
  const file = (name: string): string => join(folder, name);
  await createKeys(file('keys.json'));
  await writeFile(file('database-url'), databaseUrl.href, { mode: 0o600 });
  await writeFile(file('client-secret'), (await readSecrets(folder))?.clientSecret ?? '', { mode: 0o600 });
  const store = ['--database-url-file', file('database-url'), '--keys-file', file('keys.json')];
  const identity = [
    '--issuer',
    `${origin}/issuer`,
    '--client-secret-file',
    file('client-secret'),
    '--username-claim',
    'preferred_username',
    '--scopes',
    'groups',
  ];
  const place = [
    '--kubeconfig',
    kubeconfig,
    '--installation',
    'replicas',
    '--yes',
    '--catalog',
    join(repoRoot, 'catalog'),
    '--public-url',
    origin,
    '--other-host',
    '127.0.0.1',
  ];
  return { web: ['--role', 'web', ...place, ...store, ...identity], controller: ['--role', 'controller', ...place, ...store] };
}

interface FrontInput {
  readonly issuer: EmbeddedIssuer;
  readonly web: readonly Replica[];
}

/** The issuer is at the same address, beside the replicas. */
function answerAt(front: Server, { issuer, web }: FrontInput): () => number {
  let tokenCalls = 0;
  let turn = 0;
  const app = express().use('/issuer', (req, res, next) => {
    if (req.path === '/token') tokenCalls += 1;
    issuer.handler(req, res, next);
  });
  front.on('request', (req, res) => {
    if (req.url?.startsWith('/issuer') === true) {
      app(req, res);
      return;
    }
    turn += 1;
    forward(req, res, [web[turn % web.length], web[(turn + 1) % web.length]]);
  });
  return () => tokenCalls;
}

/** A replica that does not take the connection is passed over, as a Service does once its probe fails; a request that was sent is never sent twice. */
function forward(req: IncomingMessage, res: ServerResponse, [first, ...others]: readonly (Replica | undefined)[]): void {
  if (first === undefined) {
    res.writeHead(502).end();
    return;
  }
  const { method, headers, url } = req;
  const upstream = request(new URL(url ?? '/', first.origin), { method, headers, agent: false });
  upstream.on('response', (answer) => {
    res.writeHead(answer.statusCode ?? 502, answer.headers);
    answer.pipe(res);
    answer.on('error', () => res.destroy());
  });
  upstream.on('error', (error: NodeJS.ErrnoException) => {
    if (error.code === 'ECONNREFUSED' && !res.headersSent) forward(req, res, others);
    else if (res.headersSent) res.destroy();
    else res.writeHead(502).end();
  });
  upstream.on('socket', (socket) => socket.once('connect', () => req.pipe(upstream)));
  res.on('close', () => upstream.destroy());
}

async function freePorts(count: number): Promise<readonly number[]> {
  const servers = Array.from({ length: count }, () => createServer());
  await Promise.all(servers.map(async (server) => await listen(server, 0)));
  const ports = servers.map((server) => (server.address() as AddressInfo).port);
  await Promise.all(servers.map(async (server) => await once(server.close(), 'close')));
  return ports;
}

async function listen(server: Server, port: number): Promise<void> {
  server.listen(port, '127.0.0.1');
  await once(server, 'listening');
}

function originOf(server: Server): string {
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
}
