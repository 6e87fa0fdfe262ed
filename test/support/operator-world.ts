import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { CRD, OPERATOR } from '../../src/domain/kubernetes/resource-types.ts';
import { createChartLibrary, type ChartLibraryOptions } from '../../src/chart/chart-library.ts';
import type { Clock } from '../../src/controller/clock.ts';
import { countInstances, operatorsCounted } from '../../src/compose/app-instance/count-instances.ts';
import { watchOperators } from '../../src/compose/watch-operators.ts';
import { watchRecords } from '../../src/compose/watch-records.ts';
import { mapSource, runController } from '../../src/controller/controller.ts';
import { type Condition, findCondition } from '../../src/domain/kubernetes/condition.ts';
import { operatorsMovedWith } from '../../src/domain/operator/operator-move.ts';
import { type OperatorStatus, parseOperatorStatus } from '../../src/domain/operator/operator-status.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { pinCachedCharts } from '../../src/compose/pin-cached-charts.ts';
import { createHelm, type Helm } from '../../src/helm/helm.ts';
import { createChartRenderer } from '../../src/helm/render-chart.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import { createEventRecorder } from '../../src/kube/events.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from './open-kube.ts';
import { startMetadataReflector, startReflector } from '../../src/kube/watch/reflector.ts';
import { createLog } from '../../src/observe/log.ts';
import type { OperatorPorts } from '../../src/reconcile/operator/ports.ts';
import { createOperatorReconciler } from '../../src/reconcile/operator/reconcile-operator.ts';
import { watchReferences } from '../../src/reconcile/helm-release/watch-references.ts';
import { operatorReferrers } from '../../src/reconcile/operator/memory/references-of.ts';
import { repoRoot } from './cluster.ts';
import { eventually } from './eventually.ts';
import { writeFiles, type ChartFiles } from './charts.ts';

export interface OperatorWorldOptions {
  readonly kubeconfigPath: string;
  readonly helm: string;
  /** The beginning of the namespaces whose Operators it works on; others on the same cluster are somebody else's. */
  readonly namespaces: string;
  readonly mirrors?: ChartLibraryOptions['mirrors'];
  /** The folder behind `file://samples`; a fresh one when it is left out. */
  readonly chartsDir?: string;
  /** Gets every line of the log, debug lines included. */
  readonly log?: (text: string) => void;
  /** Where charts are kept; a fresh folder when it is left out. */
  readonly cacheDir?: string;
  /** Ranges that charts may be fetched from although they are closed. */
  readonly allowEgress?: readonly string[];
  readonly chartLimits?: NonNullable<ChartLibraryOptions['limits']>;
  /** What waits before keys are worked on again. */
  readonly clock?: Clock;
  /** Comes between the reconciler and its outside. */
  readonly wrap?: (ports: OperatorPorts) => OperatorPorts;
  /** `reported`: instances are counted in the status, so that admission policies reject deletions; default: they are not, and finalizers alone hold an Operator. */
  readonly instanceCounts?: 'reported';
}

/** The reconciler of Operators at work on a real cluster, with real helm and charts from a folder. */
export interface OperatorWorld {
  readonly kube: Kube;
  /** As a person has it: charts come from any folder. */
  readonly helm: Helm;
  readonly chartsDir: string;
  writeChart(name: string, files: ChartFiles): Promise<void>;
  create(namespace: string, name: string, spec: object): Promise<void>;
  read(namespace: string, name: string): Promise<KubeObject>;
  status(namespace: string, name: string): Promise<OperatorStatus>;
  /** Waits until a condition has a status, and a reason where one is given. */
  condition(namespace: string, name: string, wanted: { type: string; status: string; reason?: string }): Promise<Condition>;
  stop(): Promise<void>;
}

const SECONDS = 60;

export async function startOperatorWorld(options: OperatorWorldOptions): Promise<OperatorWorld> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-operators-'));
  const chartsDir = options.chartsDir ?? join(folder, 'charts');
  const log = createLog({
    level: options.log !== undefined || process.env['CHANDLERY_TEST_LOG'] === 'on' ? 'debug' : 'silent',
    format: 'lines',
    write: options.log ?? ((text) => process.stderr.write(text)),
  });
  const ending = new AbortController();
  const { signal } = ending;
  const kube = openKube(options.kubeconfigPath);
  const chart = join(repoRoot, 'charts', 'chandlery');
  await bootstrapCluster(kube, { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') }, signal);
  const { kubeconfigPath } = options;
  const program = await createHelm({
    program: options.helm,
    homeDir: join(folder, 'helm'),
    kubeconfigPath,
    maxChildren: 2,
    log: { debug: (keys, message) => log.debug(message, { ...keys }) },
  });
  const charts = await createChartLibrary({
    cacheDir: options.cacheDir ?? join(folder, 'cache'),
    roots: { samples: chartsDir },
    mirrors: options.mirrors ?? [],
    allowEgress: options.allowEgress ?? [],
    ...(options.chartLimits === undefined ? {} : { limits: options.chartLimits }),
  });
  const helm = pinCachedCharts(program, charts);
  const cluster = kube.asController();
  const operators = startReflector({ cluster, type: OPERATOR, signal, log });
  const crds = startReflector({ cluster, type: CRD, signal, log });
  const references = watchReferences({
    referrers: operatorReferrers(operators),
    watch: (place, until) => startMetadataReflector({ ...place, cluster, signal: until, log }),
    signal,
  });
  const { cache, ready } = watchOperators({
    kube,
    operators,
    definitions: crds,
    records: watchRecords({ kube, log, signal }),
    log,
    signal,
  });
  await ready();
  const counts = countInstances({ kube, definitions: crds, log, signal });
  const own = (key: string): string[] => (key.startsWith(options.namespaces) ? [key] : []);
  const { wrap = (ports) => ports } = options;
  const running = runController({
    name: 'operator',
    sources: [
      mapSource(operators, own),
      mapSource(operators, (key) => operatorsMovedWith(operators.all(), key).flatMap(own)),
      mapSource(references, own),
      mapSource(cache, own),
      mapSource(operatorsCounted(counts, { definitions: crds, operators }), own),
    ],
    reconcile: createOperatorReconciler(
      wrap({
        cluster,
        discovery: kube,
        kubernetesVersion: kube.kubernetesVersion,
        charts,
        renderChart: createChartRenderer({ render: helm.render, discovery: kube, kubernetesVersion: kube.kubernetesVersion }),
        helm,
        references,
        ...(options.instanceCounts === undefined ? {} : { instancesOf: counts.ofCrd }),
        events: createEventRecorder({ cluster, log }),
        log,
        now: () => new Date(),
        holder: `test-${process.pid}`,
      }),
      cache,
    ),
    workers: 4,
    ...(options.clock === undefined ? {} : { clock: options.clock }),
    log,
    signal,
  });
  const read = (namespace: string, name: string): Promise<KubeObject> => cluster.get({ ...OPERATOR, namespace, name });
  return {
    kube,
    helm: program,
    chartsDir,
    writeChart: (name, files) => writeFiles(join(chartsDir, name), files),
    create: async (namespace, name, spec) => {
      await cluster.create(OPERATOR, {
        apiVersion: 'operatorcontroller.kubeplus/v1',
        kind: 'Operator',
        metadata: { namespace, name },
        spec,
      });
    },
    read,
    status: async (namespace, name) => parseOperatorStatus(await read(namespace, name)),
    condition: (namespace, name, { type, status, reason }) =>
      eventually(
        async () => {
          const found = findCondition(parseOperatorStatus(await read(namespace, name)).conditions, type);
          return found?.status === status && (reason === undefined || found.reason === reason) ? found : undefined;
        },
        `${type}=${status} ${reason ?? ''} of ${namespace}/${name}`,
        SECONDS,
      ),
    stop: async () => {
      ending.abort();
      await running;
      await kube.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
