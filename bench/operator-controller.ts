import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { CRD, OPERATOR } from '../src/domain/kubernetes/resource-types.ts';
import { createChartLibrary, type ChartLibrary } from '../src/chart/chart-library.ts';
import { watchOperators } from '../src/compose/watch-operators.ts';
import { watchRecords } from '../src/compose/watch-records.ts';
import { runController } from '../src/controller/controller.ts';
import { textAt } from '../src/domain/core/read.ts';
import { createHelm } from '../src/helm/helm.ts';
import { createChartRenderer } from '../src/helm/render-chart.ts';
import { createEventRecorder } from '../src/kube/events.ts';
import type { Kube } from '../src/kube/kube.ts';
import { startReflector } from '../src/kube/watch/reflector.ts';
import { createLog } from '../src/observe/log.ts';
import { createOperatorReconciler } from '../src/reconcile/operator/reconcile-operator.ts';

export interface ControllerInput {
  readonly kube: Kube;
  readonly kubeconfigPath: string;
  readonly helm: string;
  /** A folder of its own. */
  readonly folder: string;
  readonly charts: ChartLibrary;
  readonly now: () => Date;
}

/** The controller of Operators, put together as the product does it. */
export interface RunningController {
  /** Looks at all Operators once more, and resolves when each has been looked at. */
  resync(keys: readonly string[]): Promise<void>;
  /** Waits until so many Operators are READY, and tells how many are. */
  untilReady(count: number, onProgress?: (ready: number) => void): Promise<void>;
  /** Passes since it began. */
  passes(): number;
  stop(): Promise<void>;
}

export async function startOperatorController(input: ControllerInput): Promise<RunningController> {
  const { kube, kubeconfigPath, folder, charts, now } = input;
  const ending = new AbortController();
  const { signal } = ending;
  const log = createLog({ level: 'warn', format: 'lines', write: (text) => process.stderr.write(text) });
  const cluster = kube.asController();
  const operators = startReflector({ cluster, type: OPERATOR, signal, log });
  const definitions = startReflector({ cluster, type: CRD, signal, log });
  const { cache, ready } = watchOperators({ kube, operators, definitions, records: watchRecords({ kube, log, signal }), log, signal });
  const silent = { debug: () => undefined };
  const helm = await createHelm({
    program: input.helm,
    homeDir: join(folder, 'helm'),
    kubeconfigPath,
    maxChildren: 2 * availableParallelism(),
    log: silent,
  });
  const events = createEventRecorder({ cluster, log });
  const { kubernetesVersion } = kube;
  const renderChart = createChartRenderer({ render: helm.render, discovery: kube, kubernetesVersion });
  const ports = { cluster, discovery: kube, kubernetesVersion, charts, renderChart, helm, events, log, now, holder: 'bench' };
  const listeners = new Set<(key: string) => void>();
  const asked = { onChange: (listener: (key: string) => void) => (listeners.add(listener), () => listeners.delete(listener)) };
  let passes = 0;
  let waiting: { left: number; readonly resolve: () => void } | undefined;
  const observe = (): void => {
    passes += 1;
    if (waiting === undefined) return;
    waiting.left -= 1;
    if (waiting.left === 0) waiting.resolve();
  };
  await ready();
  const running = runController({
    name: 'operator',
    sources: [operators, cache, asked],
    reconcile: createOperatorReconciler(ports, cache),
    workers: 8,
    observe,
    log,
    signal,
  });
  return {
    resync: async (keys) => {
      const left = keys.length;
      const done = new Promise<void>((resolve) => (waiting = { left, resolve }));
      for (const key of keys) for (const listener of listeners) listener(key);
      await done;
    },
    untilReady: async (count, onProgress) => {
      const ready = new Set<string>();
      await new Promise<void>((resolve) => {
        operators.onChange((key) => {
          if (ready.has(key) || textAt(operators.get(key)?.status, 'status') !== 'READY') return;
          ready.add(key);
          onProgress?.(ready.size);
          if (ready.size >= count) resolve();
        });
      });
    },
    passes: () => passes,
    stop: async () => {
      ending.abort();
      await running;
    },
  };
}

/** The charts of a repository behind `https://charts.example.com/`. */
export function openCharts(folder: string, address: string): Promise<ChartLibrary> {
  return createChartLibrary({
    cacheDir: join(folder, 'charts'),
    roots: {},
    mirrors: [{ prefix: 'https://charts.example.com/', target: `${address}/` }],
    allowEgress: [],
  });
}
