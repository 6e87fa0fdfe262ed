import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createChartLibrary } from '../../src/chart/chart-library.ts';
import { parseAppDefinitionStatus } from '../../src/domain/app-definition/app-definition.ts';
import { generatedCrd } from '../../src/domain/app-definition/generated-crd.ts';
import { type WatchedInstances, watchInstances } from '../../src/compose/app-instance/watch-instances.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { textsAt } from '../../src/domain/core/read.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { conditionsOf, findCondition } from '../../src/domain/kubernetes/condition.ts';
import { apiVersionOf, type KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { APP_DEFINITION, APP_REVISION, CLUSTER_ROLE, CRD } from '../../src/domain/kubernetes/resource-types.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { startReflector } from '../../src/kube/watch/reflector.ts';
import { createLog } from '../../src/observe/log.ts';
import { createAppDefinitionReconciler } from '../../src/reconcile/app-definition/reconcile-app-definition.ts';
import { chartFiles, writeFiles } from '../support/charts.ts';
import { repoRoot, sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { openKube } from '../support/open-kube.ts';
import { RUN } from '../support/run-name.ts';

const [OLD, NEW, PLURAL] = [`pantry-${RUN}`, `larder-${RUN}`, `pantries${RUN}`];
const NAMES = { kind: 'Pantry', plural: PLURAL, singular: `pantry${RUN}` };
const CRD_NAME = `${PLURAL}.apps.chandlery.dev`;
const INSTANCE = { group: 'apps.chandlery.dev', version: 'v1alpha1', resource: PLURAL, namespace: 'default', name: 'one' };
const ROLES = ['view', 'edit', 'impersonate', 'count'].map((role) => `chandlery-app-${CRD_NAME}-${role}`);
const ending = new AbortController();
const { signal } = ending;
let testCluster: TestCluster;
let kube: Kube;
let cluster: ReturnType<Kube['asController']>;
let charts: string;
let reconcile: ReturnType<typeof createAppDefinitionReconciler>;

before(async () => {
  testCluster = await sharedCluster();
  kube = openKube(testCluster.kubeconfigPath);
  cluster = kube.asController();
  const chart = join(repoRoot, 'charts', 'chandlery');
  await bootstrapCluster(kube, { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') }, signal);
  charts = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-rename-'));
  await writeFiles(join(charts, 'roots', OLD), chartFiles(OLD, '1.0.0', { 'values.yaml': 'title: abc\n', 'templates/a.yaml': '' }));
  const library = await createChartLibrary({
    cacheDir: join(charts, 'cache'),
    roots: { pantries: join(charts, 'roots') },
    mirrors: [],
    allowEgress: [],
  });
  const none = { all: () => [] };
  const watched = { environments: none, definitions: none, crds: none, events: { record: () => Promise.resolve() } };
  reconcile = createAppDefinitionReconciler({ cluster, charts: library, ...watched, now: () => new Date() });
});

after(async () => {
  ending.abort();
  await kube.close();
  await testCluster.stop();
  await rm(charts, { recursive: true, force: true });
});

async function create(name: string, former: string | undefined, names: object = NAMES): Promise<void> {
  const annotations = former === undefined ? {} : { 'chandlery.dev/moved-from': former };
  const spec = { chart: { repoURL: 'file://pantries', name: OLD, version: '1.0.0' }, names, deletionPolicy: 'Cascade' };
  await cluster.create(APP_DEFINITION, {
    apiVersion: apiVersionOf(APP_DEFINITION),
    kind: APP_DEFINITION.kind,
    metadata: { name, annotations },
    spec,
  });
}

async function step(name: string): Promise<void> {
  try {
    await reconcile(name, signal);
  } catch (error) {
    if (!isAppError(error, 'Conflict', 'AlreadyExists')) throw error;
  }
}

async function find(name: string): Promise<KubeObject | undefined> {
  return await ifFound(cluster.get({ ...APP_DEFINITION, name }));
}

async function untilReason(name: string, reason: string): Promise<string> {
  return await eventually(async () => {
    await step(name);
    const object = await find(name);
    const ready = object && findCondition(conditionsOf(object), 'Ready');
    return ready?.reason === reason ? ready.message : undefined;
  }, `${name} is ${reason}`);
}

async function untilGone(name: string): Promise<void> {
  await eventually(async () => {
    await step(name);
    return (await find(name)) === undefined;
  }, `${name} is gone`);
}

/** What must stay the same objects. */
async function kept(revision: string): Promise<readonly unknown[]> {
  const refs = [
    { ...CRD, name: CRD_NAME },
    INSTANCE,
    { ...APP_REVISION, name: revision },
    ...ROLES.map((name) => ({ ...CLUSTER_ROLE, name })),
  ];
  return await Promise.all(refs.map(async (ref) => (await cluster.get(ref)).metadata.uid));
}

/** The AppDefinitions that the CRD, the revision and the permissions are of. */
async function owners(revision: string): Promise<readonly unknown[]> {
  const refs = [{ ...CRD, name: CRD_NAME }, { ...APP_REVISION, name: revision }, ...ROLES.map((name) => ({ ...CLUSTER_ROLE, name }))];
  const labels = await Promise.all(refs.map(async (ref) => (await cluster.get(ref)).metadata.labels?.['chandlery.dev/app-definition']));
  return [...new Set(labels)];
}

/** What the controller of instances watches, and whether it was told of the instance since. */
async function followInstances(): Promise<{ readonly instances: WatchedInstances; readonly changed: () => boolean }> {
  const log = createLog({ level: 'error', format: 'lines', write: () => undefined });
  const definitions = startReflector({ cluster, type: CRD, log, signal });
  const instances = watchInstances({ kube, definitions, log, signal });
  const key = `${PLURAL}/${INSTANCE.namespace}/${INSTANCE.name}`;
  await eventually(async () => (await cluster.get(INSTANCE)) && instances.keys(() => true).includes(key), 'the instance is watched');
  const changes: string[] = [];
  instances.onChange((one) => changes.push(one));
  changes.length = 0;
  return { instances, changed: () => changes.includes(key) };
}

async function revisionOf(name: string): Promise<string> {
  return parseAppDefinitionStatus(await cluster.get({ ...APP_DEFINITION, name })).revision ?? '';
}

async function removeAsked(name: string): Promise<void> {
  await cluster.delete({ ...APP_DEFINITION, name });
}

describe('an AppDefinition that is renamed', () => {
  let revision: string;

  it('waits for its former name, takes the kind with its instances over, and lets that one go', async () => {
    await create(OLD, undefined);
    await untilReason(OLD, 'Ready');
    revision = await revisionOf(OLD);
    const { name, namespace } = INSTANCE;
    await cluster.create(INSTANCE, {
      apiVersion: 'apps.chandlery.dev/v1alpha1',
      kind: NAMES.kind,
      metadata: { name, namespace },
      spec: {},
    });
    const before = await kept(revision);
    const { instances, changed } = await followInstances();
    await create(NEW, OLD);
    assert.match(
      await untilReason(NEW, 'MovePending'),
      new RegExp(`belongs to the AppDefinition "${OLD}".*moves when that one is deleted`),
    );
    await removeAsked(OLD);
    assert.match(await untilReason(OLD, 'Moving'), new RegExp(`renamed to ${NEW}`));
    await untilReason(NEW, 'Ready');
    await untilGone(OLD);
    assert.deepEqual(await kept(revision), before);
    assert.deepEqual(await owners(revision), [NEW]);
    const followed = async (): Promise<boolean> =>
      (await cluster.get({ ...CRD, name: CRD_NAME })) && instances.kindOf(PLURAL)?.definition === NEW && changed();
    await eventually(followed, 'the instance is reconciled as one of the new name');
    const { ownerReferences = [] } = (await cluster.get({ ...APP_REVISION, name: revision })).metadata;
    assert.deepEqual(
      ownerReferences.map((owner) => owner.name),
      [NEW],
    );
    assert.equal((await cluster.get(INSTANCE)).metadata.deletionTimestamp, undefined);
  });

  it('moves back the same way', async () => {
    const before = await kept(revision);
    await create(OLD, NEW);
    await removeAsked(NEW);
    await untilReason(OLD, 'Ready');
    await untilGone(NEW);
    assert.deepEqual(await kept(revision), before);
    assert.deepEqual(await owners(revision), [OLD]);
  });

  it('says that instances cannot move to another kind, and deletes none of them', async () => {
    await create(NEW, OLD, { kind: 'Larder', plural: `larders${RUN}`, singular: `larder${RUN}` });
    await untilReason(NEW, 'Ready');
    await removeAsked(OLD);
    assert.match(await untilReason(OLD, 'CannotMove'), /1 instance: default\/one; .*generates another kind/);
    assert.equal((await cluster.get(INSTANCE)).metadata.deletionTimestamp, undefined);
    await cluster.delete(INSTANCE);
    await untilGone(OLD);
    await removeAsked(NEW);
    await untilGone(NEW);
  });
});

describe('an AppDefinition with a name by which kubectl finds Services', () => {
  const [name, plural] = [`shelf-${RUN}`, `shelves${RUN}`];
  const names = { kind: 'Shelf', plural, singular: `shelf${RUN}`, shortNames: ['svc'] };
  const ref = { ...CRD, name: `${plural}.apps.chandlery.dev` };

  it('generates no kind', async () => {
    await create(name, undefined, names);
    assert.match(await untilReason(name, 'NamesReserved'), /^spec\.names\.shortNames\[0\]: "svc" is a name of Service of Kubernetes; set/);
    assert.equal(await ifFound(cluster.get(ref)), undefined);
  });

  it('keeps the kind that an earlier version has generated, and reports the name', async () => {
    await cluster.create(CRD, generatedCrd({ definition: name, names, description: '', values: { type: 'object' }, revision: name }));
    await untilReason(name, 'Ready');
    const accepted = findCondition(conditionsOf(await cluster.get({ ...APP_DEFINITION, name })), 'NamesAccepted');
    assert.deepEqual([accepted?.status, accepted?.reason], ['False', 'NamesReserved']);
    assert.match(accepted?.message ?? '', new RegExp(`instances stay: .* kubectl get ${ref.name}`));
    assert.deepEqual(textsAt((await cluster.get(ref)).spec, 'names', 'shortNames'), ['svc']);
    await removeAsked(name);
    await untilGone(name);
  });
});
