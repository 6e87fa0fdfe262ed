import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { type RuleTable, ruleTable, tableOfKinds } from '../../../src/domain/health/rule-table.ts';
import { healthOf } from '../../../src/domain/health/rules/health-of.ts';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import type { CustomHealthRule } from '../../../src/domain/operator/kind/health-fields.ts';
import { healthRulesValid } from '../../../src/reconcile/health-rules.ts';
import { createHealthEvaluator, type HealthEvaluator } from '../../../src/operation/health/health-evaluator.ts';

const RULES: readonly CustomHealthRule[] = [
  { status: 'Suspended', when: 'has(self.spec.paused) && self.spec.paused', message: 'Somebody paused the queue' },
  {
    status: 'Degraded',
    when: 'self.status.lag > 1000',
    messageExpression: "string(self.status.lag) + ' messages wait in ' + self.metadata.name",
  },
  { status: 'Progressing', when: "self.status.shards.exists(s, s.state != 'open')" },
];

describe('health rules of Operators', () => {
  it('give the health by the first match, and leave the rest to the built-in rules', async () => {
    const health = evaluator({ Queue: RULES });
    const ready = { conditions: [{ type: 'Ready', status: 'True', message: 'It runs' }] };
    const paused = queue({ spec: { paused: true }, status: { lag: 5000 } });
    const late = queue({ status: { lag: 5000, shards: [] } });
    const opening = queue({ status: { lag: 1, shards: [{ state: 'opening' }] } });
    const open = queue({ status: { lag: 1, shards: [{ state: 'open' }], ...ready } });
    const other = queue({ kind: 'Topic', status: ready });
    await health.evaluate([paused, late, opening, open, other]);
    assert.deepEqual([paused, late, opening, open, other].map(healthOf), [
      { status: 'Suspended', message: 'Somebody paused the queue' },
      { status: 'Degraded', message: '5000 messages wait in orders' },
      { status: 'Progressing', message: 'Queue is Progressing' },
      { status: 'Healthy', message: 'It runs' },
      { status: 'Healthy', message: 'It runs' },
    ]);
    assert.deepEqual(health.faults(), []);
  });

  it('are not evaluated again for a version that was seen, and are for one that was not', async () => {
    const health = evaluator({ Queue: [{ status: 'Degraded', when: 'self.status.lag > 1' }] });
    const version = (resourceVersion: string, lag: number): KubeObject =>
      queue({ metadata: { uid: 'u', resourceVersion }, status: { lag } });
    const [first, same, next] = [version('1', 2), version('1', 0), version('2', 0)];
    for (const one of [first, same, next]) await health.evaluate([one]);
    assert.deepEqual(
      [first, same, next].map((one) => healthOf(one)?.status),
      ['Degraded', 'Degraded', undefined],
    );
  });

  it('that fail make the health Unknown, named with their Operator, and are reported without values', async () => {
    const health = evaluator({ Queue: [{ status: 'Healthy', when: "duration(self.spec.password) > duration('1h')" }] });
    const secret = queue({ spec: { password: 'hunter2' }, status: { lag: 1 } });
    await health.evaluate([secret]);
    assert.equal(healthOf(secret)?.status, 'Unknown');
    assert.match(
      healthOf(secret)?.message ?? '',
      /^The health rule spec\.catalog\.kinds\[0\]\.health\[0\] of Operator ns\/queues failed: Invalid duration/,
    );
    assert.deepEqual(health.faults(), [
      { owner: 'Operator ns/queues', field: 'spec.catalog.kinds[0].health[0].when', message: 'invalid duration' },
    ]);
  });

  it('that would never end are ended, left alone for a while, and keep no other kind from its health', async () => {
    const hostile = { status: 'Healthy' as const, when: "self.spec.text.matches('^(a+)+$')" };
    const fine = { status: 'Healthy' as const, when: 'self.status.lag < 10' };
    const health = createHealthEvaluator({ rules: () => table({ Trap: [fine, hostile], Queue: [fine] }), timeoutMs: 300 });
    const trap = (text: string): KubeObject => queue({ kind: 'Trap', spec: { text }, status: { lag: 20 } });
    const [trapped, harmless] = [trap(`${'a'.repeat(60)}!`), trap('a')];
    const [quick, well] = [queue({ kind: 'Trap', status: { lag: 1 } }), queue({ status: { lag: 1 } })];
    await health.evaluate([trapped, quick, well]);
    assert.deepEqual(
      [trapped, quick, well].map((one) => healthOf(one)?.status),
      ['Unknown', 'Healthy', 'Healthy'],
    );
    assert.match(healthOf(trapped)?.message ?? '', /health\[1\] of Operator ns\/queues failed: evaluation took longer than 0\.3 s/);
    await health.evaluate([harmless]);
    assert.equal(healthOf(harmless)?.status, 'Unknown', 'the rule, which calls it Healthy, is not evaluated');
  });

  it('do not call an object Healthy that is being deleted', async () => {
    const health = evaluator({ Queue: [{ status: 'Healthy', when: 'true' }] });
    const leaving = queue({ metadata: { deletionTimestamp: '2026-01-01T00:00:00Z' }, status: {} });
    await health.evaluate([leaving]);
    assert.deepEqual(healthOf(leaving), { status: 'Progressing', message: 'Pending deletion' });
  });
});

describe('health rules of Environments, AppDefinitions and Operators', () => {
  const rule = (kind: string, message: string, when = 'true'): object => ({ kind, status: 'Suspended', when, message });
  const owner = (kind: string, name: string, spec: object): KubeObject => ({ apiVersion: 'a/v1', kind, metadata: { name }, spec });
  const webApps = {
    ...owner('CustomResourceDefinition', 'webapps.apps.chandlery.dev', {
      group: 'apps.chandlery.dev',
      names: { kind: 'WebApp', plural: 'webapps', singular: 'webapp' },
    }),
    metadata: { name: 'webapps.apps.chandlery.dev', labels: { 'chandlery.dev/app-definition': 'web' } },
  };
  const of = (release: string, namespace = 'team-a'): KubeObject => ({
    ...queue({ kind: 'Ingress', status: {} }),
    apiVersion: 'networking.k8s.io/v1',
    metadata: { name: 'x', namespace, annotations: { 'meta.helm.sh/release-name': release, 'meta.helm.sh/release-namespace': namespace } },
  });

  it('are about built-in kinds, too: those of the namespace come first, then those of the release, then those of the kind', async () => {
    const catalog = { health: [{ status: 'Degraded', when: 'true', message: 'of the catalogue' }] };
    const rules = ruleTable({
      environments: [
        owner('Environment', 'a', {
          namespace: 'team-a',
          health: [rule('Pod', 'no'), rule('Ingress', 'of team-a', "self.metadata.name == 'x'")],
        }),
      ],
      appDefinitions: [owner('AppDefinition', 'web', { catalog, health: [rule('Ingress.networking.k8s.io', 'of web apps')] })],
      operators: [
        owner('Operator', 'queues', {
          name: 'queues',
          chartURL: 'https://a/b.tgz',
          targetNamespace: 'system',
          health: [rule('Ingress', 'of queues')],
        }),
      ],
      crds: [webApps],
    });
    const health = createHealthEvaluator({ rules: () => rules, timeoutMs: 10_000 });
    const app = { ...queue({ kind: 'WebApp', status: {} }), apiVersion: 'apps.chandlery.dev/v1alpha1' };
    const objects = [of('webapp-shop'), of('webapp-shop', 'team-b'), of('queues', 'system'), of('other', 'team-b'), app];
    await health.evaluate(objects);
    assert.deepEqual(
      objects.map((one) => healthOf(one)?.message),
      ['of team-a', 'of web apps', 'of queues', 'The ingress has no address yet', 'of the catalogue'],
    );
  });

  it('are never about Secrets, whose data their messages would show to everybody', async () => {
    const leak = { ...rule('Secret', ''), messageExpression: 'string(self.data.password)' };
    const environments = [owner('Environment', 'a', { namespace: 'team-a', health: [leak] })];
    const table = ruleTable({ environments, appDefinitions: [], operators: [], crds: [] });
    const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'x', namespace: 'team-a' }, data: { password: 'aHVudGVy' } };
    await createHealthEvaluator({ rules: () => table, timeoutMs: 10_000 }).evaluate([secret]);
    assert.equal(healthOf(secret), undefined);
  });

  it('that fail are named by their place in the list of all kinds', async () => {
    const rules = [rule('Pod', 'no'), rule('Ingress', 'no', 'self.spec.absent > 1')];
    const table = ruleTable({
      environments: [owner('Environment', 'a', { namespace: 'team-a', health: rules })],
      appDefinitions: [],
      operators: [],
      crds: [],
    });
    const health = createHealthEvaluator({ rules: () => table, timeoutMs: 10_000 });
    await health.evaluate([of('webapp-shop')]);
    assert.deepEqual(health.faults(), [{ owner: 'Environment a', field: 'spec.health[1].when', message: 'no such key' }]);
    const owned = owner('Environment', 'a', { health: [rule('Pod', 'no', 'self.')] });
    const [condition] = healthRulesValid(owned);
    assert.match(
      `${condition?.reason} ${condition?.message}`,
      /^InvalidExpression spec\.health\[0\]\.when: the CEL expression does not compile/,
    );
    const [failing] = healthRulesValid(owner('Environment', 'a', { health: rules }), () => health.faults());
    assert.equal(`${failing?.reason} ${failing?.message}`, 'EvaluationFailed spec.health[1].when: no such key');
  });
});

function evaluator(rules: Readonly<Record<string, readonly CustomHealthRule[]>>): HealthEvaluator {
  const all = table(rules);
  return createHealthEvaluator({ rules: () => all, timeoutMs: 10_000 });
}

function table(rules: Readonly<Record<string, readonly CustomHealthRule[]>>): RuleTable {
  const owner = 'Operator ns/queues';
  const byKind = Object.entries(rules).map(
    ([kind, list], index) => [`example.com/${kind}`, { owner, field: `spec.catalog.kinds[${index}].health`, rules: list }] as const,
  );
  return tableOfKinds(new Map(byKind));
}

function queue({
  kind = 'Queue',
  metadata = {},
  spec = {},
  status,
}: {
  kind?: string;
  metadata?: object;
  spec?: object;
  status: object;
}): KubeObject {
  return { apiVersion: 'example.com/v1', kind, metadata: { name: 'orders', ...metadata }, spec, status };
}
