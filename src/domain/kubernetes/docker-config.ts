import { chartSecretInvalid } from '../chart/chart-secret-error.ts';
import { objectAt, textAt } from '../core/read.ts';

/** The names by which one and the same registry goes. */
const DOCKER_HUB = new Set(['docker.io', 'index.docker.io', 'registry-1.docker.io']);

/**
 * Finds user and password of a registry in a `.dockerconfigjson`; the entry with the longest path counts.
 *
 * @param source the Secret, for sentences.
 * @throws AppError `ChartSecretInvalid`.
 */
export function parseDockerLogin(source: string, text: string, repoURL: string): { readonly username: string; readonly password: string } {
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

interface EntryPlace {
  readonly host: string;
  /** Empty, or `/path`. */
  readonly path: string;
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
