import { isAppInstance, releaseNamespaceOf } from '../../domain/app-instance/instance.ts';
import { readLogLines } from '../../domain/instance/pod-log.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { textAt } from '../../domain/core/read.ts';
import { redact } from '../../domain/core/secret.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { EVENT, POD } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject, ServedKind } from '../../domain/kubernetes/resource.ts';
import { declaredRelationsOf } from '../../domain/tree/declared-edges.ts';
import { emptyTree } from '../../domain/tree/emptiness.ts';
import { filterTree, type TreeFilter } from '../../domain/tree/select-nodes.ts';
import { uidOf } from '../../domain/tree/object-index.ts';
import type { Health } from '../../domain/health/health.ts';
import { releaseField, type ReleaseMembers, releaseMembers, releaseOfInstance } from '../../domain/tree/release-members.ts';
import { buildTreeOnce } from '../../domain/tree/tree-builder.ts';
import { nodesOf, type ResourceTree, type TreeNode, type TreeRelease } from '../../domain/tree/tree.ts';
import { findInstance, type FoundInstance, type InstanceAddress } from './find-instance.ts';
import { type Workload, workloadsOf } from '../../domain/workload/workload.ts';
import { markedOf, redactHealth, redactTexts, redactWorkload, secretsOf } from './instance-masking.ts';
import { type EnvironmentPorts, type EnvironmentReading, readPlace } from '../environment/read-environment.ts';
import { expectRelease, readRestOfRelease, type ReleaseCluster } from '../release/read-release.ts';

export type TreePorts = EnvironmentPorts;

/** Which Instance's tree, and what part of it. */
export interface TreeInput extends InstanceAddress {
  /** Default: all of it. */
  readonly filter?: TreeFilter;
}

/** The resource tree of an Instance with its cause, read as the actor. With a filter it is what matches, with all that stands above that. */
export async function showTree(ports: TreePorts, actor: Actor, { filter, ...address }: TreeInput): Promise<ResourceTree> {
  const found = await findInstance(ports, actor, address);
  const events = instanceEvents(ports, actor, found);
  const { tree } = await explainedGroup(ports, actor, { found, events });
  return filter === undefined ? tree : filterTree(tree, filter);
}

/** The Events of the namespace of an Instance, and of that of its release; none for who may not list them. */
async function instanceEvents(ports: TreePorts, actor: Actor, found: FoundInstance): Promise<readonly KubeObject[]> {
  try {
    return await listInstanceEvents(ports, actor, found);
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
    return [];
  }
}

/** @throws AppError `Forbidden`. */
export async function listInstanceEvents(
  { index }: Pick<TreePorts, 'index'>,
  actor: Actor,
  { object, ref }: Pick<FoundInstance, 'object' | 'ref'>,
): Promise<readonly KubeObject[]> {
  const reader = index.open(actor);
  const [own, ...others] = await Promise.all(
    [...new Set([ref.namespace, releaseNamespaceOf(object)])].map(async (namespace) => {
      reader.follow(EVENT, namespace);
      return (await reader.cluster.list(EVENT, { namespace })).items;
    }),
  );
  return others.length === 0 ? (own ?? []) : [own ?? [], ...others].flat();
}

interface ExplainedInput {
  readonly found: FoundInstance;
  /** Of its namespace. */
  readonly events: Promise<readonly KubeObject[]>;
  /** See `NamespaceInput`. */
  readonly extent?: 'Expected';
}

/** The group of an Instance, with the last line of the container that is the cause of its health. */
export async function explainedGroup(ports: TreePorts, actor: Actor, { found, ...input }: ExplainedInput): Promise<InstanceGroup> {
  const { entry, object } = found;
  const [group] = await Promise.all([groupOf(ports, actor, found, input), input.events]);
  const reading = { namespace: releaseNamespaceOf(object), secrets: secretsOf(markedOf(entry), object) };
  return { ...group, tree: await withLastLine(ports.clusters.asActor(actor), group.tree, reading) };
}

/** The resource group of an Instance: its tree, and the workloads in it. */
export interface InstanceGroup {
  readonly tree: ResourceTree;
  /** By kind and name. */
  readonly workloads: readonly Workload[];
}

/** Reads the group of an Instance that was read just now; its cause is found by the Events, too. */
export async function groupOf(
  ports: TreePorts,
  actor: Actor,
  { entry, environment, object }: FoundInstance,
  { extent, events }: Partial<Omit<ExplainedInput, 'found'>> = {},
): Promise<InstanceGroup> {
  const namespace = releaseNamespaceOf(object);
  const place = { environment: { ...environment, namespace }, ...(extent === undefined ? {} : { extent }) };
  const [reading, served] = await Promise.all([readPlace(ports, actor, place), ports.discovery.kinds(), ports.health.evaluate([object])]);
  const { reader, missing, unavailable, listed } = reading;
  const root = rootIn(reading, object);
  const ofRelease = await readReleaseOf(reader.cluster, { root, reading, served, health: ports.health });
  const { objects, members } = ofRelease;
  const context = {
    namespace,
    unavailable,
    listed,
    resources: resourcesOf(served),
    // Those of a dedicated namespace are of two places.
    events: namespace === environment.namespace || events === undefined ? reading.events : await events,
    members,
    declared: declaredRelationsOf(ports.catalog.customResourceDefinitions()),
    ...(objects === reading.objects ? { graph: reading.graph } : {}),
  };
  const built = withHealthOf(buildTreeOnce(root, objects, context), reading.appHealth(root));
  const tree = ofRelease.release === undefined ? built : { ...built, release: ofRelease.release };
  const related = missing.filter((kind) => isRelated(kind, entry.crd));
  const kinds = new Map(served.map(({ group, resource, kind }) => [`${resource}.${group}`, kind]));
  const unreadable = related.map(({ group, resource }) => kinds.get(`${resource}.${group}`) ?? resource).sort();
  const empty = tree.count > 1 ? {} : { empty: emptyTree(`${object.kind} ${object.metadata.name}`, related) };
  const secrets = secretsOf(markedOf(entry), object);
  const uids = new Set(nodesOf(tree.root).map(({ uid }) => uid));
  return {
    tree: withoutSecrets({ ...tree, ...empty, unreadable }, secrets),
    workloads: workloadsOf(reading.objects.filter((one) => uids.has(uidOf(one)))).map((workload) => redactWorkload(workload, secrets)),
  };
}

/** What lists say; a release may have something worse outside of its namespace, or in its manifest alone. */
function withHealthOf(tree: ResourceTree, health: Health): ResourceTree {
  return tree.health.status === health.status ? { ...tree, health } : tree;
}

/** The object of the reading if that is the same version, for which much is known already. */
function rootIn({ graph }: EnvironmentReading, object: KubeObject): KubeObject {
  const known = graph.index.byUid.get(uidOf(object));
  return known?.metadata.resourceVersion === object.metadata.resourceVersion && known !== undefined ? known : object;
}

interface OfRelease {
  /** What was read, and what the release has besides; without other versions of the root. */
  readonly objects: readonly KubeObject[];
  readonly members: ReleaseMembers;
  readonly release?: TreeRelease;
}

interface ReleaseReading {
  readonly root: KubeObject;
  readonly reading: EnvironmentReading;
  readonly served: readonly ServedKind[];
  readonly health: TreePorts['health'];
}

async function readReleaseOf(cluster: ReleaseCluster, { root, reading, served, health }: ReleaseReading): Promise<OfRelease> {
  const { objects: read, graph } = reading;
  const isKnown = graph.edges.has(root);
  const own = isKnown ? read : read.filter((one) => uidOf(one) !== uidOf(root));
  const release = releaseOfInstance(root, []) ?? releaseOfInstance(root, read);
  if (release === undefined && isAppInstance(root)) expectRelease();
  if (release === undefined) return { objects: own, members: new Map() };
  const rest = await readRestOfRelease(cluster, { release, read, kinds: served, health });
  const objects = rest.objects.length === 0 ? own : [...own, ...rest.objects];
  const members = releaseMembers(objects, (object) => releaseField(object, { release, named: rest.named }), root);
  return { objects, members, release: { ...release, missing: rest.missing } };
}

/** By what discovery answered, which stays the same one for a minute. */
const resourceNames = new WeakMap<readonly ServedKind[], ReadonlyMap<string, string>>();

function resourcesOf(kinds: readonly ServedKind[]): ReadonlyMap<string, string> {
  const known = resourceNames.get(kinds);
  if (known !== undefined) return known;
  const names = new Map(kinds.map(({ group, kind, resource }) => [`${group}/${kind}`, group === '' ? resource : `${resource}.${group}`]));
  resourceNames.set(kinds, names);
  return names;
}

/** What operators make instances of. */
const PARTS: ReadonlySet<string> = new Set(
  [
    'pods services secrets configmaps persistentvolumeclaims serviceaccounts endpointslices.discovery.k8s.io',
    'deployments.apps replicasets.apps statefulsets.apps daemonsets.apps jobs.batch cronjobs.batch',
    'ingresses.networking.k8s.io networkpolicies.networking.k8s.io horizontalpodautoscalers.autoscaling poddisruptionbudgets.policy',
  ].flatMap((resources) => resources.split(' ')),
);

/** Whether something may be missing from the tree because a kind cannot be listed: what most apps are made of, and the kinds of the app's own group. */
function isRelated({ group, resource }: MissingPermission, { spec }: KubeObject): boolean {
  return PARTS.has(group === '' ? resource : `${resource}.${group}`) || group === textAt(spec, 'group');
}

/** What objects say of themselves may repeat a value of the Instance; what they are called does not change. */
function withoutSecrets(tree: ResourceTree, secrets: readonly string[]): ResourceTree {
  if (secrets.length === 0) return tree;
  const shown = (node: TreeNode): TreeNode => ({
    ...node,
    ...redactTexts({ info: node.info }, secrets),
    ...(node.health === undefined ? {} : { health: redactHealth(node.health, secrets) }),
    // A CRD can declare that any field is a name.
    links: node.links.filter((link) => link.class !== 'Reference' || !secrets.includes(link.name)),
    children: node.children.map(shown),
  });
  const causes = tree.causes.map((cause) => ({ ...cause, ...redactTexts({ message: cause.message }, secrets) }));
  const cause = tree.cause === undefined ? {} : { cause: redactCause(tree.cause, secrets) };
  const addresses = tree.addresses.filter(({ address }) => redact(address, secrets) === address);
  return { ...tree, root: shown(tree.root), health: redactHealth(tree.health, secrets), causes, ...cause, addresses };
}

function redactCause(cause: NonNullable<ResourceTree['cause']>, secrets: readonly string[]): NonNullable<ResourceTree['cause']> {
  const chain = cause.chain.map((link) => ({ ...link, message: redact(link.message, secrets) }));
  return { ...cause, message: redact(cause.message, secrets), chain };
}

/** A page does not wait for a node that is slow to answer. */
const PATIENCE_MS = 3_000;
const LINES = 20;
const MAX_LOG_BYTES = 64 * 1024;
/** Characters of the line in the sentence; the log has the rest. */
const MAX_QUOTE_LENGTH = 200;

interface Reading {
  readonly namespace: string;
  /** Texts that are masked. */
  readonly secrets: readonly string[];
}

/**
 * The tree with the last line of the container that crashed, where the actor may read it: one call, and only when a container is the cause. Its health stays
 * what every list says.
 */
async function withLastLine(cluster: Pick<Cluster, 'logs'>, tree: ResourceTree, reading: Reading): Promise<ResourceTree> {
  const { cause } = tree;
  const log = cause?.container === undefined ? undefined : await lastLine(cluster, cause.container, reading);
  if (cause === undefined || log === undefined) return tree;
  const quote = log.text.length <= MAX_QUOTE_LENGTH ? log.text : `${log.text.slice(0, MAX_QUOTE_LENGTH)}…`;
  // A termination message, which the sentence has already, is the container's own word.
  const message = / code \d+$/.test(cause.message) ? `${cause.message}: ${quote}` : cause.message;
  return { ...tree, cause: { ...cause, message, log } };
}

async function lastLine(
  cluster: Pick<Cluster, 'logs'>,
  { pod, name, previous }: NonNullable<NonNullable<ResourceTree['cause']>['container']>,
  { namespace, secrets }: Reading,
): Promise<{ readonly time: string; readonly text: string } | undefined> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  const options = { container: name, tailLines: LINES, limitBytes: MAX_LOG_BYTES, signal, ...(previous ? { previous } : {}) };
  try {
    const text = await cluster.logs({ ...POD, namespace, name: pod }, options);
    const last = readLogLines(text, { pod, container: name }).findLast((line) => line.text.trim() !== '');
    return last === undefined ? undefined : { time: last.time, text: redact(last.text.trim(), secrets) };
  } catch (error) {
    if (!isAppError(error) && !signal.aborted) throw error;
    return undefined;
  }
}
