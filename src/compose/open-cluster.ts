import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../config.ts';
import { type EmbeddedCluster, startEmbeddedCluster } from '../embedded/cluster/embedded-cluster.ts';
import { claimStateFolder } from '../embedded/cluster/state-folder.ts';
import type { ToolPaths } from '../embedded/cluster/tools.ts';
import { createEmbeddedIssuer, type EmbeddedIssuer } from '../embedded/issuer/create-embedded-issuer.ts';
import { createIdentity, type Identity } from '../identity/create-identity.ts';
import { createClaimMapper } from '../identity/claims/claim-mapper.ts';
import { authenticatorOf, identitySettings, type IdentitySettings } from '../identity/identity-settings.ts';
import type { UserTokens } from '../identity/user-tokens.ts';
import { createKube, type Kube, type KubeOptions } from '../kube/kube.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import type { OpenStore } from './open-store.ts';
import type { Assets } from '../web/page/assets.ts';
import { addressOf, audiencesOf, bearerClientsOf, otherIssuers, type TrustedIssuers } from './identity/trusted-issuers.ts';

/** The cluster that everything runs on, and the embedded one when that is it. */
export interface OpenCluster {
  readonly kube: Kube;
  /** Of the state folder, the same at each start. */
  readonly stateId: string;
  readonly embedded?: EmbeddedCluster;
  close(): Promise<void>;
}

export interface OpenClusterInput {
  readonly config: Config;
  readonly issuers: TrustedIssuers;
  readonly stateDir: string;
  readonly tools: ToolPaths;
  readonly log: Log;
  readonly metrics: Pick<Metrics, 'apiServerAnswered'>;
  readonly durability: 'kept' | 'throwaway';
  /** Where calls carry the tokens of people. */
  readonly userTokens?: UserTokens;
  readonly signal?: AbortSignal;
}

const USER_AGENT = 'chandlery';

/** Starts the embedded cluster, or connects to the configured one, which may be away. */
export async function openCluster(input: OpenClusterInput): Promise<OpenCluster> {
  const { config, stateDir, metrics } = input;
  const { userTokens } = input;
  const client = {
    userAgent: USER_AGENT,
    observe: metrics.apiServerAnswered,
    ...(userTokens === undefined ? {} : { userTokens }),
    ...delegateOf(config),
  };
  const { cluster, reset } = config;
  switch (cluster.kind) {
    case 'embedded': {
      const embedded = await startCluster(input);
      const kube = createKube({ kubeconfigPath: join(stateDir, 'kubeconfig'), ...client });
      return {
        kube,
        stateId: embedded.stateId,
        embedded,
        close: async () => {
          await kube.close();
          await embedded.stop();
        },
      };
    }
    case 'kubeconfig': {
      const { context, file } = cluster;
      const access = { ...(context === undefined ? {} : { context }), ...(file === undefined ? {} : { kubeconfigPath: file }) };
      return await connected(createKube({ ...access, ...client }), { stateDir, reset });
    }
    case 'in-cluster':
      return await connected(createKube(client), { stateDir, reset });
    default:
      return cluster satisfies never;
  }
}

/** Kubernetes writes another token into the file before the one in it expires, so it is read for each call. */
function delegateOf({ delegate }: Config): Pick<KubeOptions, 'delegate'> {
  if (delegate === undefined) return {};
  const { url, tokenFile } = delegate;
  return { delegate: { url, token: async () => (await readFile(tokenFile, 'utf8')).trim() } };
}

/** The embedded api-server trusts the issuers that we trust. */
async function startCluster({ config, issuers, stateDir, tools, log, durability, signal }: OpenClusterInput): Promise<EmbeddedCluster> {
  const { signIn, others, demoClaims } = issuers;
  const trust = signIn === undefined ? { issuers: others, demoClaims } : { issuers: [signIn, ...others] };
  const given = signal === undefined ? {} : { signal };
  return await startEmbeddedCluster({ stateDir, tools, log, durability, reset: config.reset, trust, ...given });
}

/** The state folder is ours alone here, too: it holds the sessions and the charts. */
async function connected(kube: Kube, { stateDir, reset }: { readonly stateDir: string; readonly reset: boolean }): Promise<OpenCluster> {
  const folder = await claimStateFolder(stateDir, { reset });
  return {
    kube,
    stateId: folder.id,
    close: async () => {
      await kube.close();
      await folder.release();
    },
  };
}

export interface OpenIdentityInput {
  readonly config: Config;
  readonly issuers: TrustedIssuers;
  readonly stateDir: string;
  readonly publicUrl: URL;
  readonly opened: Pick<OpenStore, 'store' | 'loginSeal'>;
  /** For the pages of the embedded issuer. */
  readonly assets: Pick<Assets, 'url'>;
  readonly embedded: EmbeddedCluster | undefined;
  readonly userTokens?: UserTokens;
}

/** Who signs people in; with the embedded issuer when none is configured. */
export async function openIdentity(input: OpenIdentityInput): Promise<{ identity: Identity; issuer?: EmbeddedIssuer }> {
  const { config, issuers, stateDir, publicUrl, assets, embedded, userTokens } = input;
  const { store, loginSeal } = input.opened;
  // The name by which the embedded api-server knows the embedded issuer.
  const clusterIssuer = embedded?.issuer;
  const stylesheet = assets.url('css/chandlery.css');
  const named = clusterIssuer === undefined ? {} : { clusterIssuer };
  const issuer =
    config.issuer.kind === 'embedded'
      ? await createEmbeddedIssuer({ publicUrl, stateDir, stylesheet, userTokens: userTokens === undefined ? 'ours' : 'cluster', ...named })
      : undefined;
  const client = issuer === undefined ? await externalClient(config) : embeddedClient(issuer);
  const signIn =
    issuers.signIn ?? authenticatorOf({ url: client.issuer.href, audiences: audiencesOf(config, publicUrl) }, issuers.demoClaims);
  const settings = identitySettings({
    publicUrl,
    ...client,
    ...addressOf(signIn.issuer),
    audiences: signIn.issuer.audiences,
    mapping: createClaimMapper(signIn, `issuer ${signIn.issuer.url}`),
    otherIssuers: otherIssuers(issuers, config.bearerClients),
    issuerAliases: clusterIssuer === undefined ? [] : [clusterIssuer],
    bearerClients: bearerClientsOf(config),
    claimsFrom: config.userinfo ? 'userinfo' : 'id-token',
    // The embedded api-server knows the embedded issuer by a name that only its access tokens have.
    userToken: userTokens === undefined ? 'none' : issuer === undefined ? 'id' : 'access',
    signOutHint: config.idTokenHint ? 'id-token' : 'none',
    idleLifetime: config.sessionIdle,
    absoluteLifetime: config.sessionLifetime,
    tokenAbsence: config.tokenAbsence,
  });
  const identity = createIdentity({
    settings,
    sessions: store.sessions,
    accessTokens: store.accessTokens,
    usedIds: store.usedIds,
    storeUnavailable: store.unavailableReason,
    seal: loginSeal,
    ...(userTokens === undefined ? {} : { userTokens }),
  });
  return { identity, ...(issuer === undefined ? {} : { issuer }) };
}

type Client = Pick<IdentitySettings, 'issuer' | 'clientId'> & Partial<Pick<IdentitySettings, 'clientSecret' | 'scopes' | 'callHeaders'>>;

function embeddedClient({ issuerUrl, clientId, clientSecret, scopes, ownCalls }: EmbeddedIssuer): Client {
  return { issuer: issuerUrl, clientId, clientSecret, scopes, callHeaders: { [ownCalls.header]: ownCalls.value } };
}

async function externalClient({ issuer }: Config): Promise<Client> {
  if (issuer.kind === 'embedded') throw new Error('the embedded issuer has its own client');
  const { url, clientId, clientSecretFile } = issuer;
  const scopes = [...new Set(['openid', 'profile', 'email', ...issuer.scopes])];
  const clientSecret = clientSecretFile === undefined ? undefined : (await readFile(clientSecretFile, 'utf8')).trim();
  return { issuer: url, clientId, scopes, ...(clientSecret === undefined ? {} : { clientSecret }) };
}
