import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { parse } from 'yaml';
import { commandsFor, deletionCommands, quoted } from '../../../../src/domain/instance/instance-commands.ts';
import { at } from '../../../../src/domain/core/read.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

const nasty: KubeObject = {
  apiVersion: 'a.example/v1',
  kind: 'Cache',
  metadata: { name: 'c', namespace: 'team-a' },
  spec: { text: "it's\nEOF\n$(touch /tmp/never) `id`", number: 1 },
};

const CALL = { url: 'http://h/api', app: 'caches.a.example', environment: 'team' } as const;

describe('the commands that do the same', () => {
  const { kubectl, curl, yaml } = commandsFor(nasty, { ...CALL, method: 'POST', body: { spec: nasty.spec } });

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

  it('patch what exists, whatever the values hold', () => {
    const patch = commandsFor(nasty, { ...CALL, method: 'PATCH', body: { spec: nasty.spec } });
    const script = `kubectl() { for last in "$@"; do :; done; printf '%s' "$last"; }; ${patch.kubectl}`;
    assert.deepEqual(JSON.parse(execFileSync('sh', ['-c', script], { encoding: 'utf8' })), { spec: nasty.spec });
    assert.match(patch.kubectl, /^kubectl patch caches\.a\.example c --namespace team-a --type merge/);
  });

  it('mean text for parsers of YAML 1.1 as well, and name a place for the file', () => {
    const texts = ['yes', 'on', 'n', '0777', '1:30', '2024-01-01', '~', '1e3', '1_000', '.inf', '<<', '0b11', ''];
    const spec = { texts, y: 1, on: 'off' };
    const file = commandsFor({ ...nasty, spec }, { ...CALL, method: 'POST', body: {} });
    assert.deepEqual(at(parse(file.yaml, { version: '1.1' }), 'spec'), spec);
    assert.deepEqual(at(parse(file.yaml), 'spec'), spec);
    assert.equal(file.file, 'team/caches/c.yaml');
  });

  it('keep characters that parsers of YAML take for the end of a line, or reject', () => {
    const odd = 'a\u2028b\u2029c\u0085d\ufeffe\u007ff\u0090g';
    const spec = { [odd]: [odd, `two\nlines${odd}`, '👩‍👩‍👧'] };
    const install = commandsFor({ ...nasty, spec }, { ...CALL, method: 'POST', body: { spec } });
    const change = commandsFor(nasty, { ...CALL, method: 'PATCH', body: { spec } });
    const raw = /[\u007f-\u009f\u2028\u2029\ufeff]/;
    for (const text of [install.yaml, install.kubectl, install.curl, change.kubectl, change.curl]) assert.doesNotMatch(text, raw);
    assert.deepEqual([at(parse(install.yaml), 'spec'), at(parse(install.yaml, { version: '1.1' }), 'spec')], [spec, spec]);
    const script = `kubectl() { for last in "$@"; do :; done; printf '%s' "$last"; }; ${change.kubectl}`;
    assert.deepEqual(JSON.parse(execFileSync('sh', ['-c', script], { encoding: 'utf8' })), { spec });
  });

  it('say by operations what a merge patch cannot say', () => {
    const patch = [{ op: 'replace', path: '/spec/a', value: null }] as const;
    const { kubectl: command, curl: call } = commandsFor(nasty, { ...CALL, method: 'PUT', body: { spec: { a: null } }, patch });
    assert.match(command, /--type json/);
    assert.ok(command.includes(JSON.stringify(patch)));
    assert.match(call, /-X PUT/);
  });

  it('name what is deleted', () => {
    const { kubectl: deletion, curl: call } = deletionCommands(nasty, { app: 'caches.a.example', url: 'http://h/api' });
    assert.equal(deletion, 'kubectl delete caches.a.example c --namespace team-a');
    assert.match(call, /-X DELETE http:\/\/h\/api /);
  });

  it('are in quotes only where a shell needs them', () => {
    const plain = ['c', 'caches.a.example', 'http://h:8080/api/v1', 'a=b', 'a@b', 'x,y', '--flag', 'oidc:dev-a', '100%'];
    for (const word of plain) assert.equal(quoted(word), word);
    const odd = [
      '',
      '=ls',
      '~',
      '#no',
      "it's",
      'a b',
      'a\nb',
      '$HOME',
      '*',
      '?',
      '{a,b}',
      '[a]',
      '<a',
      'a;b',
      'a&b',
      'a|b',
      '!x',
      '`id`',
      'a\\b',
      'é',
    ];
    for (const word of [...plain, ...odd]) {
      const out = execFileSync('sh', ['-c', `printf '%s.' ${quoted(word)}`], { encoding: 'utf8', cwd: '/' });
      assert.equal(out, `${word}.`);
    }
    for (const word of odd) assert.match(quoted(word), /^'/);
  });
});
