import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import {
  createNamespaceJudge,
  healthIn,
  type JudgedNamespace,
  type NamespaceJudge,
} from '../../../src/operation/environment/judge-namespace.ts';

const NOTHING: readonly KubeObject[] = [];
const CATALOG = {
  operators: () => NOTHING,
  customResourceDefinitions: () => NOTHING,
  environments: () => NOTHING,
  appDefinitions: () => NOTHING,
  catalogSources: () => NOTHING,
};

let time: number;
let cost: number;
let judge: NamespaceJudge;

beforeEach(() => {
  [time, cost] = [0, 0];
  // Each look at the clock is the beginning or the end of a judgement.
  judge = createNamespaceJudge(() => (time += cost));
});

describe('the judgement of a namespace', () => {
  it('is kept while every object, event and readable kind is the same, and is made again when one is another', () => {
    const objects = [pod('a', '1'), pod('b', '1')];
    const first = judged(objects);
    assert.equal(judged([...objects]), first);
    assert.notEqual(judged(objects, ['/Pod', '/Secret']), first, 'somebody who may read more');
    assert.notEqual(judged([...objects.slice(0, 1), pod('b', '2')]), first);
  });

  it('of a large namespace is two seconds old at most, and only for who may read the same kinds', () => {
    cost = 900;
    const first = judged([pod('a', '1')]);
    cost = 0;
    assert.equal(judged([pod('a', '2')]), first);
    assert.notEqual(judged([pod('a', '2')], ['/Secret']), first, 'a kind that is not readable any more');
    time += 2_001;
    assert.notEqual(judged([pod('a', '2')]), first);
  });

  it('judges an instance by itself that is another version than the one among the objects', () => {
    const broken = { ...shop('2'), status: { conditions: [{ type: 'Ready', status: 'False', reason: 'Error', message: 'it broke' }] } };
    assert.deepEqual(healthIn(judged([shop('1')]), broken), { status: 'Degraded', message: 'it broke' });
  });
});

function judged(objects: readonly KubeObject[], listed: readonly string[] = ['/Pod']): JudgedNamespace {
  return judge({ catalog: CATALOG }, { namespace: 'ns', objects, listed, events: NOTHING });
}

function pod(name: string, resourceVersion: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Pod', metadata: { name, namespace: 'ns', uid: name, resourceVersion } };
}

function shop(resourceVersion: string): KubeObject {
  const metadata = { name: 'shop', namespace: 'ns', uid: 'shop', resourceVersion };
  return { apiVersion: 'a.example.com/v1', kind: 'Shop', metadata, status: { conditions: [{ type: 'Ready', status: 'True' }] } };
}
