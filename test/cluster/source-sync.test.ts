import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { CATALOG_SOURCE, CONFIG_MAP, CRD, EVENT, NAMESPACE, OPERATOR } from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { eventually } from '../support/eventually.ts';
import { replaceFile } from '../support/replace-file.ts';
import { type SourceWorld, startSourceWorld } from '../support/source-world.ts';
import { RUN } from '../support/run-name.ts';

const GROUP = `sync-${RUN}.example.com`;
const BOAT = { group: GROUP, version: 'v1', resource: 'boats' };
const [fleet, crew] = [`fleet-${RUN}`, `crew-${RUN}`];
const namespace = `harbour-${RUN}`;
const ANY = [{ group: '*', kind: '*' }];
let world: SourceWorld;
let root: string;
let folder: string;

before(async () => {
  world = await startSourceWorld();
  root = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-sync-'));
  folder = join(root, 'fleet');
});
after(async () => {
  await world.remove(crew);
  await world.remove(fleet);
  await rm(root, { recursive: true, force: true });
  await world.stop();
});

describe('what a source applies', () => {
  it('is applied in the order of its kinds, custom resources and what is in a new namespace last', async () => {
    await save('a-boat.yaml', boat('ada'));
    await save('b-config.yaml', config('cargo', 'tea'));
    await save('y-namespace.yaml', `apiVersion: v1\nkind: Namespace\nmetadata: {name: ${namespace}}\n`);
    await save('z-crd.yaml', crd());
    await world.declare(fleet, { folder: { path: folder }, allowedKinds: ANY });
    const { inventory, history } = await world.untilReason(fleet, 'Synced');
    assert.deepEqual(
      inventory.map(({ kind }) => kind),
      ['Boat', 'ConfigMap', 'Namespace', 'CustomResourceDefinition'],
    );
    assert.deepEqual(
      history.map(({ outcome, applied }) => [outcome, applied]),
      [['Applied', 4]],
    );
    assert.ok((await live('cargo')) !== undefined);
  });

  it('costs no call while nothing changes, and only those of the change when one document does', async () => {
    await eventually(async () => (await callsOf(() => world.reconcile(fleet))) === 0, 'it is at rest');
    await save('b-config.yaml', config('cargo', 'coffee'));
    // Of the source, its siblings, the dry run, the inventory, the object, and the status.
    const calls = await callsOf(() => world.reconcile(fleet));
    assert.equal(data(await live('cargo')), 'coffee');
    assert.ok(calls < 12, `${calls} calls`);
  });

  it('comes back when somebody deletes it, which an event tells', async () => {
    // An object tells the second of its last change: what changed in that of a reconcile counts as changed by it.
    world.advanceClock(1_000);
    await cluster().delete({ ...CONFIG_MAP, namespace, name: 'cargo' });
    await annotate(fleet, 'reconcile-at', 'heal');
    await eventually(async () => data(await live('cargo')) === 'coffee', 'it is healed');
    const events = await eventually(async () => {
      const { items } = await cluster().list(EVENT, { namespace: 'default', fieldSelector: `involvedObject.name=${fleet},reason=Healed` });
      return items.length > 0 ? items : undefined;
    }, 'there is an event');
    assert.deepEqual(
      events.map(({ message }) => message),
      [`Applied again: ConfigMap ${namespace}/cargo had been changed or deleted`],
    );
  });

  it('waits for the sources it depends on, and a cycle of them is named', async () => {
    const path = join(folder, 'crew');
    await save('crew/captain.yaml', config('captain', 'Ada'));
    await save('a-boat.yaml', 'kind: [\n');
    await world.reconcile(fleet);
    await world.untilReason(fleet, 'Invalid');
    await world.declare(crew, { folder: { path }, allowedKinds: ANY, dependsOn: [fleet] });
    await world.untilReason(crew, 'DependencyNotReady');
    assert.equal(await world.problem(crew), `waits for CatalogSource "${fleet}" is not ready (Invalid)`);
    await world.declare(fleet, { folder: { path: folder }, allowedKinds: ANY, dependsOn: [crew] });
    await world.untilReason(fleet, 'DependencyCycle');
    assert.match(await world.problem(fleet), new RegExp(`${fleet} → ${crew} → ${fleet}; remove one from spec.dependsOn`));
    await rm(path, { recursive: true });
    await save('a-boat.yaml', boat('ada'));
    await world.declare(fleet, { folder: { path: folder }, allowedKinds: ANY });
    await world.untilReason(fleet, 'Synced');
    world.advanceClock(60_000);
    await world.reconcile(fleet);
    assert.equal(await live('captain'), undefined);
  });

  it('has to be healthy before the revision counts, and before anything is deleted', async () => {
    await status('ada', 'False', 'it leaks');
    await world.declare(fleet, { folder: { path: folder }, allowedKinds: ANY, wait: true, timeout: '5m' });
    await world.untilReason(fleet, 'WaitingForHealth');
    await rm(join(folder, 'b-config.yaml'));
    await world.reconcile(fleet);
    await world.untilReason(fleet, 'WaitingForHealth');
    world.advanceClock(5 * 60_000);
    await world.reconcile(fleet);
    await world.untilReason(fleet, 'HealthCheckFailed');
    assert.equal(
      await world.problem(fleet),
      `Boat ${namespace}/ada is Degraded after spec.timeout: it leaks; nothing is deleted until then`,
    );
    assert.ok(await live('cargo'));
    await status('ada', 'True', 'it floats');
    await world.reconcile(fleet);
    await world.untilReason(fleet, 'Synced');
    assert.ok(await live('cargo'));
    world.advanceClock(60_000);
    await world.reconcile(fleet);
    assert.equal(await live('cargo'), undefined);
  });
});

describe('a source with Operators and instances of their apps', () => {
  const dock = `dock-${RUN}`;
  const SHIPS = { group: `ships-${RUN}.example.com`, version: 'v1', resource: 'ships', kind: 'Ship', namespaced: true };
  const operator = `apiVersion: operatorcontroller.kubeplus/v1
kind: Operator
metadata: {name: ${dock}, namespace: default}
spec: {chartURL: 'https://example.com/chart.tgz'}
`;
  const ship = (kind: string): string =>
    `apiVersion: ${SHIPS.group}/v1\nkind: ${kind}\nmetadata: {name: ada, namespace: default}\nspec: {}\n`;

  after(async () => {
    await world.remove(dock);
  });

  it('waits until its Operators are healthy, then applies what needed their CRDs', async () => {
    await save('../dock/a-ship.yaml', ship('Ship'));
    await save('../dock/b-operator.yaml', operator);
    await world.declare(dock, { folder: { path: join(folder, '../dock') }, allowedKinds: ANY });
    await world.untilReason(dock, 'WaitingForHealth');
    const waits = `Ship default/ada waits for its CRD; nothing is deleted until then`;
    assert.match(await world.problem(dock), new RegExp(`^Operator default/${dock} is .*; ${waits}$`));
    await report('False', 'the chart cannot be fetched');
    await eventually(async () => /the chart cannot be fetched/.test(await world.problem(dock)), 'its cause is reported');
    await cluster().create(CRD, crdOf(SHIPS.group));
    await report('True', 'installed');
    await world.untilReason(dock, 'Synced');
    assert.ok(await ifFound(cluster().get({ ...SHIPS, namespace: 'default', name: 'ada' })));
    await save('../dock/a-ship.yaml', ship('Raft'));
    await world.reconcile(dock);
    const { faults } = await world.untilReason(dock, 'Invalid');
    assert.deepEqual(
      faults.map(({ file, line, message }) => [file, line, /serve \w+/.exec(message)?.[0]]),
      [['a-ship.yaml', 2, 'serve Raft']],
    );
  });

  /** As the controller of Operators would. */
  async function report(ready: string, message: string): Promise<void> {
    const live = await cluster().get({ ...OPERATOR, namespace: 'default', name: dock });
    const at = { observedGeneration: live.metadata.generation, lastTransitionTime: '2026-01-01T00:00:00Z' };
    const condition = { type: 'Ready', status: ready, reason: 'Test', message, ...at };
    const status = { observedGeneration: live.metadata.generation, status: ready === 'True' ? 'READY' : 'ERROR', conditions: [condition] };
    const { apiVersion, kind } = live;
    const object = { apiVersion, kind, metadata: { name: dock, namespace: 'default' }, status };
    await cluster().applyStatus(OPERATOR, object, { fieldManager: 'hands', force: 'force' });
  }
});

function crdOf(group: string): KubeObject {
  const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
  return {
    apiVersion: 'apiextensions.k8s.io/v1',
    kind: 'CustomResourceDefinition',
    metadata: { name: `ships.${group}` },
    spec: {
      group,
      scope: 'Namespaced',
      names: { kind: 'Ship', plural: 'ships' },
      versions: [{ name: 'v1', served: true, storage: true, schema }],
    },
  };
}

describe('what a source deletes', () => {
  it('is asked for first when more is lost with it, and not at all when an annotation keeps it', async () => {
    await save('b-config.yaml', config('kept', 'x').replace('metadata:', 'metadata:\n  annotations: {chandlery.dev/prune: disabled}'));
    await world.reconcile(fleet);
    await eventually(async () => (await live('kept')) !== undefined, 'it is live');
    for (const file of ['a-boat.yaml', 'b-config.yaml', 'z-crd.yaml', 'y-namespace.yaml']) await rm(join(folder, file));
    await save('c-config.yaml', config('left', 'x').replace(namespace, 'default'));
    await world.reconcile(fleet);
    const { pendingRemovals, revision = '' } = await world.untilReason(fleet, 'PruneNotApproved');
    assert.deepEqual(
      pendingRemovals
        .flatMap(({ resource, loss }) => (loss === undefined ? [] : [{ resource, loss }]))
        .toSorted((a, b) => a.resource.localeCompare(b.resource)),
      [
        { resource: `CustomResourceDefinition boats.${GROUP}`, loss: 'with all objects of its kind' },
        { resource: `Namespace ${namespace}`, loss: 'with all that is in it' },
      ],
    );
    assert.match(await world.problem(fleet), /would remove \d of \d resources \(.* with all that is in it.*\); everything else is live/);
    const kept = await live('kept');
    assert.equal(kept?.metadata.labels?.['chandlery.dev/source'], undefined);
    await annotate(fleet, 'approved-prune', revision);
    const { inventory } = await world.untilReason(fleet, 'Synced');
    assert.deepEqual(
      inventory.map(({ name }) => name),
      ['left'],
    );
    const gone = async () => (await ifFound(cluster().get({ ...NAMESPACE, name: namespace })))?.metadata.deletionTimestamp;
    assert.ok((await gone()) !== undefined || (await ifFound(cluster().get({ ...NAMESPACE, name: namespace }))) === undefined);
  });
});

function cluster() {
  return world.kube.asController();
}

async function save(file: string, text: string): Promise<void> {
  await mkdir(join(folder, file, '..'), { recursive: true });
  await replaceFile(join(folder, file), text);
}

/** Calls of the controller meanwhile. */
async function callsOf(work: () => Promise<void>): Promise<number> {
  const before = world.calls();
  await work();
  return world.calls() - before;
}

async function annotate(name: string, key: string, value: string): Promise<void> {
  const body = { metadata: { annotations: { [`chandlery.dev/${key}`]: value } } };
  await cluster().patch({ ...CATALOG_SOURCE, name }, { type: 'merge', body }, { fieldManager: 'test' });
}

async function status(name: string, ready: string, message: string): Promise<void> {
  const conditions = [{ type: 'Ready', status: ready, reason: 'Test', message, lastTransitionTime: '2026-01-01T00:00:00Z' }];
  const object = { apiVersion: `${GROUP}/v1`, kind: 'Boat', metadata: { name, namespace }, status: { conditions } };
  await cluster().applyStatus(BOAT, object, { fieldManager: 'boats', force: 'force' });
}

async function live(name: string): Promise<KubeObject | undefined> {
  return await ifFound(cluster().get({ ...CONFIG_MAP, namespace, name }));
}

function data(object: KubeObject | undefined): string | undefined {
  return (object?.['data'] as Record<string, string> | undefined)?.['value'];
}

function config(name: string, value: string): string {
  return `apiVersion: v1\nkind: ConfigMap\nmetadata:\n  name: ${name}\n  namespace: ${namespace}\ndata: {value: ${value}}\n`;
}

function boat(name: string): string {
  return `apiVersion: ${GROUP}/v1\nkind: Boat\nmetadata: {name: ${name}, namespace: ${namespace}}\nspec: {}\n`;
}

function crd(): string {
  const schema = '{type: object, x-kubernetes-preserve-unknown-fields: true}';
  return `apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: {name: boats.${GROUP}}
spec:
  group: ${GROUP}
  scope: Namespaced
  names: {kind: Boat, plural: boats, singular: boat, listKind: BoatList}
  versions:
    - name: v1
      served: true
      storage: true
      subresources: {status: {}}
      schema: {openAPIV3Schema: ${schema}}
`;
}
