import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { commandsFor, deletionCommands } from '../../../src/domain/instance-commands.ts';
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

  it('name what is deleted, quoted for a shell', () => {
    const { kubectl: deletion, curl: call } = deletionCommands(nasty, { app: 'caches.a.example', url: 'http://h/api' });
    assert.equal(deletion, "kubectl delete 'caches.a.example' 'c' --namespace 'team-a'");
    assert.match(call, /-X DELETE 'http:\/\/h\/api'/);
  });
});
