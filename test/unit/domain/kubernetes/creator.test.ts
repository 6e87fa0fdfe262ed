import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseActor } from '../../../../src/domain/kubernetes/actor.ts';
import { creatorOf, withCreator } from '../../../../src/domain/kubernetes/creator.ts';

const ADA = parseActor('oidc:ada', ['oidc:team-a']);
const CREATED_BY = 'chandlery.dev/created-by';

describe('the creator of an object', () => {
  it('is recorded beside other annotations, in place of one that was sent', () => {
    const sent = { metadata: { name: 'orders', annotations: { note: 'x', [CREATED_BY]: 'oidc:eve' } } };
    const recorded = withCreator(sent, ADA);
    assert.deepEqual(recorded.metadata.annotations, { note: 'x', [CREATED_BY]: 'oidc:ada' });
    assert.deepEqual(creatorOf(recorded), { createdBy: 'oidc:ada' });
  });

  it('is nobody where the annotation is no user name', () => {
    for (const value of ['', 'a\nb', '\u202eoidc:ada', 'x'.repeat(321), 7, null]) {
      assert.deepEqual(creatorOf({ metadata: { name: 'orders', annotations: { [CREATED_BY]: value as string } } }), {}, String(value));
    }
  });
});
