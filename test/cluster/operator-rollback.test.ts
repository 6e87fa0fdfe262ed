import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import type { OperatorStatus } from '../../src/domain/operator/operator-status.ts';
import { chartFiles } from '../support/charts.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { CONFIG_MAP } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';
import { createHands, type OperatorHands } from '../support/operator-hands.ts';
import { startOperatorWorld, type OperatorWorld } from '../support/operator-world.ts';
import { inAll } from '../support/test-set.ts';

let testCluster: TestCluster;
let world: OperatorWorld;
let hands: OperatorHands;
const CHART = 'fragile';

before(async () => {
  testCluster = await sharedCluster();
  const namespaces = `back-${RUN}-`;
  world = await startOperatorWorld({ kubeconfigPath: testCluster.kubeconfigPath, helm: testCluster.tools.helm, namespaces });
  hands = createHands(world, namespaces);
  const templates = { 'templates/a.yaml': CONFIG_MAP, 'templates/b.yaml': PORT, 'templates/c.yaml': NOWHERE, 'templates/d.yaml': TEST };
  await world.writeChart(CHART, { ...chartFiles(CHART, '1.0.0', { ...templates, 'templates/e.yaml': HOOK }), 'values.yaml': VALUES });
});
after(async () => {
  await world.stop();
  await testCluster.stop();
});

describe('an Operator that rolls back', () => {
  it('brings the healthy revision back once when its upgrade fails, says so, and goes on with the next change', async () => {
    const namespace = await installed('failing');
    await hands.merge(namespace, 'failing', { values: { port: 70_000, password: 'hunter2-hunter2' } });
    const condition = await world.condition(namespace, 'failing', { type: 'Released', status: 'False', reason: 'RolledBack' });
    assert.match(condition.message, /^Chart fragile 1\.0\.0 failed in revision 2 \(Helm failed\): .*70000/);
    assert.match(condition.message, /revision 1 with chart fragile 1\.0\.0 runs again.*force-at to retry$/);
    const status = await world.status(namespace, 'failing');
    assert.equal(status.status, 'READY');
    assert.equal(findCondition(status.conditions, 'Ready')?.status, 'False');
    assert.equal(findCondition(status.conditions, 'Stalled')?.reason, 'RolledBack');
    assert.equal(findCondition(status.conditions, 'Healthy')?.status, 'True');
    assert.deepEqual(historyOf(status), ['3 deployed healthy', '2 rolled-back to 1', '1 superseded healthy']);
    await hands.merge(namespace, 'failing', { values: { port: 81 } });
    await eventually(async () => (await readyRevision(namespace, 'failing')) === 4, 'the next change is deployed', 60);
    const after = await world.status(namespace, 'failing');
    assert.deepEqual(historyOf(after), ['4 deployed healthy', '3 superseded healthy', '2 rolled-back to 1', '1 superseded healthy']);
    assert.equal(after.rollback, undefined);
    assert.deepEqual(await hands.revisionsOf(namespace, 'failing'), ['1 superseded', '2 failed', '3 superseded', '4 deployed']);
  });

  it('does so when the test of the new revision fails, and names the hook', inAll('it is another cause of the same rollback'), async () => {
    const namespace = await installed('untrue', { test: { enable: true } });
    assert.equal(findCondition((await world.status(namespace, 'untrue')).conditions, 'Tested')?.message, 'Passed: Job untrue-smoke');
    await hands.merge(namespace, 'untrue', { values: { testFails: true } });
    const condition = await world.condition(namespace, 'untrue', { type: 'Released', status: 'False', reason: 'RolledBack' });
    assert.match(condition.message, /failed in revision 2 \(its test failed\): Job untrue-smoke failed: /);
    const history = historyOf(await world.status(namespace, 'untrue'));
    assert.deepEqual(history, ['3 deployed healthy', '2 rolled-back untested unhealthy to 1', '1 superseded tested healthy']);
  });

  it('does so when the new revision is not healthy in time, and tries it again when somebody forces it', async () => {
    const namespace = await installed('ailing', { upgrade: { remediation: 'Rollback', healthTimeout: '10s' } });
    await hands.merge(namespace, 'ailing', { values: { nowhere: true } });
    const condition = await world.condition(namespace, 'ailing', { type: 'Released', status: 'False', reason: 'RolledBack' });
    assert.match(condition.message, /\(it did not become healthy in time\): Deployment ailing/);
    await hands.annotate(namespace, 'ailing', { 'chandlery.dev/force-at': 'once' });
    await eventually(
      async () => (await world.status(namespace, 'ailing')).rollback?.revision === 4,
      'it was tried again, and went back',
      60,
    );
    await world.condition(namespace, 'ailing', { type: 'Released', status: 'False', reason: 'RolledBack' });
    const status = await world.status(namespace, 'ailing');
    assert.equal(status.lastAttempted?.forcedAt, 'once');
    assert.deepEqual(historyOf(status).slice(0, 3), ['5 deployed healthy', '4 rolled-back unhealthy to 3', '3 superseded healthy']);
  });

  it(
    'ends there also when the hooks of the rollback fail, which leaves the release locked',
    inAll('it is another cause of the same rollback'),
    async () => {
      const namespace = await installed('hooked', { values: { hookFails: true } });
      await hands.merge(namespace, 'hooked', { values: { port: 70_000 } });
      await world.condition(namespace, 'hooked', { type: 'Released', status: 'False', reason: 'RolledBack' });
      const revisions = await hands.revisionsOf(namespace, 'hooked');
      assert.deepEqual(revisions, ['1 superseded', '2 failed', '3 pending-rollback', '4 deployed']);
    },
  );
});

describe('an Operator that does not roll back', () => {
  it('tries a failed upgrade again, with a growing wait', inAll('it waits for retries'), async () => {
    const namespace = await installed('trying', { upgrade: {} });
    await hands.merge(namespace, 'trying', { values: { port: 70_000 } });
    await eventually(async () => (await world.status(namespace, 'trying')).failures >= 2, 'it was tried twice', 60);
    const revisions = await hands.revisionsOf(namespace, 'trying');
    assert.deepEqual(revisions.slice(0, 3), ['1 deployed', '2 failed', '3 failed']);
  });

  it('stays with a revision whose test fails, and tests it again when somebody asks', inAll('it waits for retries'), async () => {
    const namespace = await hands.newNamespace();
    await world.create(namespace, 'sad', spec('sad', { upgrade: {}, test: { enable: true }, values: { testFails: true } }));
    const first = await world.condition(namespace, 'sad', { type: 'Ready', status: 'False', reason: 'TestFailed' });
    assert.match(first.message, /^Job sad-smoke failed: /);
    assert.equal((await hands.eventsOf(namespace, 'TestFailed')).length, 1);
    const before = (await world.status(namespace, 'sad')).lastAttempted?.requestedAt;
    await hands.annotate(namespace, 'sad', { 'chandlery.dev/reconcile-at': 'again' });
    await eventually(async () => (await world.status(namespace, 'sad')).lastAttempted?.requestedAt === 'again', 'it was tested again', 60);
    assert.equal(before, '');
    await world.condition(namespace, 'sad', { type: 'Stalled', status: 'True', reason: 'TestFailed' });
    assert.deepEqual(historyOf(await world.status(namespace, 'sad')), ['1 deployed untested']);
    await hands.merge(namespace, 'sad', { test: { enable: false } });
    await world.condition(namespace, 'sad', { type: 'Ready', status: 'True' });
    assert.deepEqual(await hands.revisionsOf(namespace, 'sad'), ['1 deployed']);
  });
});

describe('tests that do not end', () => {
  it('count as failed when their time is over', inAll('it waits for a timeout'), async () => {
    const namespace = await hands.newNamespace();
    const more = { upgrade: {}, test: { enable: true, timeout: '2s' }, values: { testHangs: true } };
    await world.create(namespace, 'endless', spec('endless', more));
    const condition = await world.condition(namespace, 'endless', { type: 'Ready', status: 'False', reason: 'TestFailed' });
    assert.match(condition.message, /^Job endless-smoke failed: /);
  });
});

/** Creates an Operator and waits until it is ready. */
async function installed(name: string, more: object = {}): Promise<string> {
  const namespace = await hands.newNamespace();
  await world.create(namespace, name, spec(name, more));
  await world.condition(namespace, name, { type: 'Ready', status: 'True' });
  return namespace;
}

function spec(name: string, more: object): object {
  return { name, chart: { repoURL: 'file://samples', name: CHART, version: '1.0.0' }, upgrade: { remediation: 'Rollback' }, ...more };
}

async function readyRevision(namespace: string, name: string): Promise<number | undefined> {
  const status = await world.status(namespace, name);
  return findCondition(status.conditions, 'Ready')?.status === 'True' ? status.release?.revision : undefined;
}

function historyOf({ history }: OperatorStatus): string[] {
  return history.map(({ revision, status, tested, healthy, rolledBackTo }) => {
    const words = [`${revision}`, status, wordOf(tested, 'tested'), wordOf(healthy, 'healthy')];
    return [...words, rolledBackTo === undefined ? '' : `to ${rolledBackTo}`].filter((word) => word !== '').join(' ');
  });
}

function wordOf(mark: boolean | undefined, word: string): string {
  if (mark === undefined) return '';
  return mark ? word : `un${word}`;
}

const VALUES = 'port: 80\nnowhere: false\ntestFails: false\ntestHangs: false\nhookFails: false\npassword: ""\n';

/** 70000 is a number as far as Helm can tell; the api-server rejects it. */
const PORT = `apiVersion: v1
kind: Service
metadata: {name: "{{ .Release.Name }}"}
spec: {ports: [{port: {{ .Values.port }}}]}
`;

const NOWHERE = `{{ if .Values.nowhere }}
apiVersion: apps/v1
kind: Deployment
metadata: {name: "{{ .Release.Name }}"}
spec:
  selector: {matchLabels: {app: "{{ .Release.Name }}"}}
  template:
    metadata: {labels: {app: "{{ .Release.Name }}"}}
    spec: {nodeSelector: {no: such}, containers: [{name: a, image: example.com/a:1}]}
{{ end }}
`;

/** A Job that has nothing to do succeeds at once; one whose pod fits nowhere fails after a second; a suspended one never ends. */
const JOB = (name: string, fails: string): string => `  name: "{{ .Release.Name }}-${name}"
spec:
  backoffLimit: 0
  {{ if .Values.testHangs }}suspend: true{{ else if .Values.${fails} }}activeDeadlineSeconds: 1{{ else }}completions: 0{{ end }}
  template: {spec: {restartPolicy: Never, nodeSelector: {no: such}, containers: [{name: a, image: example.com/a:1}]}}
`;

const TEST = `apiVersion: batch/v1
kind: Job
metadata:
  annotations: {"helm.sh/hook": test}
${JOB('smoke', 'testFails')}`;

const HOOK = `apiVersion: batch/v1
kind: Job
metadata:
  annotations: {"helm.sh/hook": pre-rollback}
${JOB('way-back', 'hookFails')}`;
