/** Which claims name somebody, and what is put before the names so that they cannot be mistaken for names of the cluster's own. */
export interface ClaimMapping {
  /** The claim with the user name. `sub` is the only one that an issuer never gives to somebody else later. */
  readonly usernameClaim: string;
  /** The claim with the list of groups. */
  readonly groupsClaim: string;
  readonly usernamePrefix: string;
  readonly groupsPrefix: string;
}

export const DEFAULT_MAPPING: ClaimMapping = {
  usernameClaim: 'sub',
  groupsClaim: 'groups',
  usernamePrefix: 'oidc:',
  groupsPrefix: 'oidc:',
};

export interface IdentitySettings {
  readonly publicUrl: URL;
  /** The issuer's address, to the letter as its discovery document says it. */
  readonly issuer: URL;
  /** Sent along with every call to the issuer. */
  readonly callHeaders: Readonly<Record<string, string>>;
  /** Other names of the issuer: what it signs under them with the same keys counts, too. */
  readonly issuerAliases: readonly string[];
  readonly clientId: string;
  /** Absent for a public client; PKCE is used either way. */
  readonly clientSecret?: string;
  readonly scopes: readonly string[];
  /** Whom bearer tokens must be meant for; one of them suffices. */
  readonly audiences: readonly string[];
  /** Clients of the issuer other than the browser's whose tokens are accepted when they name the client (`azp`). */
  readonly bearerClients: readonly string[];
  /** What the sign-out at the issuer carries besides our client id: `id-token` is for issuers that demand it. */
  readonly signOutHint: 'none' | 'id-token';
  readonly mapping: ClaimMapping;
  /** Milliseconds without a request after which a session ends. */
  readonly idleLifetime: number;
  /** Milliseconds after which a session ends in any case. */
  readonly absoluteLifetime: number;
}

const HOUR = 3_600_000;

/** Settings for an issuer and a client, with a default for everything else. */
export function identitySettings(
  required: Pick<IdentitySettings, 'publicUrl' | 'issuer' | 'clientId'> & Partial<IdentitySettings>,
): IdentitySettings {
  return {
    scopes: ['openid', 'profile', 'email'],
    audiences: [required.publicUrl.origin, required.clientId],
    bearerClients: [],
    issuerAliases: [],
    callHeaders: {},
    signOutHint: 'none',
    mapping: DEFAULT_MAPPING,
    idleLifetime: 2 * HOUR,
    absoluteLifetime: 12 * HOUR,
    ...required,
  };
}
