import { inParallel } from '../../domain/core/in-parallel.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { healthOf } from '../../domain/health/rules/health-of.ts';
import { type Candidate, refOf } from '../../domain/source/check-documents.ts';
import type { SourceCluster } from './ports.ts';

/** A resource that is not healthy yet, and why. */
export interface Unhealthy {
  readonly resource: string;
  readonly status: string;
  readonly message: string;
}

const AT_ONCE = 8;

/** Which of the applied resources are not healthy, by the rules of their kinds. A kind that says nothing about itself is not waited for. */
export async function checkHealth(
  cluster: SourceCluster,
  candidates: readonly Candidate[],
  signal: AbortSignal,
): Promise<readonly Unhealthy[]> {
  const found: Unhealthy[] = [];
  await inParallel(candidates, AT_ONCE, async (candidate) => {
    const { resource } = candidate;
    const live = await ifFound(cluster.get(refOf(candidate), { signal }));
    const health = live === undefined ? { status: 'Missing' as const, message: 'it does not exist' } : healthOf(live);
    if (health === undefined || health.status === 'Healthy' || health.status === 'Suspended') return;
    found.push({ resource, status: health.status, message: health.message });
  });
  return found.toSorted((a, b) => a.resource.localeCompare(b.resource));
}
