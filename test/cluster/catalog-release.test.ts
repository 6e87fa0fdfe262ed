import assert from 'node:assert/strict';
import { cp, mkdtemp, readdir, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { isAppError } from '../../src/domain/core/errors.ts';
import { conditionsOf, findCondition } from '../../src/domain/kubernetes/condition.ts';
import { specOf, statusOf } from '../../src/domain/kind/kind.ts';
import { CATALOG_RELEASE, CONFIG_MAP, CRD, NAMESPACE, OPERATOR } from '../../src/domain/kubernetes/resource-types.ts';
import { apiVersionOf, type KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { CATALOG_RELEASE_KIND, type ReleaseStatus } from '../../src/domain/release/catalog-release.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { createReleaseReconciler, releasesNaming } from '../../src/reconcile/release/reconcile-release.ts';
import { repoRoot } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { startSourceWorld, type SourceWorld } from '../support/source-world.ts';
import { RUN } from '../support/run-name.ts';
import { deleteWithIntent } from '../../src/domain/kubernetes/deletion-intent.ts';

const PROVIDER = `p${RUN}`;
const DIGEST = `sha256:${'a'.repeat(64)}`;
const { signal } = new AbortController();
let world: SourceWorld;

before(async () => {
  world = await startSourceWorld();
});
after(async () => {
  const cluster = world.kube.asController();
  for (const object of await releases()) await deleteWithIntent(cluster, { type: CATALOG_RELEASE, object });
  await world.stop();
});

describe('a CatalogRelease', () => {
  it('is immutable once it is active, but for its state, which moves forward', async () => {
    await create('v1.0.0', { state: 'wip' });
    await change('v1.0.0', { components: [{ name: 'cache', version: '0.1.0', values: { replicas: 1 } }] });
    await rejected(change('v1.0.0', { state: 'active' }), /digest is required/);
    await change('v1.0.0', { state: 'active', digest: DIGEST });
    const content = [
      { digest: `sha256:${'b'.repeat(64)}` },
      { upgradesFrom: ['*'] },
      { components: [] },
      { components: [{ name: 'cache', version: '0.1.0', values: { replicas: 2 } }] },
      { components: [{ name: 'cache', version: '0.2.0' }] },
      { version: 'v1.0.1' },
    ];
    for (const spec of content) await rejected(change('v1.0.0', spec), /immutable but for its state|the name must be the version/);
    await rejected(change('v1.0.0', { state: 'wip' }), /only moves forward/);
    await change('v1.0.0', { state: 'deprecated' });
    await rejected(change('v1.0.0', { state: 'active' }), /only moves forward/);
    await change('v1.0.0', { state: 'archived' });
    await rejected(create('v1.0', { state: 'wip' }), /spec\.version/);
    await rejected(create('v3.0.0', { state: 'wip', version: 'v3.0.1' }), /the name must be the version/);
  });

  it('shows what runs it, what runs ahead, and what is next', async () => {
    const components = (version: string) => [{ name: `cache-${PROVIDER}`, version }];
    await create('v2.0.0', { state: 'active', digest: DIGEST, components: components('0.1.0') });
    await create('v2.1.0', { state: 'active', digest: DIGEST, components: components('0.2.0'), upgradesFrom: ['>=2.0.0 <2.1.0'] });
    await create('v2.2.0', { state: 'wip', components: components('0.3.0'), upgradesFrom: ['>=2.0.0 <2.2.0'] });
    const name = `cache-${PROVIDER}`;
    const labels = { 'chandlery.dev/release': `${PROVIDER}-v2.0.0`, 'chandlery.dev/release-target': 'gauss.peu01' };
    const chart = { repoURL: 'file://charts', name: 'cache-operator', version: '0.2.0' };
    const operator = {
      apiVersion: apiVersionOf(OPERATOR),
      kind: OPERATOR.kind,
      metadata: { namespace: 'default', name, labels },
      spec: { name, suspend: true, chart },
    };
    const cluster = world.kube.asController();
    await cluster.create(OPERATOR, operator);
    const live = await cluster.get({ ...OPERATOR, namespace: 'default', name });
    const status = await reconciled('v2.0.0', [live]);
    const own = { name, version: '0.2.0', release: `${PROVIDER}-v2.1.0` };
    const next = [`${PROVIDER}-v2.1.0`];
    assert.deepEqual(status.targets, [{ name: 'gauss.peu01', resources: [`Operator default/${name}`], components: [own], next }]);
    assert.deepEqual([status.runsIn, status.next, status.observedGeneration], ['gauss.peu01', next, 1]);
    const [ready] = status.conditions;
    assert.deepEqual(
      [ready?.status, ready?.reason, ready?.message],
      ['True', 'Active', `It runs in gauss.peu01; the next release is ${PROVIDER}-v2.1.0`],
    );
    assert.deepEqual(releasesNaming(`Operator default/${name}`, undefined, await releases()), [`${PROVIDER}-v2.0.0`]);
    const { metadata } = await get('v2.0.0');
    await reconciled('v2.0.0', [live]);
    assert.equal((await get('v2.0.0')).metadata.resourceVersion, metadata.resourceVersion, 'a status that is right is not written');
    await change('v2.0.0', { state: 'archived' });
    assert.equal((await reconciled('v2.0.0', [live])).conditions[0]?.reason, 'ArchivedInUse');
    await cluster.delete({ ...OPERATOR, namespace: 'default', name });
    assert.equal((await reconciled('v2.0.0', [])).conditions[0]?.reason, 'Archived');
    await change('v2.2.0', { upgradesFrom: ['two'] });
    assert.deepEqual(
      (await reconciled('v2.2.0', [])).conditions.map(({ type, reason }) => [type, reason]),
      [
        ['Ready', 'InvalidRange'],
        ['Stalled', 'InvalidRange'],
      ],
    );
  });
});

describe('a tree of releases in git', () => {
  const namespace = `tree-${PROVIDER}`;
  const group = `${namespace}.example.com`;
  const source = `tree-${PROVIDER}`;
  const POOL = { group, version: 'v1alpha3', resource: 'machinepools', namespace };
  let tree: string;

  before(async () => {
    tree = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-tree-'));
    await cp(join(repoRoot, 'test/fixtures/releases'), tree, { recursive: true });
    await execa(process.execPath, ['bin/chandlery.mjs', 'release', 'upgrade', 'gauss/peu01', '--to', 'v22.0.0', '-C', tree], {
      cwd: repoRoot,
    });
    await renameIn(tree, { 'chandlery-system': namespace, 'my-org': namespace, 'cluster.x-k8s.io': group, 'aws-v': `${PROVIDER}-v` });
    const cluster = world.kube.asController();
    await cluster.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const schema = { openAPIV3Schema: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true } };
    const versions = [{ name: POOL.version, served: true, storage: true, schema }];
    const names = { kind: 'MachinePool', plural: POOL.resource };
    const metadata = { name: `${POOL.resource}.${group}` };
    const spec = { group, scope: 'Namespaced', names, versions };
    await cluster.create(CRD, { apiVersion: 'apiextensions.k8s.io/v1', kind: 'CustomResourceDefinition', metadata, spec });
  });
  after(async () => {
    await world.remove(`${source}-aws`);
    await world.kube.asController().delete({ ...CRD, name: `${POOL.resource}.${group}` });
    await world.kube.asController().delete({ ...NAMESPACE, name: namespace });
    await rm(tree, { recursive: true });
  });

  it('gives the same objects by a CatalogSource and by kubectl apply -k', async () => {
    const allowedKinds = [{ group: '*', kind: '*' }];
    await world.declare(source, { folder: { path: tree }, kustomize: { path: 'gauss/peu01/overlay' }, allowedKinds });
    await world.untilReason(source, 'Synced');
    const ours = await contents();
    assert.equal(ours.length, 4);
    await world.remove(source);
    await eventually(async () => (await contents()).length === 0, 'the source has taken them along', 20);
    const { kubectl = 'kubectl' } = await loadTools(repoRoot);
    const [at, overlay] = [['--kubeconfig', world.kubeconfigPath], join(tree, 'gauss/peu01/overlay')];
    await execa(kubectl, ['apply', ...at, '-k', overlay]);
    assert.deepEqual(await contents(), ours);
    await execa(kubectl, ['delete', ...at, '-k', overlay]);
  });

  it('is shown in the cluster by a source that allows CatalogReleases', async () => {
    await writeFile(join(tree, 'aws/kustomization.yaml'), 'resources: [v21.0.0/release.yaml, v22.0.0/release.yaml]\n');
    const allowedKinds = [{ group: 'chandlery.dev', kind: 'CatalogRelease' }];
    await world.declare(`${source}-aws`, { folder: { path: join(tree, 'aws') }, allowedKinds });
    await world.untilReason(`${source}-aws`, 'Synced');
    const { components, state } = specOf(CATALOG_RELEASE_KIND, await get('v22.0.0'));
    assert.deepEqual(
      [state, components.map(({ name, version }) => `${name} ${version}`)],
      ['active', ['cache 0.2.0', 'machinepool v1.22.0']],
    );
  });

  it('stays while an installation runs it, when its document is removed', async () => {
    const name = nameOf('v22.0.0');
    const labels = { 'chandlery.dev/release': name, 'chandlery.dev/release-target': 'gauss.peu01' };
    await reconciled('v22.0.0', [
      { apiVersion: apiVersionOf(OPERATOR), kind: OPERATOR.kind, metadata: { name: 'cache', namespace, labels } },
    ]);
    await writeFile(join(tree, 'aws/kustomization.yaml'), 'resources: [v21.0.0/release.yaml]\n');
    await world.reconcile(`${source}-aws`);
    const { pendingRemovals } = await world.untilReason(`${source}-aws`, 'PruneNotApproved');
    assert.deepEqual(
      pendingRemovals.map(({ resource, loss, removeAt }) => [resource, loss, removeAt]),
      [[`CatalogRelease ${name}`, 'with the definition of what gauss.peu01 runs', undefined]],
    );
    const pending = async (): Promise<string | undefined> => findCondition(conditionsOf(await get('v22.0.0')), 'PendingRemoval')?.reason;
    assert.equal(await pending(), 'ApprovalNeeded');
    await writeFile(join(tree, 'aws/kustomization.yaml'), 'resources: [v21.0.0/release.yaml, v22.0.0/release.yaml]\n');
    await world.reconcile(`${source}-aws`);
    await world.untilReason(`${source}-aws`, 'Synced');
    assert.equal(await pending(), undefined);
  });

  /** What somebody wrote of each object, without what says who applied it. */
  async function contents(): Promise<readonly object[]> {
    const cluster = world.kube.asController();
    const labelSelector = 'chandlery.dev/release-target=gauss.peu01';
    const [own, pools, configs] = [
      await cluster.list(OPERATOR, { namespace }),
      await cluster.list(POOL, { namespace }),
      await cluster.list(CONFIG_MAP, { namespace, labelSelector }),
    ];
    return [...own.items, ...pools.items, ...configs.items].map(({ metadata: { name, labels, annotations = {} }, spec, data }) => {
      const { 'chandlery.dev/source': _source, ...kept } = labels ?? {};
      const { 'kubectl.kubernetes.io/last-applied-configuration': _copy, ...notes } = annotations;
      return { name, labels: kept, annotations: notes, spec, data };
    });
  }
});

/** Puts names of this run in the place of others, in all files. */
async function renameIn(folder: string, names: Readonly<Record<string, string>>): Promise<void> {
  for (const entry of await readdir(folder, { recursive: true, withFileTypes: true })) {
    if (!entry.isFile()) continue;
    const file = join(entry.parentPath, entry.name);
    const text = await readFile(file, 'utf8');
    await writeFile(
      file,
      Object.entries(names).reduce((all, [from, to]) => all.replaceAll(from, to), text),
    );
  }
}

async function create(version: string, spec: object): Promise<void> {
  const object = {
    apiVersion: apiVersionOf(CATALOG_RELEASE),
    kind: CATALOG_RELEASE.kind,
    metadata: { name: nameOf(version) },
    spec: { version, ...spec },
  };
  await world.kube.asController().create(CATALOG_RELEASE, object);
}

async function change(version: string, spec: object): Promise<void> {
  await world.kube.asController().patch({ ...CATALOG_RELEASE, name: nameOf(version) }, { type: 'merge', body: { spec } });
}

async function rejected(work: Promise<void>, message: RegExp): Promise<void> {
  await assert.rejects(work, (error) => isAppError(error, 'InvalidInput') && message.test(error.message));
}

async function get(version: string): Promise<KubeObject> {
  return await world.kube.asController().get({ ...CATALOG_RELEASE, name: nameOf(version) });
}

async function releases(): Promise<readonly KubeObject[]> {
  const { items } = await world.kube.asController().list(CATALOG_RELEASE);
  return items.filter(({ metadata }) => metadata.name.startsWith(`${PROVIDER}-`));
}

async function reconciled(version: string, resources: readonly KubeObject[]): Promise<ReleaseStatus> {
  const all = await releases();
  const cluster = world.kube.asController();
  await createReleaseReconciler({ cluster, releases: () => all, resources: () => resources, now: () => new Date() })(
    nameOf(version),
    signal,
  );
  return statusOf(CATALOG_RELEASE_KIND, await get(version));
}

function nameOf(version: string): string {
  return `${PROVIDER}-${version}`;
}
