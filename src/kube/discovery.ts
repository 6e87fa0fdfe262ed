import type { Discovery } from '../domain/kubernetes/cluster.ts';
import { AppError } from '../domain/core/errors.ts';
import { listAt, textAt, textsAt } from '../domain/core/read.ts';
import { parseApiVersion, type ResourceType, type ServedKind } from '../domain/kubernetes/resource.ts';
import type { Transport } from './transport/transport.ts';

const AGGREGATED = 'application/json;g=apidiscovery.k8s.io;v=v2;as=APIGroupDiscoveryList';
/** A lookup that misses refreshes what is cached at most this often. */
const MISS_MS = 1_000;
/** Nothing older is used, so that a missed change heals. */
const MAX_AGE_MS = 60_000;

/** Discovery that can also be asked for a resource. */
export interface ResourceDiscovery extends Discovery {
  findResource(type: ResourceType, signal?: AbortSignal): Promise<ServedKind | undefined>;
}

interface Snapshot {
  readonly kinds: readonly ServedKind[];
  readonly at: number;
}

/**
 * Aggregated discovery (two requests for the whole cluster), as the controller.
 *
 * @param now milliseconds on a clock that only goes forward.
 */
export function createDiscovery(transport: Pick<Transport, 'request'>, now: () => number = () => performance.now()): ResourceDiscovery {
  const readKinds = createReader(transport);
  let snapshot: Promise<Snapshot> | undefined;
  const read = (): Promise<Snapshot> => {
    // One reading serves all who wait for it, so it is bounded by the transport and not by the signal of any one of them.
    const reading: Promise<Snapshot> = readKinds().then((kinds) => ({ kinds, at: now() }));
    snapshot = reading;
    reading.catch(() => {
      if (snapshot === reading) snapshot = undefined;
    });
    return reading;
  };
  const current = async (): Promise<Snapshot> => {
    const known = await (snapshot ?? read());
    return now() - known.at > MAX_AGE_MS ? read() : known;
  };
  const search = async (matches: (kind: ServedKind) => boolean, signal?: AbortSignal): Promise<ServedKind | undefined> => {
    const known = await orAborted(current(), signal);
    const hit = known.kinds.find(matches);
    if (hit !== undefined || now() - known.at < MISS_MS) return hit;
    return (await orAborted(read(), signal)).kinds.find(matches);
  };
  return {
    kinds: async (signal) => (await orAborted(current(), signal)).kinds,
    find: (apiVersion, kind, signal) => {
      const { group, version } = parseApiVersion(apiVersion);
      return search((served) => served.kind === kind && served.group === group && served.version === version, signal);
    },
    findResource: ({ group, version, resource }, signal) =>
      search((served) => served.resource === resource && served.group === group && served.version === version, signal),
    invalidate: () => {
      snapshot = undefined;
    },
  };
}

/** The answer of one path, and the ETag under which the api-server knows it. */
interface Part {
  readonly etag?: string;
  readonly kinds: readonly ServedKind[];
}

/** Reads the kinds of the cluster; of what is as it was, the api-server says so instead of sending it again. */
function createReader(transport: Pick<Transport, 'request'>): () => Promise<ServedKind[]> {
  const known = new Map<string, Part>();
  const readPart = async (path: string): Promise<Part> => {
    const { etag, kinds = [] } = known.get(path) ?? {};
    const call = { identity: { kind: 'controller' }, method: 'GET', path, accept: AGGREGATED, what: `discover ${path}` } as const;
    const answer = await transport.request({ ...call, ...(etag === undefined ? {} : { ifNoneMatch: etag }) });
    if (answer.unchanged === true) return { kinds, ...(etag === undefined ? {} : { etag }) };
    return { kinds: parseDiscovery(answer.body), ...(answer.etag === undefined ? {} : { etag: answer.etag }) };
  };
  return async () => {
    const paths = ['/api', '/apis'];
    const parts = await Promise.all(paths.map(readPart));
    for (const [index, part] of parts.entries()) known.set(paths[index] ?? '', part);
    return parts.flatMap(({ kinds }) => kinds).sort(byGroupAndName);
  };
}

/** The kinds of an `APIGroupDiscoveryList`, each with the names of its subresources. */
function parseDiscovery(list: unknown): ServedKind[] {
  if (textAt(list, 'kind') !== 'APIGroupDiscoveryList') {
    throw new AppError(
      'ClusterUnavailable',
      'discover: the cluster does not speak aggregated discovery; Kubernetes 1.30 or newer is needed',
    );
  }
  return listAt(list, 'items').flatMap((item) => {
    const group = textAt(item, 'metadata', 'name') ?? '';
    return listAt(item, 'versions').flatMap((entry) => {
      const version = textAt(entry, 'version') ?? '';
      return listAt(entry, 'resources').flatMap((resource) => kindOf(resource, group, version));
    });
  });
}

function kindOf(entry: unknown, group: string, version: string): ServedKind[] {
  const resource = textAt(entry, 'resource');
  const kind = textAt(entry, 'responseKind', 'kind');
  if (resource === undefined || kind === undefined || kind === '') return [];
  const namespaced = textAt(entry, 'scope') === 'Namespaced';
  const subresources = listAt(entry, 'subresources').flatMap((one) => textAt(one, 'subresource') ?? []);
  const names = { shortNames: textsAt(entry, 'shortNames'), ...(subresources.length === 0 ? {} : { subresources }) };
  return [{ group, version, resource, kind, namespaced, verbs: textsAt(entry, 'verbs'), ...names }];
}

/** Versions stay as the api-server lists them, the one that it prefers first. */
function byGroupAndName(a: ServedKind, b: ServedKind): number {
  return a.group.localeCompare(b.group) || a.resource.localeCompare(b.resource);
}

/** The promise, or a rejection with the signal's reason as soon as it aborts. */
async function orAborted<T>(promise: Promise<T>, signal: AbortSignal | undefined): Promise<T> {
  if (signal === undefined) return promise;
  signal.throwIfAborted();
  const aborted = Promise.withResolvers<never>();
  const abort = (): void => aborted.reject(signal.reason);
  signal.addEventListener('abort', abort, { once: true });
  try {
    return await Promise.race([promise, aborted.promise]);
  } finally {
    signal.removeEventListener('abort', abort);
  }
}
