import { cycleThrough } from '../core/dependency-cycle.ts';
import { specOf, statusOf } from '../kind/kind.ts';
import { findCondition } from '../kubernetes/condition.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { CATALOG_SOURCE_KIND } from './catalog-source.ts';

/** Why a source has to wait for others. */
export interface DependencyProblem {
  readonly reason: 'DependencyNotReady' | 'DependencyCycle';
  readonly message: string;
}

/** What keeps a source from being applied: a cycle of dependencies through it, or a source of `dependsOn` that is not ready at its current generation. */
export function dependencyProblem(source: KubeObject, sources: readonly KubeObject[]): DependencyProblem | undefined {
  const { name } = source.metadata;
  const { dependsOn } = specOf(CATALOG_SOURCE_KIND, source);
  if (dependsOn.length === 0) return undefined;
  const edges = new Map(sources.map((one) => [one.metadata.name, specOf(CATALOG_SOURCE_KIND, one).dependsOn]));
  const cycle = cycleThrough(name, edges);
  if (cycle !== undefined)
    return { reason: 'DependencyCycle', message: `the sources depend on each other: ${cycle.join(' → ')}; remove one from spec.dependsOn` };
  const waiting = dependsOn.flatMap((needed) => {
    const why = unready(sources.find(({ metadata }) => metadata.name === needed));
    return why === undefined ? [] : [`CatalogSource "${needed}" ${why}`];
  });
  return waiting.length === 0 ? undefined : { reason: 'DependencyNotReady', message: `waits for ${waiting.join(' and ')}` };
}

/** The names of the sources that wait for one. */
export function dependentsOf(name: string, sources: readonly KubeObject[]): string[] {
  return sources.filter((one) => specOf(CATALOG_SOURCE_KIND, one).dependsOn.includes(name)).map(({ metadata }) => metadata.name);
}

function unready(needed: KubeObject | undefined): string | undefined {
  if (needed === undefined) return 'does not exist';
  if (needed.metadata.deletionTimestamp !== undefined) return 'is being deleted';
  const ready = findCondition(statusOf(CATALOG_SOURCE_KIND, needed).conditions, 'Ready');
  if (ready?.observedGeneration !== needed.metadata.generation) return 'has not been reconciled since its last change';
  return ready?.status === 'True' ? undefined : `is not ready (${ready?.reason ?? 'no status'})`;
}
