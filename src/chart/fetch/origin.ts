import { createReadStream } from 'node:fs';
import { stat } from 'node:fs/promises';
import { Readable } from 'node:stream';
import { basename } from 'node:path';
import { AppError } from '../../domain/core/errors.ts';
import { chartError } from '../chart-error.ts';
import { findInFolder, nameOfFolder } from '../repository/folder-repository.ts';
import { locate, type Place } from './locate.ts';
import { type Destination, type RemoteContext, withRemote } from './remote.ts';
import { packFolder } from '../archive/pack.ts';
import type { Incoming } from './receive.ts';
import { withRegistryChart } from '../oci/registry-chart.ts';
import { credentialsSentTo } from './scoped-credentials.ts';

type FolderPlace = Extract<Place, { kind: 'folder' }>;

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
  const uploaded = await context.uploads?.archive(address, signal);
  if (uploaded !== undefined) {
    return task({ bytes: Readable.from([uploaded]), address, answered: 'the uploaded chart was found', length: uploaded.length });
  }
  const place = locate(address, context.locations);
  if (place.kind === 'registry') return withRegistryChart(place.url, context, signal, task);
  return place.kind === 'folder'
    ? take(place)
    : withRemote({ place, ...credentialsSentTo(address, context.credentials) }, context, signal, take);
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
