import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { RULES } from '../../src/domain/uplift/rules.ts';
import { uplift } from '../../src/domain/uplift/uplift.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { LEGACY_SAMPLES } from '../support/legacy-samples.ts';

let testCluster: TestCluster;
let kube: Kube;

before(async () => {
  testCluster = await sharedCluster();
  kube = openKube(testCluster.kubeconfigPath);
});
after(async () => {
  await kube.close();
  await testCluster.stop();
});

describe('what becomes of legacy objects', () => {
  for (const { object, becomes } of LEGACY_SAMPLES) {
    it(`is taken by the api-server: ${object.kind} of ${object.apiVersion}`, async () => {
      const { objects, failedConversions } = uplift([object]);
      assert.deepEqual(failedConversions, []);
      const [lifted] = objects;
      assert.equal(lifted?.apiVersion, becomes);
      const served = await kube.find(becomes, object.kind);
      assert.ok(served, `${becomes} ${object.kind} is served`);
      const { object: taken } = await kube.asController().create(served, lifted, { dryRun: 'All', fieldValidation: 'Strict' });
      assert.equal(taken.metadata.name, object.metadata.name);
    });
  }

  it('is of kinds that this api-server does not serve any more', async () => {
    const served: string[] = [];
    for (const key of Object.keys(RULES)) {
      const [apiVersion = '', kind = ''] = key.split(' ');
      if ((await kube.find(apiVersion, kind)) !== undefined) served.push(key);
    }
    assert.deepEqual(served, []);
  });
});
