import type { AppError } from '../../domain/core/errors.ts';
import { chartError } from '../chart-error.ts';
import type { ScopedCredentials } from './scoped-credentials.ts';

export interface AccessDenied {
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
