import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { DELETED_INSTANCE } from '../../../../src/domain/app-instance/deleted-instance.ts';
import { AppError } from '../../../../src/domain/core/errors.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { createDeletedPruner } from '../../../../src/reconcile/instance/prune-deleted.ts';

const DAY = 86_400_000;
const END = Date.parse('2026-01-08T00:00:00Z');

describe('a record of a deleted instance', () => {
  const run = async (now: number, labels: Record<string, string> = { [DELETED_INSTANCE]: 'true' }) => {
    const deleted: string[] = [];
    const metadata = { name: 'r', namespace: 'team-a', uid: 'u', labels, annotations: { 'chandlery.dev/expires': '2026-01-08T00:00:00Z' } };
    const secret: KubeObject = { apiVersion: 'v1', kind: 'Secret', metadata };
    const reconcile = createDeletedPruner({
      cluster: { get: ({ name }) => (name === 'r' ? Promise.resolve(secret) : Promise.reject(new AppError('NotFound', 'gone'))) },
      asDeployer: (namespace) => ({
        delete: ({ name }, options) => {
          deleted.push(`${namespace}/${name} ${options?.uid ?? ''}`);
          return Promise.resolve();
        },
      }),
      now: () => new Date(now),
    });
    return { result: await reconcile('team-a/r', AbortSignal.timeout(1_000)), deleted };
  };

  it('waits for its end, a day at a time, and is deleted then, as itself alone', async () => {
    assert.deepEqual(await run(END - 3 * DAY), { result: { requeueAfter: DAY }, deleted: [] });
    assert.deepEqual(await run(END - 5), { result: { requeueAfter: 5 }, deleted: [] });
    assert.deepEqual(await run(END), { result: {}, deleted: ['team-a/r u'] });
  });

  it('is left alone without its label', async () => {
    assert.deepEqual(await run(END, {}), { result: {}, deleted: [] });
  });
});
