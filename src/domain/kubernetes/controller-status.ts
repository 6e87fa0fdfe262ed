/** What a process that may run the controllers of a cluster does about them. */
export type ControllerStatus =
  | { readonly kind: 'Waiting' }
  | { readonly kind: 'Leader' }
  | {
      readonly kind: 'Standby';
      /** The process that holds the Lease. */
      readonly holder: string;
    };

/** For `/readyz`. */
export function controllerSummary(status: ControllerStatus): string {
  switch (status.kind) {
    case 'Waiting':
      return 'waiting for the Lease';
    case 'Leader':
      return 'leader';
    case 'Standby':
      return `standby, held by ${status.holder}`;
    default:
      return status satisfies never;
  }
}

/** A sentence for admins; undefined where there is nothing to know. */
export function controllerNotice(status: ControllerStatus): string | undefined {
  if (status.kind !== 'Standby') return undefined;
  return `The controller runs in ${status.holder}; this process is on standby.`;
}
