import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { instanceLayers, lowerOf } from '../../../../src/domain/values/instance-layers.ts';
import { lockFaults } from '../../../../src/domain/values/locks.ts';

const APP = 'caches.example.com';
const operator = { namespace: 'chandlery-system', name: 'cache' };

interface World {
  readonly defaults?: JsonObject;
  readonly locked?: readonly string[];
  readonly overlay?: JsonObject;
  readonly lockedHere?: readonly string[];
}

function layers({ defaults = {}, locked = [], overlay = {}, lockedHere = [] }: World): ReturnType<typeof instanceLayers> {
  const app = { id: APP, operator, defaults: { spec: defaults }, locked };
  const others = { app: 'others.example.com', values: { spec: { size: '9Gi' } }, locked: ['spec.size'] };
  return instanceLayers(app, { name: 'shop', overlay: [others, { app: APP, values: { spec: overlay }, locked: lockedHere }] });
}

function faults(world: World, wanted: JsonObject, live?: JsonObject): string[] {
  const found = layers(world);
  const values = { wanted: { spec: wanted }, lower: lowerOf(found), ...(live === undefined ? {} : { live: { spec: live } }) };
  return lockFaults(found.locks, values).map(({ field, message }) => `${field}: ${message}`);
}

const BY_OPERATOR = 'spec.size: It is locked by the Operator chandlery-system/cache: leave it as it is';
const BY_SHOP = 'spec.size: It is locked by the environment shop: leave it as it is';
const LOCKED = { defaults: { size: '1Gi' }, locked: ['spec.size'] };

const CASES: readonly { because: string; world: World; wanted: JsonObject; live?: JsonObject; faults: readonly string[] }[] = [
  { because: 'what is not locked may be anything', world: { defaults: { size: '1Gi' } }, wanted: { size: '2Gi' }, faults: [] },
  { because: 'a locked field keeps the value of its owner', world: LOCKED, wanted: { size: '1Gi' }, faults: [] },
  { because: 'another value is rejected', world: LOCKED, wanted: { size: '2Gi' }, faults: [BY_OPERATOR] },
  { because: 'to take it away is another value, too', world: LOCKED, wanted: {}, faults: [BY_OPERATOR] },
  {
    because: 'without a value of its owner it stays unset',
    world: { locked: ['spec.size'] },
    wanted: { size: '1Gi' },
    faults: [BY_OPERATOR],
  },
  {
    because: 'a lock of the environment names the environment',
    world: { lockedHere: ['spec.size'] },
    wanted: { size: '1' },
    faults: [BY_SHOP],
  },
  {
    because: 'the environment lies over the Operator',
    world: { defaults: { size: '1Gi' }, overlay: { size: '5Gi' }, lockedHere: ['spec.size'] },
    wanted: { size: '5Gi' },
    faults: [],
  },
  {
    because: 'but not over what the Operator has locked',
    world: { ...LOCKED, overlay: { size: '5Gi' } },
    wanted: { size: '5Gi' },
    faults: [BY_OPERATOR],
  },
  {
    because: 'both locks are one fault, of the stronger owner',
    world: { ...LOCKED, lockedHere: ['spec.size'] },
    wanted: { size: '2Gi' },
    faults: [BY_OPERATOR],
  },
  {
    because: 'a locked object is locked with all that is in it',
    world: { defaults: { disk: { size: 1 } }, locked: ['spec.disk'] },
    wanted: { disk: { size: 1, fast: true } },
    faults: ['spec.disk: It is locked by the Operator chandlery-system/cache: leave it as it is'],
  },
  {
    because: 'what is live may stay, whatever was locked since',
    world: LOCKED,
    wanted: { size: '7Gi' },
    live: { size: '7Gi' },
    faults: [],
  },
  { because: 'it may become what the owner wants', world: LOCKED, wanted: { size: '1Gi' }, live: { size: '7Gi' }, faults: [] },
  { because: 'and nothing else', world: LOCKED, wanted: { size: '8Gi' }, live: { size: '7Gi' }, faults: [BY_OPERATOR] },
  {
    because: 'a path that is none, or the whole spec, locks nothing',
    world: { locked: ['spec', 'kind', ''] },
    wanted: { size: 1 },
    faults: [],
  },
];

for (const { because, world, wanted, live, faults: expected } of CASES) {
  test(because, () => assert.deepEqual(faults(world, wanted, live), expected));
}

test('values of the environment are merged into those of the Operator', () => {
  const found = layers({ defaults: { disk: { size: 1 }, tags: ['a'] }, overlay: { disk: { fast: true }, tags: ['b'] } });
  assert.deepEqual(lowerOf(found), { spec: { disk: { size: 1, fast: true }, tags: ['b'] } });
});

test('where no environment is known, the Operator speaks alone', () => {
  const found = instanceLayers({ id: APP, operator, defaults: { spec: { size: 1 } }, locked: ['spec.size'] });
  assert.deepEqual([lowerOf(found), found.locks.length], [{ spec: { size: 1 } }, 1]);
});
