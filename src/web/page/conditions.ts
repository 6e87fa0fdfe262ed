import type { Condition } from '../../domain/kubernetes/condition.ts';
import type { Badge } from './badges.ts';

/** A row of `parts/conditions`. */
export interface ConditionRow {
  readonly type: string;
  readonly status: Badge;
  readonly reason: string;
  readonly message: string;
  readonly since: string;
  /** What the type tells, for people who do not know it by heart. */
  readonly meaning?: string;
}

/** Types that tell of trouble while they are true, and of nothing while they are false. */
const TROUBLE = /^(Stalled|Drifted|Degraded|Expired|Fail|.*(Failure|Failed|Pressure|Unavailable|Error)$)/;
/** Types that ask for attention while they are true. */
const WARNING = /^(PendingRemoval|Contended|Suspended|Paused|DisruptionTarget|NonStructuralSchema|.*(Pending|Remaining|Deprecated))$/;
const WORK = /^(Reconciling|Progressing|Deleting|Terminating|Installing|Upgrading|Creating)$/;

/** The sum of all first, then as they came. */
export function conditionRows(conditions: readonly Condition[]): readonly ConditionRow[] {
  return [...conditions.filter(isReady), ...conditions.filter((condition) => !isReady(condition))].map((condition) => ({
    type: condition.type,
    status: statusBadge(condition),
    reason: condition.reason,
    message: condition.message === '' ? splitWords(condition.reason) : condition.message,
    since: condition.lastTransitionTime,
  }));
}

function isReady({ type }: Condition): boolean {
  return type === 'Ready';
}

function statusBadge({ type, status }: Condition): Badge {
  if (status === 'Unknown') return { label: 'Unknown', tone: 'idle', symbol: 'unknown' };
  const label = status === 'True' ? 'Yes' : 'No';
  if (WORK.test(type)) return status === 'True' ? { label, tone: 'busy', symbol: 'busy' } : { label, tone: 'idle', symbol: 'pause' };
  if (TROUBLE.test(type)) return status === 'True' ? { label, tone: 'bad', symbol: 'bad' } : { label, tone: 'good', symbol: 'check' };
  const isFine = (status === 'True') !== WARNING.test(type);
  return isFine ? { label, tone: 'good', symbol: 'check' } : { label, tone: 'warn', symbol: 'warn' };
}

/** `MinimumReplicasAvailable` reads `Minimum replicas available`. */
function splitWords(reason: string): string {
  const words = reason.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').toLowerCase();
  return words.charAt(0).toUpperCase() + words.slice(1);
}
