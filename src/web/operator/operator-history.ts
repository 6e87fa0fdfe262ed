import type { OperatorView } from '../../domain/operator/operator.ts';
import type { Badge } from '../page/badges.ts';

/** A row about one revision of the release, the newest first. */
export interface HistoryRow {
  readonly revision: number;
  readonly chart: string;
  readonly version: string;
  readonly appVersion: string;
  /** RFC 3339. */
  readonly time: string;
  readonly result: Badge;
  /** What is known beyond the result; empty when nothing is. */
  readonly notes: readonly string[];
}

export function historyRows({ history }: Pick<OperatorView, 'history'>): readonly HistoryRow[] {
  return history
    .map(({ revision, chart, version, appVersion = '', time, status, healthy, tested, rolledBackTo }) => ({
      revision,
      chart,
      version,
      appVersion,
      time,
      result: resultBadge(status),
      notes: [
        ...noteOf(healthy, ['was healthy', 'was not healthy']),
        ...noteOf(tested, ['tests passed', 'tests failed']),
        ...(rolledBackTo === undefined ? [] : [`revision ${rolledBackTo} came back`]),
      ],
    }))
    .toSorted((a, b) => b.revision - a.revision);
}

function resultBadge(status: string): Badge {
  if (status === 'deployed') return { word: 'Deployed', tone: 'good', symbol: 'check' };
  if (status === 'failed') return { word: 'Failed', tone: 'bad', symbol: 'bad' };
  if (status === 'rolled-back') return { word: 'Rolled back', tone: 'warn', symbol: 'warn' };
  return { word: status === 'superseded' ? 'Superseded' : status, tone: 'idle' };
}

function noteOf(flag: boolean | undefined, [yes, no]: readonly [string, string]): string[] {
  if (flag === undefined) return [];
  return [flag ? yes : no];
}
