import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Config } from '../../config.ts';
import type { CliClient } from '../../domain/kubectl/cli-client.ts';
import type { ClusterAddress, ExpectedClaim } from '../../domain/kubectl/kubeconfig.ts';
import { CLI_CLIENT_ID } from '../../embedded/issuer/cli-client.ts';
import type { JwtAuthenticator } from '../../identity/claims/authentication-configuration.ts';
import { authenticatorOf } from '../../identity/identity-settings.ts';
import type { Kube } from '../../kube/kube.ts';
import type { KubectlPorts } from '../../operation/kubectl/kubectl-ports.ts';
import type { TrustedIssuers } from './trusted-issuers.ts';

export interface KubectlInput {
  readonly config: Config;
  readonly issuers: TrustedIssuers;
  readonly publicUrl: URL;
  readonly repoRoot: string;
  readonly kube: Pick<Kube, 'address'>;
}

/** What kubectl and the command line of people need, by the settings. */
export async function createKubectlPort(input: KubectlInput): Promise<KubectlPorts> {
  const { config, issuers, publicUrl, repoRoot } = input;
  const isEmbedded = config.issuer.kind === 'embedded';
  // The demo people sit at this machine, whatever their PATH.
  const program = isEmbedded ? [process.execPath, join(repoRoot, 'bin', 'chandlery.mjs')] : ['chandlery'];
  const signIn = issuers.signIn ?? authenticatorOf({ url: '', audiences: [] }, issuers.demoClaims);
  return {
    cluster: await clusterOf(input),
    client: cliClient(config, issuers, publicUrl) ?? {
      unavailable: 'people cannot sign in by the command line here: an admin sets --cli-client-id',
    },
    program,
    host: publicUrl.host,
    expectedClaim: (user) => expectedClaim(signIn, user),
  };
}

/** The public client of the command line; undefined where none is configured. */
export function cliClient({ issuer }: Pick<Config, 'issuer'>, { signIn }: TrustedIssuers, publicUrl: URL): CliClient | undefined {
  if (issuer.kind === 'embedded')
    return { issuer: new URL('/issuer', publicUrl).href, clientId: CLI_CLIENT_ID, token: 'access', scopes: ['groups'] };
  const { address, cliClientId: clientId, cliToken: token, scopes } = issuer;
  if (clientId === undefined) return undefined;
  const authority = signIn?.issuer.certificateAuthority;
  return { issuer: address, clientId, token, scopes, ...(authority === undefined ? {} : { certificateAuthority: authority }) };
}

async function clusterOf({ config, kube }: KubectlInput): Promise<KubectlPorts['cluster']> {
  const { cluster, clusterUrl, clusterCaFile, issuer } = config;
  if (issuer.kind === 'embedded' && cluster.kind !== 'embedded')
    return { unavailable: 'no cluster but the embedded one trusts the embedded issuer: an admin sets --issuer' };
  const authority: Pick<ClusterAddress, 'certificateAuthority'> =
    clusterCaFile === undefined ? {} : { certificateAuthority: await readFile(clusterCaFile, 'utf8') };
  if (clusterUrl !== undefined) return { server: clusterUrl.href.replace(/\/$/, ''), ...authority };
  if (cluster.kind === 'in-cluster')
    return { unavailable: 'the address of the api-server for people is not known: an admin sets --cluster-url' };
  return { ...kube.address(), ...authority };
}

function expectedClaim({ claimMappings: { username } }: JwtAuthenticator, user: string): ExpectedClaim | undefined {
  if (!('claim' in username) || !user.startsWith(username.prefix)) return undefined;
  return { claim: username.claim, value: user.slice(username.prefix.length) };
}
