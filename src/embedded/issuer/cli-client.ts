import type { ClientMetadata, Configuration } from 'oidc-provider';
import { CLUSTER_AUDIENCE } from '../cluster/cluster-issuer.ts';

/** The public client of the command line at the embedded issuer. */
export const CLI_CLIENT_ID = 'chandlery-cli';

const DEVICE_CODE_GRANT = 'urn:ietf:params:oauth:grant-type:device_code';

/** It has no secret; its redirect goes to any port of the loopback (RFC 8252, 7.3). */
export const CLI_CLIENT: ClientMetadata = {
  client_id: CLI_CLIENT_ID,
  client_name: 'Chandlery command line',
  application_type: 'native',
  token_endpoint_auth_method: 'none',
  redirect_uris: ['http://127.0.0.1/callback', 'http://[::1]/callback'],
  grant_types: ['authorization_code', 'refresh_token', DEVICE_CODE_GRANT],
  response_types: ['code'],
};

/**
 * Makes the access tokens of clients good for the embedded api-server, too: it knows the issuer by another name, and takes tokens for its own audience.
 *
 * @param clusterIssuer that name.
 */
export function tokensFor(clusterIssuer: string, clients: readonly string[]): Pick<Configuration, 'formats'> {
  return {
    formats: {
      customizers: {
        jwt: (_ctx, token, parts) => {
          if (!('clientId' in token) || !clients.includes(token.clientId ?? '')) return;
          const { aud } = parts.payload;
          parts.payload['iss'] = clusterIssuer;
          parts.payload['aud'] = [...[aud ?? []].flat(), CLUSTER_AUDIENCE];
        },
      },
    },
  };
}
