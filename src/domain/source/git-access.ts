import { createHash } from 'node:crypto';
import { type ChartCredentials, chartSecretInvalid } from '../chart/chart-access.ts';
import { parseChartSecret, secretName, textsOf } from '../chart/chart-secret.ts';
import { objectAt, textAt } from '../core/read.ts';
import { type Secret, secret } from '../core/secret.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** Where a repository is: by https, or by ssh as `ssh://user@host:port/path` or `user@host:path`. */
export interface GitAddress {
  readonly scheme: 'https' | 'ssh';
  /** Without the brackets of an IPv6 address. */
  readonly host: string;
  readonly port: number;
}

/** Who we are at the host of a repository. */
export interface GitCredentials extends Pick<ChartCredentials, 'login' | 'authorities'> {
  readonly ssh?: SshIdentity;
}

export interface SshIdentity {
  /** A private key in PEM or in the format of OpenSSH. */
  readonly key: Secret;
  /** Of the key. */
  readonly password?: Secret;
  /** The lines of a `known_hosts` file. */
  readonly knownHosts: string;
}

/** Nothing of it begins with a dash or has a sign that a shell or ssh reads: `git` hands user and host to ssh. */
const SCP = /^[A-Za-z0-9_][A-Za-z0-9_.+-]*@([A-Za-z0-9][A-Za-z0-9.-]*):[^-\s:/][^\s:]*$/;
const SSH_URL = /^ssh:\/\/(?:[A-Za-z0-9_][A-Za-z0-9_.+-]*@)?(?:([A-Za-z0-9][A-Za-z0-9.-]*)|\[([0-9A-Fa-f:.]+)\])(?::(\d{1,5}))?\/[^\s]+$/;

/** Reads an address; undefined for one that Chandlery does not connect to. */
export function parseGitAddress(url: string): GitAddress | undefined {
  const scp = SCP.exec(url)?.[1];
  if (scp !== undefined) return { scheme: 'ssh', host: scp, port: 22 };
  const [matched, name, figures, port] = SSH_URL.exec(url) ?? [];
  const host = name ?? figures;
  if (matched !== undefined && host !== undefined) return { scheme: 'ssh', host, port: Number(port ?? 22) };
  const { protocol, hostname = '', port: written } = URL.parse(url) ?? {};
  if (protocol !== 'https:' || hostname === '') return undefined;
  return { scheme: 'https', host: hostname.replace(/^\[|\]$/g, ''), port: Number(written === '' ? 443 : written) };
}

/**
 * Reads the Secret that `spec.git.secretRef` names.
 *
 * @param url of the repository: by ssh the keys are `identity`, `known_hosts` and `password`, by https those of charts.
 * @throws AppError `ChartSecretInvalid` that names the Secret and the key, and quotes nothing of what is in it.
 */
export function parseGitSecret(object: KubeObject, url: string): GitCredentials {
  if (parseGitAddress(url)?.scheme !== 'ssh') return parseChartSecret(object, url);
  const source = secretName(object);
  const texts = textsOf(object);
  const key = texts.get('identity') ?? '';
  if (!/^-----BEGIN [A-Z ]*PRIVATE KEY-----/.test(key.trim()))
    throw chartSecretInvalid(source, 'its key "identity" is missing or no private key; write what ssh-keygen made, without .pub');
  const knownHosts = texts.get('known_hosts') ?? '';
  if (!/^(?!#)\S+\s+\S+/m.test(knownHosts))
    throw chartSecretInvalid(
      source,
      'its key "known_hosts" is missing or empty; write what "ssh-keyscan" gives of the host, after comparing it with the fingerprints that the host publishes',
    );
  const password = texts.get('password');
  // OpenSSH rejects a key without a line break at its end.
  const whole = secret(`${key.trim()}\n`);
  return {
    authorities: [],
    ssh: { key: whole, knownHosts: `${knownHosts.trim()}\n`, ...(password === undefined ? {} : { password: secret(password) }) },
  };
}

/** The policy that a revision must be signed, and by whom. */
export interface GitVerification {
  /** `Secret "namespace/name"`, for sentences. */
  readonly source: string;
  /** Lines of an `allowed_signers` file (ssh-keygen(1)). */
  readonly allowedSigners: string;
  /** OpenPGP keyrings, binary or armored. */
  readonly keys: readonly { readonly name: string; readonly bytes: Uint8Array }[];
  /** Another text whenever the keys are others. */
  readonly digest: string;
}

/** A type, a key in base64 and perhaps a comment. */
const SSH_KEY = /^((?:ssh|ecdsa|sk-ssh|sk-ecdsa)-[A-Za-z0-9@.-]+ [A-Za-z0-9+/]+=*)(?: [^\n]*)?$/;

/**
 * Reads the Secret that `spec.git.verify.secretRef` names: `*.pub` and `allowed_signers` for ssh, `*.asc` and `*.gpg` for OpenPGP.
 *
 * @throws AppError `ChartSecretInvalid` that names the Secret and the key; OpenPGP keys are read when they are needed.
 */
export function parseGitVerifySecret(object: KubeObject): GitVerification {
  const source = secretName(object);
  const texts = [...textsOf(object)].sort(([a], [b]) => (a < b ? -1 : 1));
  const leaked = texts.find(([, text]) => text.includes('PRIVATE KEY'));
  if (leaked !== undefined)
    throw chartSecretInvalid(
      source,
      `its key "${leaked[0]}" holds a private key; replace it with the public key, and consider the private key compromised`,
    );
  const signers = texts.flatMap(([name, text]) => {
    if (name.endsWith('.pub')) return [signerLine(source, name, text)];
    return name === 'allowed_signers' ? [text.trim()] : [];
  });
  const keys = Object.keys(objectAt(object, 'data'))
    .filter((name) => /\.(asc|gpg)$/.test(name))
    .sort()
    .map((name) => ({ name, bytes: Buffer.from(textAt(object, 'data', name) ?? '', 'base64') }));
  if (signers.length === 0 && keys.length === 0)
    throw chartSecretInvalid(
      source,
      'it has no key "allowed_signers" and none that ends in .pub, .asc or .gpg; add the public keys that may sign',
    );
  const allowedSigners = `${signers.join('\n')}\n`;
  const hash = createHash('sha256').update(allowedSigners);
  for (const { bytes } of keys) hash.update(createHash('sha256').update(bytes).digest());
  return { source, allowedSigners, keys, digest: hash.digest('hex') };
}

function signerLine(source: string, name: string, text: string): string {
  const key = SSH_KEY.exec(text.trim())?.[1];
  if (key === undefined) throw chartSecretInvalid(source, `its key "${name}" is no public key of ssh; write the line of a .pub file`);
  return `${name} namespaces="git" ${key}`;
}
