import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parse } from 'yaml';
import { createChartLibrary } from '../../src/chart/chart-library.ts';
import type { JsonObject } from '../../src/domain/kubernetes/resource.ts';
import type { ChartValuesSource } from '../../src/schema/structural/chart-structure.ts';
import { repoRoot } from './cluster.ts';
import { SCHEMA_FOLDERS } from './schemas.ts';

/** A chart with the values that have to fit the kind that is generated for it: its own, and those of its `ci/` folder. */
export interface OfferedChart {
  readonly name: string;
  readonly source: ChartValuesSource;
  readonly samples: readonly JsonObject[];
}

/** The charts of this repository, and the schemas of real ones, each with its schema and, as if it had none, with the one inferred from its values. */
export async function offeredCharts(): Promise<readonly OfferedChart[]> {
  return [...(await ownCharts()), ...realCharts()].flatMap(({ name, source }) => {
    const { schema, ...inferred } = source;
    const samples = [source.values, ...source.ciValues];
    return [{ name, source, samples }, ...(schema === undefined ? [] : [{ name: `${name}, inferred`, source: inferred, samples }])];
  });
}

type Source = Omit<OfferedChart, 'samples'>;

async function ownCharts(): Promise<Source[]> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-offered-'));
  const roots = { charts: join(repoRoot, 'charts'), apps: join(repoRoot, 'charts', 'apps') };
  try {
    const library = await createChartLibrary({ cacheDir: join(folder, 'cache'), roots, mirrors: [], allowEgress: [] });
    const found: Source[] = [];
    for (const [root, path] of Object.entries(roots)) {
      for (const name of readdirSync(path).filter((one) => existsSync(join(path, one, 'Chart.yaml')))) {
        const source = { kind: 'repository', repoURL: `file://${root}`, name, version: '*' } as const;
        const { contents } = await library.fetch(source, AbortSignal.timeout(30_000));
        found.push({ name, source: contents });
      }
    }
    return found;
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}

function realCharts(): Source[] {
  return SCHEMA_FOLDERS.map((one) => join(one, 'charts'))
    .filter((one) => existsSync(one))
    .flatMap((folder) => {
      const files = readdirSync(folder).filter((one) => one.endsWith('.values.yaml'));
      return files.map((file) => {
        const name = file.replace(/\.values\.yaml$/, '');
        const valuesText = readFileSync(join(folder, file), 'utf8');
        const values = (parse(valuesText) ?? {}) as JsonObject;
        const schemaFile = ['json', 'yaml'].map((type) => join(folder, `${name}.schema.${type}`)).find((one) => existsSync(one));
        const schema = schemaFile === undefined ? {} : { schema: parse(readFileSync(schemaFile, 'utf8')) as JsonObject };
        return { name, source: { metadata: { dependencies: [] }, values, valuesText, subcharts: [], ciValues: [], ...schema } };
      });
    });
}
