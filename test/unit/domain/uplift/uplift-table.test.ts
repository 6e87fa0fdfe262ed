import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { describe, it } from 'node:test';
import { parseManifest } from '../../../../src/domain/kubernetes/manifest.ts';
import { RULES } from '../../../../src/domain/uplift/rules.ts';
import { uplift } from '../../../../src/domain/uplift/uplift.ts';
import { LEGACY_SAMPLES, WITHOUT_COUNTERPART } from '../../../support/legacy-samples.ts';

const DOCS = join(import.meta.dirname, '..', '..', '..', '..', 'docs', 'operator.md');

describe('the table of legacy APIs', () => {
  it('has a sample for every rule', () => {
    const samples = LEGACY_SAMPLES.map(({ object }) => `${object.apiVersion} ${object.kind}`);
    assert.deepEqual([...new Set([...samples, ...WITHOUT_COUNTERPART])].sort(), Object.keys(RULES).sort());
  });

  it('is the one in the docs', async () => {
    const rows = (await readFile(DOCS, 'utf8')).split('\n').flatMap((line) => {
      const [, from, kinds, becomes] = /^\| `([\w.]+\/v\d\w+)`\s*\| ([\w, ]+?)\s*\| (`[\w./]+`|rejected)\s*\|/.exec(line) ?? [];
      return (kinds ?? '').split(', ').flatMap((kind) => (from === undefined ? [] : [`${from} ${kind} → ${becomes ?? ''}`]));
    });
    const known = [
      ...LEGACY_SAMPLES.map(({ object, becomes }) => `${object.apiVersion} ${object.kind} → \`${becomes}\``),
      ...WITHOUT_COUNTERPART.map((key) => `${key} → rejected`),
    ];
    assert.deepEqual(rows.toSorted(), known.toSorted());
  });
});

describe('lists', () => {
  it('are unpacked, typed ones too, so that their items are converted', () => {
    const item = '{apiVersion: batch/v1beta1, kind: CronJob, metadata: {name: a}}';
    for (const kind of ['List', 'CronJobList']) {
      const objects = parseManifest(`apiVersion: v1\nkind: ${kind}\nitems: [${item}]\n`);
      assert.deepEqual(
        uplift(objects).conversions.map(({ name, to }) => `${name} ${to}`),
        ['a batch/v1'],
      );
    }
  });
});
