// `npm run bench:tree [-- OBJECTS… --kinds N --seed-minutes N]`: the resource tree of environments of 1,000, 10,000 and 100,000 objects in a cluster that serves 400 kinds,
// beside a client-go informer with the full objects of the same namespace.
import { execFile, fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { CLUSTER_ROLE_BINDING } from '../src/domain/kubernetes/resource-types.ts';
import { loadTools } from '../src/embedded/cluster/tools.ts';
import { createKube, type Kube } from '../src/kube/kube.ts';
import { createNamespaceMemory } from '../src/operation/environment/namespace-memory.ts';
import { namespacedKinds } from '../src/operation/instance/read-objects.ts';
import { repoRoot } from '../test/support/cluster.ts';
import { eventually } from '../test/support/eventually.ts';
import { startBenchControlPlane } from './control-plane.ts';
import { printRows } from './measure-run.ts';
import { readSeededTree } from './read-tree.ts';
import { changeConfigMaps, isSeeded, seedKinds, seedTree } from './seed-tree.ts';
import type { FollowReport, TreeReport } from './tree-child.ts';
import { measureTreePage, type TreePage } from './tree-page.ts';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: { kinds: { type: 'string', default: '400' }, 'seed-minutes': { type: 'string', default: '10' } },
});
const sizes = (positionals.length === 0 ? ['1000', '10000', '100000'] : positionals).map(Number);
const kinds = Number(values.kinds);
/** Of one environment; what is not seeded by then is left out. */
const seedMs = Number(values['seed-minutes']) * 60_000;
/** For 10,000 objects and less; that of the memory is for 10,000 and more, which outweigh code and connections. */
const TARGETS = { objects: 10_000, treeMs: 150, memoryShare: 0.1, p99Ms: 2_000, openMs: 1_000, taskMs: 100 };
const EVENTS = { perSecond: 500, seconds: 10 };
const began = performance.now();
const elapsed = (): string => `${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s`;

const tools = await loadTools(repoRoot);
const informer = await buildInformer();
const controlPlane = await startBenchControlPlane(tools, 'chandlery-bench-tree-', { controllers: 'None' });
const { kubeconfigPath } = controlPlane;
const kube = createKube({ kubeconfigPath, userAgent: 'chandlery-bench' });

interface Measured {
  readonly objects: number;
  readonly ours: Ours;
  readonly peer: InformerReport;
  readonly page: TreePage;
}

try {
  await allowBench(kube);
  await seedKinds(kube.asController(), kinds);
  const served = async (): Promise<boolean> => {
    kube.invalidate();
    return (await kube.kinds()).filter(({ group }) => isSeeded(group)).length === kinds;
  };
  await eventually(served, 'the api-server serves all kinds', 120);
  console.log(`${elapsed()} ${kinds} kinds are served`);
  const all: Measured[] = [];
  for (const objects of sizes) {
    all.push(await measureSize(objects));
    print(all);
  }
} finally {
  await kube.close();
  await controlPlane.stop();
}

async function measureSize(wanted: number): Promise<Measured> {
  const namespace = `tree-${wanted}`;
  const progress = (done: number): void => {
    if (done % 10_000 === 0) console.log(`${elapsed()} ${done} of ${wanted} objects`);
  };
  const until = performance.now() + seedMs;
  const objects = await seedTree(kube.asController(), { namespace, objects: wanted, kinds, until, progress });
  console.log(`${elapsed()} ${objects} objects are seeded${objects < wanted ? `, ${wanted - objects} left out, as the time is up` : ''}`);
  const ours = await measureOurs(namespace);
  console.log(`${elapsed()} measured Chandlery`);
  const peer = await measureInformer(namespace);
  console.log(`${elapsed()} measured the informer`);
  return { objects, ours, peer, page: await measurePage(namespace) };
}

interface Ours extends TreeReport {
  readonly megabytes: number;
  readonly follow: FollowReport & { readonly perSecond: number };
}

async function measureOurs(namespace: string): Promise<Ours> {
  const before = await bytesSent();
  const flags = JSON.parse(await readFile(join(repoRoot, 'bin', 'node-flags.json'), 'utf8')) as string[];
  const env = { ...(JSON.parse(await readFile(join(repoRoot, 'bin', 'node-env.json'), 'utf8')) as Record<string, string>), ...process.env };
  const child = fork(join(import.meta.dirname, 'tree-child.ts'), [kubeconfigPath, namespace], { execArgv: flags, env });
  const [report] = (await once(child, 'message')) as [TreeReport];
  const megabytes = ((await bytesSent()) - before) / 1e6;
  const perSecond = await changeConfigMaps(kube.asController(), namespace, EVENTS);
  child.send('report');
  const [follow] = (await once(child, 'message')) as [FollowReport];
  await once(child, 'exit');
  return { ...report, megabytes, follow: { ...follow, perSecond } };
}

interface InformerReport {
  readonly kinds: number;
  readonly objects: number;
  readonly syncMs: number;
  readonly beforeMiB: number;
  readonly rssMiB: number;
  readonly heapMiB: number;
}

async function measureInformer(namespace: string): Promise<InformerReport> {
  const child = spawn(informer, [kubeconfigPath, namespace], { stdio: ['pipe', 'pipe', 'ignore'] });
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  const exit = once(child, 'exit');
  child.stdin.end();
  await exit;
  return JSON.parse(text.toString('utf8')) as InformerReport;
}

async function measurePage(namespace: string): Promise<TreePage> {
  const cluster = kube.asController();
  const memory = createNamespaceMemory().kindsIn({ user: 'bench', groups: ['bench'] }, namespace);
  const kinds = namespacedKinds(await kube.kinds());
  const { tree } = await readSeededTree(cluster, { namespace, kinds, memory });
  return await measureTreePage(tree);
}

/** What the api-server has answered to lists so far; the lists that watches begin with are not in it. */
async function bytesSent(): Promise<number> {
  const args = [`--kubeconfig=${kubeconfigPath}`, 'get', '--raw', '/metrics'];
  const { stdout } = await promisify(execFile)(tools.kubectl ?? 'kubectl', args, { maxBuffer: 256 * 1024 * 1024 });
  const sizes = stdout.matchAll(/^apiserver_response_sizes_sum\{[^}]*verb="LIST"[^}]*\} (\S+)$/gm);
  return [...sizes].reduce((sum, [, bytes]) => sum + Number(bytes), 0);
}

/** Built from its own go.mod; Go keeps what it has compiled. */
async function buildInformer(): Promise<string> {
  const folder = join(repoRoot, 'node_modules', '.cache', 'chandlery', 'bench');
  await mkdir(folder, { recursive: true });
  const program = join(folder, 'informer');
  const options = { cwd: join(import.meta.dirname, 'informer'), env: { ...process.env, CGO_ENABLED: '0', GOWORK: 'off' } };
  await promisify(execFile)('go', ['build', '-mod=readonly', '-trimpath', '-o', program, '.'], options);
  return program;
}

async function allowBench({ asController }: Kube): Promise<void> {
  await asController().create(CLUSTER_ROLE_BINDING, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRoleBinding',
    metadata: { name: 'bench' },
    roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    subjects: [{ apiGroup: 'rbac.authorization.k8s.io', kind: 'Group', name: 'bench' }],
  });
}

function print(all: readonly Measured[]): void {
  const rows: readonly (readonly [title: string, cell: (one: Measured) => string])[] = [
    ['objects', ({ objects }) => objects.toLocaleString('en')],
    ['calls, all kinds', ({ ours }) => String(ours.cold.calls)],
    ['calls, kinds known', ({ ours }) => String(ours.warm.calls)],
    ['lists of all readings, MB', ({ ours }) => ours.megabytes.toFixed(1)],
    ['first reading in all, ms', ({ ours }) => ours.cold.wholeMs.toFixed(0)],
    ['second reading in all, ms', ({ ours }) => ours.again.wholeMs.toFixed(0)],
    ['tree after the lists, first, ms', ({ ours }) => ours.cold.treeMs.toFixed(0)],
    ['tree after the lists, second, ms', ({ ours }) => ours.again.treeMs.toFixed(0)],
    ['of it work, first, ms', ({ ours }) => ours.cold.treeWorkMs.toFixed(0)],
    ['of it work, second, ms', ({ ours }) => ours.again.treeWorkMs.toFixed(0)],
    ['memory at the start, MiB', ({ ours }) => ours.beforeMiB.toFixed(0)],
    ['memory above the start, watching, MiB', (one) => ourMiB(one).toFixed(0)],
    ['of it heap, MiB', ({ ours }) => ours.heapMiB.toFixed(0)],
    ['peak above the start, MiB', ({ ours }) => (ours.peakMiB - ours.beforeMiB).toFixed(0)],
    ['informer: sync, ms', ({ peer }) => peer.syncMs.toFixed(0)],
    ['informer: heap, MiB', ({ peer }) => peer.heapMiB.toFixed(0)],
    ['informer: memory at the start, MiB', ({ peer }) => peer.beforeMiB.toFixed(0)],
    ['informer: memory above the start, MiB', (one) => peerMiB(one).toFixed(0)],
    ['share of the informer', (one) => `${((100 * ourMiB(one)) / peerMiB(one)).toFixed(0)} %`],
    ['events a second', ({ ours }) => ours.follow.perSecond.toFixed(0)],
    ['watch to page, median, ms', ({ ours }) => ours.follow.medianMs.toFixed(0)],
    ['watch to page, 99 %, ms', ({ ours }) => ours.follow.p99Ms.toFixed(0)],
    ['page opens in Chromium, ms', ({ page }) => page.openMs.toFixed(0)],
    ['longest task of its main thread, ms', ({ page }) => page.longestTaskMs.toFixed(0)],
    ['page, KB', ({ page }) => page.kilobytes.toFixed(0)],
  ];
  console.log('');
  printRows(rows.map(([title, cell]) => [title, ...all.map(cell)]));
  console.log('');
  const checks = all.flatMap(checksOf);
  for (const [sentence, holds] of checks) console.log(`${holds ? '✔' : '✖'} ${sentence}`);
  process.exitCode = checks.every(([, holds]) => holds) ? 0 : 1;
}

function ourMiB({ ours }: Measured): number {
  return ours.restMiB - ours.beforeMiB;
}

function peerMiB({ peer }: Measured): number {
  return peer.rssMiB - peer.beforeMiB;
}

function checksOf(one: Measured): readonly (readonly [sentence: string, holds: boolean])[] {
  const { objects, ours, page } = one;
  const of = `${objects.toLocaleString('en')} objects`;
  const share = ourMiB(one) / peerMiB(one);
  const memory = `${of}: ${(100 * share).toFixed(1)} % of the informer's memory (at most ${100 * TARGETS.memoryShare} %)`;
  const ofMemory = objects < TARGETS.objects ? [] : [[memory, share <= TARGETS.memoryShare] as const];
  if (objects > TARGETS.objects) return ofMemory;
  const { perSecond, p99Ms } = ours.follow;
  const below = (text: string, ms: number, target: number): readonly [string, boolean] => [
    `${of}: ${text} ${ms.toFixed(0)} ms (below ${target} ms)`,
    ms < target,
  ];
  return [
    below('the tree after the lists, work', ours.again.treeWorkMs, TARGETS.treeMs),
    ...ofMemory,
    below(`watch to page at ${perSecond.toFixed(0)} changes a second (${EVENTS.perSecond} asked for), 99 %`, p99Ms, TARGETS.p99Ms),
    below('the page opens in Chromium', page.openMs, TARGETS.openMs),
    below('the longest task of its main thread', page.longestTaskMs, TARGETS.taskMs),
  ];
}
