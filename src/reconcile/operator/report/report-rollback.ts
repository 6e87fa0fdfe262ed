import type { Rollback } from '../../../domain/operator/kind/status-fields.ts';
import type { ReconcileResult } from '../../../controller/controller.ts';
import type { ConditionInput } from '../../../domain/kubernetes/condition.ts';
import type { OperatorStatus } from '../../../domain/operator/operator-status.ts';
import { chartOfRevision } from './chart-of-revision.ts';
import { healthy, isFalse, stalled } from './conditions.ts';
import type { ActiveFacts, ActiveState } from '../state.ts';
import { notReady, writeStatus } from './write-status.ts';
import type { Work } from '../work.ts';

/** How often the health of what came back is looked at. */
const HEALTH_MS = 30_000;

type AfterRollback = Extract<ActiveState, { kind: 'RolledBack' | 'RollbackFailed' }>;

/** Says what failed, what runs now, and what to do. It stays so until the spec, the chart or a value changes, or somebody asks. */
export async function reportRollback(work: Work, facts: ActiveFacts, state: AfterRollback): Promise<ReconcileResult> {
  const { release, crds } = facts;
  const { rollback, health, target } = state;
  const running = chartOfRevision(work.status, rollback.toRevision) ?? work.status.chart;
  const sound = state.kind === 'RolledBack' && (health.status === 'Healthy' || health.status === 'Suspended');
  const condition = state.kind === 'RolledBack' ? rolledBack(rollback, running) : rollbackFailed(rollback);
  await writeStatus(work, {
    legacyStatus: sound ? 'READY' : 'ERROR',
    ready: notReady(condition),
    phase: stalled(condition),
    conditions: [condition, healthy(health)],
    release,
    crds,
    chart: target.chart,
    configDigest: target.configDigest,
    ...(running === undefined ? {} : { running }),
    marks: sound ? { healthy: true } : {},
    failures: 0,
  });
  return { requeueAfter: Math.min(HEALTH_MS, work.spec.interval) };
}

function rolledBack({ chart, revision, toRevision, cause, message }: Rollback, running: OperatorStatus['chart']): ConditionInput {
  const failed = `Chart ${chart} failed in revision ${revision} (${CAUSES[cause]}): ${message}`;
  const runs = `revision ${toRevision}${running === undefined ? '' : ` with chart ${running.name} ${running.version}`} runs again`;
  return isFalse('Released', 'RolledBack', `${failed}. So ${runs}. ${ADVICE}`);
}

function rollbackFailed({ chart, revision, toRevision, message }: Rollback): ConditionInput {
  const failed = `Chart ${chart} failed in revision ${revision}: ${message}`;
  return isFalse('Released', 'RollbackFailed', `${failed}. The rollback to revision ${toRevision} failed too. ${ADVICE}`);
}

const CAUSES = { UpgradeFailed: 'Helm failed', TestFailed: 'its test failed', Unhealthy: 'it did not become healthy in time' };
const ADVICE = 'CRDs are not rolled back. Change the chart or the values, or set the annotation chandlery.dev/force-at to retry';
