import { readdir, readFile, realpath, stat } from 'node:fs/promises';
import { join, resolve, sep } from 'node:path';
import { parseYamlDocument } from '../../domain/core/bounded-yaml.ts';
import { chartNotFound, nearNames } from './near-names.ts';
import { newestFirst, type OfferedVersion } from './repository.ts';
import { chartError } from '../chart-error.ts';
import type { Place } from '../fetch/locate.ts';

interface Repository {
  readonly name: string;
  readonly repoURL: string;
}

/**
 * The versions of a chart in a folder without an index.yaml, newest first: archives `<name>-<version>.tgz`, and the folder `<name>` when its
 * Chart.yaml says so. An archive comes before a folder of the same version.
 *
 * @param repoURL of the folder, for the error.
 * @throws AppError `ChartNotFound` where there is none, with similar names; `ChartInvalid` where the folder `<name>` is all there is, and has no version.
 */
export async function versionsInFolder(folder: string, { name, repoURL }: Repository): Promise<OfferedVersion[]> {
  const files = await readdir(folder);
  const archives = files
    .filter((file) => file.startsWith(`${name}-`) && file.endsWith('.tgz'))
    .map((file) => ({ version: file.slice(name.length + 1, -'.tgz'.length), address: encodeURIComponent(file) }));
  const unpacked = files.includes(name) ? await readChartYaml(join(folder, name)) : undefined;
  const folders = unpacked?.name === name ? [{ version: unpacked.version, address: encodeURIComponent(name) }] : [];
  const offers = newestFirst([...archives, ...folders]);
  const [only] = folders;
  if (offers.length > 0) return offers;
  if (only === undefined) throw chartNotFound({ repoURL, name }, nearNames(name, await chartsIn(folder, files)));
  throw chartError('ChartInvalid', repoURL, `${name}/Chart.yaml: the version ${JSON.stringify(only.version)} is not a semantic version`);
}

const MAX_NAMES = 2_000;

/** The names of the charts in a folder, as far as names of files tell. */
async function chartsIn(folder: string, files: readonly string[]): Promise<readonly string[]> {
  const some = files.slice(0, MAX_NAMES);
  const archives = some.flatMap((file) => /^(.+?)-v?\d.*\.tgz$/.exec(file)?.[1] ?? []);
  const folders = await Promise.all(some.filter((file) => !file.includes('.')).map(async (file) => await nameOfFolder(join(folder, file))));
  return [...new Set([...archives, ...folders.filter((one) => one !== undefined)])];
}

/** The name in a folder's Chart.yaml; undefined when it is not a chart. */
export async function nameOfFolder(folder: string): Promise<string | undefined> {
  return (await readChartYaml(folder))?.name;
}

async function readChartYaml(folder: string): Promise<{ readonly name: string; readonly version: string } | undefined> {
  const text = await readFile(join(folder, 'Chart.yaml'), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const chart = parseChart(text);
  const { name, version } = chart;
  const isNamed = typeof name === 'string' && /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(name);
  return isNamed && (typeof version === 'string' || typeof version === 'number') ? { name, version: String(version) } : undefined;
}

/** What cannot be read is no chart here; fetching it by its address says what is wrong with it. */
function parseChart(text: string): Readonly<Record<string, unknown>> {
  try {
    const chart = parseYamlDocument(text);
    return typeof chart === 'object' && chart !== null && !Array.isArray(chart) ? (chart as Readonly<Record<string, unknown>>) : {};
  } catch {
    return {};
  }
}

interface Found {
  readonly kind: 'file' | 'folder';
  /** Absolute, links resolved. */
  readonly path: string;
}

/**
 * The file or folder at a place. Neither `..`, in any spelling, nor a link leads out of the root.
 *
 * @param address the address asked for, for the error.
 * @throws AppError `ChartNotFound`.
 */
export async function findInFolder(place: Extract<Place, { kind: 'folder' }>, address: string): Promise<Found> {
  const root = await realpath(place.root).catch(() => undefined);
  if (root === undefined)
    throw chartError('ChartNotFound', address, `the folder behind ${place.via} does not exist; check the configured mirrors and roots`);
  const wanted = decoded(place.path);
  const path = wanted === undefined ? undefined : resolve(root, `.${sep}${wanted.replace(/^\/+/, '')}`);
  const real = path !== undefined && isInside(root, path) ? await realpath(path).catch(() => undefined) : undefined;
  const found = real !== undefined && isInside(root, real) ? await stat(real) : undefined;
  if (real !== undefined && found?.isFile() === true) return { kind: 'file', path: real };
  if (real !== undefined && found?.isDirectory() === true) return { kind: 'folder', path: real };
  throw chartError(
    'ChartNotFound',
    address,
    `the folder behind ${place.via} holds no such file; put the chart there, or correct the address`,
  );
}

function isInside(root: string, path: string): boolean {
  return path === root || path.startsWith(root.endsWith(sep) ? root : root + sep);
}

function decoded(path: string): string | undefined {
  try {
    const text = decodeURIComponent(path);
    return text.includes('\0') || text.includes('\\') ? undefined : text;
  } catch {
    return undefined;
  }
}
