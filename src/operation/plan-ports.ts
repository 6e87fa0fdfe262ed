import type { PlanTable } from '../domain/shared-plan.ts';

/** What happened, for the journal; `requestId` is empty where there was no request. */
export interface Deed {
  readonly action: string;
  readonly target: string;
  readonly requestId: string;
}

/** What shared plans need of the world. */
export interface SharedPlanPorts {
  readonly table: PlanTable;
  /** The uid of the cluster, which a plan is bound to. */
  readonly cluster: () => Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}

/** The journal, as operations write it. */
export interface JournalPort {
  append(entry: JournalLine): Promise<void>;
}

/** A line of the journal. */
export interface JournalLine extends Deed {
  /** ISO 8601 in UTC. */
  readonly time: string;
  readonly user: string;
  readonly outcome: 'done' | 'refused' | 'failed';
}
