import { stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { ChartSource } from '../../domain/operator/operator-spec.ts';
import { chartError } from '../chart-error.ts';
import { findInFolder, versionsInFolder } from './folder-repository.ts';
import { locate, type Place } from '../fetch/locate.ts';
import { registryOffers } from '../oci/registry-chart.ts';
import type { RemoteContext } from '../fetch/remote.ts';
import type { OfferedVersion } from './repository.ts';
import type { IndexPlace, IndexQuery, RepositoryIndexes } from './repository-indexes.ts';
import { credentialsSentTo } from '../fetch/scoped-credentials.ts';

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
  const base = repoURL.endsWith('/') ? repoURL : `${repoURL}/`;
  const address = URL.parse('index.yaml', base)?.href ?? base;
  const place = locate(address, context.locations);
  if (place.kind === 'registry') return absolute(base, { versions: await registryOffers(source, context, signal), skipped: 0 });
  const index = place.kind === 'folder' ? await indexInFolder(place, repoURL) : remoteIndex(place, address, context);
  if (index.kind === 'none') return absolute(base, { versions: await versionsInFolder(index.folder, source.name), skipped: 0 });
  return absolute(base, await offersInIndex(source, { ...input, address, place: index }, signal));
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
  const { listed, unreadable } = await input.indexes.find({ ...input, name }, signal);
  if (listed !== undefined) return listed;
  const more = unreadable === 0 ? '' : `; charts of its index that cannot be read and were left out: ${unreadable}`;
  throw chartError('ChartNotFound', repoURL, `the repository holds no chart named ${JSON.stringify(name)}; check the name${more}`);
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
