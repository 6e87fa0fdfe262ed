import { inParallel } from '../../domain/core/in-parallel.ts';
import { numberAt } from '../../domain/core/read.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { conditionsOf, findCondition } from '../../domain/kubernetes/condition.ts';
import { isRemovedWhenFinished } from '../../domain/health/removed-when-finished.ts';
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
    if (live === undefined && isRemovedWhenFinished(candidate.object)) return;
    const health = live === undefined ? { status: 'Missing' as const, message: 'it does not exist' } : healthOf(live);
    if (health === undefined || health.status === 'Healthy' || health.status === 'Suspended') return;
    found.push({ resource, status: health.status, message: health.message });
  });
  return found.toSorted((a, b) => a.resource.localeCompare(b.resource));
}

/** Which of these Operators are not ready, so that the CRDs of their charts may be missing. One that nobody has reconciled yet is not. */
export async function checkOperators(
  cluster: SourceCluster,
  operators: readonly Candidate[],
  signal: AbortSignal,
): Promise<readonly Unhealthy[]> {
  const found: Unhealthy[] = [];
  await inParallel(operators, AT_ONCE, async (candidate) => {
    const live = await ifFound(cluster.get(refOf(candidate), { signal }));
    const ready = live === undefined ? undefined : findCondition(conditionsOf(live), 'Ready');
    const isCurrent = numberAt(live?.status, 'observedGeneration') === live?.metadata.generation;
    if (ready?.status === 'True' && isCurrent) return;
    const health = live === undefined || !isCurrent ? undefined : healthOf(live);
    const message = isCurrent && ready !== undefined ? ready.message : 'its controller has not reconciled it yet';
    found.push({ resource: candidate.resource, status: health?.status ?? 'Progressing', message });
  });
  return found.toSorted((a, b) => a.resource.localeCompare(b.resource));
}
