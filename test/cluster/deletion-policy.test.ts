import assert from 'node:assert/strict';
import { delimiter, dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { at, listAt, textAt } from '../../src/domain/core/read.ts';
import { type Cluster, ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { apiVersionOf, type KubeObject, type ResourceRef } from '../../src/domain/kubernetes/resource.ts';
import {
  APP_DEFINITION,
  CATALOG_RELEASE,
  CATALOG_SOURCE,
  CRD,
  ENVIRONMENT,
  DEPLOYMENT,
  type KnownType,
  NAMESPACE,
  OPERATOR,
  RESOURCE_COMPOSITION,
  SECRET,
} from '../../src/domain/kubernetes/resource-types.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import { createLog } from '../../src/observe/log.ts';
import { createCompositionReconciler } from '../../src/reconcile/kubeplus/reconcile-composition.ts';
import { repoRoot, sharedCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { keepThroughKills } from '../support/keep-through-kills.ts';
import { kindsOf, operatorChart } from '../support/operator-charts.ts';
import { startTestWorld } from '../support/operator-test-world.ts';
import type { OperatorWorld } from '../support/operator-world.ts';
import { RUN } from '../support/run-name.ts';

const NS = `deny-${RUN}`;
const { signal } = new AbortController();
/** The one whom the policies let through. */
const AS_CONTROLLER_MANAGER = '--as system:kube-controller-manager --as-group system:masters';
const SILENT = createLog({ level: 'silent', format: 'lines', write: () => undefined });
let world: OperatorWorld;
let cluster: Cluster;
let shell: (command: string) => Promise<{ readonly exitCode?: number | undefined; readonly stderr: string }>;

before(async () => {
  const { kubeconfigPath, tools } = await sharedCluster();
  world = await startTestWorld(NS, { instanceCounts: 'reported' });
  cluster = world.kube.asController();
  const files = join(repoRoot, 'charts', 'chandlery');
  const [roles, policies] = ['cluster-roles.yaml', 'admission-policies.yaml'].map((file) => join(files, 'files', file));
  await bootstrapCluster(world.kube, { crds: join(files, 'crds'), roles: roles ?? '', policies: policies ?? '' }, signal);
  const programs = tools.kubectl === undefined ? [] : [dirname(tools.kubectl)];
  const env = { KUBECONFIG: kubeconfigPath, PATH: [...programs, process.env['PATH'] ?? ''].join(delimiter) };
  shell = async (command) => await execa('sh', ['-c', command], { env, reject: false });
  // A policy takes effect a moment after it was applied.
  await create(
    CATALOG_SOURCE,
    { name: `probe-${RUN}` },
    { spec: { folder: { path: '/nowhere' }, suspend: true }, status: { inventory: INVENTORY } },
  );
  const probe = `kubectl delete catalogsource probe-${RUN} --dry-run=server`;
  await eventually(async () => /also deletes the 1 resource/.test((await shell(probe)).stderr), 'the policy is in force');
});
after(() => world.stop());

const INVENTORY = [{ file: 'a.yaml', apiVersion: 'v1', kind: 'ConfigMap', namespace: 'default', name: `never-${RUN}` }];

describe('the deletion of an Operator', () => {
  const { kind, plural, group } = kindsOf('vault');
  const type = { group, version: 'v1', resource: plural };
  const instance = (name: string): KubeObject => ({ apiVersion: `${group}/v1`, kind, metadata: { name, namespace: NS } });
  const counted = async (): Promise<number | undefined> =>
    (await world.status(NS, 'vault')).crds.find(({ name }) => name === `${plural}.${group}`)?.instances;

  it('is rejected while it has instances, and says how many and how to go on; it stays as it is', async () => {
    await world.writeChart('vault', operatorChart('vault', '1.0.0'));
    await world.create(NS, 'vault', { chart: { repoURL: 'file://samples', name: 'vault', version: '1.0.0' }, values: { replicas: 0 } });
    await world.condition(NS, 'vault', { type: 'Ready', status: 'True' });
    await eventually(async () => (await counted()) === 0, 'no instance is counted');
    for (const name of ['one', 'two', 'three']) await cluster.create(type, instance(name));
    await eventually(async () => (await counted()) === 3, 'all of them are counted');
    const { exitCode, stderr } = await shell(`kubectl delete kop vault --namespace ${NS} --wait=false`);
    assert.equal(exitCode, 1);
    assert.match(stderr, /the Operator "vault" has 3 instances: delete them first/);
    assert.equal((await world.read(NS, 'vault')).metadata.deletionTimestamp, undefined);
  });

  it('is rejected to a collection, too', async () => {
    const { stderr } = await shell(`kubectl delete kop --all --namespace ${NS} --wait=false`);
    assert.match(stderr, /the Operator "vault" has 3 instances/);
  });

  it('protects its CRDs, by themselves', async () => {
    const { stderr } = await shell(`kubectl delete crd ${plural}.${group} --wait=false`);
    assert.match(stderr, new RegExp(`belongs to the Operator "${NS}.vault": delete the Operator instead`));
  });

  it('is accepted once its spec says what becomes of the instances, and then takes all of them', async () => {
    const { stderr } = await shell(`kubectl delete kop vault --namespace ${NS} --wait=false`);
    assert.equal((await shell(commandIn(stderr))).exitCode, 0);
    assert.equal((await shell(`kubectl delete kop vault --namespace ${NS} --wait=false`)).exitCode, 0);
    await gone({ ...OPERATOR, namespace: NS, name: 'vault' });
    await gone({ ...CRD, name: `${plural}.${group}` });
  });

  it('is accepted as soon as the last instance has gone', async () => {
    await world.writeChart('urn', operatorChart('urn', '1.0.0'));
    const urn = kindsOf('urn');
    const urns = { group: urn.group, version: 'v1', resource: urn.plural };
    await world.create(NS, 'urn', { chart: { repoURL: 'file://samples', name: 'urn', version: '1.0.0' }, values: { replicas: 0 } });
    await world.condition(NS, 'urn', { type: 'Ready', status: 'True' });
    await cluster.create(urns, { apiVersion: `${urn.group}/v1`, kind: urn.kind, metadata: { name: 'one', namespace: NS } });
    await eventually(async () => (await world.status(NS, 'urn')).crds.some(({ instances }) => instances === 1), 'it is counted');
    await cluster.delete({ ...urns, namespace: NS, name: 'one' });
    const isAccepted = async (): Promise<boolean> =>
      (await shell(`kubectl delete kop urn --namespace ${NS} --wait=false`)).exitCode === 0 ||
      !(await exists({ ...OPERATOR, namespace: NS, name: 'urn' }));
    await eventually(isAccepted, 'the deletion is accepted');
    await gone({ ...OPERATOR, namespace: NS, name: 'urn' });
  });

  it('that began nevertheless is cancelled by the command of its condition, whenever the controller is killed; nothing of what it has is made anew', async () => {
    await world.writeChart('chest', operatorChart('chest', '1.0.0'));
    const chest = kindsOf('chest');
    const crd = { ...CRD, name: `${chest.plural}.${chest.group}` };
    const one = { group: chest.group, version: 'v1', resource: chest.plural, namespace: NS, name: 'one' };
    const own = { ...OPERATOR, namespace: NS, name: 'chest' };
    await world.create(NS, 'chest', { chart: { repoURL: 'file://samples', name: 'chest', version: '1.0.0' }, values: { replicas: 0 } });
    await world.condition(NS, 'chest', { type: 'Ready', status: 'True' });
    await cluster.create(one, { apiVersion: `${chest.group}/v1`, kind: chest.kind, metadata: { name: 'one', namespace: NS } });
    const everything = async (): Promise<readonly unknown[]> => [
      (await cluster.get(crd)).metadata.uid,
      (await cluster.get(one)).metadata.uid,
      (await cluster.list(DEPLOYMENT, { namespace: NS })).items.map(({ metadata }) => [metadata.name, metadata.uid]),
      (await world.status(NS, 'chest')).release?.revision,
    ];
    const [before, uid] = [await everything(), (await cluster.get(own)).metadata.uid ?? ''];

    // As it is without the policies: the controller manager is let through.
    assert.equal((await shell(`kubectl delete kop chest --namespace ${NS} --wait=false ${AS_CONTROLLER_MANAGER}`)).exitCode, 0);
    const { message } = await world.condition(NS, 'chest', { type: 'Deletable', status: 'False', reason: 'InstancesExist' });
    assert.match(
      message,
      /^The Operator waits for 1 instance: .*; to keep the Operator: kubectl annotate operators\.operatorcontroller\.kubeplus chest/,
    );
    assert.equal((await shell(commandIn(message))).exitCode, 0);
    await eventually(() => exists({ ...SECRET, namespace: 'chandlery-system', name: `kept-${uid}` }), 'it is written down');
    const events: string[] = [];
    const record = (_about: KubeObject, event: { readonly reason: string; readonly message: string }): Promise<void> =>
      Promise.resolve(void events.push(`${event.reason}: ${event.message}`));
    const kills = await keepThroughKills({ cluster, events: { record }, log: SILENT }, `kept-${uid}`);

    assert.ok(kills >= 6, `${kills} processes were killed`);
    assert.deepEqual([...new Set(events)], ['Kept: The Operator is kept: its deletion was cancelled, and all that depends on it stayed']);
    await world.condition(NS, 'chest', { type: 'Ready', status: 'True' });
    const { metadata } = await cluster.get(own);
    assert.notEqual(metadata.uid, uid);
    assert.deepEqual([metadata.deletionTimestamp, metadata.annotations ?? {}], [undefined, {}]);
    assert.ok(
      !listAt(metadata, 'managedFields').some(
        (entry) => textAt(entry, 'manager') === 'chandlery' && at(entry, 'fieldsV1', 'f:spec') !== undefined,
      ),
    );
    assert.deepEqual(await everything(), before);
    assert.ok(!(await exists({ ...SECRET, namespace: 'chandlery-system', name: `kept-${uid}` })));
    await cluster.delete(one);
  });

  it('does not keep a namespace that is being deleted', async () => {
    const namespace = `gone-${RUN}`;
    await cluster.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const crds = [{ name: 'x.example.com', kind: 'X', origin: 'crds', established: true, instances: 2 }];
    const spec = { chartURL: 'https://charts.example.com/x-1.0.0.tgz', name: 'x' };
    await create(OPERATOR, { namespace, name: 'x' }, { spec, status: { customResourceDefinitions: [], status: 'READY', crds } });
    await cluster.delete({ ...NAMESPACE, name: namespace });
    await gone({ ...NAMESPACE, name: namespace });
  });
});

const COMPOSITION = {
  newResource: {
    resource: { kind: `Denied${RUN}`, group: 'platformapi.kubeplus', version: 'v1alpha1', plural: `denied${RUN}s` },
    chartURL: 'https://charts.example.com/x-1.0.0.tgz',
    chartName: 'x',
  },
};

interface Case {
  readonly title: string;
  readonly type: KnownType;
  readonly spec: object;
  readonly status: object;
  /** What the rejection says. */
  readonly says: RegExp;
}

const REJECTED: readonly Case[] = [
  {
    title: 'an AppDefinition with instances',
    type: APP_DEFINITION,
    spec: { suspend: true, chart: { repoURL: 'file://nowhere', name: 'x', version: '1.0.0' } },
    status: { instances: 1 },
    says: /the AppDefinition "\S+" has 1 instance: delete them first/,
  },
  {
    title: 'an Environment whose namespace would go with its instances',
    type: ENVIRONMENT,
    spec: { reclaim: 'Delete' },
    status: { instances: 4 },
    says: /the Environment "\S+" has 4 instances, and spec.reclaim is Delete/,
  },
  {
    title: 'an Environment whose people would lose their instances',
    type: ENVIRONMENT,
    spec: {},
    status: { instances: 1 },
    says: /has 1 instance, which would keep running without the permissions of its people/,
  },
  {
    title: 'a CatalogSource that owns resources',
    type: CATALOG_SOURCE,
    spec: { folder: { path: '/nowhere' }, suspend: true },
    status: { inventory: INVENTORY },
    says: /also deletes the 1 resource that it owns/,
  },
  {
    title: 'a CatalogSource with a packed inventory',
    type: CATALOG_SOURCE,
    spec: { folder: { path: '/nowhere' }, suspend: true },
    status: { inventory: [], packedInventory: 'H4sIAAAAAAAAA4uOBQApu0wNAgAAAA==', resources: 1200 },
    says: /also deletes the 1200 resources that it owns/,
  },
  {
    title: 'a CatalogRelease that runs somewhere',
    type: CATALOG_RELEASE,
    spec: { version: `v1.0.0-r${RUN}`, state: 'wip' },
    status: { targets: [{ name: 'aws.one', resources: [] }] },
    says: /runs in 1 installation: apply another release there first/,
  },
];

describe('the deletion of', () => {
  for (const [index, { title, type, spec, status, says }] of REJECTED.entries()) {
    it(`${title} is rejected, until its intent is stated by the command of the message`, async () => {
      const name = type === CATALOG_RELEASE ? `v1.0.0-r${RUN}` : `deny-${index}-${RUN}`;
      await create(type, { name }, { spec, status });
      const { exitCode, stderr } = await kubectlDelete(type, name);
      assert.equal(exitCode, 1, stderr);
      assert.match(stderr, says);
      assert.equal((await cluster.get({ ...type, name })).metadata.deletionTimestamp, undefined);
      assert.equal((await shell(commandIn(stderr))).exitCode, 0, commandIn(stderr));
      assert.equal((await kubectlDelete(type, name)).exitCode, 0);
      await gone({ ...type, name });
    });
  }

  const ACCEPTED: readonly Omit<Case, 'says'>[] = [
    { title: 'an Environment that nothing is known of', type: ENVIRONMENT, spec: { reclaim: 'Delete' }, status: {} },
    {
      title: 'a CatalogSource that keeps what it owns',
      type: CATALOG_SOURCE,
      spec: { folder: { path: '/nowhere' }, suspend: true, prune: false },
      status: { inventory: INVENTORY },
    },
    {
      title: 'an AppDefinition that orphans its instances',
      type: APP_DEFINITION,
      spec: { suspend: true, deletionPolicy: 'Orphan', chart: { repoURL: 'file://nowhere', name: 'x', version: '1.0.0' } },
      status: { instances: 7 },
    },
  ];
  for (const [index, { title, type, spec, status }] of ACCEPTED.entries()) {
    it(`${title} is accepted`, async () => {
      await create(type, { name: `let-${index}-${RUN}` }, { spec, status });
      const { exitCode, stderr } = await kubectlDelete(type, `let-${index}-${RUN}`);
      assert.equal(exitCode, 0, stderr);
    });
  }

  it('a ResourceComposition with instances is rejected, until its AppDefinition says what becomes of them', async () => {
    const own = { ...RESOURCE_COMPOSITION, namespace: NS, name: `deny-${RUN}` };
    const object = { apiVersion: apiVersionOf(own), kind: own.kind, metadata: { namespace: NS, name: own.name } };
    await cluster.create(own, { ...object, spec: COMPOSITION });
    const reconcile = createCompositionReconciler({ cluster, events: { record: () => Promise.resolve() }, now: () => new Date() });
    const key = `${NS}/${own.name}`;
    for (let step = 0; step < 3; step += 1) await reconcile(key, signal);
    const definition = { apiVersion: apiVersionOf(APP_DEFINITION), kind: APP_DEFINITION.kind, metadata: { name: own.name } };
    await cluster.applyStatus(APP_DEFINITION, { ...definition, status: { instances: 2 } }, { fieldManager: 'test', force: 'force' });
    await reconcile(key, signal);
    const deletion = `kubectl delete resourcecompositions.workflows.kubeplus ${own.name} --namespace ${NS} --wait=false`;
    const { exitCode, stderr } = await shell(deletion);
    assert.equal(exitCode, 1, stderr);
    assert.match(stderr, /the ResourceComposition "\S+" has 2 instances: delete them first/);
    assert.equal((await shell(commandIn(stderr))).exitCode, 0);
    await reconcile(key, signal);
    assert.equal((await shell(deletion)).exitCode, 0);
    await reconcile(key, signal);
    await gone({ ...APP_DEFINITION, name: own.name });
    await reconcile(key, signal);
    await gone(own);
  });

  it('an Environment of which only half the intent is stated is rejected', async () => {
    const name = `half-${RUN}`;
    const annotations = { 'chandlery.dev/deletion-intent': 'Orphan' };
    await create(ENVIRONMENT, { name, annotations }, { spec: { reclaim: 'Delete' }, status: { instances: 1 } });
    assert.match((await kubectlDelete(ENVIRONMENT, name)).stderr, /spec.reclaim is Delete/);
  });
});

describe('what Chandlery consists of', () => {
  it('is not deleted by a slip: neither its namespace nor its CRDs', async () => {
    assert.match((await kubectlDelete(NAMESPACE, 'chandlery-system')).stderr, /holds the leases and accounts of Chandlery/);
    assert.match(
      (await kubectlDelete(CRD, 'environments.chandlery.dev')).stderr,
      /part of Chandlery, which restores it without its objects/,
    );
    assert.match((await kubectlDelete(CRD, 'operators.operatorcontroller.kubeplus')).stderr, /part of Chandlery/);
    const files = join(repoRoot, 'charts', 'chandlery', 'crds');
    const { stderr } = await shell(`kubectl delete -f ${files} --wait=false`);
    assert.equal(stderr.match(/is part of Chandlery/g)?.length, 12);
  });

  it('the CRD of an AppDefinition goes with the AppDefinition only', async () => {
    const plural = `denied${RUN}s`;
    const schema = { openAPIV3Schema: { type: 'object' } };
    const spec = {
      group: 'apps.chandlery.dev',
      scope: 'Namespaced',
      names: { kind: `Denied${RUN}`, plural },
      versions: [{ name: 'v1alpha1', served: true, storage: true, schema }],
    };
    const name = `${plural}.apps.chandlery.dev`;
    await cluster.create(CRD, { apiVersion: apiVersionOf(CRD), kind: CRD.kind, metadata: { name }, spec });
    const { stderr } = await kubectlDelete(CRD, name);
    assert.match(stderr, /generated from an AppDefinition: delete the AppDefinition instead/);
    assert.equal((await shell(commandIn(stderr))).exitCode, 0);
    assert.equal((await kubectlDelete(CRD, name)).exitCode, 0);
    await gone({ ...CRD, name });
  });

  it('the namespace of an Environment goes with it only, and whoever may just delete namespaces cannot state another intent', async () => {
    const name = `ns-${RUN}`;
    const labels = { 'chandlery.dev/environment': `team-${RUN}` };
    await cluster.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
    await shell(`kubectl create clusterrole sweeper-${RUN} --verb=get,list,delete --resource=namespaces`);
    await shell(`kubectl create clusterrolebinding sweeper-${RUN} --clusterrole=sweeper-${RUN} --user=sweeper-${RUN}`);
    const as = `--as sweeper-${RUN}`;
    const isRejected = async (): Promise<boolean> =>
      /belongs to the Environment "team-.*delete that one instead/.test(
        (await shell(`kubectl delete namespace ${name} --wait=false ${as}`)).stderr,
      );
    await eventually(isRejected, 'the deletion is rejected by the policy');
    const { stderr } = await kubectlDelete(NAMESPACE, name);
    assert.match((await shell(`${commandIn(stderr)} ${as}`)).stderr, /forbidden/i);
    assert.equal((await shell(commandIn(stderr))).exitCode, 0);
    assert.equal((await kubectlDelete(NAMESPACE, name)).exitCode, 0);
    await gone({ ...NAMESPACE, name });
    await shell(`kubectl delete clusterrole,clusterrolebinding sweeper-${RUN}`);
  });
});

async function create(type: KnownType, metadata: KubeObject['metadata'], { spec, status }: Pick<Case, 'spec' | 'status'>): Promise<void> {
  const object = { apiVersion: apiVersionOf(type), kind: type.kind, metadata };
  await cluster.create(type, { ...object, spec });
  await cluster.applyStatus(type, { ...object, status }, { fieldManager: 'test', force: 'force' });
}

async function kubectlDelete({ resource, group }: KnownType, name: string): ReturnType<typeof shell> {
  return await shell(`kubectl delete ${resource}${group === '' ? '' : `.${group}`} ${name} --wait=false`);
}

/** The first command that the message of a rejection has. */
function commandIn(message: string): string {
  const found = /kubectl (?:annotate|patch) [^;\n]+/.exec(message)?.[0];
  assert.ok(found !== undefined, message);
  return found.trim();
}

async function exists(ref: ResourceRef): Promise<boolean> {
  return (await ifFound(cluster.get(ref))) !== undefined;
}

async function gone(ref: ResourceRef): Promise<void> {
  await eventually(async () => !(await exists(ref)), `${ref.resource} ${ref.name} is gone`);
}
