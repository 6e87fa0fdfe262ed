import { LRUCache } from 'lru-cache';
import { type NamespaceVerdict, namespaceCauses } from '../../domain/cause/namespace-causes.ts';
import type { Health } from '../../domain/health/health.ts';
import { customHealthVersion } from '../../domain/health/rules/health-of.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { areSame } from '../../domain/tree/are-same.ts';
import { declaredRelationsOf } from '../../domain/tree/declared-edges.ts';
import { judgeApps, type JudgedApp } from '../../domain/tree/judge-apps.ts';
import { judgeTree } from '../../domain/tree/judge-tree.ts';
import { kindKey } from '../../domain/tree/object-index.ts';
import { graphOf, type ObjectGraph } from '../../domain/tree/place-objects.ts';
import { catalogEntries } from '../app/find-app.ts';
import { markedOf, secretsOf } from '../instance/instance-masking.ts';
import type { Ports } from '../ports.ts';

/** What follows from the objects of a namespace, found once for everybody who may read the same of them. */
export interface JudgedNamespace {
  readonly objects: readonly KubeObject[];
  readonly events: readonly KubeObject[];
  readonly graph: ObjectGraph;
  /** The kinds (`group/Kind`) of which all objects were read. */
  readonly listed: ReadonlySet<string>;
  readonly causes: ReadonlyMap<KubeObject, NamespaceVerdict>;
  /** The instances of apps by their object: the health of each is that of its whole tree. */
  readonly apps: ReadonlyMap<KubeObject, JudgedApp>;
  /** The sensitive values of the instances, which any object may repeat. */
  readonly secrets: readonly string[];
}

export interface JudgeInput {
  readonly namespace: string;
  readonly objects: readonly KubeObject[];
  /** The kinds (`group/Kind`) of which all objects were read. */
  readonly listed: readonly string[];
  readonly events: readonly KubeObject[];
}

type JudgePorts = Pick<Ports, 'catalog'>;

/** Judges what was read of namespaces. */
export type NamespaceJudge = (ports: JudgePorts, input: JudgeInput) => JudgedNamespace;

interface KnownNamespace extends JudgedNamespace {
  /** All that the judgement follows from. */
  readonly basis: readonly unknown[];
  /** What people may read, and the instances that there are: none of it may be older than asked for. */
  readonly scope: readonly unknown[];
  /** When the judgement ended, and how long it took. */
  readonly at: number;
  readonly cost: number;
}

/** Of one namespace, what people with different permissions read of it last. */
const KNOWN_READINGS = 4;
const KNOWN_NAMESPACES = 100;
/** A large namespace changes all the time: judging it takes a sixth of the time at most, and what is shown of it is two seconds old at most. */
const PAUSE = { factor: 5, maxMs: 2_000 };

/**
 * Judges a namespace, or takes the judgement from before where every object, event and rule is the very same one, or where that is only moments old in comparison with what it
 * costs.
 *
 * @param now milliseconds on a clock that only goes forward.
 */
export function createNamespaceJudge(now: () => number): NamespaceJudge {
  const namespaces = new LRUCache<string, readonly KnownNamespace[]>({ max: KNOWN_NAMESPACES });
  return (ports, input) => {
    const { namespace, objects, events, listed } = input;
    const roots = instancesIn(ports, objects);
    const declared = declaredRelationsOf(ports.catalog.customResourceDefinitions());
    const scope = [declared, catalogEntries(ports), customHealthVersion(), ...listed, ...roots.flatMap(identityOf)];
    const basis = [...scope, ...objects, ...events];
    const known = namespaces.get(namespace) ?? [];
    const began = now();
    const isRecent = ({ at, cost }: KnownNamespace): boolean => began - at < Math.min(cost * PAUSE.factor, PAUSE.maxMs);
    const same = known.find((one) => areSame(one.basis, basis)) ?? known.find((one) => isRecent(one) && areSame(one.scope, scope));
    if (same !== undefined) return same;
    const judgement = judge(ports, input, roots);
    const at = now();
    const judged = { ...judgement, basis, scope, at, cost: at - began };
    namespaces.set(namespace, [judged, ...known].slice(0, KNOWN_READINGS));
    return judged;
  };
}

function judge(ports: JudgePorts, { namespace, objects, events, ...input }: JudgeInput, roots: readonly KubeObject[]): JudgedNamespace {
  const graph = graphOf(objects, declaredRelationsOf(ports.catalog.customResourceDefinitions()));
  const listed = new Set(input.listed);
  return {
    objects,
    events,
    graph,
    listed,
    causes: namespaceCauses(graph, { namespace, listed, events }),
    apps: judgeApps(
      roots.filter((root) => graph.edges.has(root)),
      { graph, listed, events },
    ),
    secrets: secretsIn(ports, roots),
  };
}

/** The instances of apps, for whomever these are meant. */
function instancesIn(ports: JudgePorts, objects: readonly KubeObject[]): readonly KubeObject[] {
  const kinds = new Set(catalogEntries(ports).map(({ summary }) => `${summary.group}/${summary.kind}`));
  return objects.filter((object) => kinds.has(kindKey(object)));
}

/** Their status changes all the time. */
function identityOf({ metadata: { uid, generation, deletionTimestamp } }: KubeObject): readonly unknown[] {
  return [uid, generation, deletionTimestamp];
}

/** An instance that was read by itself may be another version than the one that was judged, or not be among the objects at all. */
export function healthIn({ objects, graph, listed, events, apps }: JudgedNamespace, instance: KubeObject): Health {
  const { uid = '', resourceVersion } = instance.metadata;
  const known = graph.index.byUid.get(uid);
  const app = known?.metadata.resourceVersion === resourceVersion && known !== undefined ? apps.get(known) : undefined;
  if (app !== undefined) return app.health;
  const others = objects.filter((object) => object !== known);
  return judgeTree(instance, others, { listed, events }).health;
}

/** The sensitive values of the instances among some objects, each once. */
function secretsIn(ports: JudgePorts, objects: readonly KubeObject[]): readonly string[] {
  const entries = new Map(catalogEntries(ports).map((entry) => [`${entry.summary.group}/${entry.summary.kind}`, entry]));
  const secrets = objects.flatMap((object) => {
    const entry = entries.get(`${object.apiVersion.split('/')[0]}/${object.kind}`);
    return entry === undefined ? [] : secretsOf(markedOf(entry), object);
  });
  return [...new Set(secrets)];
}
