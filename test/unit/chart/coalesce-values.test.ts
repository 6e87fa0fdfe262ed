import assert from 'node:assert/strict';
import { randomInt } from 'node:crypto';
import { existsSync, globSync, readFileSync } from 'node:fs';
import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { before, describe, it } from 'node:test';
import { execa } from 'execa';
import * as fc from 'fast-check';
import { createChartLibrary } from '../../../src/chart/chart-library.ts';
import { coalesceValues } from '../../../src/domain/chart/coalesce-values.ts';
import type { ParentChart } from '../../../src/domain/chart/subcharts.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { textAt } from '../../../src/domain/core/read.ts';
import { parseManifest } from '../../../src/domain/kubernetes/manifest.ts';
import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { loadTools } from '../../../src/embedded/cluster/tools.ts';
import { CHART_CLASSES } from '../../support/chart-classes/chart-classes.ts';
import { type ChartFiles, packEntries, temporaryFolder, writeFiles } from '../../support/charts.ts';
import { repoRoot } from '../../support/cluster.ts';
import { TEST_SET } from '../../support/test-set.ts';
import { FOUND, generatedCharts, type GeneratedChart } from './generated-charts.ts';

const COUNT = TEST_SET === 'all' ? 400 : 30;
const PUBLIC = join(repoRoot, '..', 'shared', 'charts');
/** It prints the values that a chart gets, by the place of the chart. */
const PRINTED: ChartFiles = {
  'templates/values.yaml': `apiVersion: v1
kind: ConfigMap
metadata: {name: {{ .Template.BasePath | quote }}}
data: {values: {{ .Values | toJson | quote }}}
`,
};

/** The values of each chart by its path; undefined where Helm renders nothing. */
type Printed = Readonly<Record<string, unknown>> | undefined;

describe('values are laid over one another exactly as Helm does', { timeout: 600_000 }, () => {
  const seed = TEST_SET === 'all' ? Number(process.env['CHANDLERY_TEST_SEED'] ?? randomInt(2 ** 31)) : 1;
  let helm: string;
  before(async () => {
    ({ helm } = await loadTools(repoRoot));
  });

  const printedByHelm = async (chart: string, values: JsonObject): Promise<Printed> => {
    const file = join(dirname(chart), 'values.json');
    await writeFile(file, stringifyJson(values));
    const args = ['template', 'x', chart, '--values', file, '--skip-schema-validation'];
    const { exitCode, stdout, stderr } = await execa(helm, args, { reject: false });
    if (exitCode !== 0) {
      assert.match(stderr, /type mismatch on|cannot be coalesced/, stderr);
      return undefined;
    }
    return Object.fromEntries(
      parseManifest(stdout).map(({ metadata, data }) => [
        metadata.name
          .split('/')
          .slice(1, -1)
          .filter((step) => step !== 'charts')
          .join('.'),
        JSON.parse(textAt(data, 'values') ?? '') as unknown,
      ]),
    );
  };

  it('in generated charts, and in those in which they once differed', async (t) => {
    const folder = await temporaryFolder(t);
    const charts = [...FOUND, ...fc.sample(generatedCharts, { numRuns: COUNT, seed })];
    const counts = { rendered: 0, 'rejected by both': 0, subcharts: 0 };
    for (const [index, chart] of charts.entries()) {
      const path = join(folder, `chart-${index}`);
      await writeFiles(path, filesOf(chart));
      const [theirs, ours] = [await printedByHelm(path, chart.given), printedByUs(chart, chart.given)];
      assert.deepEqual(ours, theirs, `seed ${seed}, chart ${index}: ${stringifyJson(chart as unknown as JsonObject)}`);
      counts[theirs === undefined ? 'rejected by both' : 'rendered'] += 1;
      counts.subcharts += Object.keys(theirs ?? {}).length;
    }
    t.diagnostic(`${charts.length} charts, no difference: ${stringifyJson(counts)}`);
    assert.ok(counts.rendered > charts.length / 4);
  });

  it('in small charts of every class, and in public ones, with their own values and those in ci/', async (t) => {
    const folder = await temporaryFolder(t);
    const archives = TEST_SET === 'all' && existsSync(PUBLIC) ? globSync('*.tgz', { cwd: PUBLIC }).sort() : [];
    const classes = CHART_CLASSES.filter(
      ({ files }) => TEST_SET === 'all' || Object.keys(files).some((path) => path.startsWith('charts/')),
    );
    for (const { name, files } of classes) await writeFiles(join(folder, 'classes', name), files);
    for (const archive of archives) await unpack(join(PUBLIC, archive), join(folder, 'public', basename(archive, '.tgz')));
    const roots = [...classes.map(({ name }) => join(folder, 'classes', name)), ...globSync(join(folder, 'public', '*', '*'))];
    const counts = { charts: 0, values: 0 };
    for (const root of roots) {
      const contents = await contentsOf(root, folder);
      await printValuesOnly(root);
      const parent = { ...contents, dependencies: contents.metadata.dependencies };
      for (const values of [{}, contents.values, ...contents.ciValues]) {
        assert.deepEqual(printedByUs(parent, values), await printedByHelm(root, values), root);
        counts.values += 1;
      }
      counts.charts += 1;
    }
    t.diagnostic(`no difference: ${stringifyJson(counts)}`);
  });
});

function printedByUs(chart: ParentChart, values: JsonObject): Printed {
  const coalesced = coalesceValues(chart, values);
  if ('mismatch' in coalesced) return undefined;
  const all = [['', coalesced.values] as const, ...coalesced.subcharts.map(({ path, values: own }) => [path, own] as const)];
  return Object.fromEntries(all.map(([path, own]) => [path, asPrinted(own)]));
}

/** Helm prints whole numbers of 64 bits with the digits that a float keeps. */
function asPrinted(values: JsonObject): unknown {
  return JSON.parse(stringifyJson(values));
}

function filesOf(chart: GeneratedChart): ChartFiles {
  const { name, version, dependencies, values, subcharts } = chart;
  const listed = dependencies.map(({ importValues, ...one }) => ({
    ...one,
    ...(importValues === undefined ? {} : { 'import-values': importValues }),
  }));
  const head = { apiVersion: 'v2', name, version, ...(listed.length === 0 ? {} : { dependencies: listed }) };
  const below = subcharts.flatMap((one) =>
    Object.entries(filesOf({ ...one, given: {} })).map(([path, text]): [string, string] => [`charts/${one.name}/${path}`, text]),
  );
  return {
    'Chart.yaml': stringifyJson(head),
    'values.yaml': stringifyJson(values),
    ...PRINTED,
    ...(Object.fromEntries(below) as ChartFiles),
  };
}

/** The chart as the product reads it. It reads subcharts where a schema makes their values count. */
async function contentsOf(root: string, folder: string): Promise<Awaited<ReturnType<typeof fetchContents>>> {
  const schema = join(root, 'values.schema.json');
  if (!existsSync(schema)) await writeFile(schema, '{}');
  const paths = globSync('**/*', { cwd: root, withFileTypes: true }).filter((entry) => entry.isFile());
  const files = [...paths, ...globSync('**/.helmignore', { cwd: root, withFileTypes: true })].map(({ parentPath, name }) =>
    join(parentPath, name),
  );
  const entries = files.map((path) => ({ name: `${basename(root)}/${path.slice(root.length + 1)}`, content: readFileSync(path) }));
  await writeFiles(folder, { 'chart.tgz': await packEntries(entries) });
  return await fetchContents(folder);
}

async function fetchContents(folder: string) {
  await rm(join(folder, 'cache'), { recursive: true, force: true });
  const library = await createChartLibrary({ cacheDir: join(folder, 'cache'), roots: { here: folder }, mirrors: [], allowEgress: [] });
  return (await library.fetch({ kind: 'url', url: 'file://here/chart.tgz' }, AbortSignal.timeout(60_000))).contents;
}

async function unpack(archive: string, folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  await execa('tar', ['xzf', archive, '-C', folder]);
  for (const inner of globSync(join(folder, '**', 'charts', '*.tgz'))) {
    await unpack(inner, dirname(inner));
    await rm(inner);
  }
}

/** Leaves nothing to render but the values, also of libraries. */
async function printValuesOnly(root: string): Promise<void> {
  for (const chart of globSync('{Chart.yaml,**/charts/*/Chart.yaml}', { cwd: root })) {
    const folder = join(root, dirname(chart));
    await rm(join(folder, 'templates'), { recursive: true, force: true });
    const head = await readFile(join(root, chart), 'utf8');
    await writeFiles(folder, {
      ...PRINTED,
      'Chart.yaml': head.replace(/^type: library/m, 'type: application').replace(/^kubeVersion:.*$/m, ''),
    });
  }
}
