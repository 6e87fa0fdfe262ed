import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parse, stringify } from 'yaml';
import { AppError } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import type { ClusterAddress } from '../../domain/kubectl/kubeconfig.ts';
import type { KeyPair } from './certificate.ts';

/** How a client proves who it is: a certificate, a bearer token, or a program that prints an `ExecCredential` with one. */
export type Credential = { readonly certificate: KeyPair } | { readonly token: string } | { readonly program: readonly string[] };

/** A kubeconfig with one context, `chandlery`, that refers to no other file. */
export function renderKubeconfig({ server, authority, user, credential }: KubeconfigInput): string {
  return stringify({
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'chandlery', cluster: { server, 'certificate-authority-data': base64(authority) } }],
    users: [{ name: user, user: renderCredential(credential) }],
    contexts: [{ name: 'chandlery', context: { cluster: 'chandlery', user } }],
    'current-context': 'chandlery',
  });
}

export interface KubeconfigInput {
  readonly server: string;
  /** PEM of the authority that signed the server's certificate. */
  readonly authority: string;
  readonly user: string;
  readonly credential: Credential;
}

/**
 * A kubeconfig by which kubectl acts as somebody: on the embedded cluster of a state folder, with tokens that the program prints. It holds no secret.
 *
 * @throws AppError `ConfigInvalid` when the folder holds no embedded cluster.
 */
export async function kubeconfigWithProgram(stateDir: string, user: string, program: readonly string[]): Promise<string> {
  const { server, certificateAuthority } = await readClusterAddress(stateDir);
  return renderKubeconfig({ server, authority: certificateAuthority, user, credential: { program } });
}

/**
 * Where the embedded cluster of a state folder is.
 *
 * @throws AppError `ConfigInvalid` when the folder holds none.
 */
export async function readClusterAddress(stateDir: string): Promise<Required<ClusterAddress>> {
  const admin: unknown = await readFile(join(stateDir, 'kubeconfig'), 'utf8').then(parse, () => undefined);
  const cluster = ['clusters', 0, 'cluster'] as const;
  const [server, authority] = [textAt(admin, ...cluster, 'server'), textAt(admin, ...cluster, 'certificate-authority-data')];
  if (server !== undefined && authority !== undefined) {
    return { server, certificateAuthority: Buffer.from(authority, 'base64').toString() };
  }
  throw new AppError('ConfigInvalid', `kubeconfig: ${stateDir} holds no embedded cluster; start Chandlery with this state folder first`);
}

function renderCredential(credential: Credential): object {
  if ('token' in credential) return { token: credential.token };
  if ('program' in credential) {
    const [command, ...args] = credential.program;
    return { exec: { apiVersion: 'client.authentication.k8s.io/v1', interactiveMode: 'Never', command, args } };
  }
  const { certificate, key } = credential.certificate;
  return { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
