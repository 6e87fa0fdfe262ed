import { releaseNamespaceOf } from '../../domain/app-instance/instance.ts';
import { readLogLines } from '../../domain/instance/pod-log.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { crdsOfOperator } from '../../domain/catalog/app-catalog.ts';
import { textAt } from '../../domain/core/read.ts';
import { redact } from '../../domain/core/secret.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { EVENT, POD } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject, ServedKind } from '../../domain/kubernetes/resource.ts';
import { declaredRelationsOf } from '../../domain/tree/declared-edges.ts';
import { emptyTree } from '../../domain/tree/emptiness.ts';
import { filterTree, type TreeFilter } from '../../domain/tree/select-nodes.ts';
import type { ResourceTree, TreeNode } from '../../domain/tree/tree.ts';
import { findInstance, type FoundInstance, type InstanceAddress } from './find-instance.ts';
import { type Workload, workloadsOf } from '../../domain/workload/workload.ts';
import { markedOf, redactHealth, redactTexts, redactWorkload, secretsOf } from './instance-masking.ts';
import type { Ports } from '../ports.ts';
import { readGroup } from './read-group.ts';
import { namespacedKinds } from './read-objects.ts';

export type TreePorts = Pick<Ports, 'clusters' | 'catalog' | 'discovery' | 'groupMemory' | 'health'>;

/** Which Instance's tree, and what part of it. */
export interface TreeInput extends InstanceAddress {
  /** Default: all of it. */
  readonly filter?: TreeFilter;
}

/** The resource tree of an Instance with its cause, read as the actor. With a filter it is what matches, with all that stands above that. */
export async function showTree(ports: TreePorts, actor: Actor, { filter, ...address }: TreeInput): Promise<ResourceTree> {
  const found = await findInstance(ports, actor, address);
  const events = instanceEvents(ports.clusters.asActor(actor), found);
  const { tree } = await explainedGroup(ports, actor, { found, events });
  return filter === undefined ? tree : filterTree(tree, filter);
}

/** The Events of the namespace of an Instance, and of that of its release; none for who may not list them. */
async function instanceEvents(cluster: Pick<Cluster, 'list'>, found: FoundInstance): Promise<readonly KubeObject[]> {
  try {
    return await listInstanceEvents(cluster, found);
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
    return [];
  }
}

/** @throws AppError `Forbidden`. */
export async function listInstanceEvents(
  cluster: Pick<Cluster, 'list'>,
  { object, ref }: Pick<FoundInstance, 'object' | 'ref'>,
): Promise<readonly KubeObject[]> {
  const namespaces = [...new Set([ref.namespace, releaseNamespaceOf(object)])];
  const lists = await Promise.all(namespaces.map(async (namespace) => await cluster.list(EVENT, { namespace })));
  return lists.flatMap(({ items }) => items);
}

interface ExplainedInput {
  readonly found: FoundInstance;
  /** Of its namespace. */
  readonly events: Promise<readonly KubeObject[]>;
  /** See `GroupInput`. */
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
  { clusters, catalog, discovery, groupMemory, health }: TreePorts,
  actor: Actor,
  { entry, object }: FoundInstance,
  input: Partial<Omit<ExplainedInput, 'found'>> = {},
): Promise<InstanceGroup> {
  const served = await discovery.kinds();
  const kinds = namespacedKinds(served);
  const isGenerated = entry.summary.definition !== undefined;
  const crds = isGenerated ? [entry.crd] : crdsOfOperator(entry.operator, catalog.customResourceDefinitions());
  const memory = groupMemory.kindsFor(actor, object, new Set(crds.map(({ spec }) => textAt(spec, 'group') ?? '')));
  const namespace = releaseNamespaceOf(object);
  const declared = declaredRelationsOf(catalog.customResourceDefinitions());
  const group = { root: object, namespace, kinds, served, memory, health, declared, ...input };
  const { tree, objects, unreadable } = await readGroup(clusters.asActor(actor), group);
  const related = unreadable.filter((kind) => isRelated(kind, entry.crd));
  const missing = related.map((kind) => ({ verb: 'list', group: kind.group, resource: kind.resource, namespace }));
  const empty = tree.count > 1 ? {} : { empty: emptyTree(`${object.kind} ${object.metadata.name}`, missing) };
  const secrets = secretsOf(markedOf(entry), object);
  return {
    tree: withoutSecrets({ ...tree, ...empty, unreadable: related.map(({ kind }) => kind).sort() }, secrets),
    workloads: workloadsOf(objects).map((workload) => redactWorkload(workload, secrets)),
  };
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
function isRelated({ group, resource }: ServedKind, { spec }: KubeObject): boolean {
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

/** The tree with the last line of the container that crashed, where the actor may read it: one call, and only when a container is the cause. */
async function withLastLine(cluster: Pick<Cluster, 'logs'>, tree: ResourceTree, reading: Reading): Promise<ResourceTree> {
  const { cause, health } = tree;
  const log = cause?.container === undefined ? undefined : await lastLine(cluster, cause.container, reading);
  if (cause === undefined || log === undefined) return tree;
  const quote = log.text.length <= MAX_QUOTE_LENGTH ? log.text : `${log.text.slice(0, MAX_QUOTE_LENGTH)}…`;
  // A termination message, which the sentence has already, is the container's own word.
  const message = / code \d+$/.test(cause.message) ? `${cause.message}: ${quote}` : cause.message;
  return { ...tree, cause: { ...cause, message, log }, health: health.message === cause.message ? { ...health, message } : health };
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
