import assert from 'node:assert/strict';
import { mkdir, mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import * as fc from 'fast-check';
import { createChartLibrary } from '../../src/chart/chart-library.ts';
import { buildCatalog } from '../../src/domain/catalog/app-catalog.ts';
import { parseAppDefinition, parseAppDefinitionStatus } from '../../src/domain/app-definition/app-definition.ts';
import { generatedCrd } from '../../src/domain/app-definition/generated-crd.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { conditionsOf, findCondition } from '../../src/domain/kubernetes/condition.ts';
import { apiVersionOf, type Json, type KubeObject, type JsonObject } from '../../src/domain/kubernetes/resource.ts';
import { APP_DEFINITION, APP_REVISION, CLUSTER_ROLE, CRD, RESOURCE_COMPOSITION } from '../../src/domain/kubernetes/resource-types.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { createAppDefinitionReconciler } from '../../src/reconcile/app-definition/reconcile-app-definition.ts';
import { createCompositionReconciler } from '../../src/reconcile/kubeplus/reconcile-composition.ts';
import { chartStructure } from '../../src/schema/structural/chart-structure.ts';
import { valueFaults } from '../../src/schema/values/value-faults.ts';
import { structuralSchema } from '../../src/schema/structural/structural-schema.ts';
import { chartFiles, writeFiles } from '../support/charts.ts';
import { repoRoot, sharedCluster, type TestCluster } from '../support/cluster.ts';
import { deleteUncounted } from '../support/delete-in-use.ts';
import { eventually } from '../support/eventually.ts';
import { samplesOf, schemas } from '../support/json-schemas.ts';
import { offeredCharts } from '../support/offered-charts.ts';
import { ODD_SCHEMAS } from '../support/odd-schemas.ts';
import { runs } from '../support/runs.ts';
import { RUN } from '../support/run-name.ts';

const NAME = `shop-${RUN}`;
const PLURAL = `shop${RUN}s`;
const CRD_NAME = `${PLURAL}.apps.chandlery.dev`;
const INSTANCES = { group: 'apps.chandlery.dev', version: 'v1alpha1', resource: PLURAL };
const { signal } = new AbortController();
let testCluster: TestCluster;
let kube: Kube;
let cluster: ReturnType<Kube['asController']>;
let charts: string;
/** As the controller would have watched them. */
let known: { readonly definitions: readonly KubeObject[]; readonly crds: readonly KubeObject[] } = { definitions: [], crds: [] };
let reconcile: ReturnType<typeof createAppDefinitionReconciler>;

before(async () => {
  testCluster = await sharedCluster();
  kube = openKube(testCluster.kubeconfigPath);
  cluster = kube.asController();
  const chart = join(repoRoot, 'charts', 'chandlery');
  const files = {
    crds: join(chart, 'crds'),
    roles: join(chart, 'files', 'cluster-roles.yaml'),
    policies: join(chart, 'files', 'admission-policies.yaml'),
  };
  await bootstrapCluster(kube, files, signal);
  charts = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-definition-'));
  await mkdir(join(charts, 'roots'));
  const library = await createChartLibrary({
    cacheDir: join(charts, 'cache'),
    roots: { shops: join(charts, 'roots') },
    mirrors: [],
    allowEgress: [],
  });
  const events = { record: () => Promise.resolve() };
  const watched = { environments: { all: () => [] }, definitions: { all: () => known.definitions }, crds: { all: () => known.crds } };
  reconcile = createAppDefinitionReconciler({ cluster, charts: library, ...watched, events, now: () => new Date() });
});
after(async () => {
  await kube.close();
  await testCluster.stop();
  await rm(charts, { recursive: true, force: true });
});

describe('odd schemas', () => {
  const group = `odd.${RUN}.example.com`;
  const type = { group, version: 'v1', resource: 'odds' };

  it('the api-server accepts their CRD, and keeps all of their values', async () => {
    const properties = Object.fromEntries(ODD_SCHEMAS.map(({ schema }, index) => [`f${index}`, structuralSchema(schema)]));
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object', properties } } }];
    const metadata = { name: `odds.${group}` };
    const spec = { group, scope: 'Cluster', names: { kind: 'Odd', plural: 'odds' }, versions };
    await cluster.create(CRD, { apiVersion: apiVersionOf(CRD), kind: CRD.kind, metadata, spec });
    try {
      await eventually(async () => (await ifFound(cluster.list(type))) !== undefined, 'the kind is served');
      for (const [index, { title, values }] of ODD_SCHEMAS.entries()) {
        for (const value of values) {
          const odd: KubeObject = { apiVersion: `${group}/v1`, kind: 'Odd', metadata: { name: 'x' }, [`f${index}`]: value };
          const { object } = await cluster.create(type, odd, { dryRun: 'All', fieldValidation: 'Strict' });
          assert.deepEqual(object[`f${index}`], value, title);
        }
      }
    } finally {
      await cluster.delete({ ...CRD, ...metadata });
    }
  });
});

describe('the kinds of charts', () => {
  const kind = (name: string, values: JsonObject): KubeObject => {
    const names = { kind: 'Offered', plural: name, singular: name, shortNames: [] };
    const crd = generatedCrd({ definition: name, names, description: '', values, revision: `${name}-1` });
    // In a group of its own, so that nobody works on its instances.
    const group = `${RUN}.example.com`;
    return { ...crd, metadata: { name: `${name}.${group}` }, spec: { ...(crd.spec as JsonObject), group } };
  };
  const serving = async (name: string, values: JsonObject, use: (type: typeof INSTANCES) => Promise<void>): Promise<void> => {
    const crd = kind(name, values);
    const type = { ...INSTANCES, group: `${RUN}.example.com`, resource: name };
    await cluster.create(CRD, crd);
    try {
      await eventually(async () => (await ifFound(cluster.list(type))) !== undefined, `${name} is served`);
      await use(type);
    } finally {
      await cluster.delete({ ...CRD, name: crd.metadata.name });
    }
  };
  const kept = async (type: typeof INSTANCES, values: Json, title: string): Promise<void> => {
    const metadata = { namespace: 'default', name: 'x' };
    const offered = { apiVersion: `${type.group}/${type.version}`, kind: 'Offered', metadata, spec: { values } };
    const { object } = await cluster.create(type, offered, { dryRun: 'All', fieldValidation: 'Strict' });
    assert.deepEqual((object.spec as JsonObject)['values'], values, title);
  };

  it('of this repository, and of others, are accepted by the api-server, and keep the values of the chart and of ci/', async () => {
    const charts = (await offeredCharts()).map((chart, index) => ({ ...chart, key: `c${index}`, structure: chartStructure(chart.source) }));
    // Several charts share a kind, as the api-server takes seconds for each.
    const sizes = charts.map(({ structure }) => stringifyJson(structure).length);
    const before = (index: number): number => sizes.slice(0, index).reduce((sum, size) => sum + size, 0);
    for (const [share, members] of Map.groupBy(charts, (_chart, index) => Math.floor(before(index) / 500_000))) {
      const properties = Object.fromEntries(members.map(({ key, structure }) => [key, structure]));
      await serving(`offered${share}`, { type: 'object', properties }, async (type) => {
        for (const { key, name, samples } of members) for (const values of samples) await kept(type, { [key]: values }, name);
      });
    }
  });

  const isTaken = (schema: JsonObject, value: Json): boolean => {
    const { faults, unchecked } = valueFaults(schema, value);
    return faults.length === 0 && unchecked === undefined;
  };

  it('of generated schemas are accepted, and keep what the JSON Schema takes', async () => {
    const corpus = fc.sample(schemas(2), { numRuns: runs(15), seed: Number(process.env['CHANDLERY_TEST_SEED'] ?? 20_260_101) });
    const properties = Object.fromEntries(corpus.map((schema, index) => [`f${index}`, structuralSchema(schema)]));
    await serving('corpus', { type: 'object', properties }, async (type) => {
      const taken = corpus.map((schema) =>
        samplesOf(schema, 'a')
          .slice(0, 16)
          .filter((value) => isTaken(schema, value)),
      );
      for (const round of [0, 1, 2, 3]) {
        const members = taken.flatMap((values, index): [string, Json][] => {
          const value = values[(7 * round) % values.length];
          return value === undefined ? [] : [[`f${index}`, value]];
        });
        await kept(type, Object.fromEntries(members), stringifyJson(corpus));
      }
    });
  });
});

describe('an AppDefinition without a chart', () => {
  const group = `stores.${RUN}.example.com`;
  const crdName = `buckets.${group}`;
  const name = `buckets-${RUN}`;
  const bucketCrd = (): KubeObject => {
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    const spec = { group, scope: 'Namespaced', names: { kind: 'Bucket', plural: 'buckets' }, versions };
    return { apiVersion: apiVersionOf(CRD), kind: CRD.kind, metadata: { name: crdName, labels: { team: RUN } }, spec };
  };
  const of = (metadata: string, crds: JsonObject): KubeObject => {
    const spec = { crds, catalog: { displayName: 'Buckets of somebody', category: 'Storage' } };
    return { apiVersion: apiVersionOf(APP_DEFINITION), kind: APP_DEFINITION.kind, metadata: { name: metadata }, spec };
  };
  const entries = () => buildCatalog([], known.crds, known.definitions).filter(({ summary }) => summary.id === crdName);

  it('publishes the kind of a CRD that somebody else installed, and takes nothing but its permissions back', async () => {
    await cluster.create(APP_DEFINITION, of(name, { matchLabels: { team: RUN } }));
    assert.match((await untilReason('CrdMissing', name)).ready?.message ?? '', /No CRD/);
    await cluster.create(CRD, bucketCrd());
    await untilReason('Ready', name);
    await step(name);
    const shown = entries()[0]?.summary;
    assert.deepEqual([shown?.displayName, shown?.publishedBy, shown?.availability], ['Buckets of somebody', name, 'Available']);
    const role = await cluster.get({ ...CLUSTER_ROLE, name: `chandlery-app-${crdName}-edit` });
    assert.equal(role.metadata.labels?.['chandlery.dev/aggregate-to-developer'], 'true');
    const late = `a${name}`;
    // Of one second, the name would decide.
    const { creationTimestamp = '' } = (await cluster.get({ ...APP_DEFINITION, name })).metadata;
    await eventually(async () => Date.now() > Date.parse(creationTimestamp) + 1_000, 'the next second');
    await cluster.create(APP_DEFINITION, of(late, { names: [crdName] }));
    await untilReason('CrdMissing', late);
    assert.equal(entries()[0]?.summary.publishedBy, name, 'the one that was first has it');
    await removed(late);
    await removed(name);
    assert.equal(await ifFound(cluster.get({ ...CLUSTER_ROLE, name: `chandlery-app-${crdName}-edit` })), undefined);
    await cluster.get({ ...CRD, name: crdName });
    await cluster.delete({ ...CRD, name: crdName });
  });

  it('has either a chart or CRDs, and stays so', async () => {
    const chart = { repoURL: 'file://shops', name: NAME, version: '1.0.0' };
    const both = of(name, { names: [crdName] });
    const create = async (object: KubeObject) => await cluster.create(APP_DEFINITION, object, { dryRun: 'All' });
    await assert.rejects(create({ ...both, spec: { ...(both.spec as JsonObject), chart } }), /exactly one of chartURL, chart and crds/);
    await assert.rejects(create(of(name, {})), /give names or matchLabels/);
    await assert.rejects(create(of('new', { names: [crdName] })), /the name cannot be new/);
  });
});

describe('an AppDefinition', () => {
  it('with a chart reference alone generates a kind, its revision and its permissions', async () => {
    await release('1.0.0', { type: 'object', properties: { replicas: { type: 'integer', minimum: 0 }, title: { type: 'string' } } });
    await cluster.create(APP_DEFINITION, definition({}));
    const { status, ready } = await untilReason('Ready');
    assert.equal(ready?.status, 'True', ready?.message);
    assert.deepEqual(status.names, {
      kind: `Shop${RUN.replace(/^./, (first) => first.toUpperCase())}`,
      plural: PLURAL,
      singular: `shop${RUN}`,
      shortNames: [],
    });
    assert.equal(status.crd, CRD_NAME);
    assert.equal(status.instances, 0);
    const revision = await cluster.get({ ...APP_REVISION, name: status.revision ?? '' });
    assert.equal((revision.spec as JsonObject)['definition'], NAME);
    const crd = await cluster.get({ ...CRD, name: CRD_NAME });
    assert.equal(crd.metadata.labels?.['chandlery.dev/app-definition'], NAME);
    await cluster.get({ ...CLUSTER_ROLE, name: `chandlery-app-${CRD_NAME}-edit` });
    await step();
    assert.equal((await cluster.get({ ...CRD, name: CRD_NAME })).metadata.generation, crd.metadata.generation, 'nothing is written twice');
  });

  it('gives its kind the scale of the field that it names, which must be an integer of the values', async () => {
    const scaledBy = (path: string): JsonObject => ({ spec: { scale: { specReplicasPath: path } } });
    await patch(scaledBy('spec.values.title'));
    assert.match((await untilReason('ScaleInvalid')).ready?.message ?? '', /at spec\.values\.title; integers: spec\.values\.replicas$/);
    await patch(scaledBy('spec.values.replicas'));
    await untilReason('Ready');
    const [version] = listAt((await cluster.get({ ...CRD, name: CRD_NAME })).spec, 'versions');
    assert.equal(textAt(version, 'subresources', 'scale', 'specReplicasPath'), '.spec.values.replicas');
    await patch({ spec: { scale: null } });
  });

  it('rejects values that the schema of the chart rejects, and keeps the others', async () => {
    const create = async (values: JsonObject) => await cluster.create(INSTANCES, instance(values), { fieldValidation: 'Strict' });
    await assert.rejects(create({ replicas: -1 }), (error) => isAppError(error, 'InvalidInput'));
    const { object } = await create({ replicas: 2, title: 'a', other: { kept: [1] } });
    assert.deepEqual((object.spec as JsonObject)['values'], { replicas: 2, title: 'a', other: { kept: [1] } });
  });

  it('does not apply a schema that existing instances do not fit, and names them', async () => {
    const before = (await untilReason('Ready')).status;
    await release('2.0.0', { type: 'object', properties: { title: { type: 'string', minLength: 3 } } });
    await patch({ spec: { chart: { version: '2.0.0' } } });
    const { status, ready } = await untilReason('BreakingChange');
    assert.match(ready?.message ?? '', /default\/one/);
    assert.equal(status.revision, before.revision, 'new instances get what was offered before');
    await release('2.1.0', { type: 'object', properties: { title: { type: 'string' }, more: { type: 'boolean' } } });
    await patch({ spec: { chart: { version: '2.1.0' } } });
    assert.equal((await untilReason('Ready')).status.chart?.version, '2.1.0');
  });

  it('does not take over the kind of another one', async () => {
    const other = `${NAME}-other`;
    await cluster.create(APP_DEFINITION, definition({ name: other, version: '2.1.0' }));
    try {
      const { ready } = await untilReason('CrdConflict', other);
      assert.match(ready?.message ?? '', new RegExp(`AppDefinition "${NAME}" owns it; set spec.names`));
    } finally {
      await removed(other);
    }
  });

  it('cannot rename its kind', async () => {
    await assert.rejects(patch({ spec: { names: { kind: 'Other' } } }), /cannot be changed once the kind exists/);
    await patch({ spec: { names: { shortNames: [`s${RUN}`] } } });
  });

  it('is not deleted while instances exist, and takes the kind with it after', async () => {
    await deleteUncounted(cluster, APP_DEFINITION, NAME);
    assert.match((await untilReason('InstancesExist')).ready?.message ?? '', /1 instance: default\/one; delete them/);
    await cluster.delete({ ...INSTANCES, namespace: 'default', name: 'one' });
    await removed(NAME);
    await eventually(async () => (await ifFound(cluster.get({ ...CRD, name: CRD_NAME }))) === undefined, 'the CRD is gone');
    assert.equal(await ifFound(cluster.get({ ...CLUSTER_ROLE, name: `chandlery-app-${CRD_NAME}-edit` })), undefined);
  });
});

describe('a ResourceComposition of KubePlus', () => {
  const name = `hello-${RUN}`;
  const key = (namespace: string): string => `${namespace}/${name}`;
  const composition = (namespace: string): KubeObject => ({
    apiVersion: apiVersionOf(RESOURCE_COMPOSITION),
    kind: RESOURCE_COMPOSITION.kind,
    metadata: { namespace, name },
    spec: {
      newResource: {
        resource: { kind: `Hello${RUN}`, group: 'platformapi.kubeplus', version: 'v1alpha1', plural: `hellos${RUN}` },
        chartURL: `file://shops/${NAME}`,
        chartName: NAME,
      },
      respolicy: { spec: { policy: { podconfig: { nodeSelector: 'values.nodeName' } } } },
      resmonitor: { apiVersion: 'workflows.kubeplus/v1alpha1', kind: 'ResourceMonitor', spec: { monitorRelationships: 'all' } },
    },
  });
  const reconcileComposition = async (namespace: string): Promise<void> => {
    if ((await ifFound(cluster.get({ ...APP_DEFINITION, name }))) !== undefined) await step(name);
    const ports = { cluster, events: { record: () => Promise.resolve() }, now: () => new Date() };
    await createCompositionReconciler(ports)(key(namespace), signal);
  };
  const reconciled = async (namespace: string, reason: string): Promise<KubeObject> => {
    const reached = async (): Promise<KubeObject | false> => {
      await reconcileComposition(namespace);
      const object = await cluster.get({ ...RESOURCE_COMPOSITION, namespace, name });
      return findCondition(conditionsOf(object), 'Ready')?.reason === reason && object;
    };
    return await eventually(reached, `${key(namespace)} is ${reason}`);
  };

  it('becomes an AppDefinition, says what has no effect, and takes none that it did not create', async () => {
    await release('1.0.0', { type: 'object', properties: { title: { type: 'string' } } });
    for (const namespace of ['default', 'kube-public'])
      await cluster.create(RESOURCE_COMPOSITION, composition(namespace), { fieldValidation: 'Strict' });
    const first = await reconciled('default', 'Ready');
    assert.equal(textAt(first.status, 'crd'), `hellos${RUN}.apps.chandlery.dev`);
    const { policy } = parseAppDefinition(await cluster.get({ ...APP_DEFINITION, name }));
    assert.deepEqual(policy, { nodeSelectorFrom: { 'kubernetes.io/hostname': 'nodeName' } });
    const complete = findCondition(conditionsOf(first), 'Complete');
    assert.equal(complete?.status, 'False');
    assert.match(complete?.message ?? '', /apps\.chandlery\.dev\/v1alpha1 and not platformapi\.kubeplus\/v1alpha1; resmonitor/);
    await reconciled('kube-public', 'AppDefinitionExists');
    await cluster.delete({ ...RESOURCE_COMPOSITION, namespace: 'kube-public', name });
    const isGone = async (namespace: string): Promise<boolean> => {
      await reconcileComposition(namespace);
      return (await ifFound(cluster.get({ ...RESOURCE_COMPOSITION, namespace, name }))) === undefined;
    };
    const gone = async (namespace: string) => await eventually(async () => await isGone(namespace), `${key(namespace)} is gone`);
    await gone('kube-public');
    assert.equal((await cluster.get({ ...APP_DEFINITION, name })).metadata.deletionTimestamp, undefined, 'what is not its own stays');
    await cluster.delete({ ...RESOURCE_COMPOSITION, namespace: 'default', name });
    await gone('default');
    assert.equal(await ifFound(cluster.get({ ...APP_DEFINITION, name })), undefined);
  });
});

function definition({ name = NAME, version = '1.0.0' }: { name?: string; version?: string }): KubeObject {
  const chart = { repoURL: 'file://shops', name: NAME, version };
  return { apiVersion: apiVersionOf(APP_DEFINITION), kind: APP_DEFINITION.kind, metadata: { name }, spec: { chart } };
}

function instance(values: JsonObject): KubeObject {
  const kind = `Shop${RUN.replace(/^./, (first) => first.toUpperCase())}`;
  return { apiVersion: 'apps.chandlery.dev/v1alpha1', kind, metadata: { namespace: 'default', name: 'one' }, spec: { values } };
}

/** A version of the chart in the folder of charts. */
async function release(version: string, schema: JsonObject): Promise<void> {
  const members = { 'values.yaml': 'title: abc\n', 'values.schema.json': stringifyJson(schema), 'templates/a.yaml': '' };
  await rm(join(charts, 'roots', NAME), { recursive: true, force: true });
  await writeFiles(join(charts, 'roots', NAME), chartFiles(NAME, version, members));
}

async function patch(body: JsonObject): Promise<void> {
  await cluster.patch({ ...APP_DEFINITION, name: NAME }, { type: 'merge', body });
}

async function step(name = NAME): Promise<void> {
  const [definitions, crds] = await Promise.all([cluster.list(APP_DEFINITION), cluster.list(CRD)]);
  const isOwn = ({ metadata }: KubeObject): boolean => metadata.name.includes(RUN);
  known = { definitions: definitions.items.filter(isOwn), crds: crds.items.filter(isOwn) };
  try {
    await reconcile(name, signal);
  } catch (error) {
    if (!isAppError(error, 'Conflict', 'AlreadyExists')) throw error;
  }
}

async function untilReason(reason: string, name = NAME) {
  return await eventually(async () => {
    await step(name);
    const object = await cluster.get({ ...APP_DEFINITION, name });
    const ready = findCondition(conditionsOf(object), 'Ready');
    const status = parseAppDefinitionStatus(object);
    return ready?.reason === reason && status.observedGeneration === object.metadata.generation && { status, ready };
  }, `${name} is ${reason}`);
}

async function removed(name: string): Promise<void> {
  await ifFound(cluster.delete({ ...APP_DEFINITION, name }));
  await eventually(async () => {
    await step(name);
    return (await ifFound(cluster.get({ ...APP_DEFINITION, name }))) === undefined;
  }, `${name} is gone`);
}
