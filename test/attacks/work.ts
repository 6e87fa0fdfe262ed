import assert from 'node:assert/strict';
import { EVERYBODY } from '../../src/domain/kubernetes/actor.ts';
import { textAt } from '../../src/domain/core/read.ts';
import type { Attack } from './attack.ts';

const APP = 'caches.samples.chandlery.dev';
const MANY = 30;

export const attacks: readonly Attack[] = [
  {
    title: 'an admin starts checks of charts without end',
    run: async (target) => {
      const started = Array.from({ length: MANY }, async (_, index) => {
        const metadata = { name: `checked-${index}`, namespace: 'chandlery-system' };
        const body = { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata, spec: specOf(index) };
        return (await target.call('admin', '/api/v1/operators?dryRun=All', { method: 'POST', body })).status;
      });
      const began = performance.now();
      assert.equal((await target.call('developer', '/api/v1/me')).status, 200);
      assert.ok(performance.now() - began < 5000, 'others are answered meanwhile');
      const statuses = await Promise.all(started);
      assert.ok(
        statuses.every((status) => [200, 409].includes(status)),
        statuses.join(),
      );
      assert.ok(statuses.filter((status) => status === 200).length <= 8, statuses.join());
      return MANY;
    },
  },
  {
    title: 'people whose checks are rejected take the places of others',
    run: async (target) => {
      const body = { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata: { name: 'x' }, spec: specOf(0) };
      const rejected = Array.from(
        { length: MANY },
        async () => await target.call('developer', '/api/v1/operators?dryRun=All', { method: 'POST', body }),
      );
      for (const { status } of await Promise.all(rejected)) assert.ok([200, 403, 409].includes(status), String(status));
      const metadata = { name: 'checked', namespace: 'chandlery-system' };
      const { status, text } = await target.call('admin', '/api/v1/operators?dryRun=All', { method: 'POST', body: { ...body, metadata } });
      assert.equal(status, 200, text);
      return MANY;
    },
  },
  {
    title: 'people change, take, delete and crowd out a configuration that an admin saved for everybody',
    run: async (target) => {
      const owner = { group: EVERYBODY };
      const draft = { app: APP, title: 'For all', values: { size: 1 }, owner };
      const saved = await target.call('admin', '/api/v1/saved-configurations', { method: 'POST', body: draft });
      assert.equal(saved.status, 201, saved.text);
      const path = `/api/v1/saved-configurations/${textAt(saved.json, 'savedConfiguration', 'id') ?? ''}`;
      for (const person of ['developer', 'maintainer'] as const) {
        assert.equal((await target.call(person, path)).status, 200, `${person} reads it`);
        for (const body of [{ values: { size: 9 } }, { owner: { user: `oidc:${person}` } }, { title: 'Mine' }]) {
          assert.equal((await target.call(person, path, { method: 'PATCH', body })).status, 403, `${person} changes it`);
        }
        assert.equal((await target.call(person, path, { method: 'DELETE' })).status, 403, `${person} deletes it`);
      }
      const crowd = Array.from({ length: 15 }, async (_, index) => {
        const body = { ...draft, title: `Crowd ${index}` };
        return (await target.call('developer', '/api/v1/saved-configurations', { method: 'POST', body })).status;
      });
      const statuses = await Promise.all(crowd);
      assert.equal(statuses.filter((status) => status === 201).length, 10, statuses.join());
      assert.equal((await target.call('admin', path, { method: 'DELETE' })).status, 200);
      return 8 + statuses.length;
    },
  },
];

const specOf = (index: number): object => ({
  name: `checked-${index}`,
  chart: { repoURL: 'file://charts', name: 'cache-operator', version: '0.1.0' },
  targetNamespace: `checked-${index}`,
  createNamespace: true,
});
