import { rm, stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { LRUCache } from 'lru-cache';
import type { READ_JOBS } from './archive/read-worker.ts';
import { withinTotal, receive } from './fetch/receive.ts';
import { parsedOf } from './parsed.ts';
import type { ChartAccess, ChartVerification } from '../domain/chart/chart-access.ts';
import type { ChartSource } from '../domain/operator/operator-spec.ts';
import { AppError } from '../domain/core/errors.ts';
import { type ChartFiles, readArchive } from './archive/archive.ts';
import { type ChartCache, openCache } from './cache/cache.ts';
import { type ChartContents, isContentFile } from './archive/contents.ts';
import { type FileStore, openFileStore, withRoom, writingTo } from './cache/file-store.ts';
import { CHART_LIMITS, type ChartLimits } from './limits.ts';
import { createIndexes, offersOf, type RepositoryIndexes } from './repository/repository-indexes.ts';
import { chartError, fromSource, shownAddress } from './chart-error.ts';
import { createEgressPolicy } from '../egress/egress-policy.ts';
import type { Mirror } from './fetch/locate.ts';
import { aboutChart, withIncoming } from './fetch/origin.ts';
import { packForRelease } from './archive/pack.ts';
import type { RemoteContext, Uploads } from './fetch/remote.ts';
import { chooseVersion, normalDigest } from './repository/repository.ts';
import { scopeCredentials } from './fetch/scoped-credentials.ts';
import type { ChartToVerify, Signer, SignatureCheck } from './signature/signature-check.ts';
import { ThreadHost } from '../thread/thread-host.ts';
import { verifyCosign } from './signature/verify-cosign.ts';

export interface ChartLibraryOptions {
  /** An absolute folder that is ours alone. */
  readonly cacheDir: string;
  /** Bytes that charts and indexes may take on disk; 2 GiB by default. */
  readonly cacheBytes?: number;
  /** Folders by the name under which `file://<name>/` reaches them. */
  readonly roots: Readonly<Record<string, string>>;
  readonly mirrors: readonly Mirror[];
  /** Ranges in CIDR notation that charts may be fetched from although the policy closes them. */
  readonly allowEgress: readonly string[];
  readonly limits?: Partial<ChartLimits>;
  /** Certificate authorities in PEM, besides those that Node trusts. */
  readonly certificateAuthorities?: readonly string[];
  /** Absent: there are none. */
  readonly uploads?: Uploads;
  readonly log?: { info(keys: object, message: string): void };
}

/** A chart that is here, known by its digest from now on. */
export interface FetchedChart {
  /** `sha256:<hex>` of the packed bytes. */
  readonly digest: string;
  /** The packed chart in the cache. */
  readonly path: string;
  readonly contents: ChartContents;
  /** Who signed it; only where a signature was asked for. */
  readonly signer?: Signer;
}

export interface ChartLibrary {
  /**
   * Brings a chart here. A pinned digest that is in the cache needs no network, if no credentials were needed for it or the same ones have brought it, and
   * if its signature was checked by the same policy or none is asked for.
   *
   * @throws AppError `ChartNotFound`, `ChartUnreachable`, `ChartUnauthorized`, `ChartInvalid`, `ChartTooLarge`, `EgressDenied`, `DigestMismatch`,
   *   `ChartUnsigned`, `SignatureInvalid`, `ChartSecretInvalid`, `InvalidInput` for an address with a password, each with a sentence about what was found at the address and what to do; the signal's
   *   reason when it aborts.
   * @param have what the same source gave earlier, with the same access: what the repository has said within a minute will do then, and a chart that is
   *   still the same is not read again.
   */
  fetch(source: ChartSource, signal: AbortSignal, access?: ChartAccess, have?: FetchedChart): Promise<FetchedChart>;
  /** The versions that a repository offers of a chart, newest first; as it said within the last minute. Throws like `fetch`. */
  versions(source: RepositorySource, signal: AbortSignal, access?: ChartAccess): Promise<string[]>;
  /** What is in a chart of the cache; undefined when it is gone. */
  contents(digest: string): Promise<ChartContents | undefined>;
  /** Reads an archive that somebody uploaded, within the limits of all charts; nothing of it is kept. Throws `ChartInvalid`, `ChartTooLarge`. */
  read(bytes: Uint8Array, signal: AbortSignal): Promise<Pick<FetchedChart, 'digest' | 'contents'>>;
  /** Whether a chart is still in the cache; it stays there longer for being asked for. */
  has(digest: string): Promise<boolean>;
  /**
   * Keeps a fetched chart in the cache while the task uses its file.
   *
   * @param path as `fetch` gave it.
   * @throws AppError `ChartUnreachable` when the file is gone or damaged; what the task throws.
   */
  using<T>(path: string, task: () => Promise<T>): Promise<T>;
  /**
   * The same for a task that makes a release of the chart. It gets the path of a file with less in it, where there are files that the release can do
   * without (see `packForRelease`).
   */
  forRelease<T>(path: string, task: (path: string) => Promise<T>, signal: AbortSignal): Promise<T>;
}

const REMEMBERED = 32;
const REMEMBERED_CHECKS = 1000;
const CACHE_BYTES = 2 * 1024 ** 3;

/** Opens the cache and gives the library. Throws AppError `ConfigInvalid` for a range that cannot be read. */
export async function createChartLibrary(options: ChartLibraryOptions): Promise<ChartLibrary> {
  const library = await openLibrary(options);
  return {
    fetch: async (source, signal, access = {}, have?: FetchedChart) => {
      const wish = { source, access, context: contextFor(library, source, access), have };
      const chart = await fromSource(source, () => fetchChart(library, wish, signal));
      if (chart === have) return have;
      const { name, version } = chart.contents.metadata;
      options.log?.info({ chart: name, version, digest: chart.digest }, 'chart fetched');
      return chart;
    },
    versions: async (source, signal, access = {}) => {
      const input = { context: contextFor(library, source, access), indexes: library.indexes, age: 'Recent' } as const;
      const { versions } = await fromSource(source, () => offersOf(source, input, signal));
      return versions.map((offer) => offer.version);
    },
    contents: (digest) => cachedContents(library, digest),
    read: (bytes, signal) => readUpload(library, bytes, signal),
    has: (digest) => library.cache.has(digest),
    using: (path, task) => useCached(library, path, task),
    forRelease: (path, task, signal) => useCached(library, path, async () => await withReleaseCopy(library, { path, task, signal })),
  };
}

interface Library {
  readonly context: RemoteContext;
  readonly store: FileStore;
  readonly cache: ChartCache;
  readonly indexes: RepositoryIndexes;
  /** Contents of charts by digest. */
  readonly known: LRUCache<string, ChartContents>;
  /** Private charts of the cache, and who has fetched them. */
  readonly granted: LRUCache<string, 'Granted'>;
  /** Who signed a chart, by chart and policy. */
  readonly signers: LRUCache<string, Signer>;
}

async function openLibrary(options: ChartLibraryOptions): Promise<Library> {
  const limits = { ...CHART_LIMITS, ...options.limits };
  const context: RemoteContext = {
    locations: { roots: options.roots, mirrors: options.mirrors },
    policy: createEgressPolicy(options.allowEgress),
    limits,
    certificateAuthorities: options.certificateAuthorities ?? [],
    ...(options.uploads === undefined ? {} : { uploads: options.uploads }),
  };
  const store = await openFileStore(options.cacheDir, options.cacheBytes ?? CACHE_BYTES);
  const indexes = createIndexes({
    store,
    onParsed: (address, digest, counts) =>
      options.log?.info({ address: shownAddress(address), digest, ...counts }, 'repository index read'),
    now: Date.now,
  });
  return {
    context,
    store,
    cache: openCache(store),
    indexes,
    known: new LRUCache({ max: REMEMBERED }),
    granted: new LRUCache({ max: REMEMBERED_CHECKS }),
    signers: new LRUCache({ max: REMEMBERED_CHECKS }),
  };
}

type RepositorySource = Extract<ChartSource, { kind: 'repository' }>;

interface Wish {
  readonly source: ChartSource;
  readonly access: ChartAccess;
  /** With the credentials for this source. */
  readonly context: RemoteContext;
  readonly have: FetchedChart | undefined;
}

function contextFor({ context }: Library, source: ChartSource, access: ChartAccess): RemoteContext {
  const credentials = scopeCredentials(source, access);
  return credentials === undefined ? context : { ...context, credentials };
}

async function fetchChart(library: Library, wish: Wish, signal: AbortSignal): Promise<FetchedChart> {
  const { source, context, have } = wish;
  checkAccess(wish);
  if (source.kind === 'url') return download(library, wish, { address: source.url, digest: undefined }, signal);
  const pinned = source.digest === undefined ? undefined : normalDigest(source.digest);
  const kept = pinned === undefined ? undefined : await findKept(library, wish, pinned);
  if (kept !== undefined) return kept;
  const { repoURL, name } = source;
  const age = have === undefined ? 'Current' : 'Recent';
  const { versions, skipped } = await offersOf(source, { context, indexes: library.indexes, age }, signal);
  const offer = chooseVersion(versions, source.version, { repoURL, name, skipped });
  const listed = pinned === undefined && offer.digest !== undefined ? await findKept(library, wish, offer.digest) : undefined;
  if (listed?.contents.metadata.name === name) return listed;
  return download(library, wish, { address: offer.address, digest: pinned ?? offer.digest, name }, signal);
}

/** A policy, or a Secret, that somebody forgot to read must not become none. */
function checkAccess({ source, access }: Pick<Wish, 'source' | 'access'>): void {
  if (source.kind === 'url') return;
  const isForgotten =
    (source.secret !== undefined && access.credentials === undefined) || (source.verify !== undefined && access.verification === undefined);
  if (isForgotten) throw new AppError('Internal', 'chart: the Secrets that its source names were not read');
}

interface Wanted {
  readonly address: string;
  readonly digest: string | undefined;
  readonly name?: string;
}

async function download(library: Library, wish: Wish, { address, digest, name }: Wanted, signal: AbortSignal): Promise<FetchedChart> {
  const { cache, store } = library;
  const { context } = wish;
  const received = await withRoom(store, (needs) =>
    withIncoming(address, context, signal, async (incoming) => {
      const { manifestDigest, length } = incoming;
      if (length !== undefined) needs(length);
      const receiving = { path: cache.incoming(), maxBytes: context.limits.packedBytes, kind: 'chart' } as const;
      return { ...(await receive(incoming, receiving)), manifestDigest };
    }),
  );
  try {
    // In a registry people know a chart by the digest of its manifest.
    if (digest !== undefined && received.digest !== digest && received.manifestDigest !== digest) {
      const found = received.manifestDigest === undefined ? '' : `, that of its manifest ${received.manifestDigest}`;
      const why = `its digest is ${received.digest}${found}, but ${digest} is expected; pin the new one if the change is meant`;
      throw chartError('DigestMismatch', address, why);
    }
    const contents = await aboutChart(address, async () => library.known.get(received.digest) ?? readChart(library, received.path, signal));
    const found = contents.metadata.name;
    if (name !== undefined && found !== name)
      throw chartError('ChartInvalid', address, `it is the chart ${JSON.stringify(found)}, not ${JSON.stringify(name)}`);
    const signer = await signerOf(library, wish, { address, digest: received.digest, ...contents.metadata }, signal);
    library.known.set(received.digest, contents);
    const path = await writingTo(library.store.dir, () => cache.take(received, context.credentials === undefined ? 'Public' : 'Private'));
    if (context.credentials !== undefined) library.granted.set(grantOf(wish, received.digest), 'Granted');
    return { digest: received.digest, path, contents, ...signer };
  } catch (error) {
    await cache.discard(received);
    throw error;
  }
}

/** Checks the signature where the policy asks for one: once for a chart and a policy. */
async function signerOf(library: Library, wish: Wish, chart: ChartToVerify, signal: AbortSignal): Promise<Pick<FetchedChart, 'signer'>> {
  const { access, context } = wish;
  const { verification } = access;
  if (verification === undefined) return {};
  const key = checkOf(chart.digest, verification);
  const signer = library.signers.get(key) ?? (await verifySignature({ chart, verification, context }, signal));
  library.signers.set(key, signer);
  return { signer };
}

/** A pinned chart of the cache, for those who may have it and trust it. */
async function findKept(library: Library, wish: Wish, digest: string): Promise<FetchedChart | undefined> {
  const { access, context, have } = wish;
  const { verification } = access;
  const signer = verification === undefined ? undefined : library.signers.get(checkOf(digest, verification));
  if (verification !== undefined && signer === undefined) return undefined;
  if (have?.digest === digest && (await library.cache.has(digest))) return have;
  const isGranted = context.credentials !== undefined && library.granted.has(grantOf(wish, digest));
  const path = (await library.cache.find(digest, 'Public')) ?? (isGranted ? await library.cache.find(digest, 'Private') : undefined);
  const contents = path === undefined ? undefined : await contentsAt(library, digest, path);
  return path === undefined || contents === undefined ? undefined : { digest, path, contents, ...(signer === undefined ? {} : { signer }) };
}

/** The digest of a chart alone opens nothing that needed credentials: who asks must have got it from the same source, with the same version of the Secret. */
function grantOf({ source, context }: Wish, digest: string): string {
  return JSON.stringify([digest, source, context.credentials?.origin, context.credentials?.revision]);
}

function checkOf(digest: string, verification: ChartVerification): string {
  return `${digest} ${verification.digest}`;
}

async function cachedContents(library: Library, digest: string): Promise<ChartContents | undefined> {
  const path = (await library.cache.find(digest, 'Public')) ?? (await library.cache.find(digest, 'Private'));
  return path === undefined ? undefined : contentsAt(library, digest, path);
}

async function contentsAt(library: Library, digest: string, path: string): Promise<ChartContents> {
  const known = library.known.get(digest);
  if (known !== undefined) return known;
  const contents = await readChart(library, path, AbortSignal.timeout(library.context.limits.totalMs));
  library.known.set(digest, contents);
  return contents;
}

async function readUpload(
  { context, cache, store, ...library }: Library,
  bytes: Uint8Array,
  signal: AbortSignal,
): Promise<Pick<FetchedChart, 'digest' | 'contents'>> {
  const address = 'file://uploaded/';
  const incoming = { bytes: Readable.from([bytes]), address, answered: 'a file was uploaded', length: bytes.length };
  const receiving = { path: cache.incoming(), maxBytes: context.limits.packedBytes, kind: 'chart' } as const;
  const received = await withRoom(store, (needs) => {
    needs(bytes.length);
    return receive(incoming, receiving);
  });
  try {
    const contents = await aboutChart(address, () => readChart({ context, cache, store, ...library }, received.path, signal));
    return { digest: received.digest, contents };
  } finally {
    await cache.discard(received);
  }
}

async function useCached<T>({ cache }: Library, path: string, task: () => Promise<T>): Promise<T> {
  return cache.holding(path, async () => {
    if (!(await cache.isWhole(path)))
      throw new AppError('ChartUnreachable', 'chart: its file is missing or damaged in the chart cache; Chandlery fetches it again');
    return task();
  });
}

interface ReleaseTask<T> {
  readonly path: string;
  readonly task: (path: string) => Promise<T>;
  readonly signal: AbortSignal;
}

async function withReleaseCopy<T>({ context, store }: Library, { path, task, signal }: ReleaseTask<T>): Promise<T> {
  const copy = store.incoming();
  try {
    const packing = { from: path, to: copy, limits: context.limits, signal };
    const packed = await withRoom(store, async (needs) => {
      await rm(copy, { force: true });
      needs((await stat(path)).size);
      return await writingTo(store.dir, async () => await packForRelease(packing));
    });
    return await task(packed === 'Same' ? path : copy);
  } finally {
    await rm(copy, { force: true });
  }
}

async function readChart({ context }: Library, path: string, signal: AbortSignal): Promise<ChartContents> {
  const { limits } = context;
  return readInWorker(await readArchive(path, { limits, wants: isContentFile, packedSubcharts: 'Read', signal }), limits.parseMs);
}

const memoryMib = 512;
/** Charts are often read one after another: at a start, or after a change of the catalogue. */
const IDLE_MS = 1_000;
const host = new ThreadHost<typeof READ_JOBS>({
  file: new URL('archive/read-worker.ts', import.meta.url),
  memoryMib,
  youngMib: 4,
  idleMs: IDLE_MS,
});

/**
 * `readContents` in a thread.
 *
 * @throws AppError like `readContents`, and `ChartInvalid` when the time or the memory is used up.
 */
async function readInWorker({ names, contents }: ChartFiles, timeoutMs: number): Promise<ChartContents> {
  return parsedOf(await host.run('read', [names, contents], { timeoutMs }), { what: 'its files', timeoutMs, memoryMib });
}

/**
 * Checks that a chart is signed by one of the keys of a policy, and that the signature is about these very bytes.
 *
 * @throws AppError `ChartUnsigned`, `SignatureInvalid`, `ChartSecretInvalid` for keys that cannot be read, and what fetching the signature ends in.
 */
async function verifySignature(check: SignatureCheck, signal: AbortSignal): Promise<Signer> {
  const { chart, context } = check;
  return withinTotal({ address: chart.address, limits: context.limits, signal }, (bounded) => verifyBy(check, bounded));
}

function verifyBy(check: SignatureCheck, signal: AbortSignal): Promise<Signer> {
  switch (check.verification.provider) {
    case 'Provenance':
      // OpenPGP is large, and few ask for it.
      return import('./signature/verify-provenance.ts').then(({ verifyProvenance }) => verifyProvenance(check, signal));
    case 'Cosign':
      return verifyCosign(check, signal);
    default:
      return check.verification.provider satisfies never;
  }
}
