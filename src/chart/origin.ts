import { createReadStream } from 'node:fs';
import { readFile, stat } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { AppError } from '../domain/errors.ts';
import type { ChartSource } from '../domain/operator-spec.ts';
import { chartError } from './chart-error.ts';
import { findInFolder } from './folder.ts';
import { nameOfFolder, versionsInFolder } from './folder-repository.ts';
import { sizeOf } from './limits.ts';
import { locate } from './locate.ts';
import type { Place } from './locate.ts';
import { packFolder } from './pack-folder.ts';
import { readText } from './read-text.ts';
import type { Incoming } from './receive.ts';
import { registryOffers, withRegistryChart } from './registry-chart.ts';
import { withRemote } from './remote.ts';
import type { Destination, RemoteContext } from './remote.ts';
import { versionsInIndex } from './repository.ts';
import type { OfferedVersion } from './repository.ts';
import { presentedTo } from './sender.ts';

type FolderPlace = Extract<Place, { kind: 'folder' }>;
type RepositorySource = Extract<ChartSource, { kind: 'repository' }>;

/** Lends the bytes at an address to the task, wherever they come from: the network, a file, or a folder that is packed on the way. */
export async function withIncoming<T>(
  address: string,
  context: RemoteContext,
  signal: AbortSignal,
  task: (incoming: Incoming) => Promise<T>,
): Promise<T> {
  const take = async (destination: Destination): Promise<T> => {
    if (destination.kind === 'folder') return task(await fromFolder(destination, address, context));
    const { body, answered, length } = destination;
    return task({ bytes: body, address, answered, length });
  };
  const place = locate(address, context.geography);
  if (place.kind === 'registry') return withRegistryChart(place.url, context, signal, task);
  return place.kind === 'folder' ? take(place) : withRemote({ place, ...presentedTo(address, context.sender) }, context, signal, take);
}

/**
 * What a repository offers of a chart, newest first, with absolute addresses. A folder without an index.yaml is searched for archives and chart folders.
 *
 * @throws AppError like `ChartLibrary.fetch`.
 */
export async function offersOf(source: RepositorySource, context: RemoteContext, signal: AbortSignal): Promise<OfferedVersion[]> {
  const { repoURL, name } = source;
  const base = repoURL.endsWith('/') ? repoURL : `${repoURL}/`;
  const indexAddress = URL.parse('index.yaml', base)?.href ?? base;
  const place = locate(indexAddress, context.geography);
  if (place.kind === 'registry') return registryOffers(source, context, signal);
  const read = async (destination: Destination): Promise<OfferedVersion[]> => {
    if (destination.kind === 'folder') return offersOfFolder(destination, source, context);
    const incoming = { bytes: destination.body, address: indexAddress, answered: destination.answered, length: destination.length };
    return versionsInIndex(await readText(incoming, context.limits.indexBytes), repoURL, name);
  };
  const offers = await (place.kind === 'folder'
    ? read(place)
    : withRemote({ place, ...presentedTo(indexAddress, context.sender) }, context, signal, read));
  return offers.flatMap((offer) => {
    const address = URL.parse(offer.address, base)?.href;
    return address === undefined ? [] : [{ ...offer, address }];
  });
}

/** Adds the address to what was found wrong with a chart. */
export async function aboutChart<T>(address: string, task: () => Promise<T>): Promise<T> {
  try {
    return await task();
  } catch (error) {
    if (error instanceof AppError && (error.code === 'ChartInvalid' || error.code === 'ChartTooLarge'))
      throw chartError(error.code, address, error.message, error);
    throw error;
  }
}

async function fromFolder(place: FolderPlace, address: string, { limits }: RemoteContext): Promise<Incoming> {
  const found = await findInFolder(place, address);
  if (found.kind === 'file') {
    const { size } = await stat(found.path);
    return { bytes: createReadStream(found.path), address, answered: 'the file was found', length: size };
  }
  const name = await nameOfFolder(found.path);
  if (name === undefined)
    throw chartError(
      'ChartInvalid',
      address,
      `the folder ${JSON.stringify(basename(found.path))} has no readable Chart.yaml, so it is not a chart`,
    );
  const bytes = await aboutChart(address, () => packFolder(found.path, name, limits));
  return { bytes, address, answered: 'the folder was packed', length: undefined };
}

async function offersOfFolder(
  place: FolderPlace,
  { repoURL, name }: RepositorySource,
  { limits }: RemoteContext,
): Promise<OfferedVersion[]> {
  const folder = await findInFolder({ ...place, path: place.path.replace(/index\.yaml$/, '') }, repoURL);
  const index = join(folder.path, 'index.yaml');
  const size = (await stat(index).catch(() => undefined))?.size;
  if (size === undefined) return versionsInFolder(folder.path, name);
  if (size > limits.indexBytes) throw chartError('ChartTooLarge', repoURL, `its index.yaml is larger than ${sizeOf(limits.indexBytes)}`);
  return versionsInIndex(await readFile(index, 'utf8'), repoURL, name);
}
