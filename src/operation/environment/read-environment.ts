import { LRUCache } from 'lru-cache';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type NamespaceVerdict, namespaceCauses } from '../../domain/cause/namespace-causes.ts';
import { areSame } from '../../domain/tree/are-same.ts';
import type { MissingPermission } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import { describeResources, type EnvironmentResource } from '../../domain/environment/environment-resources.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { Health } from '../../domain/health/health.ts';
import { customHealthVersion } from '../../domain/health/rules/health-of.ts';
import { EVENT } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject, ServedKind } from '../../domain/kubernetes/resource.ts';
import { declaredRelationsOf } from '../../domain/tree/declared-edges.ts';
import { judgeApps, type JudgedApp } from '../../domain/tree/judge-apps.ts';
import { judgeTree } from '../../domain/tree/judge-tree.ts';
import { kindKey } from '../../domain/tree/object-index.ts';
import { graphOf, type ObjectGraph } from '../../domain/tree/place-objects.ts';
import type { UnavailableKind } from '../../domain/tree/tree.ts';
import { catalogEntries, entriesFor } from '../app/find-app.ts';
import { type KindList, listKind } from '../instance/list-kind.ts';
import { markedOf, redactHealth, redactTexts, secretsOf } from '../instance/instance-masking.ts';
import { readNamespace } from './read-namespace.ts';
import { namespacedKinds, type ReadObjects } from '../instance/read-objects.ts';
import { indexedKinds, type IndexedReader } from '../index-port.ts';
import type { Ports } from '../ports.ts';
import { findEnvironment } from './find-environment.ts';

export type EnvironmentPorts = Pick<Ports, 'clusters' | 'index' | 'catalog' | 'discovery' | 'groupMemory' | 'health'>;

/** What follows from the objects of a namespace, found once for everybody who may read the same of them. */
interface JudgedNamespace {
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

/** Everything in the namespace of an environment, as one actor may read it. */
export interface EnvironmentReading extends Pick<JudgedNamespace, 'objects' | 'graph' | 'listed' | 'events' | 'secrets'> {
  readonly environment: EnvironmentView;
  /** The objects, described, without secrets; by kind and name. */
  readonly resources: readonly EnvironmentResource[];
  /** Describes further objects in the same way. */
  readonly describe: (objects: readonly KubeObject[]) => readonly EnvironmentResource[];
  /** How an Instance is with all that it consists of, as far as the actor may read it; sensitive values are not masked. */
  readonly appHealth: (instance: KubeObject) => Health;
  /** What reads it as the actor. */
  readonly reader: IndexedReader;
  /** The warnings among the Events of its namespace. */
  readonly warnings: KindList;
  /** What the actor may not list. */
  readonly missing: readonly MissingPermission[];
  /** Kinds that nobody can list now. */
  readonly unavailable: readonly UnavailableKind[];
  /** How many kinds are looked for only after the answer; absent when all were read. */
  readonly unexplored?: number;
}

/** What of the namespace is read before the answer; see `GroupInput`. */
export interface ReadingExtent {
  readonly extent?: 'Expected';
}

/** @throws AppError `NotFound` for an environment that the actor does not see. */
export async function readEnvironment(
  ports: EnvironmentPorts,
  actor: Actor,
  { environment: name, ...extent }: ReadingExtent & { readonly environment: string },
): Promise<EnvironmentReading> {
  return await readPlace(ports, actor, { environment: await findEnvironment(ports.clusters, actor, name), ...extent });
}

/** The same of the namespace that a view of the environment names, which can be one that is dedicated to an instance. */
export async function readPlace(
  ports: EnvironmentPorts,
  actor: Actor,
  { environment, ...extent }: ReadingExtent & { readonly environment: EnvironmentView },
): Promise<EnvironmentReading> {
  const { namespace } = environment;
  const kinds = namespacedKinds(await ports.discovery.kinds());
  const entries = catalogEntries(ports);
  const ids = new Set(entries.map(({ summary }) => `${summary.plural}.${summary.group}`));
  const reader = ports.index.open(actor);
  // Instances are never left for later: what has to be masked everywhere is in them.
  const apiGroups = new Set(entries.map(({ summary }) => summary.group));
  const memory = indexedKinds(ports.groupMemory.kindsFor(actor, groupOf(namespace), apiGroups), reader, {
    namespace,
    isApp: ({ group, resource }) => ids.size <= MAX_FOLLOWED_APPS && ids.has(`${resource}.${group}`),
  });
  reader.follow(EVENT, namespace);
  const [read, events] = await Promise.all([
    readNamespace(reader.cluster, { kinds, namespace, memory, health: ports.health, ...extent }),
    listKind(async (options) => (await reader.cluster.list(EVENT, { namespace, ...options })).items),
  ]);
  const unread = new Set([...[...read.unreadable, ...read.unexplored].map(kindName), ...read.unavailable.map(kindKey)]);
  const listed = kinds.map(kindName).filter((kind) => !unread.has(kind));
  const judged = judgedNamespace(ports, { namespace, read, listed, events: events.outcome === 'Listed' ? events.items : NO_EVENTS });
  const { length: unexplored } = read.unexplored;
  return {
    ...readingOf(ports, actor, { environment, kinds, read, judged }),
    reader,
    warnings: events.outcome === 'Listed' ? { ...events, items: events.items.filter(isWarning) } : events,
    ...(unexplored === 0 ? {} : { unexplored }),
  };
}

/** Each is a watch in each environment that somebody reads. */
const MAX_FOLLOWED_APPS = 100;
const NO_EVENTS: readonly KubeObject[] = [];

function isWarning(event: KubeObject): boolean {
  return textAt(event, 'type') === 'Warning';
}

interface JudgeInput {
  readonly namespace: string;
  readonly read: Pick<ReadObjects, 'objects'>;
  /** The kinds (`group/Kind`) of which all objects were read. */
  readonly listed: readonly string[];
  readonly events: readonly KubeObject[];
}

interface KnownNamespace extends JudgedNamespace {
  readonly basis: readonly unknown[];
}

/** For each namespace, what people with different permissions read of it last. */
const KNOWN_READINGS = 4;
const knownNamespaces = new LRUCache<string, readonly KnownNamespace[]>({ max: 100 });

/** Judges what was read, or takes the judgement from before where every object, event and rule is the very same one. */
function judgedNamespace(ports: EnvironmentPorts, { namespace, read: { objects }, listed, events }: JudgeInput): JudgedNamespace {
  const declared = declaredRelationsOf(ports.catalog.customResourceDefinitions());
  const entries = catalogEntries(ports);
  const basis = [declared, entries, customHealthVersion(), listed.length, ...listed, ...objects, ...events];
  const known = knownNamespaces.get(namespace) ?? [];
  const same = known.find((one) => areSame(one.basis, basis));
  if (same !== undefined) return same;
  const graph = graphOf(objects, declared);
  const context = { listed: new Set(listed), events };
  const kinds = new Set(entries.map(({ summary }) => `${summary.group}/${summary.kind}`));
  const roots = graph.index.objects.filter((object) => kinds.has(kindKey(object)));
  const judged: KnownNamespace = {
    basis,
    objects,
    events,
    graph,
    listed: context.listed,
    causes: namespaceCauses(objects, { namespace, ...context }),
    apps: judgeApps(roots, { graph, ...context }),
    secrets: secretsIn(ports, roots),
  };
  knownNamespaces.set(namespace, [judged, ...known].slice(0, KNOWN_READINGS));
  return judged;
}

interface ReadKinds {
  readonly environment: EnvironmentView;
  readonly kinds: readonly ServedKind[];
  readonly read: Pick<ReadObjects, 'unreadable' | 'unavailable'>;
  readonly judged: JudgedNamespace;
}

function readingOf(
  ports: EnvironmentPorts,
  actor: Actor,
  { environment, kinds, read, judged }: ReadKinds,
): Omit<EnvironmentReading, 'warnings' | 'reader'> {
  const { unreadable, unavailable } = read;
  const { objects, graph, listed, events, secrets } = judged;
  const shown = new Set(entriesFor(ports, actor).map(({ summary }) => summary.id));
  const describe = (some: readonly KubeObject[]): readonly EnvironmentResource[] =>
    withoutSecrets(describeResources(some, { ...judged, kinds, shown }), secrets);
  return {
    environment,
    objects,
    graph,
    listed,
    events,
    resources: describeOnce(judged, [...shown].join(), () => describe(objects)),
    describe,
    appHealth: (instance) => healthIn(judged, instance),
    secrets,
    missing: unreadable.map(({ group, resource }) => ({ verb: 'list', group, resource, namespace: environment.namespace })),
    unavailable,
  };
}

const described = new WeakMap<JudgedNamespace, Map<string, readonly EnvironmentResource[]>>();

/** By the apps that the actor may know of. */
function describeOnce(
  judged: JudgedNamespace,
  apps: string,
  describe: () => readonly EnvironmentResource[],
): readonly EnvironmentResource[] {
  const byApps = described.get(judged) ?? new Map<string, readonly EnvironmentResource[]>();
  described.set(judged, byApps);
  const rows = byApps.get(apps) ?? describe();
  byApps.set(apps, rows);
  return rows;
}

/** An instance that was read by itself may be another version than the one that was judged, or not be among the objects at all. */
function healthIn({ objects, graph, listed, events, apps }: JudgedNamespace, instance: KubeObject): Health {
  const { uid = '', resourceVersion } = instance.metadata;
  const known = graph.index.byUid.get(uid);
  const app = known?.metadata.resourceVersion === resourceVersion && known !== undefined ? apps.get(known) : undefined;
  if (app !== undefined) return app.health;
  const others = objects.filter((object) => object !== known);
  return judgeTree(instance, others, { listed, events }).health;
}

function kindName({ group, kind }: ServedKind): string {
  return `${group}/${kind}`;
}

/** Under what the empty kinds of a namespace are remembered. */
function groupOf(namespace: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, uid: `namespace ${namespace}` } };
}

/** The sensitive values of the instances among some objects, each once. */
function secretsIn(ports: Pick<Ports, 'catalog'>, objects: readonly KubeObject[]): readonly string[] {
  const entries = new Map(catalogEntries(ports).map((entry) => [`${entry.summary.group}/${entry.summary.kind}`, entry]));
  const secrets = objects.flatMap((object) => {
    const entry = entries.get(`${object.apiVersion.split('/')[0]}/${object.kind}`);
    return entry === undefined ? [] : secretsOf(markedOf(entry), object);
  });
  return [...new Set(secrets)];
}

/** What any object says of itself may repeat a sensitive value of one of the instances. */
function withoutSecrets(resources: readonly EnvironmentResource[], secrets: readonly string[]): readonly EnvironmentResource[] {
  if (secrets.length === 0) return resources;
  return resources.map((one) => ({
    ...one,
    ...redactTexts({ info: one.info, ...(one.cause === undefined ? {} : { cause: one.cause }) }, secrets),
    ...(one.health === undefined ? {} : { health: redactHealth(one.health, secrets) }),
  }));
}
