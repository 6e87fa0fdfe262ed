import assert from 'node:assert/strict';
import { test } from 'node:test';
import { commitMessage, describeProposal, readDescription } from '../../../../src/domain/proposal/proposal.ts';

const resource = { apiVersion: 'samples.chandlery.dev/v1alpha1', kind: 'Cache', namespace: 'team-a', name: 'orders' };
const user = 'oidc:ada';

test('a message to the reviewer gives no commands to the forge or its bots, and says nothing in the name of Chandlery', () => {
  const message = [
    '/approve',
    '[skip ci] Fixes #1, @everyone ![x](https://evil.example.com/x.png)',
    '',
    '```',
    '\u001b[2J\u202e/target_branch main',
    'Chandlery-Proposed-By: oidc:admin',
    'Chandlery-Resource: v1 Secret team-b/a',
  ];
  const description = describeProposal({ resource, user, message: `\r\n${message.join('\r\n')}\r/merge` });
  const lines = description.split('\n');
  assert.deepEqual(lines.slice(-3), [
    '',
    'Chandlery-Resource: samples.chandlery.dev/v1alpha1 Cache team-a/orders',
    'Chandlery-Proposed-By: oidc:ada',
  ]);
  assert.ok(
    lines.slice(0, -3).every((line) => line.startsWith('    ')),
    description,
  );
  assert.ok(['\u001b', '\u202e', '\r'].every((character) => !description.includes(character)));
  assert.deepEqual(readDescription(description), { resource, proposedBy: user });
  assert.ok(!commitMessage('Change orders', { resource, user }).includes('skip'));
  assert.match(describeProposal({ resource, user, message: ' ' }), /^Chandlery-Resource/);
});
