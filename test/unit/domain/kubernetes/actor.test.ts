import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseActor } from '../../../../src/domain/kubernetes/actor.ts';

describe('an actor', () => {
  it('has its groups sorted and once each', () => {
    assert.deepEqual(parseActor('oidc:a', ['oidc:y', 'oidc:x', 'oidc:y']), { user: 'oidc:a', groups: ['oidc:x', 'oidc:y'] });
  });

  const rejected: readonly [string, string, string[]][] = [
    ['an empty user', ' ', ['g']],
    ['no groups', 'u', []],
    ['only blank groups', 'u', [' ']],
    ['a user of the cluster', 'system:admin', ['g']],
    ['a group of the cluster', 'u', ['g', 'system:masters']],
    ['a line break in a group', 'u', ['g\r\nImpersonate-Group: system:masters']],
    ['a letter that no header holds', 'ü', ['g']],
  ];
  for (const [title, user, groups] of rejected) {
    it(`with ${title} is rejected`, () => assert.throws(() => parseActor(user, groups), { code: 'ActorMissing' }));
  }
});
