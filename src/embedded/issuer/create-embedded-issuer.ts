import { randomBytes } from 'node:crypto';
import { type Request, type RequestHandler, Router } from 'express';
import { type Configuration, type Grant, type KoaContextWithOIDC, Provider } from 'oidc-provider';
import { CLI_CLIENT, CLI_CLIENT_ID, tokensFor } from './cli-client.ts';
import { claimsOf, DEMO_PEOPLE, type DemoPerson } from './demo-people.ts';
import { deviceFlow, deviceRoutes, interactionRoutes, noticePage, type PageAssets, signOutPage } from './issuer-pages.ts';
import { ensureSecrets, type IssuerSecrets, writeNames } from './issuer-secrets.ts';
import { IssuerState } from './issuer-state.ts';
import { mintDemoToken } from './mint-demo-token.ts';

interface EmbeddedIssuerOptions {
  /** The issuer is `/issuer` below it. */
  readonly publicUrl: URL;
  /** Keys and lasting state go into its folder `issuer`. */
  readonly stateDir: string;
  /** The name by which an embedded api-server knows it. */
  readonly clusterIssuer?: string;
  /** Whom the access tokens of sign-ins at the pages are for: our API alone, or the embedded api-server, too. */
  readonly userTokens?: 'ours' | 'cluster';
  readonly people?: readonly DemoPerson[];
  /** The address of the product's style sheet. */
  readonly stylesheet?: string;
  readonly clock?: () => number;
}

/** An OpenID Connect issuer inside this process, for the demo people. */
export interface EmbeddedIssuer {
  readonly issuerUrl: URL;
  readonly clientId: string;
  readonly clientSecret: string;
  readonly scopes: readonly string[];
  /** A header by which calls of this process are known; nobody else knows its value. */
  readonly ownCalls: { readonly header: string; readonly value: string };
  /** Mount it at `/issuer`, before anything reads bodies. */
  readonly handler: RequestHandler;
  /** A bearer token for a demo person, good for an hour. */
  mintToken(name: string): Promise<string>;
  /** Waits for what is being written. */
  close(): Promise<void>;
}

/** Starts the embedded issuer; keys, sessions, grants and refresh tokens outlive a restart, sign-ins under way do not. */
export async function createEmbeddedIssuer(options: EmbeddedIssuerOptions): Promise<EmbeddedIssuer> {
  const { publicUrl, stateDir, people = DEMO_PEOPLE, clock = Date.now } = options;
  const issuerUrl = new URL('/issuer', publicUrl);
  const assets = { stylesheet: options.stylesheet ?? '/static/issuer/css/chandlery.css' };
  const secrets = await ensureSecrets(stateDir);
  const state = new IssuerState(stateDir, clock);
  await state.load();
  const { clusterIssuer } = options;
  const clusterClients = options.userTokens === 'cluster' ? [CLI_CLIENT_ID, CLIENT_ID] : [CLI_CLIENT_ID];
  const clusterTokens = clusterIssuer === undefined ? {} : tokensFor(clusterIssuer, clusterClients);
  await writeNames(stateDir, {
    issuer: issuerUrl.href,
    audience: publicUrl.origin,
    ...(clusterIssuer === undefined ? {} : { clusterIssuer }),
  });
  const provider = new Provider(issuerUrl.href, providerConfiguration({ publicUrl, people, secrets, state, assets, clusterTokens }));
  provider.proxy = true;
  const handler = Router().use(
    underPublicUrl(publicUrl),
    interactionRoutes({ provider, people, assets }),
    deviceRoutes(),
    provider.callback(),
  );
  return {
    issuerUrl,
    clientId: CLIENT_ID,
    clientSecret: secrets.clientSecret,
    scopes: SCOPES,
    ownCalls: { header: 'X-Chandlery-Own-Call', value: randomBytes(32).toString('base64url') },
    handler,
    mintToken: (name) => mintDemoToken({ stateDir, name, people, clock }),
    close: () => state.close(),
  };
}

/**
 * Whatever name of this machine the server was called by, the issuer's own addresses must be the ones of the public URL. A foreign name
 * that was made to lead here (DNS rebinding) gets nothing, because signing in needs no password.
 */
function underPublicUrl(publicUrl: URL): RequestHandler {
  const names = new Set([publicUrl.hostname, 'localhost', '127.0.0.1', '[::1]']);
  return (req: Request, res, next) => {
    if (!names.has((req.headers.host ?? '').replace(/:\d+$/, ''))) {
      res.status(421).type('text').send(`This server is called ${publicUrl.origin}\n`);
      return;
    }
    delete req.headers['x-forwarded-host'];
    req.headers['x-forwarded-proto'] = publicUrl.protocol.slice(0, -1);
    req.headers.host = publicUrl.host;
    next();
  };
}

const CLIENT_ID = 'chandlery';
const SCOPES = ['openid', 'profile', 'email', 'groups'];

const HOUR = 3600;
const DAY = 24 * HOUR;
const TTL = {
  AccessToken: HOUR,
  AuthorizationCode: 60,
  DeviceCode: 600,
  IdToken: HOUR,
  Interaction: HOUR,
  Session: 14 * DAY,
  Grant: 14 * DAY,
  RefreshToken: 14 * DAY,
};

type ClaimSettings = 'claims' | 'conformIdTokenClaims' | 'findAccount' | 'extraTokenClaims';

interface ProviderInput {
  readonly publicUrl: URL;
  readonly people: readonly DemoPerson[];
  readonly secrets: IssuerSecrets;
  readonly state: IssuerState;
  readonly assets: PageAssets;
  readonly clusterTokens: Pick<Configuration, 'formats'>;
}

/** The embedded issuer as oidc-provider wants it: our two clients, the pages and the command line; JWT access tokens for our API; refresh tokens. */
function providerConfiguration(input: ProviderInput): Configuration {
  const { publicUrl, people, secrets, state, assets } = input;
  return {
    adapter: (model) => state.adapter(model),
    clients: [clientOf(publicUrl, secrets.clientSecret), CLI_CLIENT],
    ...input.clusterTokens,
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
    deviceFlow: deviceFlow(assets),
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

/** Our own clients are granted what they ask for; the command line only once somebody has chosen who it is. */
async function ownGrant({ oidc }: KoaContextWithOIDC, resource: string): Promise<Grant | undefined> {
  const clientId = oidc.client?.clientId;
  const accountId = oidc.session?.accountId;
  if (clientId === undefined || accountId === undefined) return undefined;
  const grantId = oidc.session?.grantIdFor(clientId);
  const known = grantId === undefined ? undefined : await oidc.provider.Grant.find(grantId);
  if (known !== undefined) return known;
  const grant = new oidc.provider.Grant({ clientId, accountId });
  grant.addOIDCScope([...SCOPES, 'offline_access'].join(' '));
  grant.addResourceScope(resource, '');
  await grant.save();
  return grant;
}
