import type { JWK } from 'jose';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import type { JwtAuthenticator } from '../../identity/claims/authentication-configuration.ts';
import { authenticatorOf, type ClaimSettings } from '../../identity/identity-settings.ts';
import type { KeyPair } from './certificate.ts';
import { serveLoopback } from './serve-loopback.ts';

/** Whom a token must be meant for that the embedded api-server accepts. */
export const CLUSTER_AUDIENCE = 'kubernetes';

/** The embedded issuer as the api-server knows it. */
export interface ClusterIssuer {
  /** The `iss` of tokens for the api-server. */
  readonly url: string;
  close(): void;
}

export interface ClusterIssuerOptions {
  readonly port: number;
  /** For the loopback, signed by an authority that the api-server is configured to trust. */
  readonly certificate: KeyPair;
  /** The key that the embedded issuer signs with. Only its public part is served. */
  readonly signingKey: JWK;
}

/**
 * Serves the discovery document and the public key of the embedded issuer by https on the loopback. The api-server takes no issuer by http (Kubernetes, structured
 * authentication configuration), and browsers would warn of the certificate, so the issuer has this second name for the api-server alone.
 *
 * @throws AppError `ClusterUnavailable` when the port is taken.
 */
export async function serveClusterIssuer({ port, certificate, signingKey }: ClusterIssuerOptions): Promise<ClusterIssuer> {
  const url = `https://127.0.0.1:${port}`;
  const { kty, n, e, alg, use, kid } = signingKey;
  const documents = new Map<string | undefined, object>([
    ['/.well-known/openid-configuration', discoveryDocument(url)],
    ['/jwks', { keys: [{ kty, n, e, alg, use, kid }] }],
  ]);
  const server = await serveLoopback({ what: 'the issuer of its tokens', port, certificate }, (request, response) => {
    const document = request.method === 'GET' ? documents.get(request.url) : undefined;
    response.writeHead(document === undefined ? 404 : 200, { 'Content-Type': 'application/json' });
    response.end(stringifyJson(document ?? {}));
  });
  return { url, close: server.close };
}

/** OpenID Connect Discovery 1.0, 3, as far as there is anything. */
function discoveryDocument(url: string): object {
  return {
    issuer: url,
    jwks_uri: `${url}/jwks`,
    response_types_supported: ['id_token'],
    subject_types_supported: ['public'],
    id_token_signing_alg_values_supported: ['RS256'],
  };
}

/**
 * The entry of an AuthenticationConfiguration by which an api-server takes tokens of the embedded issuer.
 *
 * @param authority PEM of the authority that signed the issuer's certificate.
 */
export function clusterAuthenticator(url: string, authority: string, claims: ClaimSettings): JwtAuthenticator {
  return authenticatorOf({ url, audiences: [CLUSTER_AUDIENCE], certificateAuthority: authority }, claims);
}
