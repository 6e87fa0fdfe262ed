import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { healthCommand, type HealthReport } from '../../../src/compose/health-command.ts';
import { isAppError } from '../../../src/domain/core/errors.ts';

const STREAM = `
apiVersion: cert-manager.io/v1
kind: Certificate
metadata: {name: shop, namespace: team-a}
status: {conditions: [{type: Ready, status: "False", reason: X, message: "no \\e[31m\\u202eaccount\\nhere"}]}
---
apiVersion: v1
kind: List
items:
  - {apiVersion: v1, kind: ConfigMap, metadata: {name: settings}}
  - {apiVersion: apps/v1, kind: Deployment, spec: {paused: true}}
`;

describe('chandlery health', () => {
  let folder: string;
  const write = async (text: string): Promise<string> => {
    await writeFile(join(folder, 'objects.yaml'), text);
    return join(folder, 'objects.yaml');
  };

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'chandlery-health-test-'));
  });
  after(() => rm(folder, { recursive: true, force: true }));

  it('prints a line for each object, without what would steer a terminal', async () => {
    const { text, code } = await healthCommand(['-f', await write(STREAM)]);
    assert.deepEqual(text.split('\n'), [
      'STATUS     KIND         NAME         MESSAGE',
      'Degraded   Certificate  team-a/shop  no [31m account here',
      '-          ConfigMap    settings',
      'Suspended  Deployment                The rollout is paused',
      '',
      '3 objects: 1 Suspended, 1 Degraded, 1 without health',
      '',
    ]);
    assert.equal(code, 0);
  });

  it('prints JSON with the exact messages, and no status where there is no health', async () => {
    const { text } = await healthCommand(['-o', 'json', '-f', await write(STREAM)]);
    assert.deepEqual(JSON.parse(text) as HealthReport[], [
      {
        apiVersion: 'cert-manager.io/v1',
        kind: 'Certificate',
        namespace: 'team-a',
        name: 'shop',
        status: 'Degraded',
        message: 'no \u001b[31m\u202eaccount\nhere',
      },
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings' },
      { apiVersion: 'apps/v1', kind: 'Deployment', name: '', status: 'Suspended', message: 'The rollout is paused' },
    ]);
  });

  it('exits with 3 for objects that are not well, if asked to', async () => {
    assert.equal((await healthCommand(['--exit-code', '-f', await write(STREAM)])).code, 3);
    assert.equal((await healthCommand(['--exit-code', '-f', await write('{apiVersion: v1, kind: Service}')])).code, 0);
  });

  it('says what is wrong with the file', async () => {
    for (const [text, why] of [
      ['kind: Pod', /objects\.yaml: object 1 is not a Kubernetes object/],
      ['[1]', /object 1 is not/],
      ['a: &a [*a]', /objects\.yaml/],
      ['{', /objects\.yaml/],
    ] as const) {
      await assert.rejects(
        healthCommand(['-f', await write(text)]),
        (error) => isAppError(error, 'InvalidInput') && why.test(error.message),
      );
    }
    await assert.rejects(healthCommand(['-f', join(folder, 'none')]), /there is no such file/);
    await assert.rejects(healthCommand(['-f', folder]), /it cannot be read/);
  });
});
