import assert from 'node:assert/strict';
import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { NAMESPACE, OPERATOR, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { type OperatorStatus, parseOperatorStatus } from '../../src/domain/operator/operator-status.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { chartFiles, writeFiles } from '../support/charts.ts';
import { repoRoot, sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { CONFIG_MAP } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';

// Runs in test:all: it kills controllers.

const WORKER = join(import.meta.dirname, '..', 'support', 'operator-worker.ts');
const NAME = 'torn';

describe('a controller that is killed while it rolls back', () => {
  let testCluster: TestCluster;
  let kube: Kube;
  let chartsDir: string;
  before(async () => {
    testCluster = await sharedCluster();
    kube = openKube(testCluster.kubeconfigPath);
    chartsDir = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-torn-'));
    const chart = join(repoRoot, 'charts', 'chandlery');
    const files = { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') };
    await bootstrapCluster(kube, files, AbortSignal.timeout(60_000));
    const templates = { 'templates/a.yaml': CONFIG_MAP, 'templates/test.yaml': TEST, 'templates/hook.yaml': HANGING_HOOK };
    await writeFiles(join(chartsDir, NAME), { ...chartFiles(NAME, '1.0.0', templates), 'values.yaml': 'size: 1\nfails: false\n' });
  });
  after(async () => {
    await kube.close();
    await rm(chartsDir, { recursive: true });
    await testCluster.stop();
  });

  it('is followed by one that ends the rollback where it was bound for, and begins no other', { timeout: 240_000 }, async () => {
    const namespace = `torn-${RUN}`;
    await kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
    const first = await startWorker(namespace);
    const chart = { repoURL: 'file://samples', name: NAME, version: '1.0.0' };
    const spec = { name: NAME, chart, upgrade: { remediation: 'Rollback' }, test: { enable: true } };
    const metadata = { namespace, name: NAME };
    await kube.asController().create(OPERATOR, { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata, spec });
    await eventually(async () => (await readyRevision(namespace)) === 1, 'it is installed', 60);
    await change(namespace, { values: { size: 2 } });
    await eventually(async () => (await readyRevision(namespace)) === 2, 'it is upgraded', 60);
    await change(namespace, { values: { size: 2, fails: true } });
    await eventually(async () => (await revisionsOf(namespace)).includes('4 pending-rollback'), 'the rollback hangs in its hook', 60);
    assert.equal((await statusOf(namespace)).rollback?.toRevision, 2);
    await killGroup(first);

    const survivor = await startWorker(namespace);
    try {
      await eventually(async () => reasonOf(await statusOf(namespace)) === 'RolledBack', 'it says that it was rolled back', 90);
    } finally {
      await killGroup(survivor);
    }
    const revisions = await revisionsOf(namespace);
    assert.deepEqual(revisions, ['1 superseded', '2 superseded', '3 superseded', '4 pending-rollback', '5 deployed']);
    const { history } = await statusOf(namespace);
    assert.deepEqual(history[0]?.digest, history.find(({ revision }) => revision === 2)?.digest);
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

  async function statusOf(namespace: string): Promise<OperatorStatus> {
    return parseOperatorStatus(await kube.asController().get({ ...OPERATOR, namespace, name: NAME }));
  }

  async function readyRevision(namespace: string): Promise<number | undefined> {
    const status = await statusOf(namespace);
    return findCondition(status.conditions, 'Ready')?.status === 'True' ? status.release?.revision : undefined;
  }

  async function change(namespace: string, spec: object): Promise<void> {
    await kube.asController().patch({ ...OPERATOR, namespace, name: NAME }, { type: 'merge', body: { spec } });
  }

  async function revisionsOf(namespace: string): Promise<string[]> {
    const { items } = await kube.asController().listMetadata(SECRET, { namespace, labelSelector: `owner=helm,name=${NAME}` });
    return items.map(({ metadata: { labels = {} } }) => `${labels['version'] ?? ''} ${labels['status'] ?? ''}`).sort();
  }
});

function reasonOf({ conditions }: OperatorStatus): string | undefined {
  return findCondition(conditions, 'Ready')?.reason;
}

/** As when the machine dies: helm, too, is gone. */
async function killGroup(worker: ChildProcess): Promise<void> {
  const ended = once(worker, 'exit');
  assert.ok(worker.pid);
  process.kill(-worker.pid, 'SIGKILL');
  await ended;
}

/** A Job that has nothing to do succeeds at once; one whose pod fits nowhere fails after a second. */
const TEST = `apiVersion: batch/v1
kind: Job
metadata:
  name: "{{ .Release.Name }}-smoke"
  annotations: {"helm.sh/hook": test}
spec:
  backoffLimit: 0
  {{ if .Values.fails }}activeDeadlineSeconds: 1{{ else }}completions: 0{{ end }}
  template: {spec: {restartPolicy: Never, nodeSelector: {no: such}, containers: [{name: a, image: example.com/a:1}]}}
`;

/** A Job that never ends while it is suspended, so that helm waits for it. */
const HANGING_HOOK = `apiVersion: batch/v1
kind: Job
metadata:
  name: "{{ .Release.Name }}-hook"
  annotations: {"helm.sh/hook": pre-rollback}
spec:
  suspend: true
  template: {spec: {restartPolicy: Never, containers: [{name: a, image: example.com/a:1}]}}
`;
