import assert from 'node:assert/strict';
import { test } from 'node:test';
import type { App } from '../../../../src/domain/app/app.ts';
import type { EnvironmentView } from '../../../../src/domain/environment/environment.ts';
import type { InstanceView, Preflight } from '../../../../src/domain/instance/instance.ts';
import { conditionRows } from '../../../../src/web/page/conditions.ts';
import { deletePage } from '../../../../src/web/instance/delete-page.ts';
import { expiryPart, instanceLive, instancePage } from '../../../../src/web/instance/instance-page.ts';
import type { InstanceReading } from '../../../../src/operation/instance/list-events.ts';
import { sampleApp } from '../../../support/sample-apps.ts';
import { SAMPLE_ENVIRONMENTS, sampleEvents, sampleInstances, sampleTree } from '../../../support/sample-instances.ts';
import { sampleOperations } from '../../../support/sample-operations.ts';
import { sampleViews } from '../../../support/sample-web.ts';
import { sampleWorkloads } from '../../../support/sample-workloads.ts';

const APP = sampleApp('postgresclusters.samples.chandlery.dev') as App;
const [TEAM_A, SHOP] = SAMPLE_ENVIRONMENTS as readonly [EnvironmentView, EnvironmentView];
const ACTOR = { user: 'oidc:dev-a', groups: ['oidc:team-a'] };
const ALL_RIGHTS = { create: true, update: true, delete: true };

function reading(name: string, change: Partial<InstanceView> = {}): InstanceReading {
  const instance = { ...(sampleInstances('team-a').find((one) => one.name === name) as InstanceView), ...change };
  return { instance, tree: sampleTree(instance), workloads: sampleWorkloads(instance), events: sampleEvents(instance) };
}

test('the health word of the tree stands above everything, with a sentence', () => {
  assert.equal(instanceLive(reading('archive'), APP).sentence, 'Pod archive-0 cannot be scheduled: insufficient memory.');
  assert.equal(instanceLive(reading('orders'), APP).sentence, 'All of its resources are healthy.');
  assert.deepEqual([instanceLive(reading('reports'), APP).working, instanceLive(reading('orders'), APP).working], [true, false]);
});

test('a change that no controller has taken up yet is reported', () => {
  assert.equal(instanceLive(reading('orders'), APP).pending, false);
  assert.equal(instanceLive(reading('orders', { observedGeneration: 1 }), APP).pending, true);
  assert.equal(instanceLive(reading('orders', { observedGeneration: undefined }), APP).pending, false);
});

test('what is being deleted says so, and offers neither change nor deletion', () => {
  const page = instancePage(reading('orders', { deleting: true }), { app: APP, environment: TEAM_A, permissions: ALL_RIGHTS });
  assert.equal(page.live.health.label, 'Deleting');
  assert.deepEqual([page.changeHref, page.deleteHref], [undefined, undefined]);
});

test('an instance that expires soon says so, and how to keep it; where its definition allows no more, whom to ask', () => {
  const { app: _app, ...plain } = reading('orders').instance;
  const near = { phase: 'ExpiresSoon', expiresAt: '2026-11-27T10:00:00Z', deletesAt: '2026-11-30T10:00:00Z' } as const;
  const of = (expiry: InstanceView['expiry']) =>
    expiryPart({ ...plain, app: APP.id, ...(expiry && { expiry }) }, 'https://apps.example.com');
  const { expiry } = of({ ...near, extension: '2026-12-07T10:00:00Z' });
  assert.equal(expiry?.title, 'Expires on 27 Nov 2026, 10:00 UTC');
  assert.equal(expiry.text, 'Its workloads are scaled to zero then. It is deleted on 30 Nov 2026, 10:00 UTC.');
  assert.equal(expiry.extendHref, `/environments/team-a/instances/${APP.id}/orders/edit?expires=2026-12-07T10%3A00%3A00Z`);
  const patch = `'{"spec":{"expires":"2026-12-07T10:00:00Z"}}'`;
  assert.ok(expiry.commands.every(({ text }) => text.includes(patch)));
  assert.equal(sampleViews().render('parts/expiry', expiry).split(expiry.text).length, 2, 'the page says it once');
  assert.match(of({ ...near, phase: 'Expired' }).expiry?.text ?? '', /its data stays until it is deleted on 30 Nov.* ask an admin/);
  assert.deepEqual(of(undefined), {});
  const { tree, ...rest } = reading('orders', { expiry: { ...near, phase: 'Expired' } });
  const message = 'Expired, so nothing of it runs';
  const asleep = {
    ...tree,
    cause: { chain: [], message: 'To keep it: kubectl patch ...' },
    health: { status: 'Suspended', message },
  } as const;
  assert.equal(instanceLive({ ...rest, tree: asleep }, APP).sentence, message);
});

test('buttons follow the permissions', () => {
  const page = instancePage(reading('orders'), {
    app: APP,
    environment: TEAM_A,
    permissions: { update: true, delete: false },
  });
  assert.equal(page.changeHref, '/environments/team-a/instances/postgresclusters.samples.chandlery.dev/orders/edit');
  assert.equal(page.deleteHref, undefined);
});

test('the usage note is about this instance, and the YAML is what can be applied', () => {
  const page = instancePage(reading('orders'), { app: APP, environment: TEAM_A, permissions: ALL_RIGHTS });
  assert.match(page.usage?.html ?? '', /<code>orders-rw<\/code> in the namespace <code>team-a<\/code>/);
  assert.match(page.yaml, /^spec:\n {2}instances: 3$/m);
  assert.doesNotMatch(page.yaml, /status:/);
});

test('masked values are named, and one that was asked for is shown', () => {
  const around = { app: APP, environment: TEAM_A, permissions: ALL_RIGHTS };
  const masked = reading('orders', { masked: ['spec.adminPassword', 'spec.users[0].pin'] });
  const hidden = instancePage(masked, around).masked;
  assert.deepEqual(
    hidden.map(({ value }) => value),
    ['', ''],
  );
  const shown = instancePage(masked, { ...around, revealed: { path: 'spec.users[0].pin', value: 1234 } }).masked;
  assert.deepEqual(
    shown.map(({ value }) => value),
    ['', '1234'],
  );
});

test('why is a chain from the cause to the app, with the way to the log of the container that crashed', () => {
  const before = reading('archive');
  const chain = [
    { apiVersion: 'v1', kind: 'Pod', name: 'archive-0', message: 'restarts again and again: container main exits with code 1' },
    { apiVersion: 'apps/v1', kind: 'StatefulSet', name: 'archive', message: '0 of 1 pods are ready', since: '2026-11-18T09:30:00Z' },
  ];
  const container = { pod: 'archive-0', name: 'main', previous: true };
  const cause = { message: 'Pod archive-0 restarts again and again', chain, container, log: { time: '', text: 'no route' } };
  const live = instanceLive({ ...before, tree: { ...before.tree, cause } }, APP);
  assert.equal(live.sentence, 'Pod archive-0 restarts again and again');
  assert.equal(live.cause?.cause.kind, 'Pod');
  assert.deepEqual(
    live.cause.affected.map(({ kind, since }) => [kind, since]),
    [['StatefulSet', '2026-11-18T09:30:00Z']],
  );
  assert.match(live.cause.log?.href ?? '', /\/archive\/logs\?pod=archive-0&container=main&previous=on$/);
  assert.deepEqual([live.cause.log?.text, live.cause.unread], ['no route', 'Secret']);
});

const CONDITIONS = [
  ['Ready', 'True', 'Yes', 'good', 'a good sign that is there'],
  ['Ready', 'False', 'No', 'warn', 'a good sign that is missing'],
  ['Stalled', 'True', 'Yes', 'bad', 'trouble'],
  ['ReplicaFailure', 'False', 'No', 'good', 'no trouble'],
  ['PendingRemoval', 'True', 'Yes', 'warn', 'a decision is due'],
  ['NamespaceContentRemaining', 'False', 'No', 'good', 'nothing remains'],
  ['Reconciling', 'True', 'Yes', 'busy', 'work'],
  ['Ready', 'Unknown', 'Unknown', 'idle', 'nobody knows'],
] as const;
for (const [type, status, word, tone, why] of CONDITIONS) {
  test(`${type}=${status} reads ${word} and looks ${tone}: ${why}`, () => {
    const [row] = conditionRows([
      { type, status, reason: 'MinimumReplicasAvailable', message: '', lastTransitionTime: '2026-01-01T00:00:00Z' },
    ]);
    assert.deepEqual([row?.status.label, row?.status.tone, row?.message], [word, tone, 'Minimum replicas available']);
  });
}

const deletion = async (): Promise<Preflight> =>
  await sampleOperations().preflightDeletion(ACTOR, { environment: 'team-a', app: APP.id, name: 'orders' });

test('a deletion names what goes with it, and warns of data', async () => {
  const { findings, warning, ready } = deletePage({ instance: reading('orders').instance, preflight: await deletion() }, TEAM_A);
  assert.deepEqual([findings.groups.map(({ title }) => title), ready], [['Will be deleted'], true]);
  assert.match(warning, /volumes/);
});

test('only production asks for the name', async () => {
  const subject = { instance: reading('orders').instance, preflight: await deletion() };
  assert.deepEqual([deletePage(subject, TEAM_A).typeName, deletePage(subject, SHOP).typeName], [false, true]);
});

test('shows Ready before the conditions that it sums up', () => {
  const condition = { status: 'True', reason: 'Fine', message: '', lastTransitionTime: '2026-11-21T10:00:00Z' } as const;
  const rows = conditionRows(['Bound', 'Ready', 'Healthy'].map((type) => ({ ...condition, type })));
  assert.deepEqual(
    rows.map(({ type }) => type),
    ['Ready', 'Bound', 'Healthy'],
  );
});
