import type { MigrationChange } from '../migration-change.ts';

/** What a changed CRD will ask about instances that are stored, as far as the actor may list them. It holds no value of theirs. */
export interface AffectedInstances {
  /** One for each change that there is. */
  readonly changes: readonly AffectedFields[];
  /** How many instances are affected at all. */
  readonly total: number;
  /** At most fifty of them. */
  readonly instances: readonly AffectedInstance[];
}

export interface AffectedFields {
  readonly change: MigrationChange;
  /** `spec.users[].name`, at most ten. */
  readonly fields: readonly string[];
  /** How many fields, at most a thousand. */
  readonly fieldCount: number;
  readonly instances: number;
}

export interface AffectedInstance {
  /** Absent when the kind is cluster-wide. */
  readonly namespace?: string;
  /** The Environment of the namespace; absent when there is none that the actor may see. */
  readonly environment?: string;
  readonly name: string;
  /** How many fields there are to decide about. */
  readonly rows: readonly { readonly change: MigrationChange; readonly count: number }[];
}
