// `npm run bench:releases [-- COUNT]`: so many instances of a chart (200) installed in three environments and upgraded in waves by the product, and the same
// releases by plain helm one by one and in parallel, on one control plane; beside each of them one person looks at pages, and what they notice of it is measured.
import { fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, realpath, rm, writeFile } from 'node:fs/promises';
import { availableParallelism, tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import pMap from 'p-map';
import { stringify } from 'yaml';
import { parseAppDefinitionStatus } from '../src/domain/app-definition/app-definition.ts';
import { parseInstanceStatus } from '../src/domain/app-instance/instance.ts';
import { textAt } from '../src/domain/core/read.ts';
import { findCondition } from '../src/domain/kubernetes/condition.ts';
import { APP_DEFINITION, NAMESPACE } from '../src/domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../src/domain/kubernetes/resource.ts';
import { loadTools } from '../src/embedded/cluster/tools.ts';
import { createKube } from '../src/kube/kube.ts';
import { startReflector } from '../src/kube/watch/reflector.ts';
import { createLog } from '../src/observe/log.ts';
import { packChart } from '../test/support/charts.ts';
import { repoRoot } from '../test/support/cluster.ts';
import { eventually } from '../test/support/eventually.ts';
import { productAt } from '../test/support/product.ts';
import { printRows } from './measure-run.ts';
import { plainHelm } from './plain-helm.ts';
import { SMALL_TEMPLATE } from './small-chart.ts';

const count = Number(process.argv[2] ?? 200);
const cores = availableParallelism();
const TIERS = ['development', 'staging', 'production'] as const;
const SMALLS = { group: 'apps.chandlery.dev', version: 'v1alpha1', resource: 'smalls' };
const [FIRST, SECOND] = ['1.0.0', '2.0.0'] as const;
const TARGETS = { share: 0.9, pageMs: 250 };
/** One by one says nothing more of so many. */
const SERIAL = Math.min(count, 40);
const WITHIN_S = 480;
/** Of a clock of the kernel. */
const TICKS = 100;

const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-bench-releases-'));
const [stateDir, catalogDir, chartsDir] = ['state', 'catalog', 'charts'].map((name) => join(folder, name)) as [string, string, string];
for (const made of [stateDir, catalogDir, chartsDir]) await mkdir(made);
await writeFile(join(catalogDir, 'environments.yaml'), TIERS.map((tier) => stringify(environmentOf(tier))).join('---\n'));
const archives = await Promise.all([FIRST, SECOND].map(writeChart));
const tools = await loadTools(repoRoot);
const product = await startProduct();
const kube = createKube({ kubeconfigPath: product.kubeconfigPath, userAgent: 'chandlery-bench' });
const cluster = kube.asController();
const over = new AbortController();

interface Row {
  readonly who: string;
  readonly count: number;
  readonly seconds: number;
  readonly helmCpu: number;
  readonly ownCpu: number;
  /** Runs of helm by their command; absent for plain helm, which has one a release. */
  readonly runs?: Readonly<Record<string, number>>;
  readonly pages: Pages;
}

/** What one person has met in their pages meanwhile. */
interface Pages {
  /** Milliseconds, sorted. */
  readonly times: readonly number[];
  readonly errors: number;
}

try {
  console.log(
    `${count} instances of a ConfigMap, a Service and a Deployment without replicas, in ${TIERS.length} environments; ${cores} cores.`,
  );
  await offer();
  await plain('warm-up', { releases: 4, atOnce: 2 }, 0);
  const instances = startReflector({
    cluster,
    type: SMALLS,
    signal: over.signal,
    log: createLog({ level: 'warn', format: 'lines', write: console.error }),
  });
  const ours = [await chandlery('install', FIRST, install), await chandlery('upgrade', SECOND, upgrade)];
  const serial = await plain('helm upgrade --install, one by one', { releases: SERIAL, atOnce: 1 }, 0);
  const installs = [
    await plain(`helm, install, ${cores} at once`, { releases: count, atOnce: cores }, 0),
    await plain('helm, install, 8 at once', { releases: count, atOnce: 8 }, 0),
  ];
  const upgrades = [await plain(`helm, upgrade, ${cores} at once`, { releases: count, atOnce: cores }, 1)];
  report({ ours, peers: [serial, ...installs, ...upgrades], best: [installs, upgrades] });

  async function chandlery(verb: string, version: string, act: () => Promise<void>): Promise<Row> {
    const [before, runs] = [await cpuOf(product.pid), await helmRuns()];
    const pages = visitPages();
    const began = performance.now();
    await act();
    const isDone = (object: KubeObject): boolean => {
      const status = parseInstanceStatus(object);
      return status.version === version && findCondition(status.conditions, 'Ready')?.status === 'True';
    };
    await eventually(async () => instances.all().filter(isDone).length === count, `all instances are ready at ${version}`, WITHIN_S);
    const seconds = (performance.now() - began) / 1_000;
    const [after, now] = [await cpuOf(product.pid), await helmRuns()];
    const more = Object.entries(now).map(([command, times]) => [command, times - (runs[command] ?? 0)] as const);
    return {
      who: `Chandlery, ${verb}`,
      count,
      seconds,
      ownCpu: after.own - before.own,
      helmCpu: after.children - before.children,
      runs: Object.fromEntries(more),
      pages: await pages(),
    };
  }
} finally {
  over.abort();
  await kube.close();
  await product.stop();
  await rm(folder, { recursive: true, force: true, maxRetries: 5 });
}

/** The product as `npm start` runs it, with a control plane of its own. */
async function startProduct() {
  const flags = JSON.parse(await readFile(join(repoRoot, 'bin', 'node-flags.json'), 'utf8')) as string[];
  const variables = JSON.parse(await readFile(join(repoRoot, 'bin', 'node-env.json'), 'utf8')) as Record<string, string>;
  const program = join(repoRoot, 'test', 'attacks', 'product-process.ts');
  const options = ['--catalog', catalogDir, '--chart-root', `bench=${chartsDir}`];
  const child = fork(program, [stateDir, ...options], { execArgv: flags, env: { ...variables, ...process.env } });
  const [message] = (await once(child, 'message', { signal: AbortSignal.timeout(120_000) })) as unknown[];
  const origin = textAt(message, 'origin');
  if (origin === undefined) throw new Error(`the product did not start: ${textAt(message, 'failure') ?? ''}`);
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await once(child, 'exit');
  };
  return { ...productAt({ origin, stateDir, stop }), pid: child.pid ?? 0 };
}

async function offer(): Promise<void> {
  await eventually(async () => (await fetch(`${product.origin}/readyz`)).status === 200, 'the product is ready', 60);
  const ready = async (tier: string): Promise<boolean> => (await product.api('dev-a', `/environments/${tier}`)).status === 200;
  await eventually(async () => (await Promise.all(TIERS.map(ready))).every(Boolean), 'the environments are there', 60);
  const spec = {
    chart: { repoURL: 'file://bench', name: 'small', version: FIRST },
    updatePolicy: 'Automatic',
    rollout: { maxConcurrent: 40 },
    interval: '10s',
  };
  await cluster.create(APP_DEFINITION, { apiVersion: 'chandlery.dev/v1alpha1', kind: 'AppDefinition', metadata: { name: 'small' }, spec });
  const isReady = (definition: KubeObject): boolean =>
    findCondition(parseAppDefinitionStatus(definition).conditions, 'Ready')?.status === 'True';
  await eventually(async () => isReady(await cluster.get({ ...APP_DEFINITION, name: 'small' })), 'the app is offered', 60);
}

async function install(): Promise<void> {
  await pMap(
    Array.from({ length: count }, (_, index) => index),
    async (index) => {
      const metadata = { name: `app-${index}`, namespace: TIERS[index % TIERS.length] ?? '' };
      await cluster.create(SMALLS, { apiVersion: 'apps.chandlery.dev/v1alpha1', kind: 'Small', metadata, spec: {} });
    },
    { concurrency: 16 },
  );
}

/** From here the controller of AppDefinitions decides whose turn it is. */
async function upgrade(): Promise<void> {
  await cluster.patch({ ...APP_DEFINITION, name: 'small' }, { type: 'merge', body: { spec: { chart: { version: SECOND } } } });
}

/** One person looks at pages until the answer is called. */
function visitPages(): () => Promise<Pages> {
  const ending = new AbortController();
  const times: number[] = [];
  let errors = 0;
  const visit = async (): Promise<void> => {
    const headers = { Authorization: `Bearer ${await product.token('dev-a')}` };
    const paths = ['/environments/development', '/environments/development/instances/smalls.apps.chandlery.dev/app-0'];
    for (let turn = 0; !ending.signal.aborted; turn += 1) {
      const began = performance.now();
      const response = await fetch(`${product.origin}${paths[turn % paths.length] ?? ''}`, { headers });
      await response.text();
      // The first instance is not there yet when the first page is asked for.
      if (response.ok) times.push(performance.now() - began);
      else if (turn > 10) errors += 1;
      await sleep(200);
    }
  };
  const visiting = visit();
  return async () => {
    ending.abort();
    await visiting;
    return { times: times.sort((a, b) => a - b), errors };
  };
}

/** Seconds of processor time of a process, and of the helm programs that it has waited for. */
async function cpuOf(pid: number): Promise<{ readonly own: number; readonly children: number }> {
  const fields = (await readFile(`/proc/${pid}/stat`, 'utf8'))
    .replace(/^.*\) /, '')
    .split(' ')
    .map(Number);
  const [user = 0, system = 0, childUser = 0, childSystem = 0] = fields.slice(11, 15);
  return { own: (user + system) / TICKS, children: (childUser + childSystem) / TICKS };
}

/** How often the product has run helm, by command. */
async function helmRuns(): Promise<Readonly<Record<string, number>>> {
  const text = await (await fetch(`${product.origin}/metrics`)).text();
  const counts: Record<string, number> = {};
  for (const [, command = '', times = ''] of text.matchAll(/^chandlery_helm_duration_seconds_count\{.*?command="([^"]*)".*?\} (\S+)$/gm))
    counts[command] = (counts[command] ?? 0) + Number(times);
  return counts;
}

async function plain(
  who: string,
  { releases, atOnce }: { readonly releases: number; readonly atOnce: number },
  archive: 0 | 1,
): Promise<Row> {
  const namespace = `plain-${who.replaceAll(/[^a-z0-9]+/g, '-').replaceAll('upgrade', 'install')}`.slice(0, 60).replace(/-$/, '');
  await cluster.apply(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, { fieldManager: 'bench' });
  const { kubeconfigPath } = product;
  const pages = visitPages();
  const run = await plainHelm({
    program: tools.helm,
    kubeconfigPath,
    archive: archives[archive] ?? '',
    namespace,
    folder,
    count: releases,
    atOnce,
  });
  return { who, count: releases, seconds: run.seconds, helmCpu: run.cpuSeconds, ownCpu: 0, pages: await pages() };
}

interface Outcome {
  readonly ours: readonly Row[];
  readonly peers: readonly Row[];
  /** Of installations and of upgrades, the peers in parallel. */
  readonly best: readonly (readonly Row[])[];
}

function report({ ours, peers, best }: Outcome): void {
  const rate = (row: Row): number => (row.count / row.seconds) * 60;
  const cells = [...ours, ...peers].map((row) => [
    row.who,
    String(row.count),
    rate(row).toFixed(0),
    row.seconds.toFixed(1),
    row.helmCpu.toFixed(1),
    row.ownCpu.toFixed(1),
    (((row.helmCpu + row.ownCpu) / row.count) * 1_000).toFixed(0),
    String(row.pages.times.length),
    pageTime(row, 0.5).toFixed(0),
    pageTime(row, 0.99).toFixed(0),
  ]);
  console.log('');
  printRows([['', 'releases', 'a minute', 'wall s', 'helm CPU s', 'own CPU s', 'CPU ms each', 'pages', 'p50 ms', 'p99 ms'], ...cells]);
  for (const { who, runs = {}, count: releases } of ours) {
    const counts = Object.entries(runs)
      .filter(([, times]) => times > 0)
      .map(([command, times]) => `${(times / releases).toFixed(2)} ${command}`);
    console.log(`${who}: helm a release: ${counts.join(', ')}`);
  }
  const shares = ours.map((row, index) => rate(row) / Math.max(...(best[index] ?? []).map(rate)));
  console.log(
    `\nof the best parallel helm: ${ours.map(({ who }, index) => `${who} ${(shares[index] ?? 0).toFixed(2)}`).join(', ')} (aim ${TARGETS.share})`,
  );
  const slowest = Math.max(...ours.map((row) => pageTime(row, 0.99)));
  const errors = ours.reduce((sum, { pages }) => sum + pages.errors, 0);
  console.log(`pages meanwhile: ${errors} errors, p99 ${slowest.toFixed(0)} ms (aim ${TARGETS.pageMs})`);
  process.exitCode = shares.every((share) => share >= TARGETS.share) && slowest < TARGETS.pageMs && errors === 0 ? 0 : 1;
}

/** Milliseconds within which so large a share of the pages came. */
function pageTime({ pages: { times } }: Row, share: number): number {
  return times[Math.min(times.length - 1, Math.floor(times.length * share))] ?? 0;
}

function environmentOf(tier: string): object {
  const spec = { tier, groups: [{ name: 'oidc:team-a', role: 'developer' }] };
  return { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: tier }, spec };
}

async function writeChart(version: string): Promise<string> {
  const file = join(chartsDir, `small-${version}.tgz`);
  const files = {
    'Chart.yaml': `apiVersion: v2\nname: small\nversion: ${version}\n`,
    'values.yaml': 'greeting: hello\n',
    'templates/all.yaml': SMALL_TEMPLATE,
  };
  await writeFile(file, await packChart('small', files));
  return file;
}
