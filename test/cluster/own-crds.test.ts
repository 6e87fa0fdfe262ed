import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CRD, ENVIRONMENT, RESOURCE_COMPOSITION } from '../../src/domain/kubernetes/resource-types.ts';
import { apiVersionOf, type KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { createCompositionReconciler } from '../../src/reconcile/kubeplus/reconcile-composition.ts';
import { repoRoot, startThrowawayCluster } from '../support/cluster.ts';

// Runs in test:all: it deletes the CRDs of a cluster of its own.

const NAME = 'environments.chandlery.dev';
const chart = join(repoRoot, 'charts', 'chandlery');
const files = { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') };
const ending = new AbortController();
let kube: Kube;
let stopCluster: () => Promise<void>;

before(async () => {
  // What happens to its own kinds would happen to the Environments of other files, too.
  const { kubeconfigPath, stop } = await startThrowawayCluster(await loadTools(repoRoot), undefined, { controllers: 'None' });
  stopCluster = stop;
  kube = openKube(kubeconfigPath);
  await bootstrapCluster(kube, files, ending.signal);
});
after(async () => {
  ending.abort();
  await kube?.close();
  await stopCluster?.();
});

describe('the start of Chandlery', () => {
  it('does not wait for ever when one of its CRDs was deleted while it was away, and its objects wait for it', async () => {
    const metadata = { name: 'held', finalizers: ['chandlery.dev/finalizer'] };
    await kube.asController().create(ENVIRONMENT, { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata, spec: {} });
    const old = await definition();
    await kube.asController().delete({ ...CRD, name: NAME });
    assert.notEqual((await definition()).metadata.deletionTimestamp, undefined);
    const brought = await bootstrapCluster(kube, files, ending.signal);
    const { metadata: live } = await definition();
    assert.notEqual(live.uid, old.metadata.uid);
    assert.equal(brought.find((crd) => crd.metadata.name === NAME)?.metadata.uid, live.uid);
    assert.deepEqual((await kube.asController().list(ENVIRONMENT)).items, []);
  });

  it('writes nothing to CRDs that are as they should be', async () => {
    const before = await definition();
    await bootstrapCluster(kube, files, ending.signal);
    assert.equal((await definition()).metadata.resourceVersion, before.metadata.resourceVersion);
  });

  it('leaves the CRD of a KubePlus in the same cluster as it is, and its objects alone', async () => {
    const cluster = kube.asController();
    const crd = { ...CRD, name: `${RESOURCE_COMPOSITION.resource}.${RESOURCE_COMPOSITION.group}` };
    const { object } = await cluster.patch(crd, { type: 'merge', body: { spec: { names: { categories: null } } } });
    await bootstrapCluster(kube, files, ending.signal);
    assert.equal((await cluster.get(crd)).metadata.generation, object.metadata.generation);
    const at = { namespace: 'default', name: 'of-kubeplus' };
    const spec = { newResource: { resource: { kind: 'Hello' }, chartURL: 'https://charts.example.com/hello-1.0.0.tgz' } };
    const kind = { apiVersion: apiVersionOf(RESOURCE_COMPOSITION), kind: RESOURCE_COMPOSITION.kind };
    await cluster.create(RESOURCE_COMPOSITION, { ...kind, metadata: at, spec });
    const reconcile = createCompositionReconciler({ cluster, events: { record: () => Promise.resolve() }, now: () => new Date() });
    assert.deepEqual(await reconcile('default/of-kubeplus', ending.signal), {});
    const { metadata, status } = await cluster.get({ ...RESOURCE_COMPOSITION, ...at });
    assert.deepEqual([metadata.finalizers, status], [undefined, undefined]);
  });
});

async function definition(): Promise<KubeObject> {
  return await kube.asController().get({ ...CRD, name: NAME });
}
