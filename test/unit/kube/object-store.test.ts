import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { createObjectStore } from '../../../src/kube/watch/object-store.ts';

function object(namespace: string | undefined, name: string, resourceVersion = '1'): KubeObject {
  const metadata = { name, uid: `${namespace ?? ''}-${name}`, resourceVersion, ...(namespace === undefined ? {} : { namespace }) };
  return { apiVersion: 'v1', kind: 'Thing', metadata };
}

const store = () => createObjectStore((kept) => kept);

test('objects are sorted by namespace, then by name', () => {
  const things = store();
  for (const one of [object('a-b', 'x'), object('a', 'z'), object('a', 'y'), object('b', 'a')]) things.set(one);
  assert.deepEqual(
    things.all().map(({ metadata }) => `${metadata.namespace}/${metadata.name}`),
    ['a/y', 'a/z', 'a-b/x', 'b/a'],
  );
});

test('anybody who listens hears of what is there and then of each change, once', () => {
  const things = store();
  for (const name of ['one', 'two']) things.set(object('a', name));
  const heard: string[] = [];
  const stop = things.onChange((key) => heard.push(key));
  things.set(object('a', 'one'));
  things.set(object('a', 'one', '2'));
  things.retain(new Set(['a/one', 'a/three']));
  things.set(object('a', 'three'));
  things.delete(object('a', 'never'));
  stop();
  things.delete(object('a', 'one'));
  assert.deepEqual(heard, ['a/one', 'a/two', 'a/one', 'a/two', 'a/three']);
});

test('an object that was made anew under its old name and version is a change', () => {
  const things = store();
  things.set(object(undefined, 'one'));
  const heard: string[] = [];
  things.onChange((key) => heard.push(key));
  things.set({ ...object(undefined, 'one'), metadata: { name: 'one', uid: 'another', resourceVersion: '1' } });
  assert.deepEqual(heard, ['one', 'one']);
});
