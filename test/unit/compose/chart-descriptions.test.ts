import assert from 'node:assert/strict';
import { mkdir, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createChartLibrary, type ChartLibrary } from '../../../src/chart/chart-library.ts';
import { cacheChartDescriptions } from '../../../src/compose/create-charts.ts';
import { chartFiles, writeFiles } from '../../support/charts.ts';

describe('the words of a chart', () => {
  let folder: string;
  let charts: ChartLibrary;
  let digest: string;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chandlery-words-'));
    const root = join(folder, 'root');
    await mkdir(join(root, 'shop'), { recursive: true });
    await writeFiles(join(root, 'shop'), { ...chartFiles('shop', '1.0.0'), 'README.md': '# Shop\n' });
    charts = await createChartLibrary({ cacheDir: join(folder, 'cache'), roots: { root }, mirrors: [], allowEgress: [] });
    const source = { kind: 'repository', repoURL: 'file://root', name: 'shop', version: '1.0.0' } as const;
    ({ digest } = await charts.fetch(source, AbortSignal.timeout(10_000)));
  });
  after(async () => rm(folder, { recursive: true, force: true }));

  it('are read once and outlive the archive, because a digest always says the same', async () => {
    const words = cacheChartDescriptions(charts);
    assert.equal((await words(digest))?.readme, '# Shop\n');
    await rm(join(folder, 'cache'), { recursive: true });
    assert.equal(await charts.contents(digest), undefined);
    assert.equal((await words(digest))?.readme, '# Shop\n');
  });

  it('of a chart that is not at hand are none', async () => {
    assert.equal(await cacheChartDescriptions(charts)(`sha256:${'0'.repeat(64)}`), undefined);
  });
});
