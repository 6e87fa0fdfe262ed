import assert from 'node:assert/strict';
import { test } from 'node:test';
import { schemaOf } from '../../src/domain/catalog/app-catalog.ts';
import { at, listAt } from '../../src/domain/core/read.ts';
import type { JsonObject, KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { openKube } from '../support/open-kube.ts';
import { CATALOG_TYPES, createCatalogCache } from '../../src/kube/watch/catalog-cache.ts';
import { packCrds } from '../../src/kube/watch/packed-schemas.ts';
import { createLog } from '../../src/observe/log.ts';
import { sharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';

const log = createLog({ level: 'silent', format: 'lines', write: () => undefined });

test('the catalogue has the CRDs of all pages, without bookkeeping, and follows a schema that changes', async () => {
  const names = ['a', 'b', 'c', 'd', 'e'].map((letter) => `${letter}s.pages.example.com`);
  const type = CATALOG_TYPES.customResourceDefinitions;
  const ending = new AbortController();
  const testCluster = await sharedCluster();
  const kube = openKube(testCluster.kubeconfigPath);
  const cluster = kube.asController();
  try {
    for (const name of names) await cluster.create(type, definition(name, 10));
    const catalog = createCatalogCache(kube, log, ending.signal);
    const copy = catalog.reflectors.customResourceDefinitions;
    await copy.waitForSync(AbortSignal.timeout(20_000));
    for (const name of names) assert.deepEqual(schemaOf(found(copy.get(name)), 'v1'), schemaWith(10));
    assert.deepEqual(schemaOf(await packCrds(cluster).get({ ...type, name: names[0] ?? '' }), 'v1'), schemaWith(10));
    const managers = listAt(copy.get(names[0] ?? '')?.metadata, 'managedFields').filter((entry) => at(entry, 'subresource') === undefined);
    assert.deepEqual(managers, [{ manager: 'chandlery-test' }]);
    await cluster.apply(type, definition(names[4] ?? '', 20), { fieldManager: 'chandlery-test', force: 'force' });
    const maximum = (): unknown =>
      at(schemaOf(found(copy.get(names[4] ?? '')), 'v1'), 'properties', 'spec', 'properties', 'size', 'maximum');
    await eventually(async () => maximum() === 20, 'the new schema');
  } finally {
    ending.abort();
    for (const name of names) await cluster.delete({ ...type, name });
    await kube.close();
    await testCluster.stop();
  }
});

function schemaWith(maximum: number): JsonObject {
  const size = { description: 'How large it is.', maximum, type: 'integer' };
  return { properties: { spec: { properties: { size }, type: 'object' } }, type: 'object' };
}

function definition(name: string, maximum: number): KubeObject {
  const [plural = '', ...group] = name.split('.');
  const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: schemaWith(maximum) } }];
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name },
    spec: { group: group.join('.'), scope: 'Namespaced', names: { plural, kind: plural.toUpperCase() }, versions },
  };
}

function found(object: KubeObject | undefined): KubeObject {
  return object ?? assert.fail('the copy lacks it');
}
