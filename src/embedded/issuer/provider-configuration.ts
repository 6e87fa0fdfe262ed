import type { Configuration, Grant, KoaContextWithOIDC } from 'oidc-provider';
import { claimsOf, type DemoPerson } from './demo-people.ts';
import { noticePage, type PageAssets, signOutPage } from './issuer-pages.ts';
import type { IssuerSecrets } from './issuer-secrets.ts';
import type { IssuerState } from './issuer-state.ts';

export const CLIENT_ID = 'chandlery';
export const SCOPES = ['openid', 'profile', 'email', 'groups'];

const HOUR = 3600;
const DAY = 24 * HOUR;
const TTL = {
  AccessToken: HOUR,
  AuthorizationCode: 60,
  IdToken: HOUR,
  Interaction: HOUR,
  Session: 14 * DAY,
  Grant: 14 * DAY,
  RefreshToken: 14 * DAY,
};

type ClaimSettings = 'claims' | 'conformIdTokenClaims' | 'findAccount' | 'extraTokenClaims';

export interface ProviderInput {
  readonly publicUrl: URL;
  readonly people: readonly DemoPerson[];
  readonly secrets: IssuerSecrets;
  readonly state: IssuerState;
  readonly assets: PageAssets;
}

/** The embedded issuer as oidc-provider wants it: one client, ours, that needs no consent; JWT access tokens for our API; refresh tokens. */
export function providerConfiguration(input: ProviderInput): Configuration {
  const { publicUrl, people, secrets, state, assets } = input;
  return {
    adapter: (model) => state.adapter(model),
    clients: [clientOf(publicUrl, secrets.clientSecret)],
    jwks: { keys: [secrets.signingKey] },
    cookies: { keys: [secrets.cookieKey], names: cookieNames(publicUrl) },
    ...claimsConfiguration(people),
    loadExistingGrant: (ctx) => ownGrant(ctx, publicUrl.origin),
    issueRefreshToken: async () => true,
    pkce: { required: () => true },
    interactions: { url: (_ctx, interaction) => `/issuer/interaction/${interaction.uid}` },
    features: featuresOf(publicUrl.origin, assets),
    ttl: TTL,
    renderError: (ctx, out) => {
      const message = out.error_description ?? 'Begin again; if it happens again, start Chandlery anew with --reset.';
      ctx.type = 'html';
      ctx.body = noticePage('The demo sign-in cannot go on', message, assets);
    },
  };
}

/** Both the id token and the access token say who somebody is, because the API reads only the latter. */
function claimsConfiguration(people: readonly DemoPerson[]): Pick<Configuration, ClaimSettings> {
  const claims = (name: string | undefined) => {
    const person = people.find((candidate) => candidate.name === name);
    return person === undefined ? undefined : claimsOf(person);
  };
  return {
    claims: { openid: ['sub'], profile: ['name', 'preferred_username'], email: ['email', 'email_verified'], groups: ['groups'] },
    conformIdTokenClaims: false,
    findAccount: (_ctx, sub) => {
      const known = claims(sub);
      return known === undefined ? undefined : { accountId: sub, claims: () => known };
    },
    extraTokenClaims: (_ctx, token) => ('accountId' in token ? claims(token.accountId) : undefined),
  };
}

/** All ports of a host share their cookies, and two clones may run side by side. */
function cookieNames({ port }: URL): { session: string; interaction: string; resume: string } {
  const suffix = port === '' ? '' : `-${port}`;
  return { session: `chandlery-issuer${suffix}`, interaction: `chandlery-interaction${suffix}`, resume: `chandlery-resume${suffix}` };
}

function clientOf(publicUrl: URL, secret: string) {
  return {
    client_id: CLIENT_ID,
    client_secret: secret,
    redirect_uris: [new URL('/auth/callback', publicUrl).href],
    post_logout_redirect_uris: [new URL('/signed-out', publicUrl).href],
    grant_types: ['authorization_code', 'refresh_token'],
    response_types: ['code' as const],
  };
}

/** The sign-out is confirmed by itself when the browser says that it comes from our own pages (Fetch Metadata); any other link has to ask. */
function featuresOf(resource: string, assets: PageAssets): NonNullable<Configuration['features']> {
  return {
    devInteractions: { enabled: false },
    revocation: { enabled: true },
    rpInitiatedLogout: {
      enabled: true,
      logoutSource: (ctx, form) => {
        ctx.body = signOutPage(form, ctx.get('Sec-Fetch-Site') === 'same-origin' ? 'by our client' : 'by nobody', assets);
      },
      postLogoutSuccessSource: (ctx) => {
        ctx.body = noticePage('You are signed out', 'The session at the demo identity provider has ended.', assets);
      },
    },
    resourceIndicators: {
      enabled: true,
      defaultResource: () => resource,
      getResourceServerInfo: () => ({ scope: '', audience: resource, accessTokenFormat: 'jwt', jwt: { sign: { alg: 'RS256' } } }),
      useGrantedResource: () => true,
    },
  };
}

/** Our own client is granted what it asks for without a question. */
async function ownGrant({ oidc }: KoaContextWithOIDC, resource: string): Promise<Grant | undefined> {
  const clientId = oidc.client?.clientId;
  const accountId = oidc.session?.accountId;
  if (clientId === undefined || accountId === undefined) return undefined;
  const grantId = oidc.session?.grantIdFor(clientId);
  const known = grantId === undefined ? undefined : await oidc.provider.Grant.find(grantId);
  if (known !== undefined) return known;
  const grant = new oidc.provider.Grant({ clientId, accountId });
  grant.addOIDCScope(SCOPES.join(' '));
  grant.addResourceScope(resource, '');
  await grant.save();
  return grant;
}
