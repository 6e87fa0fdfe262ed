import assert from 'node:assert/strict';
import { rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { App } from '../../src/domain/app/app.ts';
import { textAt } from '../../src/domain/core/read.ts';
import { parseActor } from '../../src/domain/kubernetes/actor.ts';
import { CONFIG_MAP, CRD, ENVIRONMENT, EVENT, NAMESPACE, STORAGE_CLASS } from '../../src/domain/kubernetes/resource-types.ts';
import { parseApiVersion, type KubeObject, type ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { showEnvironmentStatus } from '../../src/operation/environment/show-environment-status.ts';
import { showTierBoard } from '../../src/operation/environment/show-tier-board.ts';
import { listInstances } from '../../src/operation/instance/list-instances.ts';
import { showInstance } from '../../src/operation/instance/show-instance.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listEnvironmentResources } from '../../src/operation/environment/list-environment-resources.ts';
import { readInstance } from '../../src/operation/instance/list-events.ts';
import { showTree } from '../../src/operation/instance/show-tree.ts';
import { instanceLive } from '../../src/web/instance/instance-page.ts';
import { startAppWorld, type AppWorld } from '../support/app-world.ts';
import { AT, type BrokenApp, CRASH_LOG, GROUP, NS, object, RUN, SLOW } from '../support/broken-app.ts';
import { BROKEN_APPS } from '../support/broken-apps.ts';
import { denyingServer, silentServer, VALIDATING_WEBHOOKS, webhookConfiguration } from '../support/dead-webhook.ts';
import { eventually } from '../support/eventually.ts';
import { sampleApp } from '../support/sample-apps.ts';
import { deleteWithIntent } from '../../src/domain/kubernetes/deletion-intent.ts';

const LIMITED = `why-limited-${RUN}`;
const APP = `shops.${GROUP}`;
const SHOPS: ResourceType = { group: GROUP, version: 'v1', resource: 'shops' };
const DEV = parseActor(`test:why-${RUN}`, [`test:why-${RUN}`]);

let world: AppWorld;
let servers: { close(): unknown }[] = [];
let logFile: string;

before(async () => {
  const schema = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  const open = (kind: string, plural: string) => ({ kind, plural, schema, members: { status: schema }, defaults: {} });
  const kinds = [open('Shop', 'shops'), open('Store', 'stores')];
  world = await startAppWorld({ name: NS, alsoEnvironments: [LIMITED], group: GROUP, kinds, developer: DEV });
  await prepare();
  await Promise.all(BROKEN_APPS.map(install));
  logFile = join(world.cluster.stateDir, 'run', `controller-${NS}.crash.log`);
  await writeFile(logFile, `${AT} stdout F listening on 8080\n${AT} stderr F ${CRASH_LOG}\n`);
  await Promise.all(BROKEN_APPS.flatMap((app) => (app.reports ?? []).map(async (one) => await report(app, one))));
  await world.kube.asController().delete({ ...CONFIG_MAP, namespace: NS, name: 'stuck' });
});

after(async () => {
  const cluster = world.kube.asController();
  await cluster.patch({ ...CONFIG_MAP, namespace: NS, name: 'stuck' }, { type: 'merge', body: { metadata: { finalizers: null } } });
  for (const name of [`denied-${RUN}`, `away-${RUN}`]) await cluster.delete({ ...VALIDATING_WEBHOOKS, name });
  await cluster.delete({ ...STORAGE_CLASS, name: SLOW });
  for (const name of [NS, LIMITED]) {
    for (const type of [ENVIRONMENT, NAMESPACE]) await deleteWithIntent(cluster, { type, object: { metadata: { name } } });
  }
  for (const server of servers) server.close();
  await rm(logFile);
  await world.stop();
});

describe('the first sentence names the true cause', { timeout: 240_000 }, () => {
  for (const { name, sentence, isLimited } of BROKEN_APPS) {
    it(`of ${name}: ${sentence}`, async () => {
      const environment = isLimited === true ? LIMITED : NS;
      await eventually(
        async () => {
          const read = await readInstance(world.ports, DEV, { environment, app: APP, name });
          assert.equal(instanceLive(read, sampleApp('caches.samples.chandlery.dev') as App).sentence.replaceAll(RANDOM, '*'), sentence);
          return true;
        },
        `the page says: ${sentence}`,
        40,
      );
    });
  }
});

/** The ends of names that controllers make up. */
const RANDOM = /(?<=-)(?:[0-9a-f]{8,10}-)?[bcdfghjklmnpqrstvwxz2456789]{5}\b(?= )/g;

describe('the cause in the REST tree', () => {
  it('is a chain from the Pod over its Service to the Ingress, with the time since when', async () => {
    const { cause, health } = await showTree(world.ports, DEV, { environment: NS, app: APP, name: 'readiness' });
    assert.deepEqual(
      cause?.chain.map(({ kind, name, message, since }) => [`${kind} ${name}`, message, since === AT]),
      [
        ['Pod readiness-0', 'is not ready: its readiness probe fails: status code 503', true],
        ['StatefulSet readiness', '0 of 1 pods are ready', false],
        ['Service readiness', 'has no ready endpoints', true],
        ['Ingress readiness', '', false],
        ['Shop readiness', '', false],
      ],
    );
    assert.deepEqual([health.message, cause?.since], [cause?.message, AT]);
  });

  for (const name of ['image', 'memory', 'crash', 'large', 'quota', 'denied']) {
    it(`comes with the status Degraded after the first certain evidence: ${name}`, async () => {
      const environment = BROKEN_APPS.find((app) => app.name === name)?.isLimited === true ? LIMITED : NS;
      const { health } = await showTree(world.ports, DEV, { environment, app: APP, name });
      assert.equal(health.status, 'Degraded', health.message);
    });
  }

  it('has the last line of the container that crashed', async () => {
    const { cause } = await showTree(world.ports, DEV, { environment: NS, app: APP, name: 'crash' });
    assert.deepEqual([cause?.container, cause?.log?.text], [{ pod: 'crash-0', name: 'main', previous: false }, CRASH_LOG]);
  });
});

describe('the health of an app', { timeout: 120_000 }, () => {
  it('is the same in its tree, by itself, in lists, in the status of the environment, among its resources and on the board', async () => {
    const { ports } = world;
    const [list, status, resources, board] = await Promise.all([
      listInstances(ports, DEV, NS),
      showEnvironmentStatus(ports, DEV, { environment: NS }),
      listEnvironmentResources(ports, DEV, { environment: NS }),
      showTierBoard(ports, DEV, {}),
    ]);
    const rows = board.rows.flatMap((row) => row.cells.map((cell) => ({ ...cell, app: row.app, name: row.name })));
    for (const { name } of BROKEN_APPS.filter(({ isLimited }) => isLimited !== true)) {
      const address = { environment: NS, app: APP, name };
      const [tree, instance] = await Promise.all([showTree(ports, DEV, address), showInstance(ports, DEV, address)]);
      const shown = {
        tree: tree.health,
        instance: instance.health,
        list: list.instances.find((one) => one.app === APP && one.name === name)?.health,
        status: status.instances.find((one) => one.app === APP && one.name === name)?.health,
        resource: resources.all.find((one) => one.resource === APP && one.name === name)?.health,
        board: rows.find((one) => one.environment === NS && one.app === APP && one.name === name)?.health,
      };
      const said = new Set(Object.values(shown).map((health) => `${health?.status}: ${health?.message}`));
      assert.equal(said.size, 1, `${name}: ${stringifyJson(shown, 2)}`);
    }
  });
});

describe('the resources of an environment', () => {
  it('say in the same sentence why an instance is not well', async () => {
    const { all } = await listEnvironmentResources(world.ports, DEV, { environment: NS });
    const causes = new Map(all.filter(({ kind }) => kind === 'Shop').map(({ name, cause = '' }) => [name, cause.replaceAll(RANDOM, '*')]));
    const names = ['image', 'memory', 'large', 'denied', 'account', 'mismatch', 'no-service', 'import', 'certificate', 'child', 'stuck'];
    const expected = BROKEN_APPS.filter(({ name }) => names.includes(name));
    assert.deepEqual(
      expected.map(({ name }) => causes.get(name)),
      expected.map(({ sentence }) => sentence),
    );
  });
});

/** What stands around the apps: a second environment with limits, two webhooks, a class whose provisioner is away, and kinds of others. */
async function prepare(): Promise<void> {
  const cluster = world.kube.asController();
  const groups = DEV.groups.map((name) => ({ name, role: 'developer' }));
  await cluster.create(ENVIRONMENT, object('chandlery.dev/v1alpha1', 'Environment', LIMITED, { spec: { groups } }));
  for (const [name, plural, group] of [
    ['Certificate', 'certificates', 'cert-manager.io'],
    ['HTTPRoute', 'httproutes', 'gateway.networking.k8s.io'],
  ] as const) {
    await cluster.apply(CRD, foreignKind(name, plural, group), { fieldManager: 'test', force: 'force' });
  }
  await eventually(
    async () => (await cluster.get({ ...NAMESPACE, name: LIMITED })).metadata.name === LIMITED,
    'the second namespace is there',
  );
  for (const namespace of [NS, LIMITED]) await mayReadForeignKinds(namespace);
  const limits = { max: { memory: '1Gi' }, default: { cpu: '100m' }, defaultRequest: { cpu: '100m' }, type: 'Container' };
  await create(LIMITED, object('v1', 'LimitRange', 'team', { spec: { limits: [limits] } }));
  await create(LIMITED, object('v1', 'ResourceQuota', 'team', { spec: { hard: { 'requests.cpu': '1' } } }));
  await eventually(async () => {
    const quota = await cluster.get({ group: '', version: 'v1', resource: 'resourcequotas', namespace: LIMITED, name: 'team' });
    return textAt(quota.status, 'used', 'requests.cpu') !== undefined;
  }, 'the quota is counted');
  await cluster.create(STORAGE_CLASS, object('storage.k8s.io/v1', 'StorageClass', SLOW, { provisioner: 'csi.example.com' }));
  const [denying, silent] = await Promise.all([denyingServer('images must be signed'), silentServer()]);
  servers = [denying.server, silent.server];
  const webhook = { timeoutSeconds: 1, group: '' };
  for (const [name, objects, clientConfig] of [
    [`denied-${RUN}`, 'denied-0', denying.clientConfig],
    [`away-${RUN}`, 'webhook-away-0', { url: silent.url }],
  ] as const) {
    await cluster.create(VALIDATING_WEBHOOKS, webhookConfiguration({ ...webhook, name, objects, clientConfig }));
  }
}

function foreignKind(kind: string, plural: string, group: string): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', `${plural}.${group}`, {
    metadata: { annotations: { 'api-approved.kubernetes.io': 'unapproved, only for tests' } },
    spec: { group, scope: 'Namespaced', names: { kind, plural }, versions: [{ name: 'v1', served: true, storage: true, schema }] },
  });
}

async function mayReadForeignKinds(namespace: string): Promise<void> {
  const rules = [{ apiGroups: ['cert-manager.io', 'gateway.networking.k8s.io', GROUP], resources: ['*'], verbs: ['get', 'list', 'watch'] }];
  await create(namespace, object('rbac.authorization.k8s.io/v1', 'Role', 'foreign', { rules }));
  const [name = ''] = DEV.groups;
  const subjects = [{ kind: 'Group', apiGroup: 'rbac.authorization.k8s.io', name }];
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'foreign' };
  await create(namespace, object('rbac.authorization.k8s.io/v1', 'RoleBinding', 'foreign', { subjects, roleRef }));
}

/** An instance and what it owns. */
async function install({ name, isLimited, objects }: BrokenApp): Promise<void> {
  const namespace = isLimited === true ? LIMITED : NS;
  const cluster = world.kube.asController();
  const { object: shop } = await eventually(
    async () => await cluster.create(SHOPS, object(`${GROUP}/v1`, 'Shop', name, { metadata: { namespace }, spec: {} })),
    'the instance is there',
  );
  const owner = { apiVersion: shop.apiVersion, kind: shop.kind, name, uid: shop.metadata.uid ?? '', controller: true };
  for (const one of objects) {
    await create(namespace, { ...one, metadata: { ...one.metadata, ownerReferences: [owner] } });
  }
}

async function create(namespace: string, one: KubeObject): Promise<void> {
  const type = await eventually(async () => await world.kube.find(one.apiVersion, one.kind), `${one.kind} is served`);
  await world.kube.asController().create(type, { ...one, metadata: { ...one.metadata, namespace } });
}

/** Writes what a kubelet or a controller of a real node would write. */
async function report(
  { isLimited }: BrokenApp,
  { resource, name, status, event }: NonNullable<BrokenApp['reports']>[number],
): Promise<void> {
  const namespace = isLimited === true ? LIMITED : NS;
  const cluster = world.kube.asController();
  const type = { group: '', version: 'v1', resource };
  const found = await eventually(async () => {
    const { items } = await cluster.list(type, { namespace });
    const isOne = (known: string): boolean => (name.endsWith('*') ? known.startsWith(name.slice(0, -1)) : known === name);
    const one = items.find(({ metadata }) => isOne(metadata.name));
    // Simulated kubelets report once.
    return one === undefined || (textAt(one.spec, 'nodeName') !== undefined && textAt(one.status, 'phase') === 'Pending') ? undefined : one;
  }, `${resource} ${name} is there`);
  const { uid = '' } = found.metadata;
  const ref = { ...type, namespace, name: found.metadata.name };
  if (status !== undefined) await cluster.patch(ref, { type: 'merge', body: { status } }, { subresource: 'status' });
  if (event === undefined) return;
  const { group } = parseApiVersion(found.apiVersion);
  await cluster.create(EVENT, {
    apiVersion: 'v1',
    kind: 'Event',
    metadata: { namespace, name: `${found.metadata.name}.${event.reason.toLowerCase()}` },
    involvedObject: { apiVersion: group === '' ? 'v1' : group, kind: found.kind, namespace, name: found.metadata.name, uid },
    type: event.type ?? 'Warning',
    reason: event.reason,
    message: event.message,
    firstTimestamp: AT,
    lastTimestamp: AT,
    count: 1,
    source: { component: 'kubelet' },
  });
}
