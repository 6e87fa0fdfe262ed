import type { Actor } from '../../domain/kubernetes/actor.ts';
import { namespaceCauses } from '../../domain/cause/namespace-causes.ts';
import type { MissingPermission } from '../../domain/core/errors.ts';
import { describeResources, type EnvironmentResource } from '../../domain/environment/environment-resources.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { EVENT } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject, ServedKind } from '../../domain/kubernetes/resource.ts';
import { kindKey } from '../../domain/tree/object-index.ts';
import type { UnavailableKind } from '../../domain/tree/tree.ts';
import { catalogEntries, entriesFor } from '../app/find-app.ts';
import { type KindList, listKind } from '../instance/list-instances.ts';
import { markedOf, redactHealth, redactTexts, secretsOf } from '../instance/instance-masking.ts';
import { readNamespace } from '../instance/read-group.ts';
import { namespacedKinds, type ReadObjects } from '../instance/read-objects.ts';
import type { Ports } from '../ports.ts';
import { findEnvironment } from './find-environment.ts';

export type EnvironmentPorts = Pick<Ports, 'clusters' | 'catalog' | 'discovery' | 'groupMemory' | 'health'>;

/** Everything in the namespace of an environment, as one actor may read it. */
export interface EnvironmentReading {
  readonly environment: EnvironmentView;
  /** As they are: whatever is shown of them goes through `redactTexts` with the secrets. */
  readonly objects: readonly KubeObject[];
  /** The same, described, without secrets; by kind and name. */
  readonly resources: readonly EnvironmentResource[];
  /** Describes further objects in the same way. */
  readonly describe: (objects: readonly KubeObject[]) => readonly EnvironmentResource[];
  /** The sensitive values of its instances, which any object may repeat. */
  readonly secrets: readonly string[];
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
  { environment, ...extent }: ReadingExtent & Pick<KindsInput, 'environment'>,
): Promise<EnvironmentReading> {
  const { namespace } = environment;
  const kinds = namespacedKinds(await ports.discovery.kinds());
  // Instances are never left for later: what has to be masked everywhere is in them.
  const apiGroups = new Set(catalogEntries(ports).map(({ summary }) => summary.group));
  const memory = ports.groupMemory.kindsFor(actor, groupOf('namespace', namespace), apiGroups);
  const cluster = ports.clusters.asActor(actor);
  const [read, warnings] = await Promise.all([
    readNamespace(cluster, { kinds, namespace, memory, health: ports.health, ...extent }),
    listKind(async (options) => (await cluster.list(EVENT, { namespace, fieldSelector: 'type=Warning', ...options })).items),
  ]);
  const unread = new Set([...[...read.unreadable, ...read.unexplored].map(kindName), ...read.unavailable.map(kindKey)]);
  const listed = new Set(kinds.map(kindName).filter((kind) => !unread.has(kind)));
  const causes = namespaceCauses(read.objects, { namespace, listed, events: warnings.outcome === 'Listed' ? warnings.items : [] });
  const { length: unexplored } = read.unexplored;
  return { ...readingOf(ports, actor, { environment, kinds, read, causes }), warnings, ...(unexplored === 0 ? {} : { unexplored }) };
}

interface KindsInput {
  readonly environment: EnvironmentView;
  readonly kinds: readonly ServedKind[];
}

/** The same of the few kinds that boards consist of, without causes. */
export async function readBoardKinds(
  ports: EnvironmentPorts,
  actor: Actor,
  { environment, kinds }: KindsInput,
): Promise<Omit<EnvironmentReading, 'warnings'>> {
  const { namespace } = environment;
  const memory = ports.groupMemory.kindsFor(actor, groupOf('board', namespace));
  const read = await readNamespace(ports.clusters.asActor(actor), { kinds, namespace, memory, health: ports.health });
  return readingOf(ports, actor, { environment, kinds, read });
}

interface ReadKinds extends KindsInput {
  readonly read: Pick<ReadObjects, 'objects' | 'unreadable' | 'unavailable'>;
  readonly causes?: ReturnType<typeof namespaceCauses>;
}

function readingOf(
  ports: EnvironmentPorts,
  actor: Actor,
  { environment, kinds, read, causes }: ReadKinds,
): Omit<EnvironmentReading, 'warnings'> {
  const { objects, unreadable, unavailable } = read;
  const apps = new Set(entriesFor(ports, actor).map(({ summary }) => summary.id));
  const secrets = secretsIn(ports, objects);
  const describe = (some: readonly KubeObject[]): readonly EnvironmentResource[] =>
    withoutSecrets(describeResources(some, { kinds, apps, ...(causes === undefined ? {} : { causes }) }), secrets);
  return {
    environment,
    objects,
    resources: describe(objects),
    describe,
    secrets,
    missing: unreadable.map(({ group, resource }) => ({ verb: 'list', group, resource, namespace: environment.namespace })),
    unavailable,
  };
}

function kindName({ group, kind }: ServedKind): string {
  return `${group}/${kind}`;
}

/** Under what the empty kinds of a namespace are remembered. */
function groupOf(group: 'namespace' | 'board', namespace: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, uid: `${group} ${namespace}` } };
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
