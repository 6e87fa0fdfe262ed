/** What a process that may run the controllers of a cluster does about them. */
export type ControllerStatus =
  | { readonly kind: 'Waiting' }
  | { readonly kind: 'Leader' }
  | {
      readonly kind: 'Standby';
      /** The process that holds the Lease; empty where nobody holds it. */
      readonly holder: string;
      /** Present where another installation manages the cluster. */
      readonly installations?: Installations;
    };

/** Names of two installations on one cluster. */
export interface Installations {
  readonly managing: string;
  readonly own: string;
}

/** For `/readyz`. */
export function controllerSummary(status: ControllerStatus): string {
  switch (status.kind) {
    case 'Waiting':
      return 'waiting for the Lease';
    case 'Leader':
      return 'leader';
    case 'Standby': {
      const { holder, installations } = status;
      const held = holder === '' ? 'standby' : `standby, held by ${holder}`;
      return installations === undefined ? held : `${held}; ${conflictOf(installations)}`;
    }
    default:
      return status satisfies never;
  }
}

/** A sentence for admins; undefined where there is nothing to know. */
export function controllerNotice(status: ControllerStatus): string | undefined {
  if (status.kind !== 'Standby') return undefined;
  const { holder, installations } = status;
  if (installations !== undefined) return `This process is on standby: ${conflictOf(installations)}.`;
  return `The controller runs in ${holder}; this process is on standby.`;
}

/** Both names, and what to do. */
export function conflictOf({ managing, own }: Installations): string {
  return `this cluster is managed by ${managing}; this is ${own}: stop one of them, or start this one with --take-over`;
}
