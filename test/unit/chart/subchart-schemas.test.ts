import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import type { ChartContents } from '../../../src/chart/archive/contents.ts';
import { createChartLibrary } from '../../../src/chart/chart-library.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { loadTools } from '../../../src/embedded/cluster/tools.ts';
import { checkChartValues } from '../../../src/schema/values/check-values.ts';
import { packEntries, writeFiles, type ChartFiles, type RawEntry } from '../../support/charts.ts';
import { repoRoot } from '../../support/cluster.ts';

const SIZE = JSON.stringify({
  type: 'object',
  required: ['size'],
  additionalProperties: false,
  properties: { size: { type: 'integer' }, enabled: {}, metrics: {}, global: { type: 'object', properties: { zone: { type: 'string' } } } },
});

const FILES: ChartFiles = {
  'Chart.yaml': `apiVersion: v2
name: shop
version: 1.0.0
dependencies:
  - {name: redis, version: 1.x.x, condition: "redis.enabled,cache.enabled", tags: [cache]}
  - {name: postgresql, version: ">=1.0.0", alias: db}
  - {name: queue, version: ^1.0.0, tags: [work, later]}
  - {name: search, version: ^2.0.0}
`,
  'values.yaml': 'redis: {size: 1}\n',
  'templates/a.yaml': 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\n',
  ...chartIn('charts/redis', 'redis', 'size: 3\nenabled: true\n'),
  ...chartIn('charts/postgresql', 'postgresql', 'size: 1\n'),
  ...chartIn('charts/postgresql/charts/metrics', 'metrics', 'size: 1\n'),
  ...chartIn('charts/queue', 'queue', 'size: 1\n'),
  ...chartIn('charts/search', 'search', 'size: 1\n'),
  ...chartIn('charts/extra', 'extra', 'size: 1\n'),
};

function chartIn(folder: string, name: string, values: string): ChartFiles {
  return {
    [`${folder}/Chart.yaml`]: `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`,
    [`${folder}/values.yaml`]: values,
    [`${folder}/values.schema.json`]: SIZE,
  };
}

const CASES: readonly { readonly world: string; readonly values: JsonObject; readonly fault?: string }[] = [
  { world: 'what the subcharts say themselves', values: {} },
  { world: 'a wrong type', values: { redis: { size: 'big' } }, fault: 'redis.size' },
  { world: 'an alias', values: { db: { size: 'big' } }, fault: 'db.size' },
  { world: 'values under the name of a subchart that has an alias', values: { postgresql: { size: 'big' } } },
  { world: 'a subchart of a subchart', values: { db: { metrics: { size: 'big' } } }, fault: 'db.metrics.size' },
  { world: 'a subchart that is not listed', values: { extra: { size: 'big' } }, fault: 'extra.size' },
  { world: 'a subchart listed in another version', values: { search: { size: 'big' } }, fault: 'search.size' },
  { world: 'a default that null takes away', values: { redis: { size: null } }, fault: 'redis' },
  { world: 'a subchart that its condition switches off', values: { redis: { enabled: false, size: 'big' } } },
  {
    world: 'a subchart that a later condition does not switch off',
    values: { cache: { enabled: false }, redis: { size: 'big' } },
    fault: 'redis.size',
  },
  { world: 'a condition that outweighs a tag', values: { tags: { cache: false }, redis: { size: 'big' } }, fault: 'redis.size' },
  { world: 'a subchart that its tag switches off', values: { tags: { work: false }, queue: { size: 'big' } } },
  {
    world: 'a subchart of which one tag is on',
    values: { tags: { work: false, later: true }, queue: { size: 'big' } },
    fault: 'queue.size',
  },
  { world: 'a global of the parent', values: { global: { zone: 1 }, redis: { enabled: false } }, fault: 'extra.global.zone' },
  { world: 'a field that the schema does not have', values: { db: { sice: 1 } }, fault: 'db' },
];

let folder: string;
let helm: string;
before(async () => {
  folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-subcharts-'));
  ({ helm } = await loadTools(repoRoot));
});
after(() => rm(folder, { recursive: true, force: true }));

describe('the schemas of subcharts reject what Helm rejects, with', () => {
  let inFolders: ChartContents;
  before(async () => {
    await writeFiles(join(folder, 'shop'), FILES);
    inFolders = await contentsOf(FILES);
  });

  it('the same contents where they are packed', async () => {
    assert.deepEqual((await contentsOf(await packSubcharts(FILES))).subcharts, inFolders.subcharts);
  });

  for (const { world, values, fault } of CASES) {
    it(world, async () => {
      const { faults, unchecked } = await checkChartValues({ digest: 'shop', contents: inFolders }, values);
      assert.deepEqual(unchecked, []);
      const file = join(folder, 'values.yaml');
      await writeFile(file, stringifyJson(values));
      const said = await promisify(execFile)(helm, ['template', 'shop', join(folder, 'shop'), '--values', file]).then(
        () => '',
        (error: { readonly stderr: string }) => error.stderr,
      );
      assert.equal(faults.length > 0, /don't meet the specifications of the schema/.test(said), `${faults.join('\n')}\n${said}`);
      assert.equal(faults.length > 0, fault !== undefined, said);
      if (fault === undefined) return;
      assert.match(faults[0] ?? '', new RegExp(`^The values violate the schema of the subchart \\S+: ${fault.replaceAll('.', '\\.')}`));
    });
  }
});

async function contentsOf(files: Files): Promise<ChartContents> {
  await writeFiles(folder, { 'shop.tgz': await packEntries(entriesOf('shop', files)) });
  const library = await createChartLibrary({ cacheDir: join(folder, 'cache'), roots: { here: folder }, mirrors: [], allowEgress: [] });
  return (await library.fetch({ kind: 'url', url: 'file://here/shop.tgz' }, AbortSignal.timeout(20_000))).contents;
}

type Files = Readonly<Record<string, string | Buffer>>;

function entriesOf(folder: string, files: Files): readonly RawEntry[] {
  return Object.entries(files).map(([name, content]) => ({ name: `${folder}/${name}`, content }));
}

/** The same chart with each folder in `charts/` packed, and those in them as well. */
async function packSubcharts(files: ChartFiles): Promise<Files> {
  const folders = Map.groupBy(Object.entries(files), ([name]) => /^charts\/([^/]+)\//.exec(name)?.[1]);
  const packed = [...folders].map(async ([folder, own]): Promise<readonly [string, string | Buffer][]> => {
    if (folder === undefined) return own;
    const inner = await packSubcharts(Object.fromEntries(own.map(([name, text]) => [name.slice(`charts/${folder}/`.length), text])));
    return [[`charts/${folder}-1.0.0.tgz`, await packEntries(entriesOf(folder, inner))]];
  });
  return Object.fromEntries((await Promise.all(packed)).flat());
}
