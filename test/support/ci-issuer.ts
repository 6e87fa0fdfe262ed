import { randomUUID } from 'node:crypto';
import { createServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import {
  calculateJwkThumbprint,
  type CryptoKey,
  exportJWK,
  generateKeyPair,
  importJWK,
  type JWK,
  type JWTHeaderParameters,
  SignJWT,
} from 'jose';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { ciAuthenticator } from '../../src/identity/claims/ci-presets.ts';
import { renderAuthentication } from '../../src/identity/claims/render-authentication.ts';
import { localTls } from './local-tls.ts';

/** The issuer of a CI system by https: a discovery document, its keys, and ID tokens for jobs, as GitLab and GitHub have them. */
export interface CiIssuer {
  readonly url: string;
  /** PEM of the authority that signed its certificate. */
  readonly authority: string;
  /** The AuthenticationConfiguration that trusts it, with the rules for GitLab: what `--authentication-config` and the api-server read. */
  configuration(audience: string): string;
  /** The key that signs now. */
  key(): SigningKey;
  /** A token with these claims on top of the usual ones. */
  sign(claims: Readonly<Record<string, unknown>>, header?: Partial<JWTHeaderParameters>): Promise<string>;
  /** Signs with another key from now on, and forgets the old one. */
  rotate(): Promise<void>;
  /** Whether it answers. */
  setAway(away: 'away' | 'back'): void;
  close(): Promise<void>;
}

/** What the tokens of CI jobs are meant for. */
export const CI_AUDIENCE = 'https://apps.example.com';

/** The claims of a job on the default branch of a project, as GitLab has them. */
export const JOB_CLAIMS = {
  sub: 'project_path:shop/orders:ref_type:branch:ref:main',
  project_path: 'shop/orders',
  namespace_path: 'shop',
  project_id: '22',
  ref: 'main',
  ref_type: 'branch',
  ref_protected: 'true',
};

export async function startCiIssuer(): Promise<CiIssuer> {
  const { authority, server: pair } = localTls();
  let current = await newKey();
  let away = false;
  const server = createServer({ cert: pair.certificate, key: pair.key });
  await new Promise<void>((done) => server.listen(0, '127.0.0.1', done));
  const url = `https://localhost:${(server.address() as AddressInfo).port}`;
  server.on('request', (request, response) => {
    if (away) {
      response.destroy();
      return;
    }
    const documents: Readonly<Record<string, object>> = {
      '/.well-known/openid-configuration': {
        issuer: url,
        jwks_uri: `${url}/jwks`,
        response_types_supported: ['id_token'],
        subject_types_supported: ['public'],
        id_token_signing_alg_values_supported: ['RS256'],
      },
      '/jwks': { keys: [current.jwk] },
    };
    const document = documents[request.url ?? ''];
    response.writeHead(document === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
    response.end(stringifyJson(document ?? {}));
  });
  return {
    url,
    authority,
    configuration: (audience) => {
      const entry = ciAuthenticator({ preset: 'gitlab', prefix: '', url }, [audience]);
      return renderAuthentication([{ ...entry, issuer: { ...entry.issuer, certificateAuthority: authority } }]);
    },
    key: () => current,
    sign: async (claims, header) => await signed(claims, { url, key: current, header }),
    rotate: async () => void (current = await newKey()),
    setAway: (word) => void (away = word === 'away'),
    close: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
}

interface SigningKey {
  readonly privateKey: CryptoKey;
  readonly jwk: JWK;
}

/** What another process needs to sign as an issuer that stays where it is. */
export interface SharedCiIssuer {
  readonly url: string;
  readonly privateKey: JWK;
}

export async function shareCiIssuer(ci: CiIssuer): Promise<SharedCiIssuer> {
  const { privateKey, jwk } = ci.key();
  return { url: ci.url, privateKey: { ...jwk, ...(await exportJWK(privateKey)) } };
}

export async function signerOf({ url, privateKey: jwk }: SharedCiIssuer): Promise<CiIssuer['sign']> {
  const key = { privateKey: (await importJWK(jwk, 'RS256')) as CryptoKey, jwk };
  return async (claims, header) => await signed(claims, { url, key, header });
}

type Claims = Readonly<Record<string, unknown>>;

async function signed(
  claims: Claims,
  { url, key, header = {} }: { readonly url: string; readonly key: SigningKey; readonly header: Partial<JWTHeaderParameters> | undefined },
): Promise<string> {
  const now = Math.floor(Date.now() / 1000);
  return await new SignJWT({ iss: url, jti: randomUUID(), iat: now, exp: now + 300, ...claims })
    .setProtectedHeader({ alg: 'RS256', typ: 'JWT', kid: key.jwk.kid ?? '', ...header })
    .sign(key.privateKey);
}

async function newKey(): Promise<SigningKey> {
  const { privateKey, publicKey } = await generateKeyPair('RS256', { extractable: true });
  const jwk = await exportJWK(publicKey);
  return { privateKey, jwk: { ...jwk, alg: 'RS256', use: 'sig', kid: await calculateJwkThumbprint(jwk) } };
}
