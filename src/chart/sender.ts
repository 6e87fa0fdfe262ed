import type { ChartAccess, ChartCredentials } from '../domain/chart-access.ts';
import type { ChartSource } from '../domain/operator-spec.ts';
import type { RemoteRequest } from './remote.ts';

/** Who we are toward the source of one chart. */
export interface Sender {
  readonly credentials: ChartCredentials;
  /** `https://host[:port]`: whom the credentials are for. */
  readonly origin: string;
}

/** The sender for a source; undefined when nothing says who we are there. */
export function senderFor(source: ChartSource, { credentials }: ChartAccess): Sender | undefined {
  const url = URL.parse(source.kind === 'url' ? source.url : source.repoURL);
  if (credentials === undefined || url === null) return undefined;
  return { credentials, origin: (url.protocol === 'oci:' ? URL.parse(`https://${url.host}`) : url)?.origin ?? 'null' };
}

/**
 * What goes along with a request to an address that the admin, or the repository's own index, names: login and client certificate for the
 * origin of the repository, and for the other https addresses of its index only if the Secret says so. Nothing goes along with a redirect to another origin.
 */
export function presentedTo(address: string, sender: Sender | undefined): Pick<RemoteRequest, 'authorization' | 'identity'> {
  const url = URL.parse(address);
  if (sender === undefined || url === null) return {};
  const { login, identity, reach } = sender.credentials;
  const mayHaveIt = url.origin === sender.origin || (reach === 'ListedAddresses' && url.protocol === 'https:');
  if (!mayHaveIt) return {};
  return {
    ...(login === undefined ? {} : { authorization: login.authorization }),
    ...(identity === undefined ? {} : { identity }),
  };
}
