import { applyStatus } from '../../apply-status.ts';
import type { PendingUpgrade } from '../../../domain/operator/kind/status-fields.ts';
import { findCondition, type Condition } from '../../../domain/kubernetes/condition.ts';
import { OPERATOR } from '../../../domain/kubernetes/resource-types.ts';
import { composeStatus, type Finding } from './compose-status.ts';
import { healthRulesValid } from '../../health-rules.ts';
import { catalogValid, waitingSentence } from './conditions.ts';
import type { Work } from '../work.ts';

/** Conditions whose turns are worth an Event. */
const WITH_EVENTS = ['Fetched', 'Uplifted', 'Released', 'CRDsEstablished', 'Ready', 'Deletable', 'Drifted', 'Tested', 'Approved'];

/**
 * Writes the status of an Operator when it differs from the one it was read with, and tells of conditions that changed.
 *
 * @returns the Operator with that status, for what is found out next.
 */
export async function writeStatus(work: Work, finding: Finding): Promise<Work> {
  const { ports, operator, signal } = work;
  const status = composeStatus(work, finding, [
    ...(await catalogValid(operator, finding.crds)),
    ...healthRulesValid(operator, ports.failedRules),
  ]);
  const written = { ...work, status, operator: { ...operator, status } };
  if ((await applyStatus(ports.cluster, OPERATOR, { object: operator, status, signal })) === 'Unchanged') return written;
  await recordTransitions(work, status.conditions);
  await recordPending(work, status.pendingUpgrade);
  return written;
}

/** Writes an Event for each condition whose status or reason has changed. */
async function recordTransitions({ ports, operator, status }: Work, conditions: readonly Condition[]): Promise<void> {
  for (const condition of conditions.filter(({ type }) => WITH_EVENTS.includes(type))) {
    const before = findCondition(status.conditions, condition.type);
    if (condition.type === 'Drifted' && condition.status === 'False' && before === undefined) continue;
    if (before?.status === condition.status && before.reason === condition.reason) continue;
    // What only repeats another condition's reason is reported once.
    if (
      condition.type === 'Ready' &&
      conditions.some((other) => other.type !== 'Ready' && WITH_EVENTS.includes(other.type) && other.reason === condition.reason)
    )
      continue;
    await ports.events.record(operator, { type: toneOf(condition), reason: condition.reason, message: condition.message });
  }
}

/** Writes an Event when an upgrade begins to wait, or waits for something else. */
async function recordPending({ ports, operator, status }: Work, pending: PendingUpgrade | undefined): Promise<void> {
  const { pendingUpgrade: before } = status;
  if (pending === undefined || (before?.version === pending.version && before.reason === pending.reason)) return;
  await ports.events.record(operator, { type: 'Normal', reason: pending.reason, message: waitingSentence(pending) });
}

function toneOf({ type, status, reason }: Condition): 'Normal' | 'Warning' {
  if (type === 'Drifted') return status === 'True' ? 'Warning' : 'Normal';
  return status === 'False' && !isUnderWay(reason) ? 'Warning' : 'Normal';
}

function isUnderWay(reason: string): boolean {
  return [
    'Installing',
    'Upgrading',
    'Adopting',
    'RollingBack',
    'Testing',
    'NotTested',
    'Progressing',
    'NotEstablished',
    'DependencyNotReady',
    'Unlocking',
    'MovePending',
    'Moving',
    'Deleting',
    'Uninstalling',
    'Unknown',
  ].includes(reason);
}
