import { generateKeyPairSync } from 'node:crypto';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { issueCertificate, isUsableCertificate, type CertificateRequest, type KeyPair } from './certificate.ts';
import { writePrivateFile } from './private-file.ts';

/** A key pair and the files that hold it. */
export interface StoredKeyPair extends KeyPair {
  readonly certificateFile: string;
  readonly keyFile: string;
}

type Authority = 'cluster-ca' | 'etcd-ca' | 'front-proxy-ca';
type Leaf =
  | 'apiserver'
  | 'issuer'
  | 'kubelet'
  | 'kubelet-client'
  | 'admin'
  | 'controller-manager'
  | 'scheduler'
  | 'kwok'
  | 'front-proxy'
  | 'etcd-server'
  | 'etcd-client';

/** All certificates of a cluster, and the key that signs service account tokens. */
export type Pki = Readonly<Record<Authority | Leaf, StoredKeyPair>> & {
  readonly serviceAccount: { readonly keyFile: string; readonly publicKeyFile: string };
};

const DAY = 24 * 60 * 60 * 1000;
const AUTHORITY_DAYS = 3650;
const LEAF_DAYS = 365;
const RENEW_DAYS = 30;
const LOOPBACK = ['localhost', '127.0.0.1', '::1'];
const API_SERVER_HOSTS = [
  ...LOOPBACK,
  'kubernetes',
  'kubernetes.default',
  'kubernetes.default.svc',
  'kubernetes.default.svc.cluster.local',
  '10.96.0.1',
];

/** The name under which the api-server asks the kubelet. */
export const KUBELET_CLIENT = 'kube-apiserver-kubelet-client';

/** etcd has an authority of its own: whoever holds a certificate of the cluster's authority must not read etcd past the api-server. */
const LEAVES: Readonly<
  Record<Leaf, { readonly issuer: Authority } & Pick<CertificateRequest, 'commonName' | 'organization' | 'use' | 'hosts'>>
> = {
  apiserver: { issuer: 'cluster-ca', commonName: 'kube-apiserver', use: 'server', hosts: API_SERVER_HOSTS },
  issuer: { issuer: 'cluster-ca', commonName: 'chandlery-issuer', use: 'server', hosts: LOOPBACK },
  kubelet: { issuer: 'cluster-ca', commonName: 'chandlery-kubelet', use: 'server', hosts: LOOPBACK },
  'kubelet-client': { issuer: 'cluster-ca', commonName: KUBELET_CLIENT, use: 'client' },
  admin: { issuer: 'cluster-ca', commonName: 'chandlery-admin', organization: 'system:masters', use: 'client' },
  'controller-manager': { issuer: 'cluster-ca', commonName: 'system:kube-controller-manager', use: 'client' },
  scheduler: { issuer: 'cluster-ca', commonName: 'system:kube-scheduler', use: 'client' },
  kwok: { issuer: 'cluster-ca', commonName: 'chandlery:kwok', use: 'client' },
  'front-proxy': { issuer: 'front-proxy-ca', commonName: 'front-proxy-client', use: 'client' },
  'etcd-server': { issuer: 'etcd-ca', commonName: 'etcd', use: 'server and client', hosts: LOOPBACK },
  'etcd-client': { issuer: 'etcd-ca', commonName: 'kube-apiserver', use: 'client' },
};

/**
 * Reads the certificates in `folder` and makes what is missing, damaged or about to expire. Authorities last ten years and everything
 * else one; both are renewed a month before their end.
 */
export async function preparePki(folder: string, now: Date): Promise<Pki> {
  await mkdir(folder, { recursive: true, mode: 0o700 });
  const authorities = {
    'cluster-ca': await prepareAuthority(folder, 'cluster-ca', now),
    'etcd-ca': await prepareAuthority(folder, 'etcd-ca', now),
    'front-proxy-ca': await prepareAuthority(folder, 'front-proxy-ca', now),
  };
  const leaf = async (name: Leaf): Promise<StoredKeyPair> => prepareLeaf(folder, name, { issuer: authorities[LEAVES[name].issuer], now });
  return {
    ...authorities,
    apiserver: await leaf('apiserver'),
    issuer: await leaf('issuer'),
    kubelet: await leaf('kubelet'),
    'kubelet-client': await leaf('kubelet-client'),
    admin: await leaf('admin'),
    'controller-manager': await leaf('controller-manager'),
    scheduler: await leaf('scheduler'),
    kwok: await leaf('kwok'),
    'front-proxy': await leaf('front-proxy'),
    'etcd-server': await leaf('etcd-server'),
    'etcd-client': await leaf('etcd-client'),
    serviceAccount: await prepareSigningKey(folder),
  };
}

async function prepareAuthority(folder: string, name: Authority, now: Date): Promise<StoredKeyPair> {
  const stored = await readPair(folder, name);
  if (stored !== undefined && isUsableCertificate(stored, { issuer: stored, until: after(now, RENEW_DAYS) })) return stored;
  return store(folder, name, issueCertificate({ commonName: `chandlery-${name}`, use: 'authority', ...lifetime(now, AUTHORITY_DAYS) }));
}

async function prepareLeaf(folder: string, name: Leaf, { issuer, now }: { issuer: KeyPair; now: Date }): Promise<StoredKeyPair> {
  const { issuer: _, ...request } = LEAVES[name];
  const stored = await readPair(folder, name);
  const expected = { issuer, until: after(now, RENEW_DAYS), ...(request.hosts === undefined ? {} : { hosts: request.hosts }) };
  if (stored !== undefined && isUsableCertificate(stored, expected)) return stored;
  return store(folder, name, issueCertificate({ ...request, ...lifetime(now, LEAF_DAYS) }, issuer));
}

async function prepareSigningKey(folder: string): Promise<Pki['serviceAccount']> {
  const keyFile = join(folder, 'service-account.key');
  const publicKeyFile = join(folder, 'service-account.pub');
  const files = { keyFile, publicKeyFile };
  if ((await readText(keyFile)) !== undefined && (await readText(publicKeyFile)) !== undefined) return files;
  const { privateKey, publicKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  await writePrivateFile(keyFile, privateKey.export({ type: 'pkcs8', format: 'pem' }).toString());
  await writePrivateFile(publicKeyFile, publicKey.export({ type: 'spki', format: 'pem' }).toString());
  return files;
}

async function store(folder: string, name: string, pair: KeyPair): Promise<StoredKeyPair> {
  const files = filesOf(folder, name);
  await writePrivateFile(files.keyFile, pair.key);
  await writePrivateFile(files.certificateFile, pair.certificate);
  return { ...pair, ...files };
}

async function readPair(folder: string, name: string): Promise<StoredKeyPair | undefined> {
  const files = filesOf(folder, name);
  const certificate = await readText(files.certificateFile);
  const key = await readText(files.keyFile);
  return certificate === undefined || key === undefined ? undefined : { certificate, key, ...files };
}

function filesOf(folder: string, name: string): { certificateFile: string; keyFile: string } {
  return { certificateFile: join(folder, `${name}.crt`), keyFile: join(folder, `${name}.key`) };
}

async function readText(path: string): Promise<string | undefined> {
  try {
    return await readFile(path, 'utf8');
  } catch {
    return undefined;
  }
}

function lifetime(now: Date, days: number): { notBefore: Date; notAfter: Date } {
  return { notBefore: after(now, -1), notAfter: after(now, days) };
}

function after(now: Date, days: number): Date {
  return new Date(now.getTime() + days * DAY);
}
