import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, it } from 'node:test';
import { conditionsOf, findCondition } from '../../src/domain/kubernetes/condition.ts';
import { CATALOG_SOURCE } from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { replaceFile } from '../support/replace-file.ts';
import { RUN } from '../support/run-name.ts';
import { operatorDocument, startSourceWorld, type SourceWorld } from '../support/source-world.ts';

const source = `contended-${RUN}`;
let world: SourceWorld;
let folder: string;
let count = 0;

before(async () => {
  world = await startSourceWorld();
  folder = await realpath(await mkdtemp(join(tmpdir(), 'chandlery-contended-')));
  await replaceFile(join(folder, 'a.yaml'), operatorDocument(source));
  await world.declare(source, { folder: { path: folder } });
  await world.untilReason(source, 'Synced');
});
after(async () => {
  await world.remove(source);
  await world.stop();
  await rm(folder, { recursive: true, force: true });
});

/** What a controller of an earlier version does: it writes the status as it sees it, and has the source reconciled. */
async function overwrite(fieldManager: string): Promise<KubeObject> {
  count += 1;
  const cluster = world.kube.asController();
  const condition = {
    type: 'Ready',
    status: 'False',
    reason: 'Synced',
    message: `${count} by ${fieldManager}`,
    lastTransitionTime: '2026-01-01T00:00:00Z',
  };
  const object = {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'CatalogSource',
    metadata: { name: source },
    status: { conditions: [condition] },
  };
  await cluster.applyStatus(CATALOG_SOURCE, object, { fieldManager, force: 'force' });
  const body = { metadata: { annotations: { 'chandlery.dev/reconcile-at': `request ${count}` } } };
  await cluster.patch({ ...CATALOG_SOURCE, name: source }, { type: 'merge', body }, { fieldManager: 'test' });
  await world.reconcile(source);
  return await cluster.get({ ...CATALOG_SOURCE, name: source });
}

it('ends a fight of two controllers for one status by a condition that names both, and writes seldom from then on', async () => {
  const first = await overwrite('chandlery-0-9');
  assert.equal(findCondition(conditionsOf(first), 'Ready')?.status, 'True', 'a single write of another is corrected');
  assert.equal(findCondition(conditionsOf(first), 'Contended'), undefined);
  const corrected: string[] = [];
  let last = first;
  for (let round = 0; round < 8; round += 1) {
    last = await overwrite('chandlery-0-9');
    corrected.push(findCondition(conditionsOf(last), 'Ready')?.status ?? '');
  }
  assert.deepEqual(corrected, ['True', 'True', 'True', 'True', 'False', 'False', 'False', 'False']);
  const contended = findCondition(conditionsOf(last), 'Contended');
  assert.deepEqual([contended?.status, contended?.reason], ['True', 'StatusOverwritten']);
  assert.match(contended?.message ?? '', /^the field manager chandlery and the field manager chandlery-0-9 both write this status/);
});
