import type { Reconcile, ReconcileResult } from '../../controller/controller.ts';
import type { LendableWorker } from '../../controller/queue.ts';
import { FairQueue } from '../../domain/core/fair-queue.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { type KubeObject, parseKey } from '../../domain/kubernetes/resource.ts';
import { OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import { type ChartSource, claimedCrds } from '../../domain/operator/operator-spec.ts';
import { removeFinalizerOfLostKind } from '../finalizer.ts';
import { createLeaseMemory } from '../helm-release/release-lease.ts';
import { finalizeOperator } from './finalize-operator.ts';
import type { OperatorCache, Reads } from './memory/operator-cache.ts';
import { memoizeFor } from '../memoize-for.ts';
import type { Chart, ChartPort } from '../helm-release/ports.ts';
import type { OperatorPorts } from './ports.ts';
import { type OperatorMemory, reconcileOperator } from './reconcile-operator.ts';
import { hasFinalizer, workOn } from './work.ts';

/** How often the health of a settled Operator is looked at when nothing is watched. */
const UNWATCHED_MS = 30_000;

/** A host may take two minutes for each answer: what waits for one keeps no worker, and not what waits for others. */
const FETCHES = { what: 'chart', all: 64, perPerson: 4, waiting: Number.POSITIVE_INFINITY };

/** A cluster is upgraded a few times a year. */
const FRESH_MS = 60_000;

/** Runs a task that asks the host of a chart source, when it is its turn. */
type Lane = <T>(source: ChartSource, signal: AbortSignal, task: () => Promise<T>) => Promise<T>;

/** Asks for charts on behalf of Operators, each of which asks for the same ones again and again. */
interface ChartRecall {
  /**
   * For one look at an Operator: what a chart's server says, a rejection too, holds for the whole look. The library learns which chart the Operator got
   * earlier, unless it wishes for something else now, or somebody asks.
   *
   * @param wish another text whenever the spec or an annotation is another.
   * @param lane runs what asks a server, which may take long; by default at once.
   */
  forLook(key: string, wish: string, lane?: Lane): ChartPort;
  forget(key: string): void;
}

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
  const remember = memoizeFor<Awaited<ReturnType<OperatorPorts['kubernetesVersion']>>>(FRESH_MS);
  return async (options) => await remember(now().getTime(), async () => await kubernetesVersion(options));
}

/** Thrown by every port that changes something, or reports it. */
class ActionNeeded extends Error {}

/**
 * Reconciles an Operator by the watch caches, without a call. Helm is no optimistic writer: it does not fail on a stale read, it installs again. So
 * no action starts from a cache. The same steps run with ports that read and cannot write; whatever has to be done is done by a live reconciliation.
 *
 * @returns undefined when an action is needed, or when the caches do not hold the Operator.
 */
async function reconcileFromCache(
  memory: OperatorMemory,
  { ports, cache }: { readonly ports: OperatorPorts; readonly cache: OperatorCache },
  { key, signal }: { readonly key: string; readonly signal: AbortSignal },
): Promise<ReconcileResult | undefined> {
  const operator = cache.operator(key);
  if (operator === undefined || operator.metadata.deletionTimestamp !== undefined || !hasFinalizer(operator)) return undefined;
  const work = workOn(ports, operator, signal);
  const reads = cache.readsFor({ ...work.release, label: work.label, claims: claimedCrds(work.spec) }, ports.cluster);
  const action = { needed: false };
  try {
    const result = await reconcileOperator(memory, { ...work, ports: readOnly(ports, reads, action) });
    return action.needed ? undefined : result;
  } catch (error) {
    if (action.needed) return undefined;
    throw error;
  }
}

/** @param action notes that a write was wanted, should a step swallow the error. */
function readOnly({ watchedCrd: _watched, ...ports }: OperatorPorts, reads: Reads, action: { needed: boolean }): OperatorPorts {
  const reject = async (): Promise<never> => {
    action.needed = true;
    throw new ActionNeeded('a reconciliation from the cache does not write');
  };
  const rejecting = <T extends object>(port: T): T => Object.fromEntries(Object.keys(port).map((name) => [name, reject])) as T;
  const cluster = { ...rejecting(ports.cluster), ...reads, pages: ports.cluster.pages };
  return { ...ports, cluster, renderChart: reject, helm: rejecting(ports.helm), events: rejecting(ports.events) };
}

function recallCharts(charts: ChartPort): ChartRecall {
  const recalled = new Map<string, { readonly wish: string; readonly charts: Map<string, Chart> }>();
  const recall = (key: string, wish: string): Map<string, Chart> => {
    const known = recalled.get(key);
    if (known?.wish === wish) return known.charts;
    const fresh = new Map<string, Chart>();
    recalled.set(key, { wish, charts: fresh });
    return fresh;
  };
  return {
    forLook: (key, wish, lane = atOnce) => {
      const once = askOnce();
      const earlier = recall(key, wish);
      return {
        ...charts,
        fetch: (source, signal, access) => {
          const question = JSON.stringify(['fetch', source, access]);
          return once(question, async () => {
            const known = earlier.get(question);
            const fetched = await lane(source, signal, async () => await charts.fetch(source, signal, access, known));
            if (fetched === known) return known;
            const chart = lean(fetched);
            earlier.set(question, chart);
            return chart;
          });
        },
        versions: (source, signal, access) =>
          once(JSON.stringify(['versions', source, access]), () =>
            lane(source, signal, async () => await charts.versions(source, signal, access)),
          ),
      };
    },
    forget: (key) => void recalled.delete(key),
  };
}

async function atOnce<T>(_source: ChartSource, _signal: AbortSignal, task: () => Promise<T>): Promise<T> {
  return await task();
}

function askOnce(): <T>(question: string, ask: () => Promise<T>) => Promise<T> {
  const known = new Map<string, Promise<unknown>>();
  return <T>(question: string, ask: () => Promise<T>): Promise<T> => {
    const answer = (known.get(question) as Promise<T> | undefined) ?? ask();
    known.set(question, answer);
    return answer;
  };
}

/** There are many Operators and their CRDs are large; of those in `crds/`, only the names are asked for. */
function lean({ contents: { metadata, crds, openApiSpec }, ...chart }: Chart): Chart {
  const named = crds.map(({ apiVersion, kind, metadata: { name } }) => ({ apiVersion, kind, metadata: { name } }));
  return { ...chart, contents: { metadata, crds: named, ...(openApiSpec === undefined ? {} : { openApiSpec }) } };
}
