import type { ChartSource } from '../domain/operator-spec.ts';
import { readArchive } from './archive.ts';
import { openCache } from './cache.ts';
import type { ChartCache } from './cache.ts';
import { chartError } from './chart-error.ts';
import { isContentFile } from './contents.ts';
import type { ChartContents } from './contents.ts';
import { createEgressPolicy } from './egress.ts';
import { CHART_LIMITS } from './limits.ts';
import type { ChartLimits } from './limits.ts';
import type { Mirror } from './locate.ts';
import { aboutChart, offersOf, withIncoming } from './origin.ts';
import { readInWorker } from './read-in-worker.ts';
import type { RemoteContext } from './remote.ts';
import { receive } from './receive.ts';
import { chooseVersion, normalDigest } from './repository.ts';

export interface ChartLibraryOptions {
  /** An absolute folder that is ours alone. */
  readonly cacheDir: string;
  /** Folders by the name under which `file://<name>/` reaches them. */
  readonly roots: Readonly<Record<string, string>>;
  readonly mirrors: readonly Mirror[];
  /** Ranges in CIDR notation that charts may be fetched from although the policy closes them. */
  readonly allowEgress: readonly string[];
  readonly limits?: Partial<ChartLimits>;
  /** Certificate authorities in PEM, besides those that Node trusts. */
  readonly certificateAuthorities?: readonly string[];
  readonly log?: { info(keys: object, message: string): void };
}

/** A chart that is here, known by its digest from now on. */
export interface FetchedChart {
  /** `sha256:<hex>` of the packed bytes. */
  readonly digest: string;
  /** The packed chart in the cache. */
  readonly path: string;
  readonly contents: ChartContents;
}

export interface ChartLibrary {
  /**
   * Brings a chart here. A pinned digest that is in the cache needs no network.
   *
   * @throws AppError `ChartNotFound`, `ChartUnreachable`, `ChartInvalid`, `ChartTooLarge`, `EgressDenied`, `DigestMismatch`, each with a sentence about what
   *   was found at the address and what to do; the signal's reason when it aborts.
   */
  fetch(source: ChartSource, signal: AbortSignal): Promise<FetchedChart>;
  /** The versions that a repository offers of a chart, newest first. Throws like `fetch`. */
  versions(source: Extract<ChartSource, { kind: 'repository' }>, signal: AbortSignal): Promise<string[]>;
  /** What is in a chart of the cache; undefined when it is gone. */
  contents(digest: string): Promise<ChartContents | undefined>;
}

const REMEMBERED = 32;

/** Opens the cache and gives the library. Throws AppError `ConfigInvalid` for a range that cannot be read. */
export async function createChartLibrary(options: ChartLibraryOptions): Promise<ChartLibrary> {
  const limits = { ...CHART_LIMITS, ...options.limits };
  const context: RemoteContext = {
    geography: { roots: options.roots, mirrors: options.mirrors },
    policy: createEgressPolicy(options.allowEgress),
    limits,
    certificateAuthorities: options.certificateAuthorities ?? [],
  };
  const library: Library = { context, cache: await openCache(options.cacheDir), known: new Map() };
  return {
    fetch: async (source, signal) => {
      const chart = await fetchChart(library, source, signal);
      const { name, version } = chart.contents.metadata;
      options.log?.info({ chart: name, version, digest: chart.digest }, 'chart fetched');
      return chart;
    },
    versions: async (source, signal) => (await offersOf(source, context, signal)).map((offer) => offer.version),
    contents: (digest) => cachedContents(library, digest),
  };
}

interface Library {
  readonly context: RemoteContext;
  readonly cache: ChartCache;
  /** The latest contents by digest, the oldest first. */
  readonly known: Map<string, ChartContents>;
}

async function fetchChart(library: Library, source: ChartSource, signal: AbortSignal): Promise<FetchedChart> {
  if (source.kind === 'url') return download(library, { address: source.url, digest: undefined }, signal);
  const pinned = source.digest === undefined ? undefined : normalDigest(source.digest);
  const kept = pinned === undefined ? undefined : await findKept(library, pinned);
  if (kept !== undefined) return kept;
  const { repoURL, name } = source;
  const offer = chooseVersion(await offersOf(source, library.context, signal), source.version, { repoURL, name });
  const chart = await download(library, { address: offer.address, digest: pinned ?? offer.digest }, signal);
  const found = chart.contents.metadata;
  if (found.name !== name)
    throw chartError('ChartInvalid', offer.address, `it is the chart ${JSON.stringify(found.name)}, not ${JSON.stringify(name)}`);
  return chart;
}

async function download(
  library: Library,
  wanted: { address: string; digest: string | undefined },
  signal: AbortSignal,
): Promise<FetchedChart> {
  const { context, cache } = library;
  const { address, digest } = wanted;
  const received = await withIncoming(address, context, signal, (incoming) =>
    receive(incoming, cache.incomingDir, context.limits.packedBytes),
  );
  try {
    if (digest !== undefined && received.digest !== digest) {
      throw chartError(
        'DigestMismatch',
        address,
        `its digest is ${received.digest}, but ${digest} is expected; pin the new one if the change is meant`,
      );
    }
    const contents = await aboutChart(address, () => readChart(library, received.path, signal));
    remember(library, received.digest, contents);
    return { digest: received.digest, path: await cache.take(received), contents };
  } catch (error) {
    await cache.discard(received);
    throw error;
  }
}

async function findKept(library: Library, digest: string): Promise<FetchedChart | undefined> {
  const path = await library.cache.find(digest);
  const contents = path === undefined ? undefined : await cachedContents(library, digest);
  return path === undefined || contents === undefined ? undefined : { digest, path, contents };
}

async function cachedContents(library: Library, digest: string): Promise<ChartContents | undefined> {
  const path = await library.cache.find(digest);
  if (path === undefined) return undefined;
  const known = library.known.get(digest);
  if (known !== undefined) return known;
  const contents = await readChart(library, path, AbortSignal.timeout(library.context.limits.totalMs));
  remember(library, digest, contents);
  return contents;
}

async function readChart({ context }: Library, path: string, signal: AbortSignal): Promise<ChartContents> {
  const { limits } = context;
  return readInWorker(await readArchive(path, { limits, wants: isContentFile, signal }), limits.parseMs);
}

function remember({ known }: Library, digest: string, contents: ChartContents): void {
  known.delete(digest);
  known.set(digest, contents);
  const [oldest] = known.keys();
  if (known.size > REMEMBERED && oldest !== undefined) known.delete(oldest);
}
