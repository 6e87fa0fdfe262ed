import type { WorkloadPod } from '../../domain/workload/revisions.ts';
import type { Workload } from '../../domain/workload/workload.ts';
import { plural } from '../page/view-helpers.ts';

/** One pod: its tone, its mark, and its name and status for a pointer. */
interface PodSquare {
  readonly x: number;
  readonly y: number;
  readonly tone: 'good' | 'busy' | 'bad' | 'idle';
  readonly isCanary: boolean;
  readonly isOld: boolean;
  readonly title: string;
}

/** A view of `parts/pod-squares`: the pods of a workload, those of its current revision first, and the same in words. */
export interface PodSquares {
  readonly label: string;
  readonly width: number;
  readonly height: number;
  readonly squares: readonly PodSquare[];
  /** `2 of 3 ready`, and a line for each of what is wrong or on its way. */
  readonly text: string;
  readonly notes: readonly string[];
}

const MOST_SQUARES = 50;
const A_ROW = 10;
const STEP = 18;
const MOST_NOTES = 4;

export function podSquares({ desired, ready, revisions }: Pick<Workload, 'desired' | 'ready' | 'revisions'>): PodSquares {
  const pods = revisions.flatMap(({ pods: own, current }) => own.map((pod) => ({ pod, current })));
  const shown = pods.slice(0, MOST_SQUARES);
  const columns = Math.min(A_ROW, Math.max(1, shown.length));
  const text = `${ready} of ${desired} ready`;
  return {
    label: `Pods: ${text}`,
    width: columns * STEP,
    height: Math.ceil(shown.length / A_ROW) * STEP,
    squares: shown.map(({ pod, current }, index) => ({
      x: (index % A_ROW) * STEP + 2,
      y: Math.floor(index / A_ROW) * STEP + 2,
      tone: toneOf(pod),
      isCanary: pod.track === 'canary',
      isOld: !current,
      title: `${pod.name}: ${pod.ready ? 'ready' : pod.status}${pod.track === 'canary' ? ', canary' : ''}${current ? '' : ', earlier revision'}`,
    })),
    text,
    notes: notesOf(pods, pods.length - shown.length),
  };
}

function toneOf({ ready, status, health }: WorkloadPod): PodSquare['tone'] {
  if (ready) return 'good';
  if (health?.status === 'Degraded') return 'bad';
  return status === 'Succeeded' || status === 'Completed' || status === 'Terminating' ? 'idle' : 'busy';
}

function notesOf(pods: readonly { readonly pod: WorkloadPod; readonly current: boolean }[], hidden: number): string[] {
  const waiting = Map.groupBy(
    pods.filter(({ pod }) => !pod.ready),
    ({ pod }) => pod.status,
  );
  const canaries = pods.filter(({ pod }) => pod.track === 'canary').length;
  const old = pods.filter(({ current }) => !current).length;
  return [
    ...[...waiting].slice(0, MOST_NOTES).map(([status, same]) => `${same.length} ${status}`),
    ...(canaries === 0 || canaries === pods.length ? [] : [plural(canaries, 'canary', 'canaries')]),
    ...(old === 0 ? [] : [`${old} of earlier revisions`]),
    ...(hidden > 0 ? [`${plural(hidden, 'more pod', 'more pods')} not drawn`] : []),
  ];
}
