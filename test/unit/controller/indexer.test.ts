import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { createIndexer } from '../../../src/controller/indexer.ts';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { createObjectStore } from '../../../src/kube/watch/object-store.ts';

function thing(name: string, colour: string, resourceVersion: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Thing', metadata: { name, uid: name, resourceVersion, labels: { colour } } };
}

describe('an index', () => {
  const store = createObjectStore((object) => object);
  store.set(thing('before', 'red', '1'));
  const index = createIndexer({ ...store, synced: () => true }, ({ metadata }) => [metadata.labels?.['colour'] ?? '']);
  const names = (indexKey: string): string[] => index.having(indexKey).map(({ metadata }) => metadata.name);

  it('knows what was there before, what came, what changed and what went, and reports the index keys before and after a change', () => {
    const reported: (readonly string[])[] = [];
    index.onChange((indexKeys) => reported.push(indexKeys));
    store.set(thing('later', 'red', '2'));
    assert.deepEqual(names('red'), ['before', 'later']);
    store.set(thing('later', 'blue', '3'));
    assert.deepEqual([names('red'), names('blue')], [['before'], ['later']]);
    store.delete(thing('later', 'blue', '3'));
    assert.deepEqual(names('blue'), []);
    assert.deepEqual(reported, [['red'], ['red'], ['red', 'blue'], ['blue']]);
  });
});
