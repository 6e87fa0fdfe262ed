import type { Rollout } from '../../domain/workload/rollout.ts';
import type { Badge } from './badges.ts';

/** A view of `parts/rollout`. */
export interface RolloutView {
  readonly state: Badge;
  readonly percentage: number;
  readonly message: string;
  /** Empty for what sends no share of the traffic to a canary. */
  readonly canary: string;
}

export function rolloutView({ state, percentage, message, canaryWeight }: Rollout): RolloutView {
  return {
    state: { label: state, ...STATES[state] },
    percentage,
    message,
    canary: canaryWeight === undefined ? '' : `${canaryWeight} % of the traffic to the canary`,
  };
}

const STATES: Readonly<Record<Rollout['state'], Omit<Badge, 'label'>>> = {
  Complete: { tone: 'good', symbol: 'check' },
  Progressing: { tone: 'busy', symbol: 'busy' },
  Paused: { tone: 'idle', symbol: 'pause' },
  Stalled: { tone: 'bad', symbol: 'bad' },
};
