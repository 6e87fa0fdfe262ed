import type { ReconcileResult } from '../../controller/controller.ts';
import { AppError } from '../../domain/errors.ts';
import { awaitDependencies } from './await-dependencies.ts';
import { carryOut } from './carry-out.ts';
import { fetched, isFalse } from './conditions.ts';
import { waitBeforeAttempt } from './due.ts';
import { correctDrift } from './correct-drift.ts';
import { fetchChart, type ChartMemory } from './fetch-chart.ts';
import { observeDrift, type DriftMemory } from './observe-drift.ts';
import { OPERATOR } from './kinds.ts';
import { guard } from '../finalizer.ts';
import { observeCrds } from './observe-crds.ts';
import { observeDependencies } from './observe-dependencies.ts';
import { observeHealth } from './observe-health.ts';
import { observeRelease } from './observe-release.ts';
import { planLiving, type LivingAct } from './plan.ts';
import { reportFailure, type Failure } from './report-failure.ts';
import { settle } from './settle.ts';
import { determineLivingState, type LivingFacts } from './state.ts';
import { unlockRelease } from './unlock.ts';
import { writeStatus } from './write-status.ts';
import { isGuarded, type Work } from './work.ts';

/** What was seen lately, so that a settled Operator costs little. */
export interface OperatorMemory {
  readonly charts: ChartMemory;
  readonly drift: DriftMemory;
}

const AT_ONCE: ReconcileResult = { requeueAfter: 0 };
/** How soon to ask again for a lease that somebody else holds. */
const BUSY_MS = 2_000;

/** Brings an Operator that is to stay one act nearer to its spec. */
export async function sustain(memory: OperatorMemory, work: Work): Promise<ReconcileResult> {
  const facts = await observe(memory, work);
  return perform(memory, { work, facts }, planLiving(determineLivingState(facts)));
}

/** Looks at as much as the next act needs, the cheapest first. */
async function observe(memory: OperatorMemory, work: Work): Promise<LivingFacts> {
  const { ports, operator, spec, status, generation, requestedAt, signal } = work;
  const query = { label: work.label, signal };
  const [release, crds] = await Promise.all([
    observeRelease(ports.cluster, work.release, query),
    observeCrds(ports.cluster, work.release, query),
  ]);
  const facts: LivingFacts = {
    guarded: isGuarded(operator),
    suspended: spec.suspend,
    driftMode: spec.driftDetection.mode,
    wait: waitBeforeAttempt({ status, generation, requestedAt, references: work.references, interval: spec.interval, now: ports.now() }),
    release,
    crds,
    expectedCrds: status.crds.filter((crd) => crd.origin !== 'runtime').map((crd) => crd.name),
  };
  if (facts.suspended || !facts.guarded || facts.wait > 0 || release.kind === 'Foreign') return facts;
  const chart = await fetchChart(memory.charts, work);
  const inStep = 'step' in chart && release.kind === 'Own' && release.status === 'deployed' && release.step === chart.step;
  if (inStep) {
    const health = await observeHealth(ports.cluster, work.release, signal);
    if (facts.driftMode === 'Disabled') return { ...facts, chart, health };
    return { ...facts, chart, health, drift: await observeDrift(memory.drift, work, release) };
  }
  return spec.dependsOn.length === 0 ? { ...facts, chart } : { ...facts, chart, dependencies: await observeDependencies(work) };
}

interface Seen {
  readonly work: Work;
  readonly facts: LivingFacts;
}

async function perform(memory: OperatorMemory, { work, facts }: Seen, act: LivingAct): Promise<ReconcileResult> {
  switch (act.kind) {
    case 'guard':
      await guard(work.ports.cluster, { type: OPERATOR, object: work.operator, signal: work.signal });
      return AT_ONCE;
    case 'rest':
      return rest(work, facts);
    case 'wait':
      return { requeueAfter: Math.max(act.wait, 1_000) };
    case 'refuse-foreign':
      return refuseForeign(work, facts, act.owner);
    case 'unlock':
      return (await unlockRelease(work)) === 'Done' ? AT_ONCE : { requeueAfter: BUSY_MS };
    case 'report-unfetched':
      return reportStanding(work, facts, { error: act.error, condition: isFalse('Fetched', act.error.code, act.error.message) });
    case 'report-unresolved':
      return reportStanding(work, facts, {
        error: act.error,
        condition: isFalse('Released', act.error.code, act.error.message),
        conditions: [fetched(work.spec.chart, act.chart)],
        chart: act.chart,
      });
    case 'await-dependencies':
      return awaitDependencies(work, facts, act);
    case 'correct-drift':
      return correctDrift(memory.drift, work, act.drift);
    case 'deploy':
      return carryOut(work, facts, act);
    case 'watch-progress':
    case 'report-degraded':
    case 'mark-ready':
      return settle(work, facts, act);
    default:
      return act satisfies never;
  }
}

async function rest(work: Work, { release, crds }: LivingFacts): Promise<ReconcileResult> {
  const ready = isFalse('Ready', 'Suspended', 'The Operator is suspended; set spec.suspend to false to go on');
  await writeStatus(work, { word: work.status.status ?? 'INSTALLING', ready, conditions: [], release, crds });
  return {};
}

/** What cannot be looked up again does not harm what was installed from it. */
async function reportStanding(
  work: Work,
  { release, crds }: LivingFacts,
  failure: Omit<Failure, 'release' | 'crds' | 'standing'>,
): Promise<ReconcileResult> {
  const { status, generation } = work;
  const settled =
    status.status === 'READY' && status.observedGeneration === generation && release.kind === 'Own' && release.status === 'deployed';
  return { requeueAfter: await reportFailure(work, { ...failure, release, crds, ...(settled ? { standing: 'Ready' as const } : {}) }) };
}

async function refuseForeign(work: Work, facts: LivingFacts, owner: string): Promise<ReconcileResult> {
  const { release, namespace } = work.release;
  const who = owner === '' ? 'somebody has made it without Chandlery' : `the Operator "${owner.replace('.', '/')}" owns it`;
  const error = new AppError(
    'ReleaseConflict',
    `release "${namespace}/${release}": ${who}; choose another spec.releaseName, or uninstall that one`,
  );
  if (facts.wait > 0) return { requeueAfter: facts.wait };
  const condition = isFalse('Released', error.code, error.message);
  return { requeueAfter: await reportFailure(work, { error, condition, release: facts.release, crds: facts.crds }) };
}
