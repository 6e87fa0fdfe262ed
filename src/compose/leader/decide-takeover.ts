import { type LeaseDecision, type SeenLease, takeWhenExpired } from '../../controller/leader.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { Installation } from './installation.ts';

interface TakeoverInput {
  readonly installation: Installation;
  /** How the holder is named in earlier processes of this state folder. They have ended, or this one would not have the folder. */
  readonly predecessors: string;
  /** For which the Lease stands without being renewed. */
  readonly seconds: number;
  /** `Once`: replaces another installation, until this process has led. */
  readonly takeOver: 'Never' | 'Once';
}

/** Decides whether this process takes the Lease of the controllers. */
export interface Takeover {
  readonly decide: (seen: SeenLease) => LeaseDecision;
  /** The name of the other installation that manages the cluster, or did until a moment ago. */
  readonly other: () => string | undefined;
  /** To be called when this process leads. */
  readonly led: () => void;
}

/** A pod that is replaced releases the Lease and is away for a moment; its cluster is not taken over meanwhile. */
const RETURN_MS = 120_000;

/** Within an installation the Lease decides alone. Another installation keeps its cluster also when its process dies, until it ends in an orderly way. */
export function createTakeover({ installation, predecessors, seconds, takeOver }: TakeoverInput): Takeover {
  let other: string | undefined;
  let mayReplace = takeOver === 'Once';
  const decide = (seen: SeenLease): LeaseDecision => {
    if (seen.holder.startsWith(predecessors)) return 'Take';
    if (seen.resourceVersion === '') {
      const isLeft = other === undefined || mayReplace || seen.unchanged >= RETURN_MS;
      return isLeft ? 'Take' : 'Wait';
    }
    other = otherInstallation(seen, installation);
    const expiry = takeWhenExpired(seen, seconds);
    if (other === undefined) return expiry;
    if (!mayReplace) return 'Wait';
    return expiry === 'Take' ? 'Take' : 'TakeFromHolder';
  };
  return {
    decide,
    other: () => other,
    led: () => {
      other = undefined;
      mayReplace = false;
    },
  };
}

/** A Lease without an id is one of an earlier version. */
function otherInstallation({ annotations, holder }: SeenLease, { id }: Installation): string | undefined {
  const managing = annotations[OURS.installationId];
  if (managing === undefined || managing === id) return undefined;
  return annotations[OURS.installation] ?? holder;
}
