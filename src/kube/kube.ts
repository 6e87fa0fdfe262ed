import { SERVICE_ACCOUNT } from '../domain/kubernetes/resource-types.ts';
import type { CallOptions, Clusters, Discovery } from '../domain/kubernetes/cluster.ts';
import { AppError } from '../domain/core/errors.ts';
import { textAt } from '../domain/core/read.ts';
import { createCluster } from './cluster.ts';
import { createCredentials, type ClusterAccess } from './transport/credentials.ts';
import { createDiscovery } from './discovery.ts';
import { createDispatcherPool } from './transport/dispatcher.ts';
import { impersonationHeaders, type Identity } from './transport/identity.ts';
import { writeKubeconfigFile } from './transport/kubeconfig-file.ts';
import { resourcePath } from './transport/paths.ts';
import { createTransport, type Transport, type TransportOptions } from './transport/transport.ts';
import { createDryRun } from './transport/dry-run.ts';

export interface KubeOptions extends ClusterAccess {
  readonly userAgent: string;
  /** See `TransportOptions`. */
  readonly readerPatience?: number;
  /** See `TransportOptions`. */
  readonly observe?: TransportOptions['observe'];
}

/** One cluster: every identity's view of it, and what it serves. */
export interface Kube extends Clusters, Discovery {
  /** Resolves when the api-server says that it is ready. @throws AppError `ClusterUnavailable`. */
  ping(options?: CallOptions): Promise<void>;
  /** E.g. `1.36.3`. */
  kubernetesVersion(options?: CallOptions): Promise<string>;
  /** A token of a service account for so many seconds (at least 600), by TokenRequest. */
  requestToken(account: ServiceAccountRef, seconds: number, options?: CallOptions): Promise<string>;
  /** Writes a self-contained kubeconfig with the controller's identity, of mode 0600. */
  writeKubeconfig(file: string): Promise<void>;
  /** The api-server's address. */
  server(): string;
  /** Ends all connections. */
  close(): Promise<void>;
}

export interface ServiceAccountRef {
  readonly namespace: string;
  readonly name: string;
}

const CONTROLLER: Identity = { kind: 'controller' };

/**
 * Connects to a cluster. Nothing is sent yet, so the cluster may be away.
 *
 * @throws AppError `ConfigInvalid` when the kubeconfig cannot be used.
 */
export function createKube({ userAgent, readerPatience, observe, ...access }: KubeOptions): Kube {
  const credentials = createCredentials(access);
  const transport = createTransport({
    credentials,
    pool: createDispatcherPool(),
    userAgent,
    ...(readerPatience === undefined ? {} : { readerPatience }),
    ...(observe === undefined ? {} : { observe }),
  });
  const discovery = createDiscovery(transport);
  const clusterFor = (identity: Identity) => createCluster({ transport, identity, kindOf: discovery.findResource });
  const checked = (identity: Identity): Identity => {
    impersonationHeaders(identity);
    return identity;
  };
  return {
    asController: () => clusterFor(CONTROLLER),
    asActor: (actor) => clusterFor(checked({ kind: 'actor', actor })),
    tryAsActor: (actor) => createDryRun({ transport, identity: checked({ kind: 'actor', actor }) }),
    tryAsController: (actor) => createDryRun({ transport, identity: checked({ kind: 'trial', actor }) }),
    kinds: discovery.kinds,
    find: discovery.find,
    invalidate: discovery.invalidate,
    ping: (options) => ping(transport, options),
    kubernetesVersion: (options) => kubernetesVersion(transport, options),
    requestToken: (account, seconds, options) => requestToken(transport, { account, seconds }, options),
    writeKubeconfig: (file) => writeKubeconfigFile(file, credentials.entries()),
    server: () => credentials.entries().cluster.server,
    close: () => transport.close(),
  };
}

async function ping(transport: Transport, { signal }: CallOptions = {}): Promise<void> {
  await transport.request({
    identity: CONTROLLER,
    method: 'GET',
    path: '/readyz',
    parse: 'text',
    what: 'ask whether the cluster is ready',
    signal,
  });
}

async function kubernetesVersion(transport: Transport, { signal }: CallOptions = {}): Promise<string> {
  const { body } = await transport.request({
    identity: CONTROLLER,
    method: 'GET',
    path: '/version',
    what: 'ask for the Kubernetes version',
    signal,
  });
  const version = /^v?(\d+\.\d+\.\d+)/.exec(textAt(body, 'gitVersion') ?? '')?.[1];
  if (version === undefined) throw new AppError('ClusterUnavailable', 'ask for the Kubernetes version: the answer names none');
  return version;
}

async function requestToken(
  transport: Transport,
  { account, seconds }: { account: ServiceAccountRef; seconds: number },
  { signal }: CallOptions = {},
): Promise<string> {
  const { namespace, name } = account;
  const right = { verb: 'create', group: '', resource: 'serviceaccounts/token', namespace, name };
  const { body } = await transport.request({
    identity: CONTROLLER,
    method: 'POST',
    path: resourcePath({ ...SERVICE_ACCOUNT, namespace, name, subresource: 'token' }),
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: seconds } },
    what: `request a token of service account "${name}" in namespace "${namespace}"`,
    right,
    signal,
  });
  const token = textAt(body, 'status', 'token');
  if (token === undefined) throw new AppError('ClusterUnavailable', `request a token of service account "${name}": the answer holds none`);
  return token;
}
