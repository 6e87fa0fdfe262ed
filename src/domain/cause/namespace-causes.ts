import type { Health } from '../health/health.ts';
import { booleanAt, listAt, textAt } from '../core/read.ts';
import { healthOf } from '../health/rules/health-of.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { kindKey, type ObjectIndex, uidOf } from '../tree/object-index.ts';
import type { ObjectGraph, Placed } from '../tree/place-objects.ts';
import { POD_SPECS } from '../tree/relations.ts';
import { type Found, judgeObjects, sentenceAbout, worstFirst } from './find-cause.ts';
import { TRAFFIC_RULES } from './traffic-causes.ts';

export interface NamespaceInput {
  readonly namespace: string;
  /** The kinds (`group/Kind`) of which all objects were read. */
  readonly listed: ReadonlySet<string>;
  /** Events of the namespace. */
  readonly events: readonly KubeObject[];
}

export interface NamespaceVerdict {
  /** As the graph corrects it. */
  readonly health: Health | undefined;
  /** The worst cause of it and what it owns. */
  readonly cause: string;
}

/**
 * Why the objects of a namespace are not well: for each object of which it, or something that it owns, has a cause of its own, the sentence that names the worst. Objects
 * that only wait for others are left out, as their health says that already.
 */
export function namespaceCauses(
  graph: ObjectGraph,
  { namespace, listed, events }: NamespaceInput,
): ReadonlyMap<KubeObject, NamespaceVerdict> {
  const { objects } = graph.index;
  if (objects.every((object) => (healthOf(object)?.status ?? 'Healthy') === 'Healthy' && !Object.hasOwn(TRAFFIC_RULES, kindKey(object)))) {
    return new Map();
  }
  const placed = forest(graph);
  const root: KubeObject = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, namespace } };
  const verdicts = judgeObjects({ root, placed, objects, listed }, events);
  const causes = new Map<KubeObject, Found>();
  for (const one of placed) {
    const { finding, counts, health } = verdicts.get(one) ?? {};
    if (finding === undefined || counts !== true || finding.rank === 'Waiting' || finding.rank === 'Warning') continue;
    const found = { placed: one, finding, health };
    for (let above: Placed | undefined = one; above !== undefined; above = above.parent) {
      const known = causes.get(above.object);
      if (known === undefined || worstFirst(found, known) < 0) causes.set(above.object, found);
    }
  }
  const healths = new Map([...verdicts].map(([one, { health }]) => [one.object, health]));
  return new Map(
    [...causes].map(([object, { placed: cause, finding }]) => [
      object,
      { health: healths.get(object), cause: sentenceAbout(cause, finding) },
    ]),
  );
}

/** All objects below their owners; those whose owners go round in a circle are left out. */
function forest({ index, edges: found }: ObjectGraph): Placed[] {
  const owned = Map.groupBy(index.objects, (object) => ownerOf(object, index));
  const all: Placed[] = [];
  const place = (object: KubeObject, parent?: Placed): Placed => {
    const edges = RELATED.has(kindKey(object)) || parent !== undefined ? (found.get(object) ?? []) : [];
    const edge = edges.find((one) => one.target !== undefined && one.target === parent?.object);
    const above = parent === undefined ? {} : { parent, ...(edge === undefined ? {} : { edge }) };
    const one = { object, ...above, depth: (parent?.depth ?? -1) + 1, isPart: true, edges, children: [] };
    all.push(one);
    return one;
  };
  for (const object of owned.get(undefined) ?? []) place(object);
  for (let next = 0; next < all.length; next += 1) {
    const parent = all[next];
    if (parent === undefined || parent.depth >= DEEPEST) continue;
    for (const object of owned.get(parent.object) ?? []) parent.children.push(place(object, parent));
  }
  return all;
}

/** Kinds that causes look at the relations of. */
const RELATED = new Set([...Object.keys(TRAFFIC_RULES), ...Object.keys(POD_SPECS)]);
const DEEPEST = 32;

function ownerOf(object: KubeObject, index: ObjectIndex): KubeObject | undefined {
  const owners = listAt(object, 'metadata', 'ownerReferences');
  const reference = owners.find((one) => booleanAt(one, 'controller') === true) ?? owners[0];
  const owner = index.byUid.get(textAt(reference, 'uid') ?? '');
  return owner === object || uidOf(object) === '' ? undefined : owner;
}
