import { createReadStream } from 'node:fs';
import { rm, stat } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { locate, type Place } from '../fetch/locate.ts';
import { credentialsSentTo } from '../fetch/scoped-credentials.ts';
import { registryOffers } from '../oci/registry-chart.ts';
import { chartNotFound } from './near-names.ts';
import { newestFirst, type OfferedVersion } from './repository.ts';
import { AppError } from '../../domain/core/errors.ts';
import { isUploadedCharts } from '../../domain/app-definition/uploaded-chart.ts';
import type { ChartSource } from '../../domain/operator/operator-spec.ts';
import { ThreadHost } from '../../thread/thread-host.ts';
import { type FileStore, writingTo } from '../cache/file-store.ts';
import { chartError } from '../chart-error.ts';
import { findInFolder, versionsInFolder } from './folder-repository.ts';
import { type Incoming, receive, type Received } from '../fetch/receive.ts';
import { type Destination, type RemoteContext, type RemoteRequest, type Uploads, type Validators, withRemote } from '../fetch/remote.ts';
import { parsedOf } from '../parsed.ts';
import { type SharedWork, shareWork } from '../share-work.ts';
import { findInIndex, type FoundChart, type IndexCounts } from './index-format.ts';
import type { INDEX_JOBS, IndexPaths } from './index-worker.ts';

/** Where an index.yaml is. */
type IndexPlace = { readonly kind: 'file'; readonly path: string } | { readonly kind: 'remote'; readonly request: RemoteRequest };

interface IndexQuery {
  /** The address of the index.yaml. */
  readonly address: string;
  readonly place: IndexPlace;
  readonly context: RemoteContext;
  /** `Current` asks the server; `Recent` takes what it said within a minute. */
  readonly age: 'Current' | 'Recent';
  /** The name of the chart. */
  readonly name: string;
}

/**
 * The indexes of chart repositories. Each is fetched once for all who want it at the same time with the same credentials, not at all when the server says
 * that it is the same, and parsed once for each digest: the parsed form is kept in the store.
 */
export interface RepositoryIndexes {
  /** @throws AppError like `ChartLibrary.fetch`. */
  find(query: IndexQuery, signal: AbortSignal): Promise<FoundChart>;
}

export interface IndexesOptions {
  readonly store: FileStore;
  readonly onParsed: (address: string, digest: string, counts: IndexCounts) => void;
  /** Milliseconds since the epoch. */
  readonly now: () => number;
}

/** An index as it was last seen by somebody with certain credentials. */
interface Seen {
  readonly digest: string;
  readonly validators: Validators;
  readonly at: number;
}

interface Indexes extends IndexesOptions {
  readonly seen: LRUCache<string, Seen>;
  readonly fetching: SharedWork<Seen>;
  readonly parsing: SharedWork<void>;
  /** Indexes that are none, by their digest, so that they are not parsed for every chart that somebody wants of them. */
  readonly hopeless: LRUCache<string, { readonly error: AppError; readonly at: number }>;
  /** What indexes say of charts, by the digest of the index and the name of the chart. */
  readonly found: LRUCache<string, FoundChart>;
  /** One index is parsed at a time, which bounds the memory. */
  turn: Promise<void>;
}

const RECENT_MS = 60_000;
const HOPELESS_MS = 600_000;
const REMEMBERED = 1000;
/** Charts of indexes that are held in memory, and how many versions such a chart may have: a few mebibytes in all. */
const FOUND = 100;
const FOUND_VERSIONS = 200;

const memoryMib = 512;
const host = new ThreadHost<typeof INDEX_JOBS>({ file: new URL('index-worker.ts', import.meta.url), memoryMib, youngMib: 4, idleMs: 0 });

/** Makes the indexes of a store. */
export function createIndexes(options: IndexesOptions): RepositoryIndexes {
  const indexes: Indexes = {
    ...options,
    seen: new LRUCache({ max: REMEMBERED }),
    fetching: new Map(),
    parsing: new Map(),
    hopeless: new LRUCache({ max: REMEMBERED }),
    found: new LRUCache({ max: FOUND }),
    turn: Promise.resolve(),
  };
  return {
    find: async (query, signal) => {
      const found = await look(indexes, query, await currentDigest(indexes, query, signal));
      if (found !== undefined) return found;
      // The parsed form went, or was damaged, since we saw it last.
      indexes.seen.delete(keyOf(query));
      const again = await look(indexes, query, await currentDigest(indexes, { ...query, age: 'Current' }, signal));
      if (again !== undefined) return again;
      throw chartError('ChartUnreachable', query.address, 'its index.yaml was removed from the chart cache while it was read; try again');
    },
  };
}

/** Who asks is part of it: an index that one may read is not shown to another. */
function keyOf({ address, context: { credentials } }: IndexQuery): string {
  return JSON.stringify([address, credentials?.source, credentials?.revision]);
}

async function currentDigest(indexes: Indexes, query: IndexQuery, signal: AbortSignal): Promise<string> {
  const key = keyOf(query);
  const seen = indexes.seen.get(key);
  if (query.age === 'Recent' && seen !== undefined && indexes.now() - seen.at < RECENT_MS) return seen.digest;
  const { digest } = await shareWork(indexes.fetching, key, signal, (stop) => refresh(indexes, query, stop));
  return digest;
}

/** An index of a digest always says the same of a chart, so what many ask for is read once. */
async function look({ store, found }: Indexes, { name }: IndexQuery, digest: string): Promise<FoundChart | undefined> {
  const key = `${digest} ${name}`;
  const known = found.get(key);
  if (known !== undefined) return known;
  const file = fileOf(digest);
  return store.holding(file, async () => {
    const path = await store.use(file);
    const chart = path === undefined ? undefined : await findInIndex(path, name);
    if (chart === undefined) await store.drop(file);
    else if ((chart.listed?.versions.length ?? 0) <= FOUND_VERSIONS) found.set(key, chart);
    return chart;
  });
}

/** Brings an index here, unless it is the one that we have. */
async function refresh(indexes: Indexes, query: IndexQuery, signal: AbortSignal): Promise<Seen> {
  const { store, seen, now } = indexes;
  const key = keyOf(query);
  const known = seen.get(key);
  const kept = known !== undefined && (await store.use(fileOf(known.digest))) !== undefined ? known : undefined;
  const { received, validators } = await bring(indexes, query, kept, signal);
  if (received !== undefined) await parseOnce(indexes, query, received, signal);
  const digest = received?.digest ?? kept?.digest;
  if (digest === undefined)
    throw chartError('ChartUnreachable', query.address, 'answered 304 to an unconditional request; try again later');
  const current: Seen = { digest, validators, at: now() };
  seen.set(key, current);
  return current;
}

interface Brought {
  /** Undefined when it is the same as before. */
  readonly received: Received | undefined;
  readonly validators: Validators;
}

async function bring({ store }: Indexes, query: IndexQuery, kept: Seen | undefined, signal: AbortSignal): Promise<Brought> {
  const { address, place, context } = query;
  const take = async (incoming: Incoming, validators: Validators): Promise<Brought> => {
    const receiving = { path: store.incoming(), maxBytes: context.limits.indexBytes, kind: 'index' } as const;
    return { received: await receive(incoming, receiving), validators };
  };
  if (place.kind === 'file') return take(await fromFile(place.path, address), {});
  const read = async (destination: Destination): Promise<Brought> => {
    if (destination.kind === 'folder') return take(await fromFile((await findInFolder(destination, address)).path, address), {});
    if (destination.unchanged) return { received: undefined, validators: destination.validators };
    const { body, answered, length, validators } = destination;
    return take({ bytes: body, address, answered, length }, validators);
  };
  return withRemote({ ...place.request, validators: kept?.validators ?? {} }, context, signal, read);
}

async function fromFile(path: string, address: string): Promise<Incoming> {
  return { bytes: createReadStream(path), address, answered: 'the file was found', length: (await stat(path)).size };
}

/** Parses what was received, unless the same bytes were parsed before, and removes it. */
async function parseOnce(indexes: Indexes, query: IndexQuery, received: Received, signal: AbortSignal): Promise<void> {
  const { store, parsing, hopeless, now } = indexes;
  const { path, digest } = received;
  // Others may wait for the parser after we have given up, so it is the parser that removes what it reads.
  let isHandedOver = false;
  try {
    if ((await store.use(fileOf(digest))) !== undefined) return;
    const known = hopeless.get(digest);
    if (known !== undefined && now() - known.at < HOPELESS_MS) throw known.error;
    await shareWork(parsing, digest, signal, (stop) => {
      isHandedOver = true;
      return inTurn(indexes, () => parse(indexes, query, received, stop)).finally(() => rm(path, { force: true }));
    });
  } catch (error) {
    if (!(error instanceof AppError) || error.code !== 'ChartInvalid') throw error;
    hopeless.set(digest, { error, at: now() });
    throw chartError(error.code, query.address, error.message, error);
  } finally {
    if (!isHandedOver) await rm(path, { force: true });
  }
}

async function inTurn<T>(indexes: Indexes, task: () => Promise<T>): Promise<T> {
  const before = indexes.turn;
  const { promise, resolve } = Promise.withResolvers<void>();
  indexes.turn = promise;
  await before;
  try {
    return await task();
  } finally {
    resolve();
  }
}

async function parse({ store, onParsed }: Indexes, query: IndexQuery, { path, digest }: Received, signal: AbortSignal): Promise<void> {
  const to = store.incoming();
  try {
    const { indexParseMs } = query.context.limits;
    const counts = await writingTo(store.dir, () => indexInWorker({ from: path, to }, indexParseMs, signal));
    await store.keep(to, fileOf(digest));
    onParsed(query.address, digest, counts);
  } catch (error) {
    await rm(to, { force: true });
    throw error;
  }
}

function fileOf(digest: string): string {
  return `${digest.replace('sha256:', 'sha256-')}.index`;
}

/**
 * Parses the index of a repository, in a thread of its own and from file to file, so that it is never held in the memory of the process as a whole.
 *
 * @throws AppError `ChartInvalid`, as a clause without the address, when it is no index, or the time or the memory is used up.
 */
async function indexInWorker(paths: IndexPaths, timeoutMs: number, signal: AbortSignal): Promise<IndexCounts> {
  return parsedOf(await host.run('parse', [paths], { timeoutMs, signal }), { what: 'its index.yaml', timeoutMs, memoryMib });
}

type RepositorySource = Extract<ChartSource, { kind: 'repository' }>;

export interface OffersInput {
  readonly context: RemoteContext;
  readonly indexes: RepositoryIndexes;
  /** Whether a repository is asked again, or its index of a moment ago will do. */
  readonly age: IndexQuery['age'];
}

/** What a repository offers of a chart. */
export interface Offers {
  /** Newest first, with absolute addresses. */
  readonly versions: readonly OfferedVersion[];
  /** Entries that were left out, because they cannot be read. */
  readonly skipped: number;
}

/**
 * What a repository offers of a chart. A folder without an index.yaml is searched for archives and chart folders.
 *
 * @throws AppError like `ChartLibrary.fetch`.
 */
export async function offersOf(source: RepositorySource, input: OffersInput, signal: AbortSignal): Promise<Offers> {
  const { repoURL } = source;
  const { context } = input;
  if (context.uploads !== undefined && isUploadedCharts(repoURL)) return await uploadedVersions(source, context.uploads, signal);
  const base = repoURL.endsWith('/') ? repoURL : `${repoURL}/`;
  const address = URL.parse('index.yaml', base)?.href ?? base;
  const place = locate(address, context.locations);
  if (place.kind === 'registry') return absolute(base, { versions: await registryOffers(source, context, signal), skipped: 0 });
  const index = place.kind === 'folder' ? await indexInFolder(place, repoURL) : remoteIndex(place, address, context);
  if (index.kind === 'none') return absolute(base, { versions: await versionsInFolder(index.folder, source), skipped: 0 });
  return absolute(base, await offersInIndex(source, { ...input, address, place: index }, signal));
}

async function uploadedVersions({ repoURL, name }: RepositorySource, uploads: Uploads, signal: AbortSignal): Promise<Offers> {
  const versions = newestFirst(await uploads.versions(name, signal));
  if (versions.length > 0) return { versions, skipped: 0 };
  throw chartError('ChartNotFound', repoURL, `no chart named ${JSON.stringify(name)} was uploaded; upload it, or correct the name`);
}

function remoteIndex(place: Extract<Place, { kind: 'remote' }>, address: string, { credentials }: RemoteContext): IndexPlace {
  return { kind: 'remote', request: { place, ...credentialsSentTo(address, credentials) } };
}

async function indexInFolder(
  place: Extract<Place, { kind: 'folder' }>,
  repoURL: string,
): Promise<IndexPlace | { readonly kind: 'none'; readonly folder: string }> {
  const { kind, path: folder } = await findInFolder({ ...place, path: place.path.replace(/index\.yaml$/, '') }, repoURL);
  if (kind === 'file')
    throw chartError('ChartNotFound', repoURL, 'this is a file, not a folder of charts; give it as spec.chartURL, or name its folder');
  const path = join(folder, 'index.yaml');
  const found = await stat(path).catch(() => undefined);
  return found?.isFile() !== true ? { kind: 'none', folder } : { kind: 'file', path };
}

async function offersInIndex(
  { repoURL, name }: RepositorySource,
  input: OffersInput & { readonly address: string; readonly place: IndexPlace },
  signal: AbortSignal,
): Promise<Offers> {
  const { listed, near, unreadable } = await input.indexes.find({ ...input, name }, signal);
  if (listed !== undefined) return listed;
  const more = unreadable === 0 ? '' : `; charts of its index that cannot be read and were left out: ${unreadable}`;
  throw chartNotFound({ repoURL, name }, near, more);
}

/** An index may name addresses elsewhere, but a stranger's must not make us read files of this machine. */
function absolute(base: string, { versions, skipped }: Offers): Offers {
  const isOurs = base.startsWith('file:');
  const reachable = versions.flatMap((offer) => {
    const url = URL.parse(offer.address, base);
    return url === null || (url.protocol === 'file:' && !isOurs) ? [] : [{ ...offer, address: url.href }];
  });
  return { versions: reachable, skipped: skipped + versions.length - reachable.length };
}
