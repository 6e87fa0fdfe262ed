import type { PlanTable } from '../../domain/change-request/change-request.ts';

/** What shared plans need of the world. */
export interface SharedPlanPorts {
  readonly table: PlanTable;
  /** The uid of the cluster, which a plan is bound to. */
  readonly cluster: () => Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
