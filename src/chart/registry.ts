import semver from 'semver';
import type { ChartSource } from '../domain/operator-spec.ts';
import { AppError } from '../domain/errors.ts';
import { chartError } from './chart-error.ts';
import { locate } from './locate.ts';
import { readText } from './read-text.ts';
import type { Incoming } from './receive.ts';
import { withRemote } from './remote.ts';
import type { Challenge, RemoteAnswer, RemoteContext } from './remote.ts';
import { newestFirst } from './repository.ts';
import type { OfferedVersion } from './repository.ts';

type Fields = Readonly<Record<string, unknown>>;

const MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
const CHART_LAYERS = ['application/vnd.cncf.helm.chart.content.v1.tar+gzip', 'application/tar+gzip'];
const TEXT_BYTES = 4 * 1024 * 1024;

/**
 * The versions of a chart in an OCI registry (OCI distribution specification 1.1; tags write `+` as `_`), newest first. A version that is asked for
 * exactly is not looked for in the list of tags, which many registries keep to themselves.
 *
 * @throws AppError like `ChartLibrary.fetch`.
 */
export async function registryOffers(
  source: Extract<ChartSource, { kind: 'repository' }>,
  context: RemoteContext,
  signal: AbortSignal,
): Promise<OfferedVersion[]> {
  const base = `${source.repoURL.replace(/\/+$/, '')}/${source.name}`;
  const offer = (version: string): OfferedVersion => ({ version, address: `${base}:${version.replace('+', '_')}` });
  if (semver.valid(source.version) !== null) return [offer(source.version)];
  const registry = openRegistry(new URL(base), context, signal);
  const tags = await registry.json('tags/list', 'application/json');
  const names = Array.isArray(tags['tags']) ? tags['tags'].filter((tag) => typeof tag === 'string') : [];
  return newestFirst(names.map((tag) => offer(tag.replace('_', '+'))));
}

/** Lends the bytes of the chart at `oci://<host>/<path>:<tag>` to the task. */
export async function withRegistryChart<T>(
  address: URL,
  context: RemoteContext,
  signal: AbortSignal,
  task: (incoming: Incoming) => Promise<T>,
): Promise<T> {
  const [, path = '', tag = ''] = /^(.*):([A-Za-z0-9_][A-Za-z0-9._-]{0,127})$/.exec(address.pathname) ?? [];
  if (path === '')
    throw chartError(
      'ChartUnreachable',
      address.href,
      'an oci address ends in :<version>; or use spec.chart with repoURL, name and version',
    );
  const registry = openRegistry(new URL(`oci://${address.host}${path}`), context, signal);
  const manifest = await registry.json(`manifests/${tag}`, MANIFEST);
  const layers = Array.isArray(manifest['layers']) ? (manifest['layers'] as readonly Fields[]) : [];
  const digest = layers.find((layer) => CHART_LAYERS.includes(String(layer['mediaType'])))?.['digest'];
  if (typeof digest !== 'string' || !/^sha256:[0-9a-f]{64}$/.test(digest)) {
    throw chartError('ChartInvalid', address.href, 'what is stored under this tag is not a Helm chart; check the path and the tag');
  }
  return registry.get(`blobs/${digest}`, '*/*', ({ body, answered, length }) =>
    task({ bytes: body, address: address.href, answered, length, digest }),
  );
}

interface Registry {
  get<T>(path: string, accept: string, task: (answer: RemoteAnswer) => Promise<T>): Promise<T>;
  json(path: string, accept: string): Promise<Fields>;
}

/** One repository of a registry. Where it asks for a token, an anonymous one is fetched once. */
function openRegistry(repository: URL, context: RemoteContext, signal: AbortSignal): Registry {
  const base = `https://${repository.host}/v2${repository.pathname}`;
  let authorization: string | undefined;
  const once = <T>(address: string, accept: string, task: (answer: RemoteAnswer) => Promise<T>): Promise<T> => {
    const place = locate(address, context.geography);
    if (place.kind !== 'remote') throw chartError('ChartUnreachable', address, 'a registry cannot be served from here');
    return withRemote({ place, accept, ...(authorization === undefined ? {} : { authorization }) }, context, signal, (destination) => {
      if (destination.kind === 'folder') throw chartError('ChartUnreachable', address, 'a registry cannot be served from a folder');
      return task(destination);
    });
  };
  const get: Registry['get'] = async (path, accept, task) => {
    try {
      return await once(`${base}/${path}`, accept, task);
    } catch (error) {
      const token = authorization === undefined ? tokenAddress(error) : undefined;
      if (token === undefined) throw error;
      const answer = await once(token, 'application/json', (given) => parseJson(given, token));
      authorization = `Bearer ${String(answer['token'] ?? answer['access_token'])}`;
      return once(`${base}/${path}`, accept, task);
    }
  };
  return { get, json: (path, accept) => get(path, accept, (answer) => parseJson(answer, `${base}/${path}`)) };
}

/** Where a challenge (RFC 6750, as registries use it) says that a token is to be had. */
function tokenAddress(error: unknown): string | undefined {
  const challenge = error instanceof AppError ? (error.cause as Partial<Challenge> | undefined)?.wwwAuthenticate : undefined;
  if (challenge === undefined || !/^bearer /i.test(challenge)) return undefined;
  const values = Object.fromEntries([...challenge.matchAll(/(\w+)="([^"]*)"/g)].map(([, key = '', value = '']) => [key, value]));
  const address = URL.parse(values['realm'] ?? '');
  if (address === null) return undefined;
  for (const key of ['service', 'scope']) {
    const value = values[key];
    if (value !== undefined) address.searchParams.set(key, value);
  }
  return address.href;
}

async function parseJson({ body, answered, length }: RemoteAnswer, address: string): Promise<Fields> {
  const text = await readText({ bytes: body, address, answered, length }, TEXT_BYTES);
  try {
    const value: unknown = JSON.parse(text);
    if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value as Fields;
  } catch {
    // Falls through to the one sentence for what is not the JSON that a registry speaks.
  }
  throw chartError('ChartInvalid', address, `${answered}, not the JSON of a registry; check the address`);
}
