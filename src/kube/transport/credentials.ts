import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { RequestOptions } from 'node:https';
import { createRequire, registerHooks } from 'node:module';
import type { KubeConfig as ClientKubeConfig } from '@kubernetes/client-node/dist/config.js';
import { dirname, resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import type { Cluster as ClusterEntry, User } from '@kubernetes/client-node';
import { Agent, type Dispatcher, ProxyAgent } from 'undici';
import { parse } from 'yaml';
import { AppError, messageOf } from '../../domain/core/errors.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { listAt, textAt } from '../../domain/core/read.ts';
import { waitAtMost } from '../../domain/core/wait-at-most.ts';

/** Where the cluster is and how to get in. Both absent: the usual places (KUBECONFIG, the home folder, the pod's service account). */
export interface ClusterAccess {
  readonly kubeconfigPath?: string;
  readonly context?: string;
}

export interface TlsMaterial {
  readonly ca?: string | Buffer;
  readonly cert?: string | Buffer;
  readonly key?: string | Buffer;
  readonly servername?: string;
  readonly rejectUnauthorized?: boolean;
}

/** What one call needs to reach the api-server as the controller. */
export interface Credentials {
  readonly server: URL;
  readonly authorization: string | undefined;
  readonly tls: TlsMaterial;
  readonly proxy: string | undefined;
}

/** A cluster and a user of a kubeconfig. */
export interface ConfigEntries {
  readonly cluster: ClusterEntry;
  readonly user: User;
}

const KEPT_MS = 10_000;

/** What client-node calls the context that it makes up when it finds no configuration. */
const NOTHING_FOUND = 'loaded-context';

export interface CredentialSource {
  /** Kept for seconds, so that it is cheap; files and the answers of exec plugins are read again as they expire. */
  current(): Promise<Credentials>;
  /** Reads everything again at the next call: the api-server has rejected what we had. */
  forget(): void;
  entries(): ConfigEntries;
}

/*
 * Of client-node we use the kubeconfig alone, but its file names the generated client, too, and with that a thousand modules for the types of the API: 45
 * MiB, and a quarter of a second at each start. What it takes from there only serves `makeApiClient`, so we leave it out. Should the package be laid out
 * otherwise one day, all of it is loaded.
 */

const CONFIG = '@kubernetes/client-node/dist/config.js';
const GENERATED = './gen/index.js';
const NOTHING = `data:text/javascript,${encodeURIComponent('export const createConfiguration = undefined; export class ServerConfiguration {}')}`;

const hooks = registerHooks({
  resolve: (specifier, context, next) =>
    specifier === GENERATED && context.parentURL?.endsWith(`/${CONFIG}`) === true
      ? { url: NOTHING, format: 'module', shortCircuit: true }
      : next(specifier, context),
});

/** The kubeconfig of client-node: files, the pod's service account, and their credentials. */
const { KubeConfig } = createRequire(import.meta.url)(CONFIG) as { readonly KubeConfig: typeof ClientKubeConfig };
type KubeConfig = ClientKubeConfig;

hooks.deregister();

/**
 * Credentials out of a kubeconfig or the pod's service account.
 *
 * @throws AppError `ConfigInvalid` when there is no such file, context, cluster or user, or it asks for something we do not do.
 */
export function createCredentials(access: ClusterAccess, now: () => number = () => performance.now()): CredentialSource {
  let config = loadConfig(access);
  let known: { credentials: Promise<Credentials>; until: number } | undefined;
  let stale = false;
  const read = (): Promise<Credentials> => {
    if (stale) config = loadConfig(access);
    stale = false;
    return credentialsOf(config);
  };
  return {
    entries: () => entriesOf(config),
    forget: () => {
      stale = true;
      known = undefined;
    },
    current: async () => {
      if (known === undefined || known.until <= now()) known = { credentials: read(), until: now() + KEPT_MS };
      const { credentials } = known;
      try {
        return await credentials;
      } catch (error) {
        known = undefined;
        throw error;
      }
    },
  };
}

async function credentialsOf(config: KubeConfig): Promise<Credentials> {
  const { cluster } = entriesOf(config);
  const options: RequestOptions = {};
  try {
    await config.applyToHTTPSOptions(options);
  } catch (error) {
    throw new AppError('ConfigInvalid', `kubeconfig: credentials for ${cluster.server}: ${messageOf(error)}`, { cause: error });
  }
  const { ca, cert, key, servername, rejectUnauthorized, auth, headers } = options;
  const basic = auth === undefined || auth === null ? undefined : `Basic ${Buffer.from(auth).toString('base64')}`;
  return {
    server: new URL(cluster.server),
    authorization: textAt(headers, 'Authorization')?.trim() ?? basic,
    tls: Object.fromEntries(Object.entries({ ca, cert, key, servername, rejectUnauthorized }).filter(([, value]) => value !== undefined)),
    proxy: cluster.proxyUrl,
  };
}

function loadConfig({ kubeconfigPath, context }: ClusterAccess): KubeConfig {
  const config = new KubeConfig();
  try {
    if (kubeconfigPath === undefined) config.loadFromDefault();
    else config.loadFromFile(kubeconfigPath);
  } catch (error) {
    throw new AppError('ConfigInvalid', `kubeconfig: ${kubeconfigPath ?? 'the usual places'}: ${messageOf(error)}`, { cause: error });
  }
  if (config.getCurrentContext() === NOTHING_FOUND) {
    throw new AppError('ConfigInvalid', 'kubeconfig: there is none: set KUBECONFIG, or run inside a cluster');
  }
  if (context !== undefined) config.setCurrentContext(context);
  if (kubeconfigPath !== undefined) readTokenFile(config, kubeconfigPath);
  entriesOf(config);
  return config;
}

/** kubectl's `tokenFile` of a user, which client-node does not read; it reads the same thing under the name of an auth provider. */
function readTokenFile(config: KubeConfig, path: string): void {
  const name = config.getCurrentUser()?.name;
  const users = listAt(parse(readFileSync(path, 'utf8'), { maxAliasCount: 0 }), 'users');
  const tokenFile = textAt(
    users.find((user) => textAt(user, 'name') === name),
    'user',
    'tokenFile',
  );
  if (tokenFile === undefined) return;
  const authProvider = { name: 'tokenFile', config: { tokenFile: resolve(dirname(path), tokenFile) } };
  config.users = config.users.map((user) => (user.name === name ? { ...user, authProvider } : user));
}

function entriesOf(config: KubeConfig): ConfigEntries {
  const context = config.getContextObject(config.getCurrentContext());
  const cluster = context && config.getCluster(context.cluster);
  const user = context && config.getUser(context.user);
  if (!cluster || !user) {
    const known = config.getContexts().map(({ name }) => `"${name}"`);
    const why = context ? 'its cluster or user is not there' : `there is no such context; there are ${known.join(', ') || 'none'}`;
    throw new AppError('ConfigInvalid', `kubeconfig: context "${config.getCurrentContext()}": ${why}`);
  }
  if (user.impersonateUser) {
    throw new AppError('ConfigInvalid', `kubeconfig: user "${user.name}": remove "as": Chandlery impersonates its own users`);
  }
  return { cluster, user };
}

const bare = new WeakMap<Credentials, Credentials>();

/** The way to the same api-server without what says who we are; the same object for the same credentials, whose connections are kept. */
export function withoutIdentity(credentials: Credentials): Credentials {
  const { cert: _cert, key: _key, ...tls } = credentials.tls;
  const known = bare.get(credentials) ?? { ...credentials, authorization: undefined, tls };
  bare.set(credentials, known);
  return known;
}

const CONNECT_MS = 5_000;
/** As client-go: load balancers drop connections that are silent for a minute. */
const TCP_KEEP_ALIVE_MS = 30_000;

export interface DispatcherPool {
  /** The connections for these credentials; those for earlier ones are closed once their calls have ended. */
  for(credentials: Credentials): Dispatcher;
  /**
   * Gives up connections on which a call has failed: the next call makes new ones, and the other calls end on the old. undici keeps an HTTP/2 session that TLS
   * has destroyed, so that every later call would fail.
   */
  giveUp(dispatcher: Dispatcher): void;
  close(): Promise<void>;
}

/** Keeps the connections to the api-server, and makes new ones when certificates change. */
export function createDispatcherPool(): DispatcherPool {
  let known: { credentials: Credentials; key: string; dispatcher: Dispatcher } | undefined;
  return {
    for: (credentials) => {
      if (known?.credentials === credentials) return known.dispatcher;
      const key = fingerprint(credentials);
      if (known?.key !== key) {
        known?.dispatcher.close().catch(ignored);
        known = { credentials, key, dispatcher: createDispatcher(credentials) };
      }
      known = { ...known, credentials };
      return known.dispatcher;
    },
    giveUp: (dispatcher) => {
      if (known?.dispatcher !== dispatcher) return;
      known = undefined;
      dispatcher.close().catch(ignored);
    },
    close: async () => {
      const dispatcher = known?.dispatcher;
      known = undefined;
      if (dispatcher !== undefined) await closeInTime(dispatcher);
    },
  };
}

/** How long calls may take to end when the connections are closed. */
const CLOSE_MS = 1_000;

/** Lets calls end before their connections: undici raises an error that no call catches when it destroys a session in which a stream is just ending. */
async function closeInTime(dispatcher: Dispatcher): Promise<void> {
  await waitAtMost(dispatcher.close(), CLOSE_MS);
  await dispatcher.destroy();
}

/** What is broken in connections has been reported by their calls. */
const ignored = (): void => undefined;

/** Longer than a page waits between two readings; the api-server itself waits for 90 seconds. */
const IDLE_CONNECTION_MS = 30_000;

/** HTTP/2, so that hundreds of watches share a few connections (410 of their own would take 40 MiB), or HTTP/1.1 of a server that has nothing else. */
const PROTOCOL = { allowH2: true, keepAliveTimeout: IDLE_CONNECTION_MS } as const;

function createDispatcher({ tls, proxy }: Credentials): Dispatcher {
  // Made once: each connection would parse the certificates again, and keep them.
  const secureContext = createSecureContext(tls);
  const connect = { ...tls, secureContext, timeout: CONNECT_MS, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS };
  if (proxy === undefined) return new Agent({ connect, ...PROTOCOL });
  if (!/^https?:/.test(proxy))
    throw new AppError('ConfigInvalid', `kubeconfig: proxy-url ${JSON.stringify(proxy)}: only http and https proxies`);
  return new ProxyAgent({ uri: proxy, requestTls: connect, ...PROTOCOL });
}

function fingerprint({ tls, proxy, server }: Credentials): string {
  const parts = [server.origin, proxy, tls.ca, tls.cert, tls.key, tls.servername, tls.rejectUnauthorized];
  return createHash('sha256').update(stringifyJson(parts)).digest('hex');
}
