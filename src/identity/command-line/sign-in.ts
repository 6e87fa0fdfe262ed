import { createServer, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import * as oidc from 'openid-client';
import { AppError } from '../../domain/core/errors.ts';
import type { Tokens } from '../sessions.ts';
import type { SignIn } from './obtain-token.ts';

export interface SignInOptions {
  /** `device`: somebody enters a code on any machine; `browser`: the browser of this machine comes back to a port of the loopback. */
  readonly how: 'browser' | 'device';
  /** Opens an address in the browser of this machine, as far as it can. */
  readonly open: (url: URL) => void;
  /** A line for the person. */
  readonly note: (line: string) => void;
  readonly signal: AbortSignal;
}

const PATIENCE_MS = 600_000;

/** Signs a person in by a browser. An issuer without the device flow gets the other one. */
export function createSignIn(options: SignInOptions): SignIn {
  return async (configuration, scope) => {
    const canDevice = configuration.serverMetadata().device_authorization_endpoint !== undefined;
    const signal = AbortSignal.any([options.signal, AbortSignal.timeout(PATIENCE_MS)]);
    const flow = options.how === 'device' && canDevice ? signInByDevice : signInByBrowser;
    try {
      return await flow(configuration, scope, { ...options, signal });
    } catch (error) {
      if (options.signal.aborted || !signal.aborted) throw error;
      throw new AppError('Unauthenticated', 'sign-in: nobody signed in within ten minutes. Run the command again', { cause: error });
    }
  };
}

/** The device authorization grant (RFC 8628). */
async function signInByDevice(configuration: oidc.Configuration, scope: string, { note, signal }: SignInOptions): Promise<Tokens> {
  const begun = await oidc.initiateDeviceAuthorization(configuration, { scope });
  const direct =
    begun.verification_uri_complete === undefined ? [] : [`or open ${printable(begun.verification_uri_complete)} and compare the code.`];
  note(`To sign in, open ${printable(begun.verification_uri)} and enter the code ${printable(begun.user_code)}`);
  for (const line of direct) note(line);
  return await oidc.pollDeviceAuthorizationGrant(configuration, begun, undefined, { signal });
}

/** What an issuer says cannot move the cursor of a terminal. */
function printable(text: string): string {
  return text.replaceAll(/[^\x21-\x7e]/g, '?').slice(0, 500);
}

/** The authorization code grant with PKCE for native apps (RFC 8252). */
async function signInByBrowser(configuration: oidc.Configuration, scope: string, options: SignInOptions): Promise<Tokens> {
  const server = createServer();
  await new Promise<void>((done, fail) => server.once('error', fail).listen(0, '127.0.0.1', done));
  try {
    const redirect = `http://127.0.0.1:${(server.address() as AddressInfo).port}/callback`;
    const [state, nonce, verifier] = [oidc.randomState(), oidc.randomNonce(), oidc.randomPKCECodeVerifier()];
    const address = oidc.buildAuthorizationUrl(configuration, {
      redirect_uri: redirect,
      scope,
      state,
      nonce,
      code_challenge: await oidc.calculatePKCECodeChallenge(verifier),
      code_challenge_method: 'S256',
    });
    options.note(`To sign in, open ${address.href}`);
    const answered = callback(server, { redirect, state, signal: options.signal });
    options.open(address);
    const { url, answer } = await answered;
    const checks = { pkceCodeVerifier: verifier, expectedState: state, expectedNonce: nonce, idTokenExpected: true };
    try {
      const tokens = await oidc.authorizationCodeGrant(configuration, url, checks);
      await sendPage(answer, 200, 'The command line is signed in', 'Close this page and go back to your terminal.');
      return tokens;
    } catch (error) {
      await sendPage(answer, 400, 'The sign-in failed', 'Your terminal shows why. Close this page.');
      throw error;
    }
  } finally {
    server.closeAllConnections();
    server.close();
  }
}

interface Callback {
  readonly url: URL;
  readonly answer: ServerResponse;
}

/** The first request that comes back with our state. Any other, which a page or another program can send, changes nothing. */
async function callback(
  server: Server,
  { redirect, state, signal }: { readonly redirect: string; readonly state: string; readonly signal: AbortSignal },
): Promise<Callback> {
  return await new Promise((found, fail) => {
    signal.addEventListener('abort', () => fail(signal.reason as Error), { once: true });
    server.on('request', (request, answer) => {
      const url = URL.canParse(request.url ?? '', redirect) ? new URL(request.url ?? '', redirect) : undefined;
      const isOurs = request.method === 'GET' && url?.origin === new URL(redirect).origin && url.pathname === '/callback';
      if (url !== undefined && isOurs && url.searchParams.get('state') === state) found({ url, answer });
      else void sendPage(answer, 404, 'Not found', 'This address belongs to a sign-in of the command line.');
    });
  });
}

async function sendPage(answer: ServerResponse, status: number, title: string, text: string): Promise<void> {
  const page = `<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><meta name="color-scheme" content="light dark"><title>${title}</title></head><body><main><h1>${title}</h1><p>${text}</p></main></body></html>`;
  const headers = {
    'Content-Type': 'text/html; charset=utf-8',
    'Content-Security-Policy': "default-src 'none'",
    'Cache-Control': 'no-store',
    Connection: 'close',
  };
  await new Promise<void>((done) => answer.once('close', done).writeHead(status, headers).end(page, done));
}
