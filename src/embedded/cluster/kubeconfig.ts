import { stringify } from 'yaml';
import type { KeyPair } from './certificate.ts';

/** How a client proves who it is: a certificate, or a bearer token. */
export type Credential = { readonly certificate: KeyPair } | { readonly token: string };

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

function renderCredential(credential: Credential): Record<string, string> {
  if ('token' in credential) return { token: credential.token };
  const { certificate, key } = credential.certificate;
  return { 'client-certificate-data': base64(certificate), 'client-key-data': base64(key) };
}

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
