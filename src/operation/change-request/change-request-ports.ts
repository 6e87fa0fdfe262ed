import type { ChangeRequestTable } from '../../domain/change-request/change-request.ts';

/** What shared change requests need of the world. */
export interface ChangeRequestPorts {
  readonly table: ChangeRequestTable;
  /** The uid of the cluster, which a change request is bound to. */
  readonly cluster: () => Promise<string>;
  /** Milliseconds since 1970. */
  readonly now: () => number;
}
