import { join } from 'node:path';
import { runController, type Reconcile } from '../controller/controller.ts';
import type { KeySource } from '../controller/source.ts';
import type { EmbeddedCluster } from '../embedded/cluster/embedded-cluster.ts';
import { runLocalControllers } from '../embedded/controllers/local-controllers.ts';
import type { LiveCatalog } from '../kube/catalog-cache.ts';
import type { Kube } from '../kube/kube.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { createEventRecorder } from '../kube/events.ts';
import { createEnvironmentReconciler } from '../reconcile/environment/reconcile-environment.ts';
import { createSourceReconciler } from '../reconcile/source/reconcile-source.ts';
import { watchFolders } from './watch-folders.ts';

export interface ControllersInput {
  readonly kube: Kube;
  readonly catalog: LiveCatalog;
  readonly helm: string;
  readonly stateDir: string;
  readonly repoRoot: string;
  readonly embedded?: EmbeddedCluster;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

/** Runs all controllers until the signal aborts. */
export async function runControllers(input: ControllersInput): Promise<void> {
  const { kube, catalog, log, signal } = input;
  const now = (): Date => new Date();
  const cluster = kube.asController();
  const folders = watchFolders({ sources: catalog.reflectors.catalogSources, signal });
  const events = createEventRecorder({ cluster, log });
  await Promise.all([
    run(input, {
      name: 'environment',
      sources: [catalog.reflectors.environments],
      reconcile: createEnvironmentReconciler({ cluster, events, now }),
      workers: 2,
    }),
    run(input, {
      name: 'source',
      sources: [catalog.reflectors.catalogSources, folders],
      reconcile: createSourceReconciler({ cluster, log, now }),
      workers: 2,
    }),
    localControllers(input),
  ]);
}

interface Controller {
  readonly name: string;
  readonly sources: readonly KeySource[];
  readonly reconcile: Reconcile;
  readonly workers: number;
}

async function run({ log, metrics, signal }: ControllersInput, controller: Controller): Promise<void> {
  await runController({ ...controller, log, signal, observe: (outcome, seconds) => metrics.reconciled(controller.name, outcome, seconds) });
}

/** The pods of the embedded cluster are simulated, so the controllers of the sample operators run beside it. */
async function localControllers({ kube, embedded, repoRoot, log, signal }: ControllersInput): Promise<void> {
  if (embedded === undefined) return;
  const programOf = (chart: string): string => join(repoRoot, 'charts', chart, 'controller', 'main.ts');
  const programs = { 'cache-operator': programOf('cache-operator'), 'postgres-operator': programOf('postgres-operator') };
  await runLocalControllers({ cluster: kube.asController(), embedded, programs, log, signal });
}
