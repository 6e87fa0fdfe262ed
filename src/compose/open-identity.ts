import { readFile } from 'node:fs/promises';
import type { Config } from '../config.ts';
import { createEmbeddedIssuer, type EmbeddedIssuer } from '../embedded/issuer/create-embedded-issuer.ts';
import { createIdentity, type Identity } from '../identity/create-identity.ts';
import { DEFAULT_MAPPING, identitySettings, type ClaimMapping, type IdentitySettings } from '../identity/identity-settings.ts';
import type { Store } from '../store/store.ts';
import type { Assets } from '../web/page/assets.ts';

export interface OpenIdentityInput {
  readonly config: Config;
  readonly stateDir: string;
  readonly publicUrl: URL;
  readonly store: Store;
  /** For the pages of the embedded issuer. */
  readonly assets: Pick<Assets, 'url'>;
  /** The name by which the embedded api-server knows the embedded issuer. */
  readonly clusterIssuer: string | undefined;
}

/** Who signs people in; with the embedded issuer when none is configured. */
export async function openIdentity(input: OpenIdentityInput): Promise<{ identity: Identity; issuer?: EmbeddedIssuer }> {
  const { config, stateDir, publicUrl, store, assets, clusterIssuer } = input;
  const stylesheet = assets.url('css/chandlery.css');
  const named = clusterIssuer === undefined ? {} : { clusterIssuer };
  const issuer = config.issuer.kind === 'embedded' ? await createEmbeddedIssuer({ publicUrl, stateDir, stylesheet, ...named }) : undefined;
  const client = issuer === undefined ? await externalClient(config) : embeddedClient(issuer);
  const settings = identitySettings({
    publicUrl,
    ...client,
    mapping: claimMappingOf(config),
    issuerAliases: clusterIssuer === undefined ? [] : [clusterIssuer],
    bearerClients: config.bearerClients,
    signOutHint: config.idTokenHint ? 'id-token' : 'none',
    ...(config.audience === undefined ? {} : { audiences: [config.audience] }),
  });
  const identity = createIdentity({ settings, sessions: store.sessions, sealKey: await store.secret('login-seal') });
  return { identity, ...(issuer === undefined ? {} : { issuer }) };
}

/** Which claims name somebody, for us and for the embedded api-server. */
export function claimMappingOf({ issuer, usernameClaim, groupsClaim, usernamePrefix, groupsPrefix }: Config): ClaimMapping {
  const usual = issuer.kind === 'embedded' ? 'preferred_username' : DEFAULT_MAPPING.usernameClaim;
  return { usernameClaim: usernameClaim ?? usual, groupsClaim, usernamePrefix, groupsPrefix };
}

type Client = Pick<IdentitySettings, 'issuer' | 'clientId'> & Partial<Pick<IdentitySettings, 'clientSecret' | 'scopes' | 'callHeaders'>>;

function embeddedClient({ issuerUrl, clientId, clientSecret, scopes, ownCalls }: EmbeddedIssuer): Client {
  return { issuer: issuerUrl, clientId, clientSecret, scopes, callHeaders: { [ownCalls.header]: ownCalls.value } };
}

async function externalClient({ issuer }: Config): Promise<Client> {
  if (issuer.kind === 'embedded') throw new Error('the embedded issuer has its own client');
  const { url, clientId, clientSecretFile } = issuer;
  const clientSecret = clientSecretFile === undefined ? undefined : (await readFile(clientSecretFile, 'utf8')).trim();
  return { issuer: url, clientId, ...(clientSecret === undefined ? {} : { clientSecret }) };
}
