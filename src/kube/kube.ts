import { randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { rename, writeFile } from 'node:fs/promises';
import { stringify } from 'yaml';
import { AppError } from '../domain/core/errors.ts';
import type { Actor } from '../domain/kubernetes/actor.ts';
import { at, isObject, textAt, textsAt } from '../domain/core/read.ts';
import type { ClusterAddress } from '../domain/kubectl/kubeconfig.ts';
import {
  type CallOptions,
  type Cluster,
  type Clusters,
  type Discovery,
  type DryRunAnswer,
  type DryRunCluster,
  type DryRunOptions,
  ifFound,
} from '../domain/kubernetes/cluster.ts';
import { SELF_SUBJECT_REVIEW, SERVICE_ACCOUNT } from '../domain/kubernetes/resource-types.ts';
import type { Json, KubeObject, ObjectMeta, ResourceRef, ResourceType } from '../domain/kubernetes/resource.ts';
import { createCluster, reviewAccess } from './cluster.ts';
import { createDiscovery } from './discovery.ts';
import {
  type Call,
  callFor,
  type Identity,
  impersonationHeaders,
  type Place,
  resourcePath,
  type ServiceAccountRef,
} from './transport/call.ts';
import { type ClusterAccess, type ConfigEntries, createCredentials, createDispatcherPool } from './transport/credentials.ts';
import { readIdentity } from './transport/delegated-calls.ts';
import { METADATA_OF_ONE } from './transport/dry-run-guard.ts';
import {
  type Answer,
  type Caller,
  createTransport,
  type Delegate,
  type RawAnswer,
  type Transport,
  type TransportOptions,
  type UserTokens,
} from './transport/transport.ts';

export interface KubeOptions extends ClusterAccess {
  readonly userAgent: string;
  /** See `TransportOptions`. */
  readonly readerPatience?: number;
  /** The tokens of people, where calls carry them in place of impersonation. */
  readonly userTokens?: UserTokens;
  /** The controller that makes calls for which the own account has no permission. Absent: it makes all of them. */
  readonly delegate?: Delegate;
  /** See `TransportOptions`. */
  readonly observe?: TransportOptions['observe'];
}

/** One cluster: every identity's view of it, and what it serves. */
export interface Kube extends Clusters, Discovery {
  /** As a ServiceAccount, impersonated. @throws AppError `ActorMissing` for a name that is none. */
  asServiceAccount(account: ServiceAccountRef): Cluster;
  /** Resolves when the api-server says that it is ready. @throws AppError `ClusterUnavailable`. */
  ping(options?: CallOptions): Promise<void>;
  /** E.g. `1.36.3`. */
  kubernetesVersion(options?: CallOptions): Promise<string>;
  /** Who the kubeconfig is for the api-server, by SelfSubjectReview. */
  ownActor(options?: CallOptions): Promise<Actor>;
  /** Clusters in which everybody is who the kubeconfig is: nobody is impersonated. For a process that serves this one person. */
  asOneself(): Clusters;
  /** A token of a service account for so many seconds (at least 600), by TokenRequest. */
  requestToken(account: ServiceAccountRef, seconds: number, options?: CallOptions): Promise<string>;
  /** Writes a self-contained kubeconfig with the controller's identity, of mode 0600. */
  writeKubeconfig(file: string): Promise<void>;
  /** The api-server's address. */
  server(): string;
  /** The api-server's address and the authorities that its certificate is checked with. */
  address(): ClusterAddress;
  /** Makes a call that another process delegates, and gives the answer as it is. @throws AppError `Forbidden` for what is not delegated, `MalformedRequest`. */
  forward(request: DelegatedCall, signal: AbortSignal): Promise<RawAnswer>;
  /** Ends all connections. */
  close(): Promise<void>;
}

/** A call as another process sends it. */
export interface DelegatedCall {
  readonly method: string;
  readonly path: string;
  /** As `writeIdentity` writes it. */
  readonly identity: string;
  readonly accept: string;
  readonly contentType: string;
  readonly body?: unknown;
}

const CONTROLLER: Identity = { kind: 'controller' };

interface DryRunInput {
  readonly object: KubeObject;
  readonly options: DryRunOptions;
}

/**
 * Connects to a cluster. Nothing is sent yet, so the cluster may be away.
 *
 * @throws AppError `ConfigInvalid` when the kubeconfig cannot be used.
 */
export function createKube({ userAgent, readerPatience, observe, userTokens, delegate, ...access }: KubeOptions): Kube {
  const credentials = createCredentials(access);
  const transport = createTransport({
    credentials,
    pool: createDispatcherPool(),
    userAgent,
    ...(userTokens === undefined ? {} : { people: { tokens: userTokens, pool: createDispatcherPool() } }),
    ...(delegate === undefined ? {} : { delegate: { ...delegate, pool: createDispatcherPool() } }),
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
    asServiceAccount: (account) => clusterFor(checked({ kind: 'serviceAccount', account })),
    dryRunAsActor: (actor) => createDryRun({ transport, identity: checked({ kind: 'actor', actor }) }),
    dryRunAsController: (actor) => createDryRun({ transport, identity: checked({ kind: 'dryRun', actor }) }),
    dryRunAsDeployer: (actor, account) => createDryRun({ transport, identity: checked({ kind: 'dryRun', actor, account }) }),
    kinds: discovery.kinds,
    find: discovery.find,
    invalidate: discovery.invalidate,
    ping: (options) => ping(transport, options),
    kubernetesVersion: (options) => kubernetesVersion(transport, options),
    ownActor: async (options) => await selfOf({ transport, identity: CONTROLLER }, options),
    asOneself: () => everybodyAs(clusterFor(CONTROLLER), createDryRun({ transport, identity: CONTROLLER })),
    requestToken: (account, seconds, options) => requestToken(transport, { account, seconds }, options),
    writeKubeconfig: (file) => writeKubeconfigFile(file, credentials.entries()),
    server: () => credentials.entries().cluster.server,
    address: () => addressOf(credentials.entries()),
    forward: async (request, signal) => await transport.forward(delegatedCall(request, signal)),
    close: () => transport.close(),
  };
}

/** @throws AppError `MalformedRequest`. */
function delegatedCall({ method, path, identity, accept, contentType, body }: DelegatedCall, signal: AbortSignal): Call {
  if (method !== 'GET' && method !== 'POST' && method !== 'PATCH')
    throw new AppError('MalformedRequest', `request: ${JSON.stringify(method)} is no method of a delegated call`);
  const what = `delegated ${method} ${path.split('?')[0] ?? ''}`;
  return { identity: readIdentity(identity), method, path, accept, contentType, what, signal, ...(body === undefined ? {} : { body }) };
}

function everybodyAs(cluster: Cluster, dryRun: DryRunCluster): Clusters {
  return {
    asController: () => cluster,
    asActor: () => cluster,
    dryRunAsActor: () => dryRun,
    dryRunAsController: () => dryRun,
    dryRunAsDeployer: () => dryRun,
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
  if (version === undefined) throw new AppError('ClusterUnavailable', 'ask for the Kubernetes version: the answer has none');
  return version;
}

async function requestToken(
  transport: Transport,
  { account, seconds }: { account: ServiceAccountRef; seconds: number },
  { signal }: CallOptions = {},
): Promise<string> {
  const { namespace, name } = account;
  const permission = { verb: 'create', group: '', resource: 'serviceaccounts/token', namespace, name };
  const { body } = await transport.request({
    identity: CONTROLLER,
    method: 'POST',
    path: resourcePath({ ...SERVICE_ACCOUNT, namespace, name, subresource: 'token' }),
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'TokenRequest', spec: { expirationSeconds: seconds } },
    what: `request a token of service account "${name}" in namespace "${namespace}"`,
    permission,
    signal,
  });
  const token = textAt(body, 'status', 'token');
  if (token === undefined) throw new AppError('ClusterUnavailable', `request a token of service account "${name}": the answer has none`);
  return token;
}

/**
 * Writes a kubeconfig of one context with the controller's own identity, readable by nobody else, for programs such as helm.
 * Certificates are embedded; exec plugins and token files stay what they are, because their answers expire.
 */
async function writeKubeconfigFile(file: string, entries: ConfigEntries): Promise<void> {
  const temporary = `${file}.${randomUUID()}`;
  await writeFile(temporary, stringify(kubeconfigOf(entries)), { mode: 0o600, flag: 'wx' });
  await rename(temporary, file);
}

function addressOf({ cluster }: ConfigEntries): ClusterAddress {
  const authority = dataOf(cluster.caData, cluster.caFile);
  return {
    server: cluster.server,
    ...(authority === undefined ? {} : { certificateAuthority: Buffer.from(authority, 'base64').toString('utf8') }),
  };
}

function kubeconfigOf({ cluster, user }: ConfigEntries): object {
  const name = 'chandlery';
  const { exec, authProvider } = user;
  return withoutAbsent({
    apiVersion: 'v1',
    kind: 'Config',
    'current-context': name,
    contexts: [{ name, context: { cluster: name, user: name } }],
    clusters: [
      {
        name,
        cluster: {
          server: cluster.server,
          'certificate-authority-data': dataOf(cluster.caData, cluster.caFile),
          'insecure-skip-tls-verify': cluster.skipTLSVerify || undefined,
          'tls-server-name': cluster.tlsServerName,
          'proxy-url': cluster.proxyUrl,
        },
      },
    ],
    users: [
      {
        name,
        user: {
          'client-certificate-data': dataOf(user.certData, user.certFile),
          'client-key-data': dataOf(user.keyData, user.keyFile),
          token: user.token,
          tokenFile: authProvider?.name === 'tokenFile' ? authProvider.config.tokenFile : undefined,
          username: user.username,
          password: user.password,
          exec,
        },
      },
    ],
  });
}

function dataOf(data: string | undefined, file: string | undefined): string | undefined {
  return data ?? (file === undefined ? undefined : readFileSync(file).toString('base64'));
}

/** client-node fills what is not there with null; a kubeconfig leaves it out. */
function withoutAbsent(value: object): object {
  return JSON.parse(JSON.stringify(value, (_key, member: unknown) => member ?? undefined)) as object;
}

/** The api-server for one identity that only tries. */
function createDryRun(deps: Caller): DryRunCluster {
  return {
    dryRunApply: (type, object, options) => dryRunApply(deps, type, { object, options }),
    dryRunCreate: (type, object, options) => dryRunCreate(deps, type, { object, options }),
    metadataOf: (ref, options) => metadataOf(deps, ref, options),
    review: (permission, options) => reviewAccess(deps, permission, options),
    account: async (options) => (await selfOf(deps, options)).user,
  };
}

/** As Helm applies: with force, and without minding fields that the schema does not know. */
async function dryRunApply(deps: Caller, type: ResourceType, { object, options }: DryRunInput): Promise<DryRunAnswer> {
  const { fieldManager, signal } = options;
  const place: Place = { ...type, namespace: object.metadata.namespace, name: object.metadata.name };
  const answer = await deps.transport.request({
    ...callFor(deps.identity, 'patch', place),
    method: 'PATCH',
    path: resourcePath(place, { dryRun: 'All', fieldManager, fieldValidation: 'Ignore', force: 'true' }),
    accept: METADATA_OF_ONE,
    contentType: 'application/apply-patch+yaml',
    body: object,
    signal,
  });
  return triedOf(answer);
}

async function dryRunCreate(deps: Caller, type: ResourceType, { object, options }: DryRunInput): Promise<DryRunAnswer> {
  const { fieldManager, signal } = options;
  const collection: Place = { ...type, namespace: object.metadata.namespace };
  const answer = await deps.transport.request({
    ...callFor(deps.identity, 'create', { ...collection, name: object.metadata.name }),
    method: 'POST',
    path: resourcePath(collection, { dryRun: 'All', fieldManager, fieldValidation: 'Ignore' }),
    accept: METADATA_OF_ONE,
    body: object,
    signal,
  });
  return triedOf(answer);
}

async function metadataOf(deps: Caller, ref: ResourceRef, { signal }: CallOptions = {}): Promise<ObjectMeta | undefined> {
  const call = callFor(deps.identity, 'get', ref);
  const answer = await ifFound(
    deps.transport.request({ ...call, method: 'GET', path: resourcePath(ref), accept: METADATA_OF_ONE, signal }),
  );
  return answer === undefined ? undefined : metadataIn(answer.body);
}

async function selfOf(deps: Caller, { signal }: CallOptions = {}): Promise<Actor> {
  const place: Place = SELF_SUBJECT_REVIEW;
  const { body } = await deps.transport.request({
    ...callFor(deps.identity, 'create', place),
    method: 'POST',
    path: resourcePath(place),
    body: { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview' },
    signal,
  });
  const user = textAt(body, 'status', 'userInfo', 'username');
  if (user === undefined) throw new AppError('ClusterUnavailable', 'ask for the own user name: the answer has none');
  return { user, groups: textsAt(body, 'status', 'userInfo', 'groups') };
}

function triedOf({ body, warnings }: Answer): DryRunAnswer {
  return { metadata: metadataIn(body), warnings };
}

function metadataIn(body: Json): ObjectMeta {
  const metadata = at(body, 'metadata');
  if (isObject(metadata) && textAt(metadata, 'name') !== undefined) return metadata as unknown as ObjectMeta;
  throw new AppError('ClusterUnavailable', 'cluster: the answer is not a Kubernetes object; is this a Kubernetes api-server?');
}
