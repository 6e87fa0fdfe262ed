import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { operatorPage } from '../../../src/web/operator-page.ts';
import { SAMPLE_OPERATORS } from '../../support/sample-instances.ts';

const [sample] = SAMPLE_OPERATORS;
const crd = { name: 'caches.a.example', kind: 'Cache', origin: 'crds', established: true };

describe('the page of an operator', () => {
  it('does not say that there are no instances while nobody has counted them', () => {
    assert.ok(sample !== undefined);
    const counts = (crds: { instances?: number }[]): string =>
      operatorPage({ ...sample, crds: crds.map((more) => ({ ...crd, ...more })) }).instances;
    assert.deepEqual(
      [counts([{}]), counts([{ instances: 2 }, {}]), counts([{ instances: 0 }]), counts([{ instances: 2 }, { instances: 3 }])],
      ['', '', '0', '5'],
    );
  });
});
