import type { ReconcileResult } from '../../../controller/controller.ts';
import type { ConditionInput } from '../../../domain/kubernetes/condition.ts';
import { fetched, isFalse, reconciling, stalled } from './conditions.ts';
import type { DependencyFact } from '../facts/observe-dependencies.ts';
import type { ActiveAction } from '../next-action.ts';
import type { ActiveFacts } from '../state.ts';
import { notReady, writeStatus } from './write-status.ts';
import type { Work } from '../work.ts';

const WAIT_MS = 5_000;
/** A cycle ends by an edit of any of its Operators. */
const CYCLE_MS = 30_000;

/** Says what the Operator waits for. What is installed stays as it is. */
export async function awaitDependencies(
  work: Work,
  { release, crds }: ActiveFacts,
  { chart, dependencies }: Extract<ActiveAction, { kind: 'await-dependencies' }>,
): Promise<ReconcileResult> {
  const condition = blockedBy(dependencies);
  const isCycle = dependencies.cycle !== undefined;
  await writeStatus(work, {
    legacyStatus: isCycle ? 'ERROR' : 'INSTALLING',
    ready: notReady(condition),
    phase: isCycle ? stalled(condition) : reconciling(condition),
    conditions: [fetched(work.spec.chart, chart), condition],
    release,
    crds,
    chart,
  });
  return { requeueAfter: isCycle ? CYCLE_MS : WAIT_MS };
}

function blockedBy({ waiting, cycle }: DependencyFact): ConditionInput {
  if (cycle !== undefined) {
    const message = `spec.dependsOn leads back to itself: ${cycle.join(' → ')}; take one of them out`;
    return isFalse('Released', 'DependencyCycle', message);
  }
  const sentence = waiting.map(({ operator, why }) => `Operator ${operator}: ${why}`).join('; ');
  return isFalse('Released', 'DependencyNotReady', `Waiting for what it depends on: ${sentence}`);
}
