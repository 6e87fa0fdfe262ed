import type { ChartAccess, ChartCredentials } from '../../domain/chart/chart-access.ts';
import type { ChartSource } from '../../domain/operator/operator-spec.ts';
import type { Secret } from '../../domain/core/secret.ts';

/** The credentials of one chart source, and the only origin that they are sent to by default. */
export interface ScopedCredentials extends ChartCredentials {
  /** `https://host[:port]`: whom the credentials are for. */
  readonly origin: string;
}

/** What one request carries of them. */
export interface SentCredentials {
  /** Sent to the origin of the request until a redirect leads away from it, and never again then. */
  readonly authorization?: Secret;
  /** The client certificate in TLS; presented wherever the authorization is sent. */
  readonly identity?: ChartCredentials['identity'];
}

/** The credentials of a chart source, scoped to its origin; undefined for a source without a Secret. */
export function scopeCredentials(source: ChartSource, { credentials }: ChartAccess): ScopedCredentials | undefined {
  const url = URL.parse(source.kind === 'url' ? source.url : source.repoURL);
  if (credentials === undefined || url === null) return undefined;
  return { ...credentials, origin: (url.protocol === 'oci:' ? URL.parse(`https://${url.host}`) : url)?.origin ?? 'null' };
}

/**
 * The credentials sent with a request to an address that the admin, or the repository's own index, names: login and client certificate for the
 * origin of the repository, and for the other https addresses of its index only if the Secret allows it. A redirect to another origin gets none.
 */
export function credentialsSentTo(address: string, scoped: ScopedCredentials | undefined): SentCredentials {
  const url = URL.parse(address);
  if (scoped === undefined || url === null) return {};
  const { login, identity, reach } = scoped;
  const isInScope = url.origin === scoped.origin || (reach === 'ListedAddresses' && url.protocol === 'https:');
  if (!isInScope) return {};
  return {
    ...(login === undefined ? {} : { authorization: login.authorization }),
    ...(identity === undefined ? {} : { identity }),
  };
}
