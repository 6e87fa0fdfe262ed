import type { AppError } from '../domain/errors.ts';
import { chartError } from './chart-error.ts';
import type { Sender } from './sender.ts';

export interface Refused {
  readonly address: string;
  readonly status: 401 | 403;
  /** Whether this server was told who we are. */
  readonly told: 'Told' | 'NotTold';
  readonly sender: Sender | undefined;
  /** The header `WWW-Authenticate` of a server that may ask us to sign in; empty when there is none. */
  readonly challenge: string;
}

/** The cause of the error of a 401: what the server says of how to sign in. */
export interface Challenge {
  readonly wwwAuthenticate: string;
}

/** A server does not let us in: says whose credentials were used, and what to look at. */
export function refusal({ address, status, told, sender, challenge }: Refused): AppError {
  return chartError('ChartUnauthorized', address, `answered ${status}; ${adviceFor(told, sender, status)}`, {
    wwwAuthenticate: challenge,
  } satisfies Challenge);
}

function adviceFor(told: Refused['told'], sender: Sender | undefined, status: Refused['status']): string {
  const login = sender?.credentials.login;
  if (sender === undefined || login === undefined) {
    return status === 401
      ? 'it asks for credentials; name a Secret that has them in spec.chart.secretRef'
      : 'it does not let us read this; if it is private, name a Secret with credentials in spec.chart.secretRef';
  }
  const { source } = sender.credentials;
  const keys = login.scheme === 'Basic' ? 'username and password' : 'the token';
  if (told === 'NotTold')
    return `what is in ${source} was not sent there, because it is for ${sender.origin}; if the index of the repository names this host, the key passCredentialsAll allows it`;
  return status === 401
    ? `it does not take ${keys} of ${source}; check what is there`
    : `it knows ${keys} of ${source} and does not let them read this; check their rights at the repository`;
}
