import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { upgradeManagers } from '../../../../src/reconcile/source/ownership.ts';

describe('the field managers of a resource', () => {
  const entry = (manager: string, fieldsV1: object, operation = 'Apply'): object => ({ manager, operation, apiVersion: 'v1', fieldsV1 });
  const live = (...managedFields: object[]): KubeObject => ({ apiVersion: 'v1', kind: 'X', metadata: { name: 'x', managedFields } });
  const [person, controller] = [entry('kubectl-edit', { 'f:spec': {} }, 'Update'), entry('chandlery', { 'f:metadata': {} })];

  it('stay when no other source has applied it', () => {
    assert.equal(upgradeManagers(live(person, controller, entry('chandlery-source-a', {})), 'a'), undefined);
    assert.equal(upgradeManagers(live(), 'a'), undefined);
  });

  it('of an earlier version, and of sources that had it before, become those of its source', () => {
    const old = entry('chandlery-source', { 'f:spec': { 'f:a': {}, 'f:b': { '.': {} } }, 'f:metadata': { 'f:labels': { 'f:x': {} } } });
    const gone = entry('chandlery-source-gone', { 'f:spec': { 'f:b': { 'k:{"name":"c"}': { 'f:name': {} } } } });
    const merged = entry('chandlery-source-a', {
      'f:spec': { 'f:a': {}, 'f:b': { '.': {}, 'k:{"name":"c"}': { 'f:name': {} } } },
      'f:metadata': { 'f:labels': { 'f:x': {} } },
    });
    assert.deepEqual(upgradeManagers(live(person, old, controller, gone), 'a'), [person, controller, merged]);
  });

  it('that only look alike stay', () => {
    const update = entry('chandlery-source', {}, 'Update');
    assert.equal(upgradeManagers(live(update, entry('chandlery-sources', {})), 'a'), undefined);
  });
});
