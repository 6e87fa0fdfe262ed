import { ifFound } from '../../domain/kubernetes/if-found.ts';
import type { Reconcile, ReconcileResult } from '../../controller/controller.ts';
import type { LendableWorker } from '../../controller/queue.ts';
import { FairQueue } from '../../domain/core/fair-queue.ts';
import { parseKey } from '../../domain/kubernetes/object-key.ts';
import { OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { ChartSource } from '../../domain/operator/operator-spec.ts';
import { removeFinalizerOfLostKind } from '../lost-kind.ts';
import { createLeaseMemory } from './acts/with-release-lease.ts';
import { finalizeOperator } from './finalize-operator.ts';
import type { OperatorCache } from './memory/operator-cache.ts';
import { recallCharts, type Lane } from './memory/recall-charts.ts';
import { reconcileFromCache } from './memory/reconcile-from-cache.ts';
import { rememberFor } from './memory/remember-for.ts';
import type { OperatorPorts } from './ports.ts';
import { reconcileOperator, type OperatorMemory } from './reconcile-operator.ts';
import { workOn } from './work.ts';

/** How often the health of a settled Operator is looked at when nothing is watched. */
const UNWATCHED_MS = 30_000;

/** A host may take two minutes for each answer: what waits for one keeps no worker, and not what waits for others. */
const FETCHES = { what: 'chart', all: 64, perPerson: 4, waiting: Number.POSITIVE_INFINITY };

/** A cluster is upgraded a few times a year. */
const FRESH_MS = 60_000;

/**
 * Makes the reconciler of Operators. Its key is `namespace/name`. Enqueue it when the Operator, or something that it brought, changes. It throws when
 * the cluster is away; everything else ends in the status.
 *
 * @param cache what is watched: an Operator in step then costs no call. Without it, every look asks the cluster.
 */
export function createOperatorReconciler(ports: OperatorPorts, cache?: OperatorCache): Reconcile {
  const memory: OperatorMemory = { charts: new Map(), drift: new Map(), leases: createLeaseMemory() };
  const kubernetesVersion = rememberVersion(ports);
  const recall = recallCharts(ports.charts);
  const hosts = new FairQueue(FETCHES);
  const portsFor = (key: string, worker?: LendableWorker): OperatorPorts => {
    const { generation, annotations } = cache?.operator(key)?.metadata ?? {};
    const lane: Lane = async (source, signal, task) => {
      const inTurn = async (): ReturnType<typeof task> => await hosts.run(hostOf(source), signal, task);
      return worker === undefined ? await inTurn() : await worker.lend(inTurn);
    };
    return { ...ports, kubernetesVersion, charts: recall.forLook(key, JSON.stringify([generation, annotations]), lane) };
  };
  return async (key, signal, worker) => {
    const asking = portsFor(key, worker);
    const seen = cache === undefined ? undefined : await reconcileFromCache(memory, { ports: asking, cache }, { key, signal });
    if (seen !== undefined) return seen;
    const result = await reconcileLive(memory, asking, { key, signal });
    if (cache?.operator(key) === undefined) recall.forget(key);
    return cache === undefined ? atMost(UNWATCHED_MS, result) : result;
  };
}

function hostOf(source: ChartSource): string {
  return URL.parse(source.kind === 'url' ? source.url : source.repoURL)?.host ?? '';
}

interface Look {
  readonly key: string;
  readonly signal: AbortSignal;
}

async function reconcileLive(memory: OperatorMemory, ports: OperatorPorts, { key, signal }: Look): Promise<ReconcileResult> {
  const operator = await find(ports, key, signal);
  if (operator === undefined) return {};
  const work = workOn(ports, operator, signal);
  if (operator.metadata.deletionTimestamp === undefined) return reconcileOperator(memory, work);
  memory.charts.delete(operator.metadata.uid ?? '');
  memory.drift.delete(operator.metadata.uid ?? '');
  memory.leases.free.delete(operator.metadata.uid ?? '');
  return (await removeFinalizerOfLostKind(ports.cluster, { type: OPERATOR, object: operator, signal })) === 'KindLost'
    ? {}
    : finalizeOperator(work);
}

async function find({ cluster }: OperatorPorts, key: string, signal: AbortSignal): Promise<KubeObject | undefined> {
  return await ifFound(cluster.get({ ...OPERATOR, ...parseKey(key) }, { signal }));
}

function atMost(milliseconds: number, { requeueAfter }: ReconcileResult): ReconcileResult {
  return requeueAfter === undefined ? {} : { requeueAfter: Math.min(milliseconds, requeueAfter) };
}

/** Asks for the Kubernetes version at most once a minute, however many ask at once. A failure is not remembered. */
function rememberVersion({ kubernetesVersion, now }: Pick<OperatorPorts, 'kubernetesVersion' | 'now'>): OperatorPorts['kubernetesVersion'] {
  const remember = rememberFor<Awaited<ReturnType<OperatorPorts['kubernetesVersion']>>>(FRESH_MS);
  return async (options) => await remember(now().getTime(), async () => await kubernetesVersion(options));
}
