// `npm run bench:sources [-- COUNT…]`: what a CatalogSource of so many ConfigMaps (1,000 and 10,000) costs, beside `kubectl apply --server-side` and Flux's
// kustomize-controller with the same files.
import { mkdir, writeFile } from 'node:fs/promises';
import { basename, join } from 'node:path';
import { execa } from 'execa';
import { stringifyJson } from '../src/domain/core/exact-json.ts';
import { CATALOG_SOURCE, NAMESPACE } from '../src/domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../src/domain/kubernetes/resource.ts';
import { loadTools } from '../src/embedded/cluster/tools.ts';
import { createFolderReader } from '../src/folder/read-source-folder.ts';
import { bootstrapCluster } from '../src/kube/bootstrap.ts';
import { createKube } from '../src/kube/kube.ts';
import { createLog } from '../src/observe/log.ts';
import { createSourceReconciler } from '../src/reconcile/source/reconcile-source.ts';
import { repoRoot } from '../test/support/cluster.ts';
import { startBenchControlPlane } from './control-plane.ts';
import { type Flux, startFlux } from './flux.ts';

const sizes = process.argv.slice(2).map(Number);
const DOCUMENTS_A_FILE = 100;
const POLLS = 20;
const signal = AbortSignal.timeout(30 * 60_000);

const tools = await loadTools(repoRoot);
const controlPlane = await startBenchControlPlane(tools, 'chandlery-bench-sources-');
const { kubeconfigPath } = controlPlane;
let calls = 0;
const count = (): void => {
  calls += 1;
};
const kube = createKube({ kubeconfigPath, userAgent: 'chandlery-bench', observe: count });
const cluster = kube.asController();
let cached: KubeObject | undefined;
const nothing = (): Promise<undefined> => Promise.resolve(undefined);
const none = { checkout: () => Promise.reject(new Error('no such source')), latest: nothing, beside: nothing };
const { reconcile, forget } = createSourceReconciler({
  cluster,
  asServiceAccount: kube.asServiceAccount,
  discovery: kube,
  appKinds: () => [],
  readFolder: createFolderReader(tools.kubectl ?? 'kubectl'),
  git: none,
  artifacts: none,
  cached: () => cached,
  events: { record: () => Promise.resolve() },
  log: createLog({ level: 'silent', format: 'lines', write: () => undefined }),
  now: () => new Date(),
});

interface Row {
  readonly what: string;
  readonly seconds: number;
  readonly cpu: number;
  readonly calls: number | string;
}

try {
  const chart = join(repoRoot, 'charts', 'chandlery');
  await bootstrapCluster(kube, { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') }, signal);
  const flux = await startFlux(cluster, controlPlane);
  try {
    for (const size of sizes.length > 0 ? sizes : [1_000, 10_000]) await measureSize(size, flux);
  } finally {
    await flux.stop();
  }
} finally {
  await kube.close();
  await controlPlane.stop();
}

async function measureSize(size: number, flux: Flux): Promise<void> {
  const name = `bench-${size}`;
  const [ours, theirs, ofFlux] = [name, `${name}-kubectl`, `${name}-flux`].map((own) => join(controlPlane.stateDir, own)) as [
    string,
    string,
    string,
  ];
  for (const folder of [ours, theirs, ofFlux]) await writeFiles(folder, size, basename(folder));
  for (const namespace of [ours, theirs, ofFlux].map((folder) => basename(folder)))
    await cluster.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
  const spec = { folder: { path: ours }, allowedKinds: [{ group: '', kind: 'ConfigMap' }], selfHealInterval: '1h' };
  await cluster.create(CATALOG_SOURCE, { apiVersion: 'chandlery.dev/v1alpha1', kind: 'CatalogSource', metadata: { name }, spec });
  await reconcile(name, signal);
  const look = async (): Promise<void> => {
    await reconcile(name, signal);
  };
  const refresh = async (): Promise<void> => {
    cached = await cluster.get({ ...CATALOG_SOURCE, name });
  };
  const rows = [await measure('first sync', look)];
  await refresh();
  rows.push(await measurePolls(look));
  await writeFile(join(ours, '0.yaml'), fileOf(0, name, 'changed'));
  rows.push(await measure('100 documents changed', look));
  await refresh();
  forget(name);
  rows.push(await measure('everything applied again', look));
  const kubectl = `${tools.kubectl ?? 'kubectl'} apply --server-side --kubeconfig ${kubeconfigPath} -f ${theirs}`;
  rows.push(await measureProgram('kubectl apply --server-side, first', kubectl));
  rows.push(await measureProgram('kubectl apply --server-side, again', kubectl));
  rows.push(...(await measureFlux(flux, ofFlux)));
  console.log(`\n${size} ConfigMaps; ${Math.round(process.memoryUsage().rss / 2 ** 20)} MiB; status ${statusBytes()} KiB`);
  console.table(rows);
}

function statusBytes(): number {
  return Math.round(stringifyJson(cached?.status ?? {}).length / 1024);
}

async function measure(what: string, work: () => Promise<void>): Promise<Row> {
  const [began, cpu, before] = [performance.now(), process.cpuUsage(), calls];
  await work();
  const { user, system } = process.cpuUsage(cpu);
  return { what, seconds: rounded((performance.now() - began) / 1_000), cpu: rounded((user + system) / 1e6), calls: calls - before };
}

/** One of many polls, so that collecting the garbage of the sync before does not count as the first one's. */
async function measurePolls(look: () => Promise<void>): Promise<Row> {
  const {
    seconds,
    cpu,
    calls: all,
  } = await measure('', async () => {
    for (let poll = 0; poll < POLLS; poll += 1) await look();
  });
  return { what: `no-op poll, one of ${POLLS}`, seconds: rounded(seconds / POLLS), cpu: rounded(cpu / POLLS), calls: all };
}

async function measureFlux(flux: Flux, folder: string): Promise<Row[]> {
  const name = basename(folder);
  const measured = async (what: string, work: () => Promise<void>): Promise<Row> => {
    const [began, cpu] = [performance.now(), await flux.cpuSeconds()];
    await work();
    const seconds = rounded((performance.now() - began) / 1_000);
    return { what: `kustomize-controller, ${what}`, seconds, cpu: rounded((await flux.cpuSeconds()) - cpu), calls: '' };
  };
  const rows = [
    await measured('first sync', async () => await flux.apply(name, folder)),
    await measured('no-op', async () => await flux.lookAgain(name)),
  ];
  await writeFile(join(folder, '0.yaml'), fileOf(0, name, 'changed'));
  return [...rows, await measured('100 documents changed', async () => await flux.apply(name, folder))];
}

/** The second line of the shell's `times` is about its children. */
async function measureProgram(what: string, command: string): Promise<Row> {
  const began = performance.now();
  const { stdout } = await execa('bash', ['-c', `${command} >/dev/null && times`]);
  const seconds = rounded((performance.now() - began) / 1_000);
  const parts = [...(stdout.split('\n')[1] ?? '').matchAll(/(\d+)m([\d.]+)s/g)];
  return { what, seconds, cpu: rounded(parts.reduce((sum, [, minutes, rest]) => sum + 60 * Number(minutes) + Number(rest), 0)), calls: '' };
}

function rounded(number: number): number {
  return Math.round(number * 1_000) / 1_000;
}

async function writeFiles(folder: string, size: number, namespace: string): Promise<void> {
  await mkdir(folder);
  for (let file = 0; file < size / DOCUMENTS_A_FILE; file += 1)
    await writeFile(join(folder, `${file}.yaml`), fileOf(file, namespace, 'first'));
}

function fileOf(file: number, namespace: string, value: string): string {
  const document = (index: number): string =>
    `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: config-${file}-${index}, namespace: ${namespace}}\ndata: {value: ${value}}\n`;
  return Array.from({ length: DOCUMENTS_A_FILE }, (_, index) => document(index)).join('---\n');
}
