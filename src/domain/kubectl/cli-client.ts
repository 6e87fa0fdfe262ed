import { textAt, textsAt } from '../core/read.ts';

/** Which of the tokens of a sign-in is the bearer token. */
export const CLI_TOKENS = ['id', 'access'] as const;
export type CliToken = (typeof CLI_TOKENS)[number];

/** The public client as which command lines sign people in at an issuer. Nothing of it is secret. */
export interface CliClient {
  /** The issuer's address, to the letter. */
  readonly issuer: string;
  readonly clientId: string;
  readonly token: CliToken;
  /** Of sign-ins, besides openid, profile and email. */
  readonly scopes: readonly string[];
  /** PEM; absent: the authorities of the machine count. */
  readonly certificateAuthority?: string;
}

const LOCAL_HOSTS = ['localhost', '127.0.0.1', '[::1]'];

/** Whether an issuer is asked by https, or is on this machine. */
export function isSafeIssuer(text: string): boolean {
  if (!URL.canParse(text)) return false;
  const { protocol, hostname, username } = new URL(text);
  return username === '' && (protocol === 'https:' || (protocol === 'http:' && LOCAL_HOSTS.includes(hostname)));
}

/** The path of the metadata of a protected resource (RFC 9728, 3). */
export const RESOURCE_METADATA_PATH = '/.well-known/oauth-protected-resource';

/** The metadata by which a command line finds out where to sign in: RFC 9728, and the members of ours that begin with `chandlery_cli`. */
export function resourceMetadata(resource: string, client: CliClient | undefined): object {
  if (client === undefined) return { resource, bearer_methods_supported: ['header'] };
  const { issuer, clientId, token, scopes, certificateAuthority } = client;
  return {
    resource,
    authorization_servers: [issuer],
    bearer_methods_supported: ['header'],
    chandlery_cli_client_id: clientId,
    chandlery_cli_token: token,
    chandlery_cli_scopes: scopes,
    ...(certificateAuthority === undefined ? {} : { chandlery_cli_certificate_authority: certificateAuthority }),
  };
}

/** The client in such metadata; undefined where the server has none. */
export function cliClientOf(metadata: unknown): CliClient | undefined {
  const [issuer] = textsAt(metadata, 'authorization_servers');
  const clientId = textAt(metadata, 'chandlery_cli_client_id');
  const token = CLI_TOKENS.find((one) => one === textAt(metadata, 'chandlery_cli_token'));
  const certificateAuthority = textAt(metadata, 'chandlery_cli_certificate_authority');
  if (issuer === undefined || clientId === undefined || token === undefined) return undefined;
  const authority = certificateAuthority === undefined ? {} : { certificateAuthority };
  return { issuer, clientId, token, scopes: textsAt(metadata, 'chandlery_cli_scopes'), ...authority };
}
