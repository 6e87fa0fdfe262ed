import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { CATALOG_SOURCE, ENVIRONMENT } from '../../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { applyStatus } from '../../../src/reconcile/apply-status.ts';

const MINUTE_MS = 60_000;
const { signal } = new AbortController();

/** One object of an api-server, whose status we and others write. */
function startContest() {
  let [version, time] = [1, 0];
  let object: KubeObject = {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: 'a', uid: 'u', resourceVersion: '1' },
  };
  const write = (status: unknown, ...managers: readonly string[]): KubeObject => {
    version += 1;
    const time = `2026-01-01T00:00:${String(version).padStart(2, '0')}Z`;
    const managedFields = managers.map((manager) => ({ manager, subresource: 'status', time }));
    object = {
      ...object,
      metadata: { ...object.metadata, resourceVersion: String(version), managedFields },
      status,
    };
    return object;
  };
  const cluster = {
    applyStatus: async (_type: unknown, { status = {} }: KubeObject) => ({ object: write(status, 'chandlery'), warnings: [] }),
  };
  return {
    status: () => object.status,
    advance: (milliseconds: number) => void (time += milliseconds),
    others: (...managers: readonly string[]) => void write({ revision: `by ${managers.join()}`, conditions: [] }, ...managers),
    ours: async () =>
      await applyStatus(cluster, CATALOG_SOURCE, { object, status: { revision: 'ours', conditions: [] }, signal, now: () => time }),
  };
}

test('a contended status is written once a minute, and as before when the other one has stopped', async () => {
  const { status, advance, others, ours } = startContest();
  await ours();
  const outcomes: string[] = [];
  for (let round = 0; round < 8; round += 1) {
    others('another');
    outcomes.push(await ours());
  }
  assert.deepEqual(outcomes, [...Array.from({ length: 5 }, () => 'Written'), 'Unchanged', 'Unchanged', 'Unchanged']);
  advance(MINUTE_MS);
  assert.equal(await ours(), 'Written');
  assert.match(stringifyJson(status()), /"type":"Contended".*the field manager another both write this status/);
  others('another');
  assert.equal(await ours(), 'Unchanged');
  advance(11 * MINUTE_MS);
  assert.equal(await ours(), 'Written');
  assert.deepEqual(status(), { revision: 'ours', conditions: [] });
});

test('another process with our field manager is named, and not the controller of sources, which writes a condition beside ours', async () => {
  const { status, others, ours } = startContest();
  await ours();
  for (let round = 0; round < 5; round += 1) {
    others('chandlery', 'chandlery-removal');
    await ours();
  }
  assert.match(
    stringifyJson(status()),
    /"type":"Contended".*chandlery and another process with the same field manager both write this status/,
  );
});

test('seldom writes of others are corrected without a word', async () => {
  const { status, advance, others, ours } = startContest();
  await ours();
  for (let round = 0; round < 8; round += 1) {
    advance(3 * MINUTE_MS);
    others('a person');
    assert.equal(await ours(), 'Written');
  }
  assert.deepEqual(status(), { revision: 'ours', conditions: [] });
});

test('the number of instances, which another controller of ours writes, is no contention', async () => {
  let version = 1;
  let object: KubeObject = {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'Environment',
    metadata: { name: 'a', uid: 'e', resourceVersion: '1' },
  };
  const write = (status: object): KubeObject => {
    version += 1;
    object = { ...object, metadata: { ...object.metadata, resourceVersion: String(version) }, status };
    return object;
  };
  const cluster = {
    applyStatus: async (_type: unknown, { status = {} }: KubeObject) => ({ object: write(status as object), warnings: [] }),
  };
  for (let instances = 0; instances < 9; instances += 1) {
    write({ ...(object.status as object), instances });
    const status = { namespace: `a${instances}`, instances, conditions: [] };
    assert.equal(await applyStatus(cluster, ENVIRONMENT, { object, status, signal, now: () => 0 }), 'Written');
    assert.doesNotMatch(stringifyJson(object.status), /Contended/);
  }
});
