import { readFile, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseYamlDocument } from '../../domain/core/bounded-yaml.ts';
import { newestFirst, type OfferedVersion } from './repository.ts';

/**
 * The versions of a chart in a folder without an index.yaml, newest first: archives `<name>-<version>.tgz`, and the folder `<name>` when its
 * Chart.yaml says so. An archive comes before a folder of the same version.
 */
export async function versionsInFolder(folder: string, name: string): Promise<OfferedVersion[]> {
  const files = await readdir(folder);
  const archives = files
    .filter((file) => file.startsWith(`${name}-`) && file.endsWith('.tgz'))
    .map((file) => ({ version: file.slice(name.length + 1, -'.tgz'.length), address: encodeURIComponent(file) }));
  const unpacked = files.includes(name) ? await readChartYaml(join(folder, name)) : undefined;
  const folders = unpacked?.name === name ? [{ version: unpacked.version, address: encodeURIComponent(name) }] : [];
  return newestFirst([...archives, ...folders]);
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
