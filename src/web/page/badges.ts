import type { Availability } from '../../domain/app/app.ts';
import type { HealthStatus } from '../../domain/health/health.ts';
import { type OperatorState, stateOf } from '../../domain/operator/operator-list.ts';
import type { OperatorView } from '../../domain/operator/operator.ts';
import type { SourceState } from '../../domain/source/source-view.ts';

/** What a state looks like: a tone of the tokens and a symbol of the sprite, so that colour is never alone. */
export type Tone = 'good' | 'busy' | 'warn' | 'bad' | 'idle' | 'accent';

/** A view of `parts/badge`. */
export interface Badge {
  readonly label: string;
  readonly tone: Tone;
  /** Absent for a badge of text alone. */
  readonly symbol?: string;
}

export function healthBadge(status: HealthStatus): Badge {
  return { label: status, ...HEALTH[status] };
}

const HEALTH: Readonly<Record<HealthStatus, { tone: Tone; symbol: string }>> = {
  Healthy: { tone: 'good', symbol: 'check' },
  Progressing: { tone: 'busy', symbol: 'busy' },
  Suspended: { tone: 'idle', symbol: 'pause' },
  Unknown: { tone: 'idle', symbol: 'unknown' },
  Missing: { tone: 'warn', symbol: 'missing' },
  Degraded: { tone: 'bad', symbol: 'bad' },
};

export function availabilityBadge(availability: Availability): Badge {
  return { label: availability, ...AVAILABILITY[availability] };
}

const AVAILABILITY: Readonly<Record<Availability, { tone: Tone; symbol: string }>> = {
  Available: { tone: 'good', symbol: 'check' },
  Installing: { tone: 'busy', symbol: 'busy' },
  Unavailable: { tone: 'bad', symbol: 'bad' },
};

export function operatorBadge(operator: Pick<OperatorView, 'status' | 'suspended' | 'conditions'>): Badge {
  return stateBadge(stateOf(operator));
}

export function stateBadge(state: OperatorState): Badge {
  return { label: state, ...STATES[state] };
}

const STATES: Readonly<Record<OperatorState, { tone: Tone; symbol: string }>> = {
  Ready: { tone: 'good', symbol: 'check' },
  Installing: { tone: 'busy', symbol: 'busy' },
  Suspended: { tone: 'idle', symbol: 'pause' },
  Error: { tone: 'bad', symbol: 'bad' },
  Deleting: { tone: 'warn', symbol: 'trash' },
};

export function sourceBadge(state: SourceState): Badge {
  return SOURCE_STATES[state];
}

const SOURCE_STATES: Readonly<Record<SourceState, Badge>> = {
  Failed: { label: 'Failed', tone: 'bad', symbol: 'bad' },
  ApprovalNeeded: { label: 'Approval needed', tone: 'warn', symbol: 'warn' },
  ConfirmationNeeded: { label: 'Confirmation needed', tone: 'warn', symbol: 'warn' },
  Deleting: { label: 'Deleting', tone: 'warn', symbol: 'trash' },
  Syncing: { label: 'Syncing', tone: 'busy', symbol: 'busy' },
  Suspended: { label: 'Suspended', tone: 'idle', symbol: 'pause' },
  Synced: { label: 'Synced', tone: 'good', symbol: 'check' },
};

/** Production stands out; every other tier is plain text. */
export function tierBadge(tier: string): Badge {
  return tier === 'production' ? { label: tier, tone: 'accent', symbol: 'lock' } : { label: tier, tone: 'idle' };
}

/** What stands in the place of a health while something goes away. */
export const DELETING: Badge = { label: 'Deleting', tone: 'warn', symbol: 'trash' };
