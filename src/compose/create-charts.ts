import { createHash } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { LRUCache } from 'lru-cache';
import { createChartLibrary, type ChartLibrary, type ChartLibraryOptions } from '../chart/chart-library.ts';
import { createPictureLibrary, type PictureLibrary } from '../chart/fetch/pictures.ts';
import type { Config } from '../config.ts';
import { type KeySource, mapSource } from '../controller/controller.ts';
import { parseCertificates } from '../domain/chart/chart-secret.ts';
import { AppError } from '../domain/core/errors.ts';
import { archiveOf, isFromUpload, listUploads, uploadedId } from '../domain/app-definition/uploaded-chart.ts';
import { type Cluster, ifFound } from '../domain/kubernetes/cluster.ts';
import { keyOf, type KubeObject } from '../domain/kubernetes/resource.ts';
import { CHART_ARCHIVE } from '../domain/kubernetes/resource-types.ts';
import type { Kube } from '../kube/kube.ts';
import { startMetadataReflector } from '../kube/watch/reflector.ts';
import type { ChartDescription } from '../operation/ports.ts';
import type { ChartValues } from '../schema/embed-chart-values.ts';
import type { Log } from '../observe/log.ts';

export interface ChartsInput {
  readonly config: Pick<Config, 'chartRoots' | 'mirrors' | 'allowEgress' | 'chartCacheBytes' | 'chartCaFiles'>;
  readonly repoRoot: string;
  readonly stateDir: string;
  readonly log: Log;
  /** Absent: there are no uploaded charts. */
  readonly kube?: Pick<Kube, 'asController'>;
}

/** The pictures that charts and the catalogue name, by the rules of charts. */
export async function createPictures({ config, log }: Pick<ChartsInput, 'config' | 'log'>): Promise<PictureLibrary> {
  return createPictureLibrary({
    mirrors: config.mirrors,
    allowEgress: config.allowEgress,
    certificateAuthorities: await readAuthorities(config.chartCaFiles),
    log: { info: (keys, message) => log.debug(message, { ...keys }) },
  });
}

/** The charts, cached in the state folder; our own sample charts are the root `charts`. */
export async function createCharts({ config, repoRoot, stateDir, log, kube }: ChartsInput): Promise<ChartLibrary> {
  return await createChartLibrary({
    cacheDir: join(stateDir, 'cache', 'charts'),
    cacheBytes: config.chartCacheBytes,
    roots: { charts: join(repoRoot, 'charts'), ...config.chartRoots },
    mirrors: config.mirrors,
    allowEgress: config.allowEgress,
    certificateAuthorities: await readAuthorities(config.chartCaFiles),
    ...(kube === undefined ? {} : { uploads: readUploads(kube.asController()) }),
    log: { info: (keys, message) => log.debug(message, { ...keys }) },
  });
}

/** The uploaded charts, as the cluster has them now. */
function readUploads(cluster: Pick<Cluster, 'get' | 'listMetadata'>): NonNullable<ChartLibraryOptions['uploads']> {
  return {
    archive: async (address, signal) => {
      const name = uploadedId(address);
      const object = name === undefined ? undefined : await ifFound(cluster.get({ ...CHART_ARCHIVE, name }, { signal }));
      return object === undefined ? undefined : archiveOf(object);
    },
    versions: async (chart, signal) =>
      (await listUploads(cluster, signal))
        .filter(({ name }) => name === chart)
        .map(({ version, address, digest }) => ({ version, address, ...(digest === '' ? {} : { digest }) })),
  };
}

/** Tells which Operators and AppDefinitions may have another uploaded chart now. */
export interface UploadWatch {
  /** Another text whenever another chart was uploaded, or one was deleted; empty for what has no uploaded chart. */
  revisionOf(object: KubeObject): string;
  /** The keys of those of the objects that have uploaded charts, whenever there are others. */
  keysOf(objects: () => readonly KubeObject[]): KeySource;
}

/** Watches the metadata of uploaded charts. */
export function watchUploads({
  kube,
  log,
  signal,
}: Pick<Required<ChartsInput>, 'kube' | 'log'> & { readonly signal: AbortSignal }): UploadWatch {
  const uploads = startMetadataReflector({ cluster: kube.asController(), type: CHART_ARCHIVE, log, signal });
  const all = (): string[] => uploads.all().map(({ metadata }) => metadata.uid ?? '');
  return {
    revisionOf: (object) => (isFromUpload(object) ? createHash('sha256').update(all().sort().join()).digest('hex').slice(0, 16) : ''),
    keysOf: (objects) => mapSource(uploads, () => objects().filter(isFromUpload).map(keyOf)),
  };
}

/**
 * Reads files of certificate authorities.
 *
 * @returns one PEM for each certificate.
 * @throws AppError `ConfigInvalid` for a file without one.
 */
export async function readAuthorities(files: readonly string[]): Promise<readonly string[]> {
  const lists = await Promise.all(
    files.map(async (file) => {
      const found = parseCertificates(await readFile(file, 'utf8'));
      if (found === undefined) throw new AppError('ConfigInvalid', `--chart-ca: ${JSON.stringify(file)} has no certificates in PEM`);
      return found;
    }),
  );
  return lists.flat();
}

const REMEMBERED = 256;

/**
 * What charts say about themselves, for every card of every visit: a digest always says the same, so each archive is read once and its few
 * words are kept, for more charts than the library itself holds unpacked.
 */
export function cacheChartDescriptions(charts: Pick<ChartLibrary, 'contents'>): (digest: string) => Promise<ChartDescription | undefined> {
  const known = new LRUCache<string, ChartDescription>({ max: REMEMBERED });
  return async (digest) => {
    const words = known.get(digest) ?? (await readChartDescription(charts, digest));
    if (words === undefined) return undefined;
    known.set(digest, words);
    return words;
  };
}

async function readChartDescription(charts: Pick<ChartLibrary, 'contents'>, digest: string): Promise<ChartDescription | undefined> {
  const contents = await charts.contents(digest);
  if (contents === undefined) return undefined;
  const { icon, description } = contents.metadata;
  return { readme: contents.readme, ...(icon === undefined ? {} : { icon }), ...(description === undefined ? {} : { description }) };
}

/** What charts say about their values. The library remembers the contents of those that were needed last. */
export function readChartValues(charts: Pick<ChartLibrary, 'contents'>): (digest: string) => Promise<ChartValues | undefined> {
  return async (digest) => {
    const contents = await charts.contents(digest);
    if (contents === undefined) return undefined;
    const { schema, values, valuesText, hints, subcharts, metadata } = contents;
    const { dependencies } = metadata;
    return { values, valuesText, hints, dependencies, subcharts, ...(schema === undefined ? {} : { schema }) };
  };
}
