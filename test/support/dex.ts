import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { execa } from 'execa';
import { Provider } from 'oidc-provider';
import { Agent, fetch as fetchBy } from 'undici';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { until } from './product.ts';
import { freePort } from './free-port.ts';
import { localTls } from './local-tls.ts';
import { pinnedProgram } from './pinned-program.ts';

/** A real Dex by https that knows people from a second provider, as Dex before GitLab does. */
export interface Dex {
  readonly issuer: string;
  /** PEM of the authority that signed its certificate. */
  readonly authority: string;
  /** Trusts that authority. */
  readonly fetch: typeof fetch;
  /** The second provider does not know this person any more. */
  dismiss(person: string): void;
  stop(): Promise<void>;
}

interface DexClient {
  readonly id: string;
  /** Absent: a public client. */
  readonly secret?: string;
  readonly redirectURI: string;
}

/** The people of the second provider by name, with their groups. */
type People = Readonly<Record<string, readonly string[]>>;

const PACKAGE = 'github.com/dexidp/dex/cmd/dex';
const READY_MS = 30_000;

/** Starts both. @param idTokens how long ID tokens live, as Dex writes durations */
export async function startDex(input: {
  readonly clients: readonly DexClient[];
  readonly people: People;
  readonly idTokens: string;
}): Promise<Dex> {
  const program = await pinnedProgram({ name: 'dex', package: PACKAGE, cgo: '1', duration: 'two minutes' });
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-dex-'));
  const { authority, server: pair } = localTls();
  const issuer = `https://localhost:${await freePort()}/dex`;
  const upstream = await startUpstream(`${issuer}/callback`, input.people);
  const files = {
    'tls.crt': pair.certificate,
    'tls.key': pair.key,
    'dex.json': stringifyJson(settings(folder, { ...input, issuer, upstream: upstream.url })),
  };
  await Promise.all(Object.entries(files).map(async ([name, text]) => await writeFile(join(folder, name), text, { mode: 0o600 })));
  const child = execa(program, ['serve', join(folder, 'dex.json')], { reject: false, stdout: 'ignore', stderr: 'inherit' });
  const dispatcher = new Agent({ connect: { ca: authority } });
  // The fetch of this package is the one that takes its agents; its answers are as those of Node.
  const trusting = (async (url: string | URL, init: object = {}) => await fetchBy(url, { ...init, dispatcher })) as unknown as typeof fetch;
  const isReady = async (): Promise<boolean> =>
    await trusting(`${issuer}/healthz`).then(
      ({ ok }) => ok,
      () => false,
    );
  await until(isReady, 'dex answers', READY_MS);
  return {
    issuer,
    authority,
    fetch: trusting,
    dismiss: upstream.dismiss,
    stop: async () => {
      child.kill('SIGTERM');
      await child;
      await Promise.all([dispatcher.close(), upstream.stop()]);
      await rm(folder, { recursive: true, force: true });
    },
  };
}

interface DexSettings {
  readonly issuer: string;
  readonly clients: readonly DexClient[];
  readonly idTokens: string;
  readonly upstream: string;
}

const UPSTREAM_CLIENT = { clientID: 'dex', clientSecret: 'secret of dex' };

/** JSON is YAML. */
function settings(folder: string, { issuer, clients, idTokens, upstream }: DexSettings): object {
  return {
    issuer,
    storage: { type: 'memory' },
    web: {
      https: new URL(issuer).host.replace('localhost', '127.0.0.1'),
      tlsCert: join(folder, 'tls.crt'),
      tlsKey: join(folder, 'tls.key'),
    },
    logger: { level: 'error' },
    expiry: { idTokens },
    oauth2: { skipApprovalScreen: true },
    staticClients: clients.map(({ id, secret, redirectURI }) => ({
      id,
      name: id,
      redirectURIs: [redirectURI],
      ...(secret === undefined ? { public: true } : { secret }),
    })),
    connectors: [
      {
        type: 'oidc',
        id: 'gitlab',
        name: 'GitLab',
        config: {
          issuer: upstream,
          ...UPSTREAM_CLIENT,
          redirectURI: `${issuer}/callback`,
          // Without offline_access, Dex cannot ask the second provider again when a session is renewed.
          scopes: ['openid', 'email', 'profile', 'groups', 'offline_access'],
          insecureEnableGroups: true,
          getUserInfo: true,
        },
      },
    ],
  };
}

interface Upstream {
  readonly url: string;
  dismiss(person: string): void;
  stop(): Promise<void>;
}

/** The second provider: any name of its people with any password signs in. */
async function startUpstream(redirect: string, people: People): Promise<Upstream> {
  const dismissed = new Set<string>();
  const server = createServer();
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const { clientID, clientSecret } = UPSTREAM_CLIENT;
  const grants = ['authorization_code', 'refresh_token'];
  const provider = new Provider(url, {
    clients: [{ client_id: clientID, client_secret: clientSecret, redirect_uris: [redirect], grant_types: grants }],
    claims: { openid: ['sub'], email: ['email', 'email_verified'], profile: ['name', 'preferred_username'], groups: ['groups'] },
    scopes: ['openid', 'offline_access', 'email', 'profile', 'groups'],
    pkce: { required: () => false },
    cookies: { keys: ['a key of the test'] },
    findAccount: (_ctx, sub) => {
      const groups = people[sub];
      if (groups === undefined || dismissed.has(sub)) return undefined;
      const claims = { sub, name: sub, preferred_username: sub, email: `${sub}@example.com`, email_verified: true, groups: [...groups] };
      return { accountId: sub, claims: () => claims };
    },
  });
  server.on('request', provider.callback());
  return {
    url,
    dismiss: (person) => void dismissed.add(person),
    stop: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}
