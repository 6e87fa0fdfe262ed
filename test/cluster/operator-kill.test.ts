import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { NAMESPACE, OPERATOR, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { parseOperatorStatus } from '../../src/domain/operator/operator-status.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { OURS } from '../../src/domain/kubernetes/names.ts';
import type { KubeObject, ResourceRef, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { hasFinalizer } from '../../src/domain/kubernetes/finalizers.ts';
import { writeFiles } from '../support/charts.ts';
import { repoRoot, sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { kindsOf, operatorChart } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';

// Runs in test:all: it kills controllers.

const LEASES: ResourceType = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
const WORKER = join(import.meta.dirname, '..', 'support', 'operator-worker.ts');

/** A worker is killed as soon as an object is in such a state. */
interface Moment {
  readonly what: string;
  readonly type: ResourceType;
  readonly holds: (object: KubeObject) => boolean;
}

/** From before the finalizer to behind the release. `npm run test:faults` kills at random moments. */
const MOMENTS: readonly Moment[] = [
  { what: 'the Operator is there', type: OPERATOR, holds: () => true },
  { what: 'the Operator has its finalizer', type: OPERATOR, holds: hasFinalizer },
  { what: 'the release is pending', type: SECRET, holds: isRecord('pending-install') },
  { what: 'the release is deployed', type: SECRET, holds: isRecord('deployed') },
];

describe('a controller that is killed while it installs', () => {
  let testCluster: TestCluster;
  let kube: Kube;
  let chartsDir: string;
  before(async () => {
    testCluster = await sharedCluster();
    kube = openKube(testCluster.kubeconfigPath);
    chartsDir = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-kill-'));
    const chart = join(repoRoot, 'charts', 'chandlery');
    const files = { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') };
    await bootstrapCluster(kube, files, AbortSignal.timeout(60_000));
  });
  after(async () => {
    await kube.close();
    await rm(chartsDir, { recursive: true });
    await testCluster.stop();
  });

  it(
    'is followed by one that ends the work, with one deployed release and nothing pending, whenever it was killed',
    { timeout: 240_000 },
    async () => {
      const namespace = `kill-${RUN}`;
      await kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      for (const [index, moment] of MOMENTS.entries()) {
        const name = `kill${index}`;
        await writeFiles(join(chartsDir, name), operatorChart(name, '1.0.0'));
        const worker = await startWorker(namespace);
        const { resourceVersion } = await kube.asController().listMetadata(moment.type, { namespace });
        await kube.asController().create(OPERATOR, operator(namespace, name));
        await untilMoment(moment, { namespace, name, resourceVersion });
        await kill(worker);
      }
      const survivor = await startWorker(namespace);
      try {
        for (const index of MOMENTS.keys()) await expectInstalled(namespace, `kill${index}`);
      } finally {
        await kill(survivor);
      }
    },
  );

  it('is followed by one that frees the release which it left pending, when its lease has expired', { timeout: 120_000 }, async () => {
    const namespace = `pending-${RUN}`;
    const name = 'pending';
    await kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await writeFiles(join(chartsDir, name), { ...operatorChart(name, '1.0.0'), 'templates/hook.yaml': HANGING_HOOK });
    const worker = await startWorker(namespace);
    await kube.asController().create(OPERATOR, operator(namespace, name, { values: { hang: true } }));
    await eventually(async () => (await recordsOf(namespace, name)).includes('pending-install'), 'the release is pending', 60);
    await killGroup(worker);
    const body = { spec: { values: { hang: false } } };
    await kube.asController().patch({ ...OPERATOR, namespace, name }, { type: 'merge', body });
    const survivor = await startWorker(namespace);
    try {
      await expectInstalled(namespace, name);
    } finally {
      await kill(survivor);
    }
  });

  it('is followed by one that lets the Operator go only when nobody can be installing it any more', { timeout: 120_000 }, async () => {
    const namespace = `going-${RUN}`;
    const name = 'going';
    const cluster = kube.asController();
    await cluster.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const worker = await startWorker(namespace);
    try {
      await cluster.create(OPERATOR, operator(namespace, name));
      await eventually(async () => hasFinalizer(await cluster.get({ ...OPERATOR, namespace, name })), 'it is guarded', 60);
      const expires = Date.now() + 6_000;
      const leaseName = `release.${namespace}.${name}`;
      await cluster.create(LEASES, leaseOfTheDead(leaseName, { expires, seconds: 15 }));
      await cluster.delete({ ...OPERATOR, namespace, name });
      await eventually(async () => (await cluster.list(OPERATOR, { namespace })).items.length === 0, 'it is gone', 60);
      assert.ok(Date.now() >= expires, 'it was let go although a worker held the release');
      await assert.rejects(cluster.get({ ...LEASES, namespace: OURS.systemNamespace, name: leaseName }), { code: 'NotFound' });
    } finally {
      await kill(worker);
    }
  });

  it('is followed by one that clears away the lease which it left on a release in step', { timeout: 120_000 }, async () => {
    const namespace = `litter-${RUN}`;
    const name = 'litter';
    const cluster = kube.asController();
    await cluster.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    await writeFiles(join(chartsDir, name), operatorChart(name, '1.0.0'));
    const worker = await startWorker(namespace);
    await cluster.create(OPERATOR, operator(namespace, name, { interval: '10s' }));
    await expectInstalled(namespace, name);
    await kill(worker);
    const leaseName = `release.${namespace}.${name}`;
    await cluster.create(LEASES, leaseOfTheDead(leaseName, { expires: Date.now() + 3_000, seconds: 15 }));
    const survivor = await startWorker(namespace);
    try {
      const lease = { ...LEASES, namespace: OURS.systemNamespace, name: leaseName };
      await eventually(async () => isAppError(await cluster.get(lease).catch((error: unknown) => error), 'NotFound'), 'it is gone', 60);
    } finally {
      await kill(survivor);
    }
  });

  async function startWorker(namespace: string): Promise<ChildProcess> {
    const { kubeconfigPath, tools } = testCluster;
    const worker = spawn(process.execPath, [WORKER, kubeconfigPath, tools.helm, chartsDir, `${namespace}/`], {
      stdio: ['ignore', 'pipe', 'inherit'],
      detached: true,
      env: { ...process.env, TMPDIR: chartsDir },
    });
    await once(worker.stdout, 'data');
    return worker;
  }

  /** Follows a watch from a version on, so that no state passes unseen. */
  async function untilMoment(
    { what, type, holds }: Moment,
    { namespace, name, resourceVersion }: { readonly namespace: string; readonly name: string; readonly resourceVersion: string },
  ): Promise<void> {
    const selector = type === OPERATOR ? { fieldSelector: `metadata.name=${name}` } : { labelSelector: `owner=helm,name=${name}` };
    const options = { namespace, ...selector, resourceVersion, signal: AbortSignal.timeout(60_000) };
    for await (const event of kube.asController().watchMetadata(type, options)) {
      if (event.type !== 'BOOKMARK' && holds(event.object)) return;
    }
    assert.fail(`not within a minute: ${what}`);
  }

  async function expectInstalled(namespace: string, name: string): Promise<void> {
    const ref: ResourceRef = { ...OPERATOR, namespace, name };
    await eventually(
      async () => findCondition(parseOperatorStatus(await kube.asController().get(ref)).conditions, 'Ready')?.status === 'True',
      `${name} is ready`,
      90,
    );
    const status = parseOperatorStatus(await kube.asController().get(ref));
    assert.equal(status.customResourceDefinitions.includes(`${kindsOf(name).plural}.${kindsOf(name).group}`), true);
    assert.equal(findCondition(status.conditions, 'Uplifted')?.status, 'True');
    const words = await recordsOf(namespace, name);
    assert.equal(words.filter((word) => word === 'deployed').length, 1, words.join(' '));
    assert.equal(
      words.some((word) => word.startsWith('pending')),
      false,
      words.join(' '),
    );
  }

  async function recordsOf(namespace: string, name: string): Promise<string[]> {
    const { items } = await kube.asController().listMetadata(SECRET, { namespace, labelSelector: `owner=helm,name=${name}` });
    return items.map(({ metadata }) => metadata.labels?.['status'] ?? '');
  }
});

/** Helm's record of a release with a status. */
function isRecord(status: string): Moment['holds'] {
  return ({ metadata }) => metadata.labels?.['status'] === status;
}

function operator(namespace: string, name: string, more: object = {}): KubeObject {
  const spec = { name, chart: { repoURL: 'file://samples', name, version: '1.0.0' }, ...more };
  return { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata: { namespace, name }, spec };
}

/** A lease that a worker took, renewed, and left when it died. */
function leaseOfTheDead(name: string, { expires, seconds }: { expires: number; seconds: number }): KubeObject {
  const renewTime = new Date(expires - seconds * 1_000).toISOString().replace('Z', '000Z');
  const spec = { holderIdentity: 'dead', leaseDurationSeconds: seconds, acquireTime: renewTime, renewTime };
  return { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { namespace: OURS.systemNamespace, name }, spec };
}

async function kill(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit');
  worker.kill('SIGKILL');
  await ended;
}

/** As when the machine dies: helm, too, is gone. */
async function killGroup(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit');
  assert.ok(worker.pid);
  process.kill(-worker.pid, 'SIGKILL');
  await ended;
}

/** A Job that never ends while it is suspended, so that helm waits for it. */
const HANGING_HOOK = `{{ if .Values.hang }}
apiVersion: batch/v1
kind: Job
metadata:
  name: {{ .Release.Name }}-hook
  annotations: {"helm.sh/hook": pre-install}
spec:
  suspend: true
  template: {spec: {restartPolicy: Never, containers: [{name: a, image: example.com/a:1}]}}
{{ end }}
`;
