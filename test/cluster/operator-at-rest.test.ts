import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { CLUSTER_ROLE, CRD, NAMESPACE, OPERATOR } from '../../src/domain/kubernetes/resource-types.ts';
import { createChartLibrary } from '../../src/chart/chart-library.ts';
import { watchOperators } from '../../src/compose/watch-operators.ts';
import { watchRecords } from '../../src/compose/watch-records.ts';
import type { Reconcile } from '../../src/controller/controller.ts';
import { parseOperatorStatus } from '../../src/domain/operator/operator-status.ts';
import { createHelm } from '../../src/helm/helm.ts';
import { createChartRenderer } from '../../src/helm/render-chart.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import { createEventRecorder } from '../../src/kube/events.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { startReflector } from '../../src/kube/watch/reflector.ts';
import { createLog } from '../../src/observe/log.ts';
import type { OperatorPorts } from '../../src/reconcile/operator/ports.ts';
import { createOperatorReconciler } from '../../src/reconcile/operator/reconcile-operator.ts';
import type { OperatorCache } from '../../src/reconcile/operator/memory/operator-cache.ts';
import { writeFiles } from '../support/charts.ts';
import { repoRoot, sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { CONFIG_MAP, kindsOf, operatorChart } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';

const NS = `rest-${RUN}`;
const KEY = `${NS}/quiet`;
const HOUR_MS = 3_600_000;
const DEPLOYMENT = { group: 'apps', version: 'v1', resource: 'deployments' };

describe('an Operator in step', () => {
  const ending = new AbortController();
  const { signal } = ending;
  const log = createLog({ level: 'silent', format: 'lines', write: () => undefined });
  const asked: string[] = [];
  let later = 0;
  let kubernetes: string | undefined;
  let testCluster: TestCluster;
  let folder: string;
  let kube: Kube;
  let ports: OperatorPorts;
  let cache: OperatorCache;
  let reconcile: Reconcile;

  before(async () => {
    testCluster = await sharedCluster();
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-rest-'));
    const { kubeconfigPath, tools } = testCluster;
    kube = openKube(kubeconfigPath);
    const chart = join(repoRoot, 'charts', 'chandlery');
    await bootstrapCluster(kube, { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') }, signal);
    await writeFiles(join(folder, 'charts', 'quiet'), operatorChart('quiet', '1.0.0'));
    const cluster = kube.asController();
    const helm = await createHelm({
      program: tools.helm,
      homeDir: join(folder, 'helm'),
      kubeconfigPath,
      maxChildren: 2,
      log: { debug: () => undefined },
    });
    const charts = await createChartLibrary({
      cacheDir: join(folder, 'cache'),
      roots: { samples: join(folder, 'charts') },
      mirrors: [],
      allowEgress: [],
    });
    ports = {
      cluster: noting('cluster', cluster, asked),
      discovery: kube,
      kubernetesVersion: async (options) => kubernetes ?? (await kube.kubernetesVersion(options)),
      charts,
      renderChart: createChartRenderer({
        render: noting('helm', helm, asked).render,
        discovery: kube,
        kubernetesVersion: kube.kubernetesVersion,
      }),
      helm: noting('helm', helm, asked),
      events: createEventRecorder({ cluster, log }),
      log,
      now: () => new Date(Date.now() + later),
      holder: 'rest',
    };
    const operators = startReflector({ cluster, type: OPERATOR, signal, log });
    const definitions = startReflector({ cluster, type: CRD, signal, log });
    const records = watchRecords({ kube, log, signal });
    const watched = watchOperators({ kube, operators, definitions, records, log, signal });
    cache = watched.cache;
    await watched.ready();
    reconcile = createOperatorReconciler(ports, cache);
    await cluster.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NS } });
    await cluster.create(OPERATOR, {
      apiVersion: 'operatorcontroller.kubeplus/v1',
      kind: 'Operator',
      metadata: { namespace: NS, name: 'quiet' },
      spec: { chart: { repoURL: 'file://samples', name: 'quiet', version: '1.0.0' }, values: { replicas: 0 } },
    });
    await untilAtRest();
  });
  after(async () => {
    ending.abort();
    await kube.close();
    await rm(folder, { recursive: true });
    await testCluster.stop();
  });

  /** Looks until a look asks nobody anything. */
  async function untilAtRest(): Promise<void> {
    await eventually(async () => ((await look()).length === 0 ? true : undefined), 'a look that asks nobody', 60);
    assert.equal(parseOperatorStatus(await kube.asController().get({ ...OPERATOR, namespace: NS, name: 'quiet' })).status, 'READY');
  }

  async function look(by: Reconcile = reconcile): Promise<string[]> {
    asked.splice(0);
    await by(KEY, signal);
    return [...asked];
  }

  it('costs no call and starts no helm, also when its interval is over', async () => {
    assert.deepEqual(await look(), []);
    later += HOUR_MS;
    assert.deepEqual(await look(), []);
    assert.equal((await reconcile(KEY, signal)).requeueAfter, 600_000);
  });

  it('costs a new controller one question: whether a worker that died holds the release', async () => {
    const fresh = createOperatorReconciler(ports, cache);
    assert.deepEqual(await look(fresh), ['cluster.listMetadata leases']);
    assert.deepEqual(await look(fresh), []);
  });

  it('is looked at by the cluster itself, and not installed again, when memory knows nothing of its release', async () => {
    const forgetful: OperatorCache = {
      ...cache,
      readsFor: (who, live) => {
        const reads = cache.readsFor(who, live);
        return {
          ...reads,
          listMetadata: async (type, options) =>
            type.resource === 'secrets' ? { items: [], resourceVersion: '' } : await reads.listMetadata(type, options),
        };
      },
    };
    const calls = await look(createOperatorReconciler(ports, forgetful));
    assert.ok(calls.includes('cluster.listMetadata secrets'), calls.join());
    assert.deepEqual(
      calls.filter((call) => /^helm|create|apply|patch|replace|delete/.test(call) && !call.includes('leases')),
      [],
    );
  });

  /** Does something, and waits until memory knows of it. */
  async function changing(act: () => Promise<unknown>): Promise<void> {
    const changed = Promise.withResolvers<void>();
    let reported = false;
    const stop = cache.onChange((key) => {
      if (reported && key === KEY) changed.resolve();
    });
    reported = true;
    await act();
    await changed.promise;
    stop();
  }

  it('gets back the permissions on a kind that somebody took away', async () => {
    const { plural, group } = kindsOf('quiet');
    const name = `chandlery-app-${plural}.${group}-view`;
    await changing(() => kube.asController().delete({ ...CLUSTER_ROLE, name }));
    assert.ok((await look()).includes('cluster.apply clusterroles'));
    await untilAtRest();
  });

  it('is upgraded when its source offers other bytes of the same version, once its interval is over', async () => {
    await writeFiles(join(folder, 'charts', 'quiet'), { ...operatorChart('quiet', '1.0.0'), 'templates/more.yaml': CONFIG_MAP });
    assert.deepEqual(await look(), []);
    later += HOUR_MS;
    assert.ok((await look()).includes('helm.upgrade'));
    await untilAtRest();
  });

  it('is upgraded when Kubernetes is', async () => {
    const [major, minor = '0'] = (await kube.kubernetesVersion({ signal })).replace(/^v/, '').split('.');
    kubernetes = `${major}.${Number(minor) + 1}.0`;
    later += 2 * 60_000;
    assert.ok((await look()).includes('helm.upgrade'));
    await untilAtRest();
  });

  it('is acted on when something that it brought changes, and is at rest again', async () => {
    await changing(() =>
      kube.asController().patch({ ...DEPLOYMENT, namespace: NS, name: 'quiet' }, { type: 'merge', body: { spec: { paused: true } } }),
    );
    await eventually(async () => ((await look()).includes('cluster.applyStatus operators') ? true : undefined), 'a new status', 30);
    await untilAtRest();
  });
});

/** The same port, with each call noted: `cluster.list secrets`. */
function noting<T extends object>(name: string, port: T, asked: string[]): T {
  const methods = Object.entries(port).map(([method, act]) => [
    method,
    (first: { readonly resource?: string }, ...rest: readonly unknown[]): unknown => {
      asked.push([`${name}.${method}`, first.resource ?? ''].join(' ').trim());
      return (act as (...args: readonly unknown[]) => unknown)(first, ...rest);
    },
  ]);
  return Object.fromEntries(methods) as T;
}
