import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { commandsFor, grantFor } from '../../../src/domain/instance-commands.ts';
import type { KubeObject } from '../../../src/domain/resource.ts';

const nasty: KubeObject = {
  apiVersion: 'a.example/v1',
  kind: 'Cache',
  metadata: { name: 'c', namespace: 'team-a' },
  spec: { text: "it's\nEOF\n$(touch /tmp/never) `id`", number: 1 },
};

describe('the commands that do the same', () => {
  const { kubectl, curl, yaml } = commandsFor(nasty, { method: 'POST', url: 'http://h/api', body: { spec: nasty.spec } });

  it('hand kubectl exactly the object, whatever its values hold', () => {
    const out = execFileSync('sh', ['-c', kubectl.replace('kubectl apply --server-side -f -', 'cat')], { encoding: 'utf8' });
    assert.deepEqual(parse(out), nasty);
    assert.deepEqual(parse(yaml), nasty);
  });

  it('hand curl exactly the body, whatever its values hold', () => {
    const out = execFileSync('sh', ['-c', `TOKEN=t; curl() { for last in "$@"; do :; done; printf '%s' "$last"; }; ${curl}`], {
      encoding: 'utf8',
    });
    assert.deepEqual(JSON.parse(out), { spec: nasty.spec });
  });

  it('name the smallest RoleBinding that would help', () => {
    const right = { verb: 'create', group: 'a.example', resource: 'caches', namespace: 'team-a' };
    const binding: unknown = parse(grantFor('oidc:dev-a', [right]) ?? '');
    assert.deepEqual(binding, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { generateName: 'caches-edit-', namespace: 'team-a' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'oidc:dev-a' }],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'chandlery-app-caches.a.example-edit' },
    });
    assert.equal(grantFor('oidc:dev-a', []), undefined);
  });
});
