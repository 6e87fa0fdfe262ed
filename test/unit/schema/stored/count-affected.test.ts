import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import type { ObjectPage, PageOptions } from '../../../../src/domain/kubernetes/cluster.ts';
import { AppError } from '../../../../src/domain/core/errors.ts';
import type { JsonObject, KubeObject, ResourceType } from '../../../../src/domain/kubernetes/resource.ts';
import { countAffected } from '../../../../src/form/migration/count-affected.ts';
import { checkStoredInstances } from '../../../../src/schema/stored/check-stored-instances.ts';
import { crd, int, object, text } from '../../../support/sample-crds.ts';

const BEFORE = crd({ schema: object({ spec: object({ storageSize: text, colour: text, level: { ...int, default: 1 } }) }) });
const AFTER = crd({
  schema: object({ spec: object({ storageCapacity: text, level: { ...int, default: 2 }, team: text }, { required: ['team'] }) }),
});

describe('what a new CRD asks about stored instances', () => {
  it('is counted by what becomes of fields, with the instances that it is about', async () => {
    const affected = await affectedBy([
      ['one', { storageSize: '1Gi', colour: 'crimson', level: 1, team: 'a' }],
      ['two', { colour: 'azure', level: 3 }],
      ['three', { storageCapacity: '1Gi', level: 3, team: 'a' }],
    ]);
    assert.deepEqual(affected, {
      changes: [
        { change: 'removed', fields: ['spec.colour'], fieldCount: 1, instances: 2 },
        { change: 'renamed', fields: ['spec.storageSize'], fieldCount: 1, instances: 1 },
        { change: 'required', fields: ['spec.team'], fieldCount: 1, instances: 1 },
      ],
      total: 2,
      instances: [
        {
          namespace: 'n',
          name: 'one',
          rows: [
            { change: 'removed', count: 1 },
            { change: 'renamed', count: 1 },
          ],
        },
        {
          namespace: 'n',
          name: 'two',
          rows: [
            { change: 'removed', count: 1 },
            { change: 'required', count: 1 },
          ],
        },
      ],
    });
    assert.doesNotMatch(stringifyJson(affected), /crimson|azure|1Gi/, 'no value of anybody');
  });

  it('names fifty instances and counts all, also when reading begins anew', async () => {
    const sample = Array.from({ length: 5_000 }, (_, index): [string, JsonObject] => [`i${index}`, { colour: 'red', level: 1, team: 'a' }]);
    const { changes, total, instances } = await affectedBy(sample, [3]);
    assert.equal(total, 5_000);
    assert.equal(instances.length, 50);
    assert.deepEqual(changes, [{ change: 'removed', fields: ['spec.colour'], fieldCount: 1, instances: 5_000 }]);
  });
});

/** @param breaks after how many pages each of the first reads is too old. */
async function affectedBy(instances: readonly (readonly [string, JsonObject])[], breaks: readonly number[] = []) {
  const look = countAffected();
  const left = [...breaks];
  async function* pages(_type: ResourceType, { size }: PageOptions): AsyncGenerator<ObjectPage> {
    const limit = left.shift() ?? Infinity;
    for (let first = 0; first < instances.length; first += size) {
      if (first / size >= limit) throw new AppError('Conflict', 'list as: the version asked for is too old (410)');
      const items = instances.slice(first, first + size).map(([name, spec]) => stored(name, spec));
      yield { items, resourceVersion: '1', remaining: Math.max(0, instances.length - first - size) };
    }
  }
  const signal = new AbortController().signal;
  await checkStoredInstances({ cluster: { pages }, live: BEFORE, candidate: AFTER, named: 10, look, signal });
  return look.result();
}

function stored(name: string, spec: JsonObject): KubeObject {
  return { apiVersion: 'example.com/v1', kind: 'A', metadata: { name, namespace: 'n' }, spec };
}
