import type { CliClient } from './cli-client.ts';
import { EXEC_API_VERSION } from './exec-credential.ts';

/** Where people reach the api-server. */
export interface ClusterAddress {
  readonly server: string;
  /** PEM; absent: the authorities of the machine count. */
  readonly certificateAuthority?: string;
}

export interface KubeconfigInput {
  readonly cluster: ClusterAddress;
  /** Names the entries, so that files can be merged: the host of Chandlery. */
  readonly host: string;
  /** As the api-server names the person; absent where nobody is known yet. */
  readonly user?: string;
  readonly environment?: { readonly name: string; readonly namespace: string };
  /** The program that prints an `ExecCredential`, and its arguments. */
  readonly program: readonly string[];
}

/** A kubeconfig without secrets: kubectl gets its tokens from a program. */
export function personKubeconfig(input: KubeconfigInput): object {
  const { cluster, host, environment, program } = input;
  const { server, certificateAuthority } = cluster;
  const user = `${input.user ?? 'person'}@${host}`;
  const context = environment === undefined ? host : `${environment.name}@${host}`;
  const authority =
    certificateAuthority === undefined ? {} : { 'certificate-authority-data': Buffer.from(certificateAuthority).toString('base64') };
  const namespace = environment === undefined ? {} : { namespace: environment.namespace };
  const [command = '', ...args] = program;
  const exec = { apiVersion: EXEC_API_VERSION, interactiveMode: 'Never', command, args, installHint: INSTALL_HINT };
  return {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: host, cluster: { server, ...authority } }],
    users: [{ name: user, user: { exec } }],
    contexts: [{ name: context, context: { cluster: host, user, ...namespace } }],
    'current-context': context,
  };
}

const INSTALL_HINT = 'kubectl gets its token from the chandlery command line: install it, and put it on the PATH.';

/** A claim that the tokens of a person have, and those of nobody else. */
export interface ExpectedClaim {
  readonly claim: string;
  readonly value: string;
}

/** The arguments of `chandlery credential` for a person. */
export function credentialArguments(client: CliClient, user: string | undefined, expected?: ExpectedClaim): readonly string[] {
  const { issuer, clientId, token, scopes, certificateAuthority } = client;
  return [
    'credential',
    `--issuer=${issuer}`,
    `--client-id=${clientId}`,
    ...(token === 'id' ? [] : [`--token=${token}`]),
    ...scopes.map((scope) => `--scope=${scope}`),
    ...(certificateAuthority === undefined ? [] : [`--certificate-authority-data=${Buffer.from(certificateAuthority).toString('base64')}`]),
    ...(user === undefined ? [] : [`--user=${user}`]),
    ...(expected === undefined ? [] : [`--claim=${expected.claim}=${expected.value}`]),
  ];
}
