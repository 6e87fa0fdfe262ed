import type { JwtAuthenticator } from './claims/authentication-configuration.ts';
import { type ClaimMapper, createClaimMapper } from './claims/claim-mapper.ts';

/** The claims and prefixes of the settings of one issuer, which stand for an entry of an AuthenticationConfiguration. */
export interface ClaimSettings {
  /** The claim with the user name. `sub` is the only one that an issuer never gives to somebody else later. */
  readonly usernameClaim: string;
  /** The claim with the list of groups. */
  readonly groupsClaim: string;
  readonly usernamePrefix: string;
  readonly groupsPrefix: string;
}

export const DEFAULT_CLAIMS: ClaimSettings = {
  usernameClaim: 'sub',
  groupsClaim: 'groups',
  usernamePrefix: 'oidc:',
  groupsPrefix: 'oidc:',
};

/** The entry that such settings stand for. */
export function authenticatorOf(issuer: JwtAuthenticator['issuer'], claims: ClaimSettings): JwtAuthenticator {
  return {
    issuer,
    claimValidationRules: [],
    claimMappings: {
      username: { claim: claims.usernameClaim, prefix: claims.usernamePrefix },
      groups: { claim: claims.groupsClaim, prefix: claims.groupsPrefix },
      extra: [],
    },
    userValidationRules: [],
  };
}

/** Where an issuer is, and whom it is trusted by. */
export interface IssuerAddress {
  /** The issuer's address, to the letter as its discovery document and its tokens say it. */
  readonly issuer: URL;
  /** Of the discovery document, where it is another than usual. */
  readonly discoveryUrl?: URL;
  /** PEM; without it, the authorities of this machine count. */
  readonly certificateAuthority?: string;
  /** Sent along with every call to the issuer. */
  readonly callHeaders: Readonly<Record<string, string>>;
}

/** An issuer whose tokens count as bearer tokens. */
export interface BearerIssuer extends IssuerAddress {
  /** Whom bearer tokens must be meant for; one of them suffices. */
  readonly audiences: readonly string[];
  /** Clients of the issuer whose tokens are accepted when they name the client (`azp`). */
  readonly bearerClients: readonly string[];
  readonly mapping: ClaimMapper;
}

/** An issuer that nobody signs in at in a browser: of CI jobs, for example. */
interface OtherIssuer extends BearerIssuer {
  /** To the letter as in the claim `iss`. */
  readonly url: string;
}

/** The issuer that people sign in at, and all others. */
export interface IdentitySettings extends BearerIssuer {
  readonly publicUrl: URL;
  /** Other names of the issuer: what it signs under them with the same keys counts, too. */
  readonly issuerAliases: readonly string[];
  readonly clientId: string;
  /** Absent for a public client; PKCE is used either way. */
  readonly clientSecret?: string;
  readonly scopes: readonly string[];
  /** Issuers whose tokens count beside those of this one. */
  readonly otherIssuers: readonly OtherIssuer[];
  /** Where the claims of a sign-in are: `userinfo` also asks that endpoint, for issuers whose ID tokens have no groups. */
  readonly claimsFrom: 'id-token' | 'userinfo';
  /** What the sign-out at the issuer carries besides our client id: `id-token` is for issuers that demand it. */
  readonly signOutHint: 'none' | 'id-token';
  /** The token of a sign-in that calls to the api-server carry; `none`: Chandlery impersonates its users. */
  readonly userToken: 'none' | 'id' | 'access';
  /** Milliseconds without a request after which a session ends. */
  readonly idleLifetime: number;
  /** Milliseconds after which a session ends in any case. */
  readonly absoluteLifetime: number;
  /** Milliseconds without a sign-in of their user after which personal access tokens pause. */
  readonly tokenAbsence: number;
}

const HOUR = 3_600_000;

/** Settings for an issuer and a client, with a default for everything else. */
export function identitySettings(
  required: Pick<IdentitySettings, 'publicUrl' | 'issuer' | 'clientId'> & Partial<IdentitySettings>,
): IdentitySettings {
  const names = authenticatorOf({ url: required.issuer.href, audiences: [required.clientId] }, DEFAULT_CLAIMS);
  return {
    scopes: ['openid', 'profile', 'email'],
    audiences: [required.publicUrl.origin, required.clientId],
    bearerClients: [],
    issuerAliases: [],
    callHeaders: {},
    signOutHint: 'none',
    userToken: 'none',
    mapping: createClaimMapper(names, 'issuer'),
    otherIssuers: [],
    claimsFrom: 'id-token',
    idleLifetime: 2 * HOUR,
    absoluteLifetime: 12 * HOUR,
    tokenAbsence: 30 * 24 * HOUR,
    ...required,
  };
}
