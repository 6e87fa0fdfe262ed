import { createHash } from 'node:crypto';
import { Agent, ProxyAgent, type Dispatcher } from 'undici';
import { AppError } from '../../domain/core/errors.ts';
import type { Credentials } from './credentials.ts';

const CONNECT_MS = 5_000;
/** As client-go: load balancers drop connections that are silent for a minute. */
const TCP_KEEP_ALIVE_MS = 30_000;

export interface DispatcherPool {
  /** The connections for these credentials; those for earlier ones are closed once their calls have ended. */
  for(credentials: Credentials): Dispatcher;
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
        void known?.dispatcher.close();
        known = { credentials, key, dispatcher: createDispatcher(credentials) };
      }
      known = { ...known, credentials };
      return known.dispatcher;
    },
    close: async () => {
      await known?.dispatcher.destroy();
      known = undefined;
    },
  };
}

function createDispatcher({ tls, proxy }: Credentials): Dispatcher {
  const connect = { ...tls, timeout: CONNECT_MS, keepAlive: true, keepAliveInitialDelay: TCP_KEEP_ALIVE_MS };
  if (proxy === undefined) return new Agent({ connect, allowH2: false });
  if (!/^https?:/.test(proxy))
    throw new AppError('ConfigInvalid', `kubeconfig: proxy-url ${JSON.stringify(proxy)}: only http and https proxies`);
  return new ProxyAgent({ uri: proxy, requestTls: connect, allowH2: false });
}

function fingerprint({ tls, proxy, server }: Credentials): string {
  const parts = [server.origin, proxy, tls.ca, tls.cert, tls.key, tls.servername, tls.rejectUnauthorized];
  return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}
