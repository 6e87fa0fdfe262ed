import assert from 'node:assert/strict';
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { test } from 'node:test';
import { fetchURL, libraryFor } from './library.ts';

const SEED = resolve(import.meta.dirname, '..', '..', '..', '..', 'shared', 'seed');
const CHARTS = 'https://github.com/cloud-ark/operatorcharts/blob/master/';
const skip = existsSync(join(SEED, 'operators.yaml')) ? false : 'the seed charts are not beside this clone';

for (const [file, name, values] of [
  ['postgres-crd-v2-chart-0.0.2.tgz', 'postgres-crd-v2-chart', {}],
  ['moodle-operator-chart-0.0.1.tgz', 'moodle-operator-chart', { HOST_IP: 'Fill-me' }],
] as const) {
  test(`the chart ${name} of 2018 is read behind a mirror, with its description of the kind`, { skip }, async (t) => {
    const library = await libraryFor(t, { mirrors: [{ prefix: CHARTS, target: SEED }] });
    const { contents } = await fetchURL(library, `${CHARTS}${file}?raw=true`);
    assert.equal(contents.metadata.name, name);
    assert.deepEqual(contents.values, values);
    assert.match(contents.openApiSpec ?? '', /"typedir\./);
  });
}
