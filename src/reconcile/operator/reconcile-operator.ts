import type { Reconcile, ReconcileResult } from '../../controller/controller.ts';
import type { LendableWorker } from '../../controller/queue.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { FairQueue } from '../../domain/core/fair-queue.ts';
import { hasFinalizer } from '../../domain/kubernetes/finalizers.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { isIncomplete } from '../../domain/kubernetes/kept-object.ts';
import { type KubeObject, parseKey } from '../../domain/kubernetes/resource.ts';
import { OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import { formerOperatorOf } from '../../domain/operator/operator-move.ts';
import { type ChartSource, claimedCrds, operatorLabelValue } from '../../domain/operator/operator-spec.ts';
import { addFinalizer, removeFinalizerOfLostKind } from '../finalizer.ts';
import { createLeaseMemory, type LeaseMemory } from '../helm-release/release-lease.ts';
import { finalizeOperator } from './finalize-operator.ts';
import type { OperatorCache, Reads } from './memory/operator-cache.ts';
import { memoizeVersion } from '../memoize-for.ts';
import type { Chart, ChartPort } from '../helm-release/ports.ts';
import type { OperatorPorts } from './ports.ts';
import { type Work, workOn } from './work.ts';
import { isInChart } from '../../domain/operator/operator-status.ts';
import { takeOver } from './acts/take-over.ts';
import { adopt, install, restoreCrds, rollBack, upgrade } from './acts/change-release.ts';
import { waitBeforeAttempt } from '../helm-release/retry.ts';
import { correctDrift, type DriftMemory, observeDrift } from './drift.ts';
import { type ChartMemory, fetchChart } from './charts/fetch-chart.ts';
import { deferUpgrade } from './facts/defer-upgrade.ts';
import { clearLease, unlockRelease } from './acts/with-release-lease.ts';
import { type CrdFact, observeCrds } from './facts/observe-crds.ts';
import { observeDependencies } from './facts/observe-dependencies.ts';
import { observeHealth } from './facts/observe-health.ts';
import { observeMove } from './facts/observe-move.ts';
import { observeReservation } from './facts/observe-reservation.ts';
import { observeRelease, type ReleaseFact } from '../helm-release/observe-release.ts';
import { readHistory } from './facts/read-history.ts';
import { isReported, report, type ReportedState } from './report/report.ts';
import { type ActiveFacts, type ActiveState, determineActiveState, isAdoptable } from './state.ts';
import { testRelease } from './acts/test-release.ts';

/** How often the health of an Operator in sync is observed when nothing is watched. */
const UNWATCHED_MS = 30_000;

/** A host may take two minutes for each answer: what waits for one keeps no worker, and not what waits for others. */
const FETCHES = { what: 'chart', all: 64, perPerson: 4, waiting: Number.POSITIVE_INFINITY };

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
  const kubernetesVersion = memoizeVersion(ports);
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
  // Its controller goes on when it has back what it had.
  if (isIncomplete(operator)) return {};
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
  if (isIncomplete(operator)) return {};
  const work = workOn(ports, operator, signal);
  const reads = cache.readsFor(
    { ...work.release, label: work.label, claims: claimedCrds(work.spec), ...formerLabel(operator) },
    ports.cluster,
  );
  const action = { needed: false };
  try {
    const result = await reconcileOperator(memory, { ...work, ports: readOnly(ports, reads, action) });
    return action.needed ? undefined : result;
  } catch (error) {
    if (action.needed) return undefined;
    throw error;
  }
}

function formerLabel(operator: KubeObject): { readonly former?: string } {
  const former = formerOperatorOf(operator);
  return former === undefined ? {} : { former: operatorLabelValue(former.namespace, former.name) };
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
          const question = stringifyJson(['fetch', source, access]);
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
          once(stringifyJson(['versions', source, access]), () =>
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

/** What was seen lately, so that an Operator in sync costs little. */
interface OperatorMemory {
  readonly charts: ChartMemory;
  readonly drift: DriftMemory;
  readonly leases: LeaseMemory;
}

interface Observed {
  readonly work: Work;
  readonly facts: ActiveFacts;
}

const AT_ONCE: ReconcileResult = { requeueAfter: 0 };
/** How soon to ask again for a lease that somebody else holds. */
const BUSY_MS = 2_000;
/** How soon to look again at a lease that somebody else holds while nothing is to be changed. */
const HELD_MS = 5_000;

/** Brings an Operator that is to stay one action nearer to its spec: observes, says what is, and acts once. */
async function reconcileOperator(memory: OperatorMemory, work: Work): Promise<ReconcileResult> {
  const facts = await observe(memory, work);
  const state = determineActiveState(facts);
  if (isReported(state)) return afterReport(memory.leases, work, await report(work, facts, state));
  return act(memory, { work, facts }, state);
}

/** One action for each state that needs one. */
async function act(
  memory: OperatorMemory,
  { work, facts }: Observed,
  state: Exclude<ActiveState, ReportedState>,
): Promise<ReconcileResult> {
  switch (state.kind) {
    case 'FinalizerMissing':
      await addFinalizer(work.ports.cluster, { type: OPERATOR, object: work.operator, signal: work.signal });
      return AT_ONCE;
    case 'MoveDue':
      return takeOver(work, state.move);
    case 'Locked':
      return (await unlockRelease(work)) === 'Done' ? AT_ONCE : { requeueAfter: BUSY_MS };
    case 'Absent':
      return install(work, facts, state.target);
    case 'Adoptable':
      return adopt(work, facts, state);
    case 'Failed':
    case 'OutOfSync':
    case 'Forced':
      return upgrade(work, facts, state.target);
    case 'CrdsMissing':
      return restoreCrds(work, facts, state.target);
    case 'RollbackDue':
      return rollBack(work, facts, state.failure);
    case 'Untested':
      return testRelease(work, facts, state);
    case 'Drifted':
      return correctDrift(memory.drift, work, state.drift);
    default:
      return state satisfies never;
  }
}

/** Looks at as much as the next act needs, the cheapest first. */
async function observe(memory: OperatorMemory, work: Work): Promise<ActiveFacts> {
  const { ports, spec, signal } = work;
  const query = { label: work.label, signal };
  const [release, crds] = await Promise.all([
    observeRelease(ports.cluster, work.release, query),
    observeCrds(ports, work.release, { ...query, claims: claimedCrds(spec) }),
  ]);
  const known = factsOf(work, release, crds);
  const move = known.suspended || !known.hasFinalizer ? undefined : await observeMove(work);
  const facts = move === undefined ? known : { ...known, move };
  if (
    facts.suspended ||
    !facts.hasFinalizer ||
    facts.move !== undefined ||
    facts.reserved !== undefined ||
    facts.wait > 0 ||
    (release.kind === 'Foreign' && !isAdoptable(facts, release))
  )
    return facts;
  const chart = await fetchChart(memory.charts, work);
  const hold = 'configDigest' in chart && release.kind === 'Own' ? await deferUpgrade(work, facts, { release, target: chart }) : undefined;
  if (hold !== undefined && release.kind === 'Own') {
    return release.status === 'deployed' ? observeUpToDate(memory, work, { ...facts, ...hold }) : { ...facts, ...hold };
  }
  if ('configDigest' in chart && release.kind === 'Own' && release.status === 'deployed') {
    if (release.configDigest === chart.configDigest) return observeUpToDate(memory, work, { ...facts, chart });
    if (facts.rollback?.digest === chart.configDigest) return { ...facts, chart, health: await observeHealth(work, crds) };
  }
  return spec.dependsOn.length === 0 ? { ...facts, chart } : { ...facts, chart, dependencies: await observeDependencies(work) };
}

/** What is known without asking anybody else. */
function factsOf(work: Work, release: ReleaseFact, crds: readonly CrdFact[]): ActiveFacts {
  const { ports, operator, spec, status, generation, requestedAt, references } = work;
  const reserved = observeReservation(ports, operator);
  const { lastAttempted, rollback } = status;
  const stands = rollback?.generation === generation && rollback.requestedAt === requestedAt;
  return {
    hasFinalizer: hasFinalizer(operator),
    suspended: spec.suspend,
    ...(reserved === undefined ? {} : { reserved }),
    adopt: spec.adopt,
    remediation: spec.upgrade.remediation,
    testing: spec.test.enable,
    forced: work.forcedAt !== '',
    asked: lastAttempted?.generation !== generation || lastAttempted.requestedAt !== requestedAt,
    driftMode: spec.driftDetection.mode,
    wait: waitBeforeAttempt({ status, generation, requestedAt, references, interval: spec.interval, now: ports.now() }),
    release,
    past: readHistory(work, release),
    ...(stands ? { rollback } : {}),
    crds,
    expectedCrds: status.crds.filter((crd) => isInChart(crd)).map((crd) => crd.name),
  };
}

/** The health, and as much more as a release in step is asked for. */
async function observeUpToDate(memory: OperatorMemory, work: Work, facts: ActiveFacts): Promise<ActiveFacts> {
  const { spec } = work;
  const health = await observeHealth(work, facts.crds);
  const dependencies = facts.forced && spec.dependsOn.length > 0 ? { dependencies: await observeDependencies(work) } : {};
  const { release } = facts;
  if (facts.driftMode === 'Disabled' || release.kind !== 'Own') return { ...facts, health, ...dependencies };
  return { ...facts, health, ...dependencies, drift: await observeDrift(memory.drift, work, release) };
}

/** Nothing is to be changed; what a worker that died left behind is cleared away when its time is over. */
async function afterReport(leases: LeaseMemory, work: Work, { requeueAfter }: ReconcileResult): Promise<ReconcileResult> {
  if ((await clearLease(leases, work)) === 'Held') return { requeueAfter: Math.min(requeueAfter ?? HELD_MS, HELD_MS) };
  return requeueAfter === undefined ? {} : { requeueAfter };
}
