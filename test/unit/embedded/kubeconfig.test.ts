import assert from 'node:assert/strict';
import { test } from 'node:test';
import { parse } from 'yaml';
import { renderKubeconfig } from '../../../src/embedded/cluster/kubeconfig.ts';

const input = { server: 'https://127.0.0.1:6443', authority: 'AUTHORITY', user: 'admin' };

test('a kubeconfig with a certificate refers to no other file and trusts only the own authority', () => {
  const config: unknown = parse(renderKubeconfig({ ...input, credential: { certificate: { certificate: 'CERT', key: 'KEY' } } }));
  assert.deepEqual(config, {
    apiVersion: 'v1',
    kind: 'Config',
    clusters: [{ name: 'chandlery', cluster: { server: input.server, 'certificate-authority-data': base64('AUTHORITY') } }],
    users: [{ name: 'admin', user: { 'client-certificate-data': base64('CERT'), 'client-key-data': base64('KEY') } }],
    contexts: [{ name: 'chandlery', context: { cluster: 'chandlery', user: 'admin' } }],
    'current-context': 'chandlery',
  });
});

test('a kubeconfig with a token carries it as it is', () => {
  const { users } = parse(renderKubeconfig({ ...input, credential: { token: 'e30.e30.x' } })) as { users: unknown };
  assert.deepEqual(users, [{ name: 'admin', user: { token: 'e30.e30.x' } }]);
});

function base64(text: string): string {
  return Buffer.from(text).toString('base64');
}
