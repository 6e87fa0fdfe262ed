import { randomBytes } from 'node:crypto';
import { Router, type Request, type RequestHandler } from 'express';
import { Provider } from 'oidc-provider';
import { DEMO_PEOPLE, type DemoPerson } from './demo-people.ts';
import { interactionRoutes } from './issuer-pages.ts';
import { ensureSecrets, writeNames } from './issuer-secrets.ts';
import { IssuerState } from './issuer-state.ts';
import { mintDemoToken } from './mint-demo-token.ts';
import { CLIENT_ID, providerConfiguration, SCOPES } from './provider-configuration.ts';

export interface EmbeddedIssuerOptions {
  /** The issuer is `/issuer` below it. */
  readonly publicUrl: URL;
  /** Keys and lasting state go into its folder `issuer`. */
  readonly stateDir: string;
  /** The name by which an embedded api-server knows it. */
  readonly clusterIssuer?: string;
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
  await writeNames(stateDir, {
    issuer: issuerUrl.href,
    audience: publicUrl.origin,
    ...(clusterIssuer === undefined ? {} : { clusterIssuer }),
  });
  const provider = new Provider(issuerUrl.href, providerConfiguration({ publicUrl, people, secrets, state, assets }));
  provider.proxy = true;
  const handler = Router().use(underPublicUrl(publicUrl), interactionRoutes({ provider, people, assets }), provider.callback());
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
