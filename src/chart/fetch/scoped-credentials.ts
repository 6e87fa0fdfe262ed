import type { ChartAccess, ChartCredentials } from '../../domain/chart/chart-access.ts';
import type { ChartSource } from '../../domain/operator/operator-spec.ts';
import type { Secret } from '../../domain/core/secret.ts';
import type { AppError } from '../../domain/core/errors.ts';
import { chartError } from '../chart-error.ts';

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
  const address = source.kind === 'url' ? source.url : source.repoURL;
  return credentials === undefined || URL.parse(address) === null ? undefined : scopeOrigin(address, credentials);
}

/** Credentials that are for the origin of an https or oci address. */
export function scopeOrigin(address: string, credentials: ChartCredentials): ScopedCredentials {
  const url = URL.parse(address);
  return { ...credentials, origin: (url?.protocol === 'oci:' ? URL.parse(`https://${url.host}`) : url)?.origin ?? 'null' };
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

interface AccessDenied {
  readonly address: string;
  readonly status: 401 | 403;
  readonly credentialsSent: 'Sent' | 'NotSent';
  readonly credentials: ScopedCredentials | undefined;
  /** The header `WWW-Authenticate` of a server that may ask us to sign in; empty when there is none. */
  readonly challenge: string;
}

/** The cause of the error of a 401: what the server says of how to sign in. */
export interface Challenge {
  readonly wwwAuthenticate: string;
}

/** The error of a server that denies access: which credentials were used, and what to check. */
export function accessDenied({ address, status, credentialsSent, credentials, challenge }: AccessDenied): AppError {
  return chartError('ChartUnauthorized', address, `answered ${status}; ${adviceFor(credentialsSent, credentials, status)}`, {
    wwwAuthenticate: challenge,
  } satisfies Challenge);
}

function adviceFor(sent: AccessDenied['credentialsSent'], scoped: ScopedCredentials | undefined, status: AccessDenied['status']): string {
  const login = scoped?.login;
  if (scoped === undefined || login === undefined) {
    return status === 401
      ? 'it asks for credentials; set spec.chart.secretRef to a Secret with them'
      : 'it denied access; if it is private, set spec.chart.secretRef to a Secret with credentials';
  }
  const { source } = scoped;
  const keys = login.scheme === 'Basic' ? 'username and password' : 'the token';
  if (sent === 'NotSent')
    return `the credentials of ${source} were not sent there, because they are for ${scoped.origin}; if the index of the repository names this host, the key passCredentialsAll allows it`;
  return status === 401
    ? `it rejected ${keys} of ${source}; check the Secret`
    : `it denied access to ${keys} of ${source}; check their permissions at the repository`;
}
