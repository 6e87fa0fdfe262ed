import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CRD, ENVIRONMENT, NAMESPACE, RESOURCE_COMPOSITION } from '../../src/domain/kubernetes/resource-types.ts';
import { apiVersionOf, type KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import { at } from '../../src/domain/core/read.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { createCompositionReconciler } from '../../src/reconcile/kubeplus/reconcile-composition.ts';
import { onClusterWrite } from '../support/cluster-writes.ts';
import { eventually } from '../support/eventually.ts';
import { repoRoot, startThrowawayCluster } from '../support/cluster.ts';

// Runs in test:all: it deletes the CRDs of a cluster of its own.

const NAME = 'environments.chandlery.dev';
const chart = join(repoRoot, 'charts', 'chandlery');
const ofChart = (name: string): string => join(chart, 'files', name);
const files = { crds: join(chart, 'crds'), roles: ofChart('cluster-roles.yaml'), policies: ofChart('admission-policies.yaml') };
const ending = new AbortController();
let kube: Kube;
let auditLogPath: string;
let stopCluster: () => Promise<void>;

before(async () => {
  // What happens to its own kinds would happen to the Environments of other files, too.
  const { kubeconfigPath, stop, ...cluster } = await startThrowawayCluster(await loadTools(repoRoot), undefined, { controllers: 'None' });
  stopCluster = stop;
  auditLogPath = cluster.auditLogPath;
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

  it('sends no write, dry runs included, for CRDs, policies and roles that are as they should be', async () => {
    await bootstrapCluster(kube, files, ending.signal);
    const written: string[] = [];
    const stop = onClusterWrite(auditLogPath, ({ resource, name }) => void written.push(`${resource} ${name}`));
    await bootstrapCluster(kube, files, ending.signal);
    await kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'written-last' } });
    await eventually(() => Promise.resolve(written.includes('namespaces written-last')), 'the last write is in the audit log');
    stop();
    const own = written.filter((text) => /^(customresourcedefinitions|validatingadmission\w+|clusterroles) /.test(text));
    assert.deepEqual(own, []);
  });

  it('takes out what another client has added to a CRD', async () => {
    const conversion = { strategy: 'Webhook', webhook: { conversionReviewVersions: ['v1'], clientConfig: { url: 'https://192.0.2.7/' } } };
    await kube.asController().patch({ ...CRD, name: NAME }, { type: 'merge', body: { spec: { conversion } } });
    await kube
      .asController()
      .patch({ ...CRD, name: NAME }, { type: 'merge', body: { metadata: { labels: { 'meta.helm.sh/release-name': 'theirs' } } } });
    await bootstrapCluster(kube, files, ending.signal);
    const { spec, metadata } = await definition();
    assert.deepEqual([at(spec, 'conversion'), metadata.labels], [{ strategy: 'None' }, undefined]);
  });

  it('leaves the CRD of a KubePlus in the same cluster as it is, and its objects alone', async () => {
    const cluster = kube.asController();
    const crd = { ...CRD, name: `${RESOURCE_COMPOSITION.resource}.${RESOURCE_COMPOSITION.group}` };
    const { object } = await cluster.patch(crd, { type: 'merge', body: { spec: { names: { categories: null } } } });
    await bootstrapCluster(kube, files, ending.signal);
    assert.equal((await cluster.get(crd)).metadata.generation, object.metadata.generation);
    const ref = { namespace: 'default', name: 'of-kubeplus' };
    const spec = { newResource: { resource: { kind: 'Hello' }, chartURL: 'https://charts.example.com/hello-1.0.0.tgz' } };
    const kind = { apiVersion: apiVersionOf(RESOURCE_COMPOSITION), kind: RESOURCE_COMPOSITION.kind };
    await cluster.create(RESOURCE_COMPOSITION, { ...kind, metadata: ref, spec });
    const reconcile = createCompositionReconciler({ cluster, events: { record: () => Promise.resolve() }, now: () => new Date() });
    assert.deepEqual(await reconcile('default/of-kubeplus', ending.signal), {});
    const { metadata, status } = await cluster.get({ ...RESOURCE_COMPOSITION, ...ref });
    assert.deepEqual([metadata.finalizers, status], [undefined, undefined]);
  });
});

async function definition(): Promise<KubeObject> {
  return await kube.asController().get({ ...CRD, name: NAME });
}
