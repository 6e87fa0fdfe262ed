// `npm run bench:operator-releases [-- COUNT]`: so many small releases (100) by Chandlery, and by plain helm one by one and in parallel, on one control plane.
import { mkdir, writeFile } from 'node:fs/promises';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import pMap from 'p-map';
import { NAMESPACE, OPERATOR } from '../src/domain/kubernetes/resource-types.ts';
import { bootstrapCluster } from '../src/kube/bootstrap.ts';
import { createKube } from '../src/kube/kube.ts';
import { loadTools } from '../src/embedded/cluster/tools.ts';
import { chartFiles, packChart } from '../test/support/charts.ts';
import { repoRoot } from '../test/support/cluster.ts';
import { eventually } from '../test/support/eventually.ts';
import { startChartServer } from './chart-server.ts';
import { startBenchControlPlane } from './control-plane.ts';
import { countCalls } from './counted-cluster.ts';
import { countHelm } from './counted-helm.ts';
import { measure, printRows } from './measure-run.ts';
import { openCharts, startOperatorController } from './operator-controller.ts';
import { plainHelm, type PlainRun } from './plain-helm.ts';
import { SMALL_TEMPLATE } from './small-chart.ts';

const count = Number(process.argv[2] ?? 100);
const signal = AbortSignal.timeout(20 * 60_000);
const cores = availableParallelism();

const tools = await loadTools(repoRoot);
const controlPlane = await startBenchControlPlane(tools, 'chandlery-bench-releases-');
// It goes with the control plane.
const folder = join(controlPlane.stateDir, 'bench');
await mkdir(folder);
const { kubeconfigPath } = controlPlane;
const files = chartFiles('small', '1.0.0', { 'templates/all.yaml': SMALL_TEMPLATE });
const server = await startChartServer({ small: files });
const archive = join(folder, 'small.tgz');
await writeFile(archive, await packChart('small', files));
const { kube, calls } = countCalls(createKube({ kubeconfigPath, userAgent: 'chandlery-bench' }));
const cluster = kube.asController();
const helm = await countHelm(tools.helm, folder);

interface Row extends PlainRun {
  readonly who: string;
  readonly ownCpuSeconds: number;
  readonly helmRuns: number;
}

try {
  const chart = join(repoRoot, 'charts', 'chandlery');
  await bootstrapCluster(kube, { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') }, signal);
  console.log(`${count} releases of a ConfigMap, a Service and a Deployment without replicas; ${cores} cores.`);
  await plain('warm-up', { count: 5, atOnce: 2 });
  const rows = [
    await chandlery(),
    await plain('helm upgrade --install, one by one', { count, atOnce: 1 }),
    await plain(`helm upgrade --install, ${cores} at once`, { count, atOnce: cores }),
    await plain('helm upgrade --install, 8 at once', { count, atOnce: 8 }),
  ];
  print(rows);
} finally {
  server.close();
  await kube.close();
  await controlPlane.stop();
}

/** All Operators are created at once; it is over when all are READY, their workloads looked at. */
async function chandlery(): Promise<Row> {
  const charts = await openCharts(folder, server.address);
  const input = { kube, kubeconfigPath, helm: helm.program, folder, charts, now: () => new Date() };
  const controller = await startOperatorController(input);
  await createNamespace('chandlery');
  const names = Array.from({ length: count }, (_, index) => `release-${index}`);
  const run = await measure('', { calls, helm, server }, async () => {
    await pMap(names, (name) => cluster.create(OPERATOR, operator(name), { signal }), { concurrency: 16 });
    await controller.untilReady(count);
  });
  const passes = controller.passes();
  await pMap(names, (name) => cluster.delete({ ...OPERATOR, namespace: 'chandlery', name }), { concurrency: 16 });
  await untilGone();
  await controller.stop();
  await removeNamespace('chandlery');
  const verbs = Object.entries(run.helm.byVerb).map(([verb, times]) => `${times} ${verb}`);
  console.log(`Chandlery: helm ${verbs.join(', ')}; ${passes} looks; ${run.calls.reduce((sum, [, times]) => sum + times, 0)} calls:`);
  console.log(
    `  ${run.calls
      .slice(0, 12)
      .map(([what, times]) => `${times} ${what}`)
      .join(', ')}`,
  );
  const { seconds } = run;
  return { who: 'Chandlery', seconds, cpuSeconds: run.helm.cpuSeconds, ownCpuSeconds: run.cpuSeconds, helmRuns: run.helm.count };
}

async function plain(who: string, { count: releases, atOnce }: { readonly count: number; readonly atOnce: number }): Promise<Row> {
  await createNamespace('plain');
  const run = await plainHelm({ program: tools.helm, kubeconfigPath, archive, namespace: 'plain', folder, count: releases, atOnce });
  await removeNamespace('plain');
  return { who, ...run, ownCpuSeconds: 0, helmRuns: releases };
}

function print(rows: readonly Row[]): void {
  const head = ['', 'releases/min', 'wall s', 'helm per release', 'helm CPU s', 'own CPU s', 'CPU ms per release'];
  const cells = rows.map(({ who, seconds, cpuSeconds, ownCpuSeconds, helmRuns }) => [
    who,
    ((count / seconds) * 60).toFixed(0),
    seconds.toFixed(1),
    (helmRuns / count).toFixed(1),
    cpuSeconds.toFixed(1),
    ownCpuSeconds.toFixed(1),
    (((cpuSeconds + ownCpuSeconds) / count) * 1000).toFixed(0),
  ]);
  console.log('');
  printRows([head, ...cells]);
  console.log(
    '\nChandlery fetches the chart, renders it once to find kinds and legacy APIs, checks them, takes a lease, installs, and waits until the',
  );
  console.log('workloads are healthy; plain helm installs from a file on disk and waits for nothing.');
}

function operator(name: string) {
  return {
    apiVersion: 'operatorcontroller.kubeplus/v1',
    kind: 'Operator',
    metadata: { name, namespace: 'chandlery' },
    spec: { chart: { repoURL: 'https://charts.example.com/', name: 'small', version: '1.0.0' }, deletionPolicy: 'Orphan' },
  };
}

async function createNamespace(name: string): Promise<void> {
  await cluster.apply(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } }, { fieldManager: 'bench' });
}

async function removeNamespace(name: string): Promise<void> {
  await cluster.delete({ ...NAMESPACE, name });
  const left = async (): Promise<true | undefined> =>
    (await cluster.list(NAMESPACE)).items.some((one) => one.metadata.name === name) ? undefined : true;
  await eventually(left, `the namespace ${name} is gone`, 120);
}

async function untilGone(): Promise<void> {
  await eventually(async () => ((await cluster.list(OPERATOR)).items.length === 0 ? true : undefined), 'all Operators are gone', 60);
}
