import { createPrivateKey, X509Certificate } from 'node:crypto';
import { objectAt, textAt } from '../core/read.ts';
import { secret } from '../core/secret.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { type ChartCredentials, type ChartLogin, chartSecretInvalid } from './chart-access.ts';

const DOCKER_TYPE = 'kubernetes.io/dockerconfigjson';
/** `username` and `password`, `bearerToken`, or the login of a docker configuration; and the keys of TLS. */
const KNOWN_KEYS = 'username and password, bearerToken, ca.crt, tls.crt and tls.key';

/** The names by which one and the same registry goes. */
const DOCKER_HUB = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io']);

interface EntryPlace {
  readonly host: string;
  /** Empty, or `/path`. */
  readonly path: string;
}

/**
 * Reads the Secret that `spec.chart.secretRef` names.
 *
 * @param repoURL the repository that it is for, an https or oci address.
 * @throws AppError `ChartSecretInvalid` that names the Secret and the key, and quotes nothing of what is in it.
 */
export function parseChartSecret(object: KubeObject, repoURL: string): ChartCredentials {
  const source = secretName(object);
  const texts = textsOf(object);
  const login = loginOf(object, texts, repoURL);
  const authorities = authoritiesOf(source, texts.get('ca.crt'));
  const identity = identityOf(source, texts);
  if (login === undefined && identity === undefined && authorities.length === 0)
    throw chartSecretInvalid(source, `it has none of the keys ${KNOWN_KEYS}; add the credentials of the repository`);
  return {
    source,
    revision: revisionOf(object),
    ...(login === undefined ? {} : { login }),
    authorities,
    ...(identity === undefined ? {} : { identity }),
    reach: reachOf(source, texts.get('passCredentialsAll')),
    ...tokenServerOf(source, texts.get('tokenServer')),
  };
}

/** `Secret "namespace/name"`. */
export function secretName({ metadata }: KubeObject): string {
  return `Secret "${metadata.namespace ?? 'default'}/${metadata.name}"`;
}

/** Its version: a digest of the content would let a short password be guessed. */
export function revisionOf({ metadata }: KubeObject): string {
  return `${metadata.namespace ?? ''}/${metadata.name} ${metadata.uid ?? ''}/${metadata.resourceVersion ?? ''}`;
}

/** The keys of a Secret, decoded. */
export function textsOf(object: KubeObject): ReadonlyMap<string, string> {
  const entries = Object.keys(objectAt(object, 'data')).map(
    (key) => [key, Buffer.from(textAt(object, 'data', key) ?? '', 'base64').toString('utf8')] as const,
  );
  return new Map(entries);
}

function loginOf(object: KubeObject, texts: ReadonlyMap<string, string>, repoURL: string): ChartLogin | undefined {
  const source = secretName(object);
  const token = texts.get('bearerToken')?.trim();
  const basic = texts.has('username') || texts.has('password') ? basicLogin(source, texts) : undefined;
  if (token !== undefined && basic !== undefined)
    throw chartSecretInvalid(source, 'it has the keys "username" and "bearerToken"; keep the one that the repository accepts');
  if (textAt(object, 'type') === DOCKER_TYPE || texts.has('.dockerconfigjson')) {
    const pair = parseDockerLogin(source, texts.get('.dockerconfigjson') ?? '', repoURL);
    return basicOf(pair.username, pair.password);
  }
  if (token === undefined) return basic;
  if (!/^[\x21-\x7e]+$/.test(token))
    throw chartSecretInvalid(source, 'its key "bearerToken" is empty or holds characters that no token has; write the token alone');
  return { scheme: 'Bearer', authorization: secret(`Bearer ${token}`) };
}

function basicLogin(source: string, texts: ReadonlyMap<string, string>): ChartLogin {
  const [username, password] = ['username', 'password'].map((key) => {
    const text = texts.get(key);
    if (text === undefined) throw chartSecretInvalid(source, `it has no key "${key}", which its other key needs; add it`);
    if (/\p{Cc}/u.test(text))
      throw chartSecretInvalid(source, `its key "${key}" holds a line break or another control character; write it without ("echo -n")`);
    return text;
  });
  if (username === undefined || username === '' || username.includes(':'))
    throw chartSecretInvalid(source, 'its key "username" is empty or holds a colon, which no user name may');
  return basicOf(username, password ?? '');
}

function basicOf(username: string, password: string): ChartLogin {
  return { scheme: 'Basic', authorization: secret(`Basic ${Buffer.from(`${username}:${password}`).toString('base64')}`) };
}

function authoritiesOf(source: string, text: string | undefined): readonly string[] {
  if (text === undefined) return [];
  const authorities = parseCertificates(text);
  if (authorities !== undefined) return authorities;
  throw chartSecretInvalid(source, 'its key "ca.crt" has no certificates in PEM; write the authority that signed the certificate');
}

function identityOf(source: string, texts: ReadonlyMap<string, string>): ChartCredentials['identity'] {
  const [certificate, key] = [texts.get('tls.crt'), texts.get('tls.key')];
  if (certificate === undefined && key === undefined) return undefined;
  if (certificate === undefined || key === undefined)
    throw chartSecretInvalid(source, `it has no key "${key === undefined ? 'tls.key' : 'tls.crt'}", which its other key needs; add it`);
  try {
    if (new X509Certificate(certificate).checkPrivateKey(createPrivateKey(key))) return { certificate, key: secret(key) };
  } catch {
    // What OpenSSL says may quote the key; the sentence below is for this and for a pair that does not fit.
  }
  throw chartSecretInvalid(source, 'its keys "tls.crt" and "tls.key" are no certificate and its private key, both in PEM');
}

function reachOf(source: string, text: string | undefined): ChartCredentials['reach'] {
  const word = (text ?? 'false').trim();
  if (word === 'false') return 'OwnOrigin';
  if (word === 'true') return 'ListedAddresses';
  throw chartSecretInvalid(source, 'its key "passCredentialsAll" is neither true nor false');
}

function tokenServerOf(source: string, text: string | undefined): Pick<ChartCredentials, 'tokenServer'> {
  if (text === undefined) return {};
  const url = URL.parse(text.trim());
  if (url?.protocol === 'https:' && url.username === '' && url.password === '' && url.pathname === '/') return { tokenServer: url.origin };
  throw chartSecretInvalid(source, 'its key "tokenServer" is no origin; write it like https://auth.example.com');
}

/**
 * Finds user and password of a registry in a `.dockerconfigjson`; the entry with the longest path counts.
 *
 * @param source the Secret, for sentences.
 * @throws AppError `ChartSecretInvalid`.
 */
function parseDockerLogin(source: string, text: string, repoURL: string): { readonly username: string; readonly password: string } {
  const repository = URL.parse(repoURL);
  if (repository?.protocol !== 'oci:')
    throw chartSecretInvalid(source, 'a docker configuration is for oci repositories; this one takes the keys username and password');
  const entries = Object.entries(objectAt(parse(source, text), 'auths')).map(([key, entry]) => ({ ...placeOf(key), entry }));
  const [best] = entries.filter((place) => covers(place, repository)).sort((a, b) => b.path.length - a.path.length);
  if (best === undefined)
    throw chartSecretInvalid(source, `its key ".dockerconfigjson" has no entry for ${repository.host}; add one, or name another Secret`);
  const { entry } = best;
  const pair = Buffer.from(textAt(entry, 'auth') ?? '', 'base64').toString('utf8');
  const colon = pair.indexOf(':');
  const username = textAt(entry, 'username') ?? pair.slice(0, Math.max(0, colon));
  const password = textAt(entry, 'password') ?? pair.slice(colon + 1);
  if (username === '' || password === '')
    throw chartSecretInvalid(source, `the entry for ${repository.host} has no user and password; identity tokens are not supported`);
  return { username, password };
}

function parse(source: string, text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw chartSecretInvalid(
      source,
      'its key ".dockerconfigjson" is missing or not JSON; make it with "kubectl create secret docker-registry"',
    );
  }
}

/** What the key of an entry, `host`, `host/path` or an address of either, is about. */
function placeOf(key: string): EntryPlace {
  const [host = '', ...rest] = key
    .replace(/^https?:\/\//, '')
    .replace(/\/+$/, '')
    .split('/');
  return { host, path: ['', ...rest].join('/').replace(/\/v[12]$/, '') };
}

function covers({ host, path }: EntryPlace, repository: URL): boolean {
  if (DOCKER_HUB.has(host)) return DOCKER_HUB.has(repository.host);
  return host === repository.host && (path === '' || `${repository.pathname}/`.startsWith(`${path}/`));
}

const CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;

/** The certificates of a text in PEM, one each; undefined when it holds none, or one that cannot be read. */
export function parseCertificates(text: string): readonly string[] | undefined {
  const found = text.match(CERTIFICATE) ?? [];
  return found.length > 0 && found.every(isCertificate) ? found : undefined;
}

function isCertificate(pem: string): boolean {
  try {
    return new X509Certificate(pem).subject !== undefined;
  } catch {
    return false;
  }
}
