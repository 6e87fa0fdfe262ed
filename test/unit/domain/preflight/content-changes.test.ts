import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { contentChanges } from '../../../../src/domain/preflight/content-changes.ts';

const lines = (before: unknown, after: unknown): string[] =>
  contentChanges({ spec: before }, { spec: after }).map(({ message }) => message);

describe('what a change does to a spec', () => {
  it('is reported field by field, with numbers and amounts', () => {
    const before = { replicas: 1, memory: '1Gi', tls: true, old: 1, same: { a: 1 }, users: [{ name: 'a' }] };
    const after = { replicas: 3, memory: '2Gi', tls: false, fresh: 4, same: { a: 1 }, users: [{ name: 'b' }] };
    assert.deepEqual(lines(before, after), [
      'spec.fresh is set to 4',
      'spec.memory changes from 1Gi to 2Gi',
      'spec.old is removed',
      'spec.replicas changes from 1 to 3',
      'spec.tls changes from true to false',
      'spec.users changes',
    ]);
  });

  it('never shows a text, which may be a secret', () => {
    assert.deepEqual(lines({ password: 'hunter22' }, { password: '12345678', token: 'abc' }), [
      'spec.password changes',
      'spec.token is set',
    ]);
  });

  it('shows not even an amount of what may be a secret', () => {
    assert.deepEqual(lines({ password: '100m', pin: 1 }, { password: '200m', pin: 2 }), ['spec.password changes', 'spec.pin changes']);
  });

  it('is bounded', () => {
    const wide = Object.fromEntries(Array.from({ length: 1000 }, (_, index) => [`k${index}`, index]));
    assert.equal(lines({}, wide).length, 201);
  });

  it('is nothing where nothing changes', () => {
    assert.deepEqual(lines({ a: { b: [1, 2] } }, { a: { b: [1, 2] } }), []);
    assert.deepEqual(lines(undefined, undefined), []);
  });
});
