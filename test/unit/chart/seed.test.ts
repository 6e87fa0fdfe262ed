import assert from 'node:assert/strict';
import { test } from 'node:test';
import { temporaryFolder } from '../../support/charts.ts';
import { SEED_ADDRESS, writeSeedCharts } from '../../support/seed.ts';
import { fetchURL, libraryFor } from './library.ts';

for (const [file, name, values] of [
  ['postgres-crd-v2-chart-0.0.2.tgz', 'postgres-crd-v2-chart', {}],
  ['moodle-operator-chart-0.0.1.tgz', 'moodle-operator-chart', { HOST_IP: 'Fill-me' }],
] as const) {
  test(`the chart ${name} of 2018 is read behind a mirror, with its description of the kind`, async (t) => {
    const folder = await temporaryFolder(t);
    await writeSeedCharts(folder);
    const library = await libraryFor(t, { mirrors: [{ prefix: SEED_ADDRESS, target: folder }] });
    const { contents } = await fetchURL(library, `${SEED_ADDRESS}${file}?raw=true`);
    assert.equal(contents.metadata.name, name);
    assert.deepEqual(contents.values, values);
    assert.match(contents.openApiSpec ?? '', /"typedir\./);
  });
}
