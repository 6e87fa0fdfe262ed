import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { keyOf, type KubeObject } from '../../../../../src/domain/kubernetes/resource.ts';
import { createObjectStore } from '../../../../../src/kube/watch/object-store.ts';
import { operatorReferrers, referencesOf } from '../../../../../src/reconcile/operator/memory/references-of.ts';
import { watchReferences, type ReferencePlace } from '../../../../../src/reconcile/helm-release/watch-references.ts';

describe('what an Operator refers to', () => {
  it('is named once, in its own namespace, the credentials of its chart included', () => {
    const object = operator('o', [secret('db'), secret('db', 'other'), configMap('base')], 'pull');
    assert.deepEqual(
      referencesOf(object).map(({ type, namespace, name }) => `${type.resource} ${namespace}/${name}`),
      ['configmaps team/base', 'secrets team/db', 'secrets team/pull'],
    );
  });
});

describe('watching what Operators refer to', () => {
  it('starts with the first reference in a namespace, and ends with the last', () => {
    const { operators, open } = world();
    operators.set(operator('none', []));
    assert.deepEqual(open(), []);
    operators.set(operator('a', [secret('one')]));
    operators.set(operator('b', [secret('two'), configMap('three')]));
    assert.deepEqual(open(), ['secrets team type!=helm.sh/release.v1', 'configmaps team']);
    operators.set(operator('b', [secret('two')], undefined, '2'));
    assert.deepEqual(open(), ['secrets team type!=helm.sh/release.v1']);
    operators.delete(operator('a', []));
    assert.deepEqual(open(), ['secrets team type!=helm.sh/release.v1']);
    operators.delete(operator('b', []));
    assert.deepEqual(open(), []);
  });

  it('reports exactly the Operators that refer to what changed', () => {
    const { operators, objects, reported } = world();
    operators.set(operator('a', [secret('shared')]));
    operators.set(operator('b', [secret('shared'), secret('own')]));
    objects('secrets').set(object('Secret', 'shared'));
    assert.deepEqual(reported(), ['team/a', 'team/b']);
    objects('secrets').set(object('Secret', 'own'));
    assert.deepEqual(reported(), ['team/b']);
    objects('secrets').set(object('Secret', 'nobodys'));
    assert.deepEqual(reported(), []);
    objects('secrets').delete(object('Secret', 'shared'));
    assert.deepEqual(reported(), ['team/a', 'team/b']);
  });

  it('no longer reports what an Operator has stopped to refer to', () => {
    const { operators, objects, reported } = world();
    operators.set(operator('a', [secret('old'), secret('kept')]));
    operators.set(operator('a', [secret('kept')], undefined, '2'));
    objects('secrets').set(object('Secret', 'old'));
    assert.deepEqual(reported(), []);
  });

  it('gives another revision for each version of what is referred to, absence included, and none until it is known', () => {
    const { operators, objects, references, sync } = world();
    const one = operator('a', [secret('one')]);
    operators.set(one);
    assert.equal(references.revisionOf(referencesOf(one)), undefined);
    sync();
    const absent = references.revisionOf(referencesOf(one));
    objects('secrets').set(object('Secret', 'one', '1'));
    const first = references.revisionOf(referencesOf(one));
    objects('secrets').set(object('Secret', 'one', '2'));
    assert.equal(new Set([absent, first, references.revisionOf(referencesOf(one)), undefined]).size, 4);
    assert.equal(references.revisionOf([]), undefined);
  });
});

interface World {
  readonly operators: ReturnType<typeof createObjectStore>;
  readonly references: ReturnType<typeof watchReferences>;
  readonly objects: (resource: string) => ReturnType<typeof createObjectStore>;
  /** The keys reported since the last time. */
  readonly reported: () => string[];
  /** The places watched now. */
  readonly open: () => string[];
  readonly sync: () => void;
}

function world(): World {
  const operators = createObjectStore((kept) => kept);
  const open = new Map<string, ReturnType<typeof createObjectStore>>();
  const state = { synced: false };
  const keys = new Set<string>();
  const watch = (place: ReferencePlace, signal: AbortSignal): ReturnType<typeof createObjectStore> & { synced(): boolean } => {
    const store = createObjectStore((kept) => kept);
    const id = [place.type.resource, place.namespace, place.fieldSelector ?? ''].join(' ').trim();
    open.set(id, store);
    signal.addEventListener('abort', () => open.delete(id));
    return { ...store, synced: () => state.synced };
  };
  const references = watchReferences({ referrers: operatorReferrers(operators), watch, signal: new AbortController().signal });
  references.onChange((key) => keys.add(key));
  const reported = (): string[] => {
    const now = [...keys].sort();
    keys.clear();
    return now;
  };
  const objects = (resource: string): ReturnType<typeof createObjectStore> => {
    const store = [...open].find(([id]) => id.startsWith(resource))?.[1];
    return store ?? assert.fail(`${resource} are not watched`);
  };
  return {
    operators,
    references,
    objects,
    reported,
    open: () => [...open.keys()],
    sync: () => {
      state.synced = true;
    },
  };
}

function operator(name: string, valuesFrom: readonly object[], pull?: string, resourceVersion = '1'): KubeObject {
  const chart = { repoURL: 'https://x', name: 'c', version: '1', ...(pull === undefined ? {} : { secretRef: { name: pull } }) };
  return {
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { name, namespace: 'team', uid: name, resourceVersion },
    spec: { chart, valuesFrom },
  };
}

function secret(name: string, key = 'values.yaml'): object {
  return { kind: 'Secret', name, key };
}

function configMap(name: string): object {
  return { kind: 'ConfigMap', name };
}

function object(kind: string, name: string, resourceVersion = '1'): KubeObject {
  const made: KubeObject = { apiVersion: 'v1', kind, metadata: { name, namespace: 'team', uid: name, resourceVersion } };
  assert.equal(keyOf(made), `team/${name}`);
  return made;
}
