import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { MissingPermission } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import { describeResources, type EnvironmentResource } from '../../domain/environment/environment-resources.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { Health } from '../../domain/health/health.ts';
import { EVENT } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject, ServedKind } from '../../domain/kubernetes/resource.ts';
import { kindKey } from '../../domain/tree/object-index.ts';
import type { UnavailableKind } from '../../domain/tree/tree.ts';
import { catalogEntries, entriesFor } from '../app/find-app.ts';
import { type KindList, listKind } from '../instance/list-kind.ts';
import { redactHealth, redactTexts } from '../instance/instance-masking.ts';
import { readNamespace } from './read-namespace.ts';
import { namespacedKinds, type ReadObjects } from '../instance/read-objects.ts';
import { indexedKinds, type IndexedReader } from '../index-port.ts';
import type { Ports } from '../ports.ts';
import { findEnvironment } from './find-environment.ts';
import { createNamespaceJudge, healthIn, type JudgedNamespace } from './judge-namespace.ts';

export type EnvironmentPorts = Pick<Ports, 'clusters' | 'index' | 'catalog' | 'discovery' | 'namespaceMemory' | 'health'>;

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

/** What of the namespace is read before the answer; see `NamespaceInput`. */
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
  const memory = indexedKinds(ports.namespaceMemory.kindsIn(actor, namespace, apiGroups), reader, {
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
  const judged = judgeNamespace(ports, {
    namespace,
    objects: read.objects,
    listed,
    events: events.outcome === 'Listed' ? events.items : NO_EVENTS,
  });
  const { length: unexplored } = read.unexplored;
  return {
    ...readingOf(ports, actor, { environment, kinds, read, judged }),
    reader,
    warnings: events.outcome === 'Listed' ? { ...events, items: events.items.filter(isWarning) } : events,
    ...(unexplored === 0 ? {} : { unexplored }),
  };
}

const judgeNamespace = createNamespaceJudge(() => performance.now());

/** Each is a watch in each environment that somebody reads. */
const MAX_FOLLOWED_APPS = 100;
const NO_EVENTS: readonly KubeObject[] = [];

function isWarning(event: KubeObject): boolean {
  return textAt(event, 'type') === 'Warning';
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

function kindName({ group, kind }: ServedKind): string {
  return `${group}/${kind}`;
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
