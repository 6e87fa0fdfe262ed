import {
  countHealth,
  type EnvironmentResource,
  type ResourceCount,
  type ResourceHealth,
  resourceHealthOf,
} from './environment-resources.ts';
import type { Workload } from '../workload/workload.ts';
import type { Track } from '../workload/pod-template.ts';

/** A workload on the deploy board of an environment, whoever made it. */
export interface BoardWorkload
  extends Workload, Pick<EnvironmentResource, 'resource' | 'deleting' | 'owner' | 'instance' | 'managedBy' | 'cause'> {}

export const BOARD_TRACKS = ['stable', 'canary'] as const satisfies readonly Track[];

export interface BoardFilter {
  readonly track?: Track;
  readonly health?: ResourceHealth;
  /** Must occur in the name, the kind, the version, an image, or the name of the owner or manager. */
  readonly search?: string;
}

/** The workloads in their order, with what is known of them as resources. */
export function boardOf(workloads: readonly Workload[], resources: readonly EnvironmentResource[]): BoardWorkload[] {
  const byUid = new Map(resources.map((resource) => [resource.uid, resource]));
  return workloads.flatMap((workload) => {
    const known = byUid.get(workload.uid);
    if (known === undefined) return [];
    const { resource, deleting, owner, instance, managedBy, health, cause } = known;
    return [
      {
        ...workload,
        resource,
        deleting,
        ...(health === undefined ? {} : { health }),
        ...(cause === undefined ? {} : { cause }),
        ...(owner === undefined ? {} : { owner }),
        ...(instance === undefined ? {} : { instance }),
        ...(managedBy === undefined ? {} : { managedBy }),
      },
    ];
  });
}

/** A workload whose revision or pods are a canary has both tracks. */
export function tracksOf({ track, revisions }: Workload): readonly Track[] {
  const all = new Set([track, ...revisions.flatMap((revision) => revision.pods.map((pod) => pod.track))]);
  return BOARD_TRACKS.filter((one) => all.has(one));
}

export function filterBoard(workloads: readonly BoardWorkload[], { track, health, search = '' }: BoardFilter): BoardWorkload[] {
  const words = search.trim().toLowerCase();
  return workloads.filter(
    (one) =>
      (track === undefined || tracksOf(one).includes(track)) &&
      (health === undefined || resourceHealthOf(one) === health) &&
      textsOf(one).some((text) => text.toLowerCase().includes(words)),
  );
}

function textsOf({ name, kind, version, images, owner, managedBy }: BoardWorkload): string[] {
  return [name, kind, version, ...images.map(({ image }) => image), owner?.name ?? '', managedBy?.name ?? ''];
}

/** How many workloads there are, and how many of each health. */
export interface WorkloadSummary {
  readonly total: number;
  readonly pods: number;
  readonly readyPods: number;
  readonly canaries: number;
  readonly health: ResourceCount['health'];
}

export function summarizeWorkloads(workloads: readonly Workload[]): WorkloadSummary {
  const pods = workloads.flatMap(({ revisions }) => revisions.flatMap((revision) => revision.pods));
  return {
    total: workloads.length,
    pods: pods.length,
    readyPods: pods.filter(({ ready }) => ready).length,
    canaries: workloads.filter((one) => tracksOf(one).includes('canary')).length,
    health: countHealth(workloads),
  };
}
