import { readFile } from 'node:fs/promises';
import type { Config } from '../../config.ts';
import type { NamePrefixes } from '../../domain/gitlab/gitlab-deployment.ts';
import { AppError } from '../../domain/core/errors.ts';
import {
  type JwtAuthenticator,
  type JwtIssuer,
  parseAuthenticationConfiguration,
} from '../../identity/claims/authentication-configuration.ts';
import { ciAuthenticator } from '../../identity/claims/ci-presets.ts';
import { createClaimMapper } from '../../identity/claims/claim-mapper.ts';
import {
  authenticatorOf,
  type BearerIssuer,
  type ClaimSettings,
  DEFAULT_CLAIMS,
  type IdentitySettings,
} from '../../identity/identity-settings.ts';

/** The issuers of the settings, as entries of an AuthenticationConfiguration. */
export interface TrustedIssuers {
  /** Where people sign in in a browser; undefined stands for the embedded issuer. */
  readonly signIn?: JwtAuthenticator;
  /** Whose tokens count besides: of CI jobs, of another organisation. */
  readonly others: readonly JwtAuthenticator[];
  /** The claims of the embedded issuer. */
  readonly demoClaims: ClaimSettings;
}

/**
 * Reads the issuers of the settings. A file of issuers may have an entry for the one where people sign in; otherwise the settings of claims and prefixes are its entry.
 *
 * @param audiences whom tokens for the API are meant for, where no file says it.
 * @throws AppError `ConfigInvalid`
 */
export async function readTrustedIssuers(config: Config, audiences: readonly string[]): Promise<TrustedIssuers> {
  const { issuer, authenticationConfigFile: file, ciIssuers } = config;
  const listed = file === undefined ? [] : parseAuthenticationConfiguration(await readFile(file, 'utf8'), file);
  for (const [index, one] of listed.entries()) createClaimMapper(one, `authentication configuration: ${file ?? ''}: jwt[${index}]`);
  const ci = ciIssuers.map((setting) => ciAuthenticator(setting, audiences));
  const others = [...listed, ...ci];
  const twice = others.find(({ issuer: { url } }, index) => others.findIndex((other) => other.issuer.url === url) !== index);
  if (twice !== undefined) throw new AppError('ConfigInvalid', `--ci-issuer: ${twice.issuer.url} is configured twice`);
  const demoClaims = claimSettings(config, 'preferred_username');
  if (issuer.kind === 'embedded') return { others, demoClaims };
  const named = others.find(({ issuer: { url } }) => url === issuer.address);
  if (named === undefined) {
    const claims = claimSettings(config, DEFAULT_CLAIMS.usernameClaim);
    return { signIn: authenticatorOf({ url: issuer.address, audiences }, claims), others, demoClaims };
  }
  checkOneSource(config);
  return { signIn: named, others: others.filter((one) => one !== named), demoClaims };
}

/** What stands before the names of people and their groups: as the issuer of people maps them, and the usual prefix where an expression does so. */
export function namePrefixes({ signIn, demoClaims }: TrustedIssuers): NamePrefixes {
  if (signIn === undefined) return demoClaims;
  const { username, groups } = signIn.claimMappings;
  return {
    usernamePrefix: 'prefix' in username ? username.prefix : DEFAULT_CLAIMS.usernamePrefix,
    groupsPrefix: groups !== undefined && 'prefix' in groups ? groups.prefix : DEFAULT_CLAIMS.groupsPrefix,
  };
}

/** Whom bearer tokens must be meant for, where no file says it: the API by its address, or one of our clients. */
export function audiencesOf({ audience, issuer }: Config, publicUrl: URL): readonly string[] {
  const own = audience === undefined ? [publicUrl.origin, issuer.kind === 'external' ? issuer.clientId : 'chandlery'] : [audience];
  return issuer.kind === 'external' && issuer.cliClientId !== undefined ? [...own, issuer.cliClientId] : own;
}

function claimSettings({ usernameClaim, groupsClaim, usernamePrefix, groupsPrefix }: Config, usual: string): ClaimSettings {
  return {
    usernameClaim: usernameClaim ?? usual,
    groupsClaim: groupsClaim ?? DEFAULT_CLAIMS.groupsClaim,
    usernamePrefix: usernamePrefix ?? DEFAULT_CLAIMS.usernamePrefix,
    groupsPrefix: groupsPrefix ?? DEFAULT_CLAIMS.groupsPrefix,
  };
}

/** The file says what the claims of this issuer mean; a setting beside it would be ignored. */
function checkOneSource({ usernameClaim, groupsClaim, usernamePrefix, groupsPrefix, audience }: Config): void {
  const settings = {
    'username-claim': usernameClaim,
    'groups-claim': groupsClaim,
    'username-prefix': usernamePrefix,
    'groups-prefix': groupsPrefix,
    audience,
  };
  const given = Object.entries(settings).find(([, value]) => value !== undefined);
  if (given === undefined) return;
  throw new AppError('ConfigInvalid', `--${given[0]}: the entry of the issuer in --authentication-config decides this; remove one of both`);
}

/** The clients of the issuer whose tokens are accepted although they name their client. */
export function bearerClientsOf({ bearerClients, issuer }: Config): readonly string[] {
  return issuer.kind === 'external' && issuer.cliClientId !== undefined ? [...bearerClients, issuer.cliClientId] : bearerClients;
}

/** The settings of the issuers whose tokens count as bearer tokens alone. */
export function otherIssuers({ others }: TrustedIssuers, bearerClients: readonly string[]): IdentitySettings['otherIssuers'] {
  return others.map((one) => ({
    ...addressOf(one.issuer),
    url: one.issuer.url,
    callHeaders: {},
    audiences: one.issuer.audiences,
    // A client that tokens are meant for may also be the one that they were issued to.
    bearerClients: [...one.issuer.audiences, ...bearerClients],
    mapping: createClaimMapper(one, `issuer ${one.issuer.url}`),
  }));
}

/** Where an issuer is. */
export function addressOf({
  url,
  discoveryURL,
  certificateAuthority,
}: JwtIssuer): Omit<BearerIssuer, 'callHeaders' | 'audiences' | 'bearerClients' | 'mapping'> {
  return {
    issuer: new URL(url),
    ...(discoveryURL === undefined ? {} : { discoveryUrl: new URL(discoveryURL) }),
    ...(certificateAuthority === undefined ? {} : { certificateAuthority }),
  };
}
