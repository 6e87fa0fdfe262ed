import type { ReconcileResult } from '../../../controller/controller.ts';
import type { AppError } from '../../../domain/core/errors.ts';
import { awaitDependencies } from './await-dependencies.ts';
import { awaitWindow } from './await-window.ts';
import { fetched, isFalse } from './conditions.ts';
import type { ActiveAction } from '../next-action.ts';
import { refuseForeign } from './refuse-foreign.ts';
import { reportFailure, type Failure } from './report-failure.ts';
import { reportRolledBack } from './report-rolled-back.ts';
import { reportReleaseHealth } from './report-release-health.ts';
import type { ActiveFacts } from '../state.ts';
import { writeStatus } from './write-status.ts';
import type { Work } from '../work.ts';

/** Acts that change nothing but what is said of the Operator. */
type ReportAct = Exclude<
  ActiveAction,
  { kind: 'guard' | 'unlock' | 'adopt' | 'install' | 'upgrade' | 'restore-crds' | 'roll-back' | 'test' | 'correct-drift' }
>;

/** Says how an Operator is, and when to look again. */
export async function report(work: Work, facts: ActiveFacts, act: ReportAct): Promise<ReconcileResult> {
  switch (act.kind) {
    case 'rest':
      return rest(work, facts);
    case 'wait':
      return { requeueAfter: Math.max(act.wait, 1_000) };
    case 'report-reserved':
      return reportReserved(work, facts, act.error);
    case 'refuse-foreign':
      return refuseForeign(work, facts, act.release);
    case 'report-unfetched':
      return reportObstacle(work, facts, { error: act.error, condition: isFalse('Fetched', act.error.code, act.error.message) });
    case 'report-unresolved':
      return reportObstacle(work, facts, {
        error: act.error,
        condition: isFalse('Released', act.error.code, act.error.message),
        conditions: [fetched(work.spec.chart, act.chart)],
        chart: act.chart,
      });
    case 'await-dependencies':
      return awaitDependencies(work, facts, act);
    case 'report-rolled-back':
    case 'report-unrecovered':
      return reportRolledBack(work, facts, act);
    case 'watch-progress':
    case 'report-degraded':
    case 'report-test-failed':
    case 'mark-ready':
      return reportReleaseHealth(work, facts, act);
    case 'await-window':
      return awaitWindow(work, facts, act);
    default:
      return act satisfies never;
  }
}

/** Nothing is written; what runs stays. */
async function reportReserved(work: Work, { wait, release, crds }: ActiveFacts, error: AppError): Promise<ReconcileResult> {
  if (wait > 0) return { requeueAfter: wait };
  return { requeueAfter: await reportFailure(work, { error, condition: isFalse('Released', error.code, error.message), release, crds }) };
}

async function rest(work: Work, { release, crds }: ActiveFacts): Promise<ReconcileResult> {
  const ready = isFalse('Ready', 'Suspended', 'The Operator is suspended; set spec.suspend to false to go on');
  await writeStatus(work, { legacyStatus: work.status.status ?? 'INSTALLING', ready, conditions: [], release, crds });
  return {};
}

/** What cannot be looked up again does not harm what was installed from it. */
async function reportObstacle(
  work: Work,
  { release, crds }: ActiveFacts,
  failure: Omit<Failure, 'release' | 'crds' | 'standing'>,
): Promise<ReconcileResult> {
  const { status, generation } = work;
  const settled =
    status.status === 'READY' && status.observedGeneration === generation && release.kind === 'Own' && release.status === 'deployed';
  return { requeueAfter: await reportFailure(work, { ...failure, release, crds, ...(settled ? { standing: 'Ready' as const } : {}) }) };
}
