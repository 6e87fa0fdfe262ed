import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringifyJson } from '../../../../../src/domain/core/exact-json.ts';
import type { KubeObject } from '../../../../../src/domain/kubernetes/resource.ts';
import { objectChanges, type ObjectsInput } from '../../../../../src/domain/upgrade/preview/object-changes.ts';

function deployment(image: string, more: object = {}): KubeObject {
  const template = { spec: { containers: [{ name: 'a', image }] } };
  return { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'a' }, spec: { replicas: 1, template }, ...more };
}

function secretObject(data: object): KubeObject {
  return { apiVersion: 'v1', kind: 'Secret', metadata: { name: 's' }, data };
}

function changes(
  from: readonly KubeObject[],
  to: readonly KubeObject[],
  secrets: readonly string[] = [],
): ReturnType<typeof objectChanges> {
  const input: ObjectsInput = { from, to, namespace: 'ns', secrets };
  return objectChanges(input);
}

describe('what changes between two renderings', () => {
  it('is shown as lines of YAML with what stands around them', () => {
    const { changes: list, unchanged } = changes([deployment('x:1'), secretObject({})], [deployment('x:2'), secretObject({})]);
    assert.equal(unchanged, 1);
    assert.deepEqual(
      list.map(({ kind, name, change, restarts, labelsOnly }) => ({ kind, name, change, restarts, labelsOnly })),
      [{ kind: 'Deployment', name: 'a', change: 'changed', restarts: true, labelsOnly: false }],
    );
    assert.deepEqual(
      list[0]?.lines.filter((line) => !line.startsWith(' ')),
      ['-        - image: x:1', '+        - image: x:2'],
    );
  });

  it('is nothing where only the order of members differs', () => {
    const turned = { spec: deployment('x:1').spec, metadata: { name: 'a' }, kind: 'Deployment', apiVersion: 'apps/v1' };
    assert.deepEqual(changes([deployment('x:1')], [turned]), { changes: [], unchanged: 1, omitted: 0 });
  });

  it('distinguishes labels from what matters', () => {
    const labelled = deployment('x:1', { metadata: { name: 'a', labels: { 'helm.sh/chart': 'a-2' } } });
    const before = deployment('x:1', { metadata: { name: 'a', labels: { 'helm.sh/chart': 'a-1' } } });
    const [change] = changes([before], [labelled]).changes;
    assert.deepEqual([change?.labelsOnly, change?.restarts], [true, false]);
  });

  it('knows an object whose namespace is only written now', () => {
    const { changes: list } = changes([deployment('x:1')], [deployment('x:1', { metadata: { name: 'a', namespace: 'ns' } })]);
    assert.deepEqual(
      list.map(({ change }) => change),
      ['changed'],
    );
  });

  it('knows new objects, gone ones, and one that moves to another version of its group', () => {
    const { changes: list } = changes([deployment('x:1'), secretObject({})], [deployment('x:1', { apiVersion: 'apps/v2' })]);
    assert.deepEqual(
      list.map(({ kind, change }) => `${kind} ${change}`),
      ['Deployment changed', 'Secret removed'],
    );
  });

  it('never shows what a Secret holds, only that it is another', () => {
    const { changes: list } = changes(
      [secretObject({ a: 'aHVudGVy', b: 'c2FtZQ==' })],
      [secretObject({ a: 'b3RoZXI=', b: 'c2FtZQ==', c: 'bmV3' })],
    );
    const text = list[0]?.lines.join('\n') ?? '';
    assert.match(text, /^\+ +a: "\[secret, another one\]"$/m);
    assert.match(text, /^\+ +c: "\[secret\]"$/m);
    assert.doesNotMatch(text, /aHVudGVy|b3RoZXI=|c2FtZQ==|bmV3/);
  });

  it('takes secret values out of every other place', () => {
    const { changes: list } = changes([deployment('x:1')], [deployment('x:hunter22')], ['hunter22']);
    assert.match(list[0]?.lines.join('\n') ?? '', /x:\[secret\]/);
    assert.doesNotMatch(stringifyJson(list), /hunter22/);
  });

  it('is cut with a count when it is large', () => {
    const big = (value: string): KubeObject => ({
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'big' },
      data: Object.fromEntries(Array.from({ length: 5000 }, (_, index) => [`k${index}`, value])),
    });
    const [change] = changes([big('a')], [big('b')]).changes;
    assert.equal(change?.lines.length, 300);
    assert.ok((change?.omittedLines ?? 0) > 9_000);
    const many = Array.from({ length: 250 }, (_, index): KubeObject => ({ ...deployment('x:1'), metadata: { name: `d${index}` } }));
    const { changes: list, omitted } = changes([], many);
    assert.deepEqual([list.length, omitted], [200, 50]);
    assert.ok(list.flatMap(({ lines }) => lines).length <= 4_000);
  });
});
