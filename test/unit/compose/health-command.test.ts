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
        rule: 'cert-manager.io/Certificate',
      },
      { apiVersion: 'v1', kind: 'ConfigMap', name: 'settings' },
      {
        apiVersion: 'apps/v1',
        kind: 'Deployment',
        name: '',
        status: 'Suspended',
        message: 'The rollout is paused',
        rule: 'apps/Deployment',
      },
    ]);
  });

  it('tries rules of a file, and says which one decided', async () => {
    const rules = join(folder, 'rules.yaml');
    const objects = await write(
      '[{apiVersion: a.b/v1, kind: Queue, status: {lag: 9, phase: Running}}, {apiVersion: a.b/v1, kind: Topic, status: {phase: Running}}]',
    );
    const list = '- {status: Degraded, when: self.status.lag > 5, messageExpression: "string(self.status.lag) + \' wait\'"}\n';
    const operator = `kind: Operator\nspec: {catalog: {kinds: [{kind: Other}, {kind: Queue, health: [{status: Missing, when: 'false'}, ${list.slice(2).trim()}]}]}}`;
    for (const [text, place] of [
      [operator, 'spec.catalog.kinds[1].health[1]'],
      [`- {status: Missing, when: 'false'}\n${list.replace('self.status.lag >', 'has(self.status.lag) && self.status.lag >')}`, '[1]'],
    ] as const) {
      await writeFile(rules, text);
      const reports = JSON.parse((await healthCommand(['-f', objects, '--rules', rules, '-o', 'json'])).text) as HealthReport[];
      assert.deepEqual(
        reports.map(({ status, message, rule }) => [status, message, rule]),
        [
          ['Degraded', '9 wait', place],
          ['Healthy', 'Running', 'generic'],
        ],
      );
    }
  });

  it('names each rule that is wrong, with file, line and column', async () => {
    const rules = join(folder, 'rules.yaml');
    await writeFile(
      rules,
      '- status: Healthy\n  when: self.status.lag <\n- status: Missing\n  when: "\'a\'"\n  messageExpression: size(self.spec)\n',
    );
    await assert.rejects(healthCommand(['-f', await write(STREAM), '--rules', rules]), (error) => {
      assert.deepEqual((error as Error).message.replaceAll(folder, '').split('\n'), [
        '/rules.yaml:2:9: [0].when: the CEL expression does not compile: Unexpected token: EOF',
        '/rules.yaml:4:9: [1].when: the CEL expression must yield bool, not string',
        '/rules.yaml:5:22: [1].messageExpression: the CEL expression must yield string, not int',
      ]);
      return isAppError(error, 'InvalidInput');
    });
    await writeFile(rules, '- {status: Good, when: "true"}\n- {status: Healthy, when: "true", mesage: x}');
    await assert.rejects(
      healthCommand(['-f', await write(STREAM), '--rules', rules]),
      /rules\.yaml:1:3: \[0\]: a rule has a status \(Healthy, .*\n.*rules\.yaml:2:43: \[1\]\.mesage: unknown field/,
    );
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
