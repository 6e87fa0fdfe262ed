import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError } from '../../domain/core/errors.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import type { SharedPlan } from '../../domain/change-request/change-request.ts';
import { candidateOf } from './request-candidate.ts';
import { findPlan, type PlanSight } from './request-access.ts';
import type { Ports } from '../ports.ts';

/** A plan as somebody sees it who may. */
export interface PlanView extends PlanSight {
  readonly plan: PlanSummary;
  /** What approving it now would do, found out with the viewer's own rights; absent once it is decided, or when it cannot be found out. */
  readonly preflight?: Preflight;
  /** Stands for exactly that; an approval has to name it. */
  readonly digest?: string;
  /** Whether the Instance was changed since the plan was made. */
  readonly moved: boolean;
  /** Why there is no preflight of an open plan. */
  readonly obstacle?: string;
}

/** What is told about a plan. */
export type PlanSummary = Omit<SharedPlan, 'cluster' | 'base'>;

/** One plan, looked at with the actor's own rights. `NotFound` when they may not see it. */
export async function showPlan(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'discovery' | 'plans' | 'publicUrl' | 'journal'>,
  actor: Actor,
  id: string,
): Promise<PlanView> {
  const { plan, ...sight } = await findPlan(ports, actor, id);
  const view = { plan: planSummary(plan), ...sight };
  if (plan.state !== 'open') return { ...view, moved: false };
  try {
    const { digest, moved, preflight } = await candidateOf(ports, actor, plan);
    return { ...view, digest, moved, preflight: await preflight() };
  } catch (error) {
    if (!isAppError(error, 'NotFound', 'Forbidden')) throw error;
    return { ...view, moved: false, obstacle: error.message };
  }
}

/** A plan without what only we need. */
export function planSummary({ cluster: _cluster, base: _base, ...summary }: SharedPlan): PlanSummary {
  return summary;
}
