// `npm run bench:catalog [-- COUNT… --megabytes N --against CHECKOUT]`: what the product takes in a cluster with so many CRDs (100, then 400) of so many
// megabytes together (57), all of them in its catalogue; and the same for another checkout of it. The api-server takes a gigabyte for each 12 MB.
import { fork, spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { loadavg } from 'node:os';
import { join, resolve } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import pMap from 'p-map';
import { stringifyJson } from '../src/domain/core/exact-json.ts';
import { CRD } from '../src/domain/kubernetes/resource-types.ts';
import { numberAt } from '../src/domain/core/read.ts';
import { mintDemoToken } from '../src/embedded/issuer/mint-demo-token.ts';
import { loadTools } from '../src/embedded/cluster/tools.ts';
import { bootstrapCluster } from '../src/kube/bootstrap.ts';
import { createKube } from '../src/kube/kube.ts';
import { chartFiles, packChart } from '../test/support/charts.ts';
import { repoRoot } from '../test/support/cluster.ts';
import { eventually } from '../test/support/eventually.ts';
import type { CatalogReport, CatalogStart } from './catalog-child.ts';
import { startBenchControlPlane } from './control-plane.ts';
import { crdName, isLargeGroup, kindName, largeCrd } from './large-crds.ts';
import type { LongestTurn } from './loop-probe.ts';
import { printRows } from './measure-run.ts';
import { peakMiB } from './peak-memory.ts';

const TARGETS = { rssMiB: 350, turnMs: 50 };
/** What an Operator may list. */
const KINDS_AN_OPERATOR = 100;
const APPS_OPENED = 20;
const REST_MS = 20_000;
/** The api-server takes seconds for each label of a CRD, on a busy machine. */
const READY_SECONDS = 1_800;

const began = performance.now();
const elapsed = (): string => `${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s`;
const options = { against: { type: 'string' }, megabytes: { type: 'string', default: '57' } } as const;
const { values, positionals } = parseArgs({ options, allowPositionals: true });
const counts = positionals.length === 0 ? [100, 400] : positionals.map(Number);
const tools = await loadTools(repoRoot);

/** What one life of the product took. */
interface Life {
  readonly title: string;
  /** The longest turn before it served anybody. */
  readonly start: LongestTurn;
  /** Until all Apps were in the catalogue. */
  readonly readySeconds: number;
  readonly ready: CatalogReport;
  readonly rest: CatalogReport;
  readonly pages: CatalogReport;
  /** The slowest page, in milliseconds. */
  readonly pageMs: number;
}

console.log(`load ${loadavg()[0]?.toFixed(1) ?? '?'} before the start\n`);
for (const count of counts) await measureWith(count);

async function measureWith(count: number): Promise<void> {
  const cluster = await startBenchControlPlane(tools, 'chandlery-bench-catalog-');
  // It goes with the control plane.
  const folder = join(cluster.stateDir, 'bench');
  try {
    const megabytes = await createCrds(cluster.kubeconfigPath, count);
    console.log(`${elapsed()} ${count} CRDs, ${megabytes.toFixed(0)} MB of JSON`);
    await writeOffer(folder, count);
    const start = { folder, kubeconfigPath: cluster.kubeconfigPath, count };
    const lives = [
      await live({ ...start, title: 'first start: its Operators take the CRDs', checkout: repoRoot }),
      await live({ ...start, title: 'restart', checkout: repoRoot }),
      ...(values.against === undefined ? [] : [await live({ ...start, title: values.against, checkout: resolve(values.against) })]),
    ];
    report(lives, await kubectlPeak(cluster.kubeconfigPath));
  } finally {
    await cluster.stop();
  }
}

/** @returns what they have as JSON, in megabytes. */
async function createCrds(kubeconfigPath: string, count: number): Promise<number> {
  const kube = createKube({ kubeconfigPath, userAgent: 'chandlery-bench' });
  let bytes = 0;
  const create = async (n: number): Promise<void> => {
    const crd = largeCrd(n, (Number(values.megabytes) * 1e6) / count);
    bytes += stringifyJson(crd).length;
    await kube.asController().create(CRD, crd, { fieldManager: 'bench' });
  };
  try {
    const chart = join(repoRoot, 'charts', 'chandlery');
    const files = { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') };
    await bootstrapCluster(kube, files, AbortSignal.timeout(READY_SECONDS * 1_000));
    await pMap(Array(count).keys(), create, { concurrency: 2 });
    const served = async (): Promise<boolean> => {
      kube.invalidate();
      return (await kube.kinds()).filter(({ group }) => isLargeGroup(group)).length === count;
    };
    await eventually(served, 'the api-server serves all CRDs', READY_SECONDS);
    return bytes / 1e6;
  } finally {
    await kube.close();
  }
}

/** A chart of one ConfigMap, and the catalogue with Operators that say the CRDs are their own, as if they had registered them. */
async function writeOffer(folder: string, count: number): Promise<void> {
  const catalog = join(folder, 'catalog');
  const template = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: "{{ .Release.Name }}"}\n';
  await mkdir(catalog, { recursive: true });
  await writeFile(
    join(folder, 'large-1.0.0.tgz'),
    await packChart('large', chartFiles('large', '1.0.0', { 'templates/map.yaml': template })),
  );
  for (let first = 0; first < count; first += KINDS_AN_OPERATOR) {
    const kinds = Array.from({ length: Math.min(KINDS_AN_OPERATOR, count - first) }, (_, n) => first + n);
    const operator = {
      apiVersion: 'operatorcontroller.kubeplus/v1',
      kind: 'Operator',
      metadata: { namespace: 'chandlery-system', name: `large-${first}` },
      spec: {
        name: `large-${first}`,
        chart: { repoURL: 'file://bench', name: 'large', version: '1.0.0' },
        catalog: { kinds: kinds.map((n) => ({ kind: kindName(n), definition: crdName(n) })) },
      },
    };
    await writeFile(join(catalog, `large-${first}.yaml`), JSON.stringify(operator));
  }
}

interface Start {
  readonly title: string;
  readonly checkout: string;
  readonly folder: string;
  readonly kubeconfigPath: string;
  readonly count: number;
}

async function live({ title, checkout, folder, kubeconfigPath, count }: Start): Promise<Life> {
  const stateDir = join(folder, `state-${title.replace(/\W+/g, '-')}`);
  await mkdir(stateDir);
  const options = ['--kubeconfig', kubeconfigPath, '--catalog', join(folder, 'catalog'), '--chart-root', `bench=${folder}`];
  const flags = JSON.parse(await readFile(join(checkout, 'bin', 'node-flags.json'), 'utf8')) as string[];
  // Older checkouts have none.
  const variables = JSON.parse(await readFile(join(checkout, 'bin', 'node-env.json'), 'utf8').catch(() => '{}')) as Record<string, string>;
  const began = performance.now();
  const child = fork(join(import.meta.dirname, 'catalog-child.ts'), [checkout, stateDir, ...options], {
    execArgv: flags,
    env: { ...variables, ...process.env },
  });
  const [{ origin, turn }] = (await once(child, 'message')) as [CatalogStart];
  try {
    const token = await mintDemoToken({ stateDir, name: 'admin' });
    const open = (path: string): Promise<Response> => fetch(`${origin}${path}`, { headers: { Authorization: `Bearer ${token}` } });
    const held = async (): Promise<boolean> =>
      numberAt(await (await open('/api/v1/apps?availability=Available&limit=1')).json(), 'total') === count;
    await eventually(held, `${count} Apps are in the catalogue`, READY_SECONDS);
    console.log(`${elapsed()} ${title}: ready`);
    const readySeconds = (performance.now() - began) / 1_000;
    const ready = await ask(child);
    await sleep(REST_MS);
    const rest = await ask(child);
    const pageMs = await openPages(open, count);
    return { title, start: turn, readySeconds, ready, rest, pages: await ask(child), pageMs };
  } finally {
    const exit = once(child, 'exit');
    child.kill('SIGTERM');
    await exit;
  }
}

/** The catalogue, then Apps and their forms, each of another kind. */
async function openPages(open: (path: string) => Promise<Response>, count: number): Promise<number> {
  const apps = Array.from({ length: Math.min(APPS_OPENED, count) }, (_, n) => crdName(Math.floor((n * count) / APPS_OPENED)));
  let slowest = 0;
  for (const path of ['/', ...apps.flatMap((app) => [`/apps/${app}`, `/apps/${app}/install`])]) {
    const began = performance.now();
    const response = await open(path);
    await response.arrayBuffer();
    if (response.status !== 200) throw new Error(`${path} was answered ${response.status}`);
    slowest = Math.max(slowest, performance.now() - began);
  }
  return slowest;
}

async function ask(child: ChildProcess): Promise<CatalogReport> {
  child.send('report');
  const [report] = (await once(child, 'message')) as [CatalogReport];
  return report;
}

/** What a program takes that reads all CRDs at once. */
async function kubectlPeak(kubeconfigPath: string): Promise<number> {
  const args = [`--kubeconfig=${kubeconfigPath}`, 'get', 'crd', '-o', 'json'];
  const child = spawn(tools.kubectl ?? 'kubectl', args, { stdio: ['ignore', 'ignore', 'inherit'] });
  let peak = 0;
  const timer = setInterval(() => (peak = Math.max(peak, peakMiB(child.pid ?? 0) ?? 0)), 20);
  await once(child, 'exit');
  clearInterval(timer);
  return peak;
}

function report(lives: readonly Life[], kubectlMiB: number): void {
  const head = [
    '',
    'ready s',
    'RSS at rest MiB',
    'heap MiB',
    'RSS with pages MiB',
    'peak MiB',
    'turn at start ms',
    'longest turn ms',
    'with pages ms',
    'slowest page ms',
  ];
  const rows = lives.map(({ title, start, readySeconds, ready, rest, pages, pageMs }) => [
    title,
    readySeconds.toFixed(1),
    rest.rssMiB.toFixed(0),
    rest.heapMiB.toFixed(0),
    pages.rssMiB.toFixed(0),
    pages.peakMiB.toFixed(0),
    start.workMs.toFixed(0),
    Math.max(ready.turn.workMs, rest.turn.workMs).toFixed(0),
    pages.turn.workMs.toFixed(0),
    pageMs.toFixed(0),
  ]);
  printRows([head, ...rows]);
  console.log(`kubectl get crd -o json: ${kubectlMiB.toFixed(0)} MiB`);
  const [first, restart] = lives;
  const held = [first, restart].every((life) => life !== undefined && isHeld(life));
  console.log(`${held ? 'held' : 'NOT held'}: RSS below ${TARGETS.rssMiB} MiB at its peak, no turn of more than ${TARGETS.turnMs} ms\n`);
  if (!held) process.exitCode = 1;
}

function isHeld({ ready, rest, pages }: Life): boolean {
  return pages.peakMiB < TARGETS.rssMiB && [ready, rest, pages].every(({ turn }) => turn.workMs < TARGETS.turnMs);
}
