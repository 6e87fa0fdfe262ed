import { rmSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { NAMESPACE } from '../../src/domain/kubernetes/resource-types.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { repoRoot } from '../support/cluster.ts';
import { RUN } from '../support/run-name.ts';
import { startControlPlane, type ControlPlane } from './control-plane.ts';
import { startWorker, type Worker, type WorkerOptions } from './worker.ts';
import type { WorkerInput } from './worker-main.ts';

/** The cluster of a fault run, charts, and workers. */
export interface Arena {
  readonly plane: ControlPlane;
  readonly kube: Kube;
  readonly chartsDir: string;
  /** Makes a namespace and gives its name. */
  namespace(name: string): Promise<string>;
  /** Starts a worker for the Operators of a namespace. */
  worker(namespace: string, more?: Partial<WorkerInput>, inside?: WorkerOptions['inside']): Promise<Worker>;
  /** The log of the workers of a namespace. */
  logFile(namespace: string): string;
  /** The command lines of helm programs that belong to no living worker. */
  orphans(): Promise<string[]>;
  stop(): Promise<void>;
}

export async function openArena(): Promise<Arena> {
  const plane = await startControlPlane();
  const { kube, kubeconfigPath, helm } = plane;
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-faults-'));
  const [chartsDir, scratch] = [join(folder, 'charts'), join(folder, 'scratch')];
  await Promise.all([mkdir(chartsDir), mkdir(scratch)]);
  const chart = join(repoRoot, 'charts', 'chandlery');
  const files = { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') };
  await bootstrapCluster(kube, files, AbortSignal.timeout(120_000));
  process.once('exit', () => rmSync(folder, { recursive: true, force: true, maxRetries: 5 }));
  const workers = new Set<Worker>();
  const logFile = (namespace: string): string => join(folder, `${namespace}.log`);
  return {
    plane,
    kube,
    chartsDir,
    logFile,
    namespace: async (name) => {
      const namespace = `${name}-${RUN}`;
      await kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
      return namespace;
    },
    worker: async (namespace, more = {}, inside = []) => {
      const input = { kubeconfigPath, helm, chartsDir, namespaces: `${namespace}/`, ...more };
      const worker = await startWorker({ input, scratch, logFile: logFile(namespace), inside });
      workers.add(worker);
      return { ...worker, kill: (death) => worker.kill(death).finally(() => workers.delete(worker)) };
    },
    orphans: () => orphansOf(scratch),
    stop: async () => {
      await Promise.all([...workers].map((worker) => worker.kill('machine')));
      await plane.stop();
      await rm(folder, { recursive: true, force: true, maxRetries: 5 });
    },
  };
}

/** Helm runs in its home, which is below the workers' scratch folder; one whose parent is gone belongs to process 1, or to a reaper that is no Node. */
async function orphansOf(scratch: string): Promise<string[]> {
  const found: string[] = [];
  for (const pid of (await readdir('/proc')).filter((name) => /^\d+$/.test(name))) {
    try {
      const environment = await readFile(`/proc/${pid}/environ`, 'utf8');
      if (!environment.includes(`HELM_PLUGINS=${scratch}`)) continue;
      const parent = /^PPid:\s+(\d+)/m.exec(await readFile(`/proc/${pid}/status`, 'utf8'))?.[1] ?? '0';
      const owner = await readFile(`/proc/${parent}/cmdline`, 'utf8');
      if (!owner.includes('worker-main.ts') && !owner.includes('helm'))
        found.push((await readFile(`/proc/${pid}/cmdline`, 'utf8')).replaceAll('\0', ' '));
    } catch {
      continue;
    }
  }
  return found;
}
