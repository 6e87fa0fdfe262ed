import type { Edge } from '../tree/find-edges.ts';
import { namespaceOf } from '../tree/object-index.ts';
import type { Placed } from '../tree/place-objects.ts';
import type { SceneObjects } from './cause.ts';

/** What a Pod or its workload names and cannot do without, although the namespace does not have it; references of the workload's template are its own. */
export function missingReferences(placed: Placed, scene: Pick<SceneObjects, 'root' | 'listed'>): Edge[] {
  const own = placed.edges.filter((edge) => isMissing(edge, scene));
  const { parent, edge } = placed;
  return parent === undefined || edge?.class !== 'Owner' ? own : [...own, ...missingReferences(parent, scene)];
}

/** Whether the kind was listed, and what the edge names is not there. */
export function isMissing({ target, named, inferred, isOptional }: Edge, { root, listed }: Pick<SceneObjects, 'root' | 'listed'>): boolean {
  return inferred && target === undefined && !isOptional && named.namespace === namespaceOf(root) && listed.has(named.kind);
}
