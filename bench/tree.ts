// `npm run bench:tree [-- OBJECTS… --kinds N]`: the resource tree of environments of 1,000, 10,000 and 100,000 objects in a cluster that serves 400 kinds,
// beside a client-go informer with the full objects of the same namespace.
import { fork, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import { parseArgs, promisify } from 'node:util';
import { execFile } from 'node:child_process';
import { CLUSTER_ROLE_BINDING } from '../src/domain/kubernetes/resource-types.ts';
import { loadTools } from '../src/embedded/cluster/tools.ts';
import { createKube, type Kube } from '../src/kube/kube.ts';
import { repoRoot } from '../test/support/cluster.ts';
import { eventually } from '../test/support/eventually.ts';
import { startBenchControlPlane } from './control-plane.ts';
import { printRows } from './measure-run.ts';
import { isSeeded, seedKinds, seedTree } from './seed-tree.ts';
import type { TreeReport } from './tree-child.ts';

const { values, positionals } = parseArgs({ allowPositionals: true, options: { kinds: { type: 'string', default: '400' } } });
const sizes = (positionals.length === 0 ? ['1000', '10000', '100000'] : positionals).map(Number);
const kinds = Number(values.kinds);
/** For 10,000 objects. */
const TARGETS = { treeMs: 150, memoryShare: 0.1 };
const began = performance.now();
const elapsed = (): string => `${((performance.now() - began) / 1_000).toFixed(0).padStart(4)} s`;

const tools = await loadTools(repoRoot);
const informer = await buildInformer();
const controlPlane = await startBenchControlPlane(tools, 'chandlery-bench-tree-', { controllers: 'None' });
const { kubeconfigPath } = controlPlane;
const kube = createKube({ kubeconfigPath, userAgent: 'chandlery-bench' });

interface Measured {
  readonly objects: number;
  readonly ours: TreeReport;
  readonly peer: InformerReport;
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
  for (const objects of sizes) all.push(await measureSize(objects));
  print(all);
} finally {
  await kube.close();
  await controlPlane.stop();
}

async function measureSize(objects: number): Promise<Measured> {
  const namespace = `tree-${objects}`;
  const progress = (done: number): void => {
    if (done % 10_000 === 0) console.log(`${elapsed()} ${done} of ${objects} objects`);
  };
  await seedTree(kube.asController(), { namespace, objects, kinds, progress });
  console.log(`${elapsed()} ${objects} objects are seeded`);
  const ours = await measureOurs(namespace);
  const peer = await measureInformer(namespace);
  console.log(`${elapsed()} measured`);
  return { objects, ours, peer };
}

async function measureOurs(namespace: string): Promise<TreeReport> {
  const execArgv = ['--expose-gc', '--max-semi-space-size=8', '--heap-growing-percent=50'];
  const child = fork(join(import.meta.dirname, 'tree-child.ts'), [kubeconfigPath, namespace], { execArgv });
  const [report] = (await once(child, 'message')) as [TreeReport];
  await once(child, 'exit');
  return report;
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
  const child = spawn(informer, [kubeconfigPath, namespace], { stdio: ['pipe', 'pipe', 'inherit'] });
  const [text] = (await once(child.stdout, 'data')) as [Buffer];
  const exit = once(child, 'exit');
  child.stdin.end();
  await exit;
  return JSON.parse(text.toString('utf8')) as InformerReport;
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
  console.log(JSON.stringify(all, undefined, 1));
  printRows([
    ['objects', 'calls', 'whole ms', 'tree ms'],
    ...all.map(({ objects, ours }) => [
      String(objects),
      String(ours.cold.calls),
      ours.cold.wholeMs.toFixed(0),
      ours.cold.treeMs.toFixed(0),
    ]),
  ]);
  console.log(TARGETS);
}
