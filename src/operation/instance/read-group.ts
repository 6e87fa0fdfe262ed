import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { listAt, textAt } from '../../domain/core/read.ts';
import { parseApiVersion, type KubeObject, type ServedKind } from '../../domain/kubernetes/resource.ts';
import { kindKey, uidOf } from '../../domain/tree/object-index.ts';
import { buildTree } from '../../domain/tree/tree-builder.ts';
import { nodesOf, type ResourceTree, type TreeNode } from '../../domain/tree/tree.ts';
import type { HealthEvaluator } from '../health/health-evaluator.ts';
import type { GroupKinds } from './group-memory.ts';
import { type ReadObjects, readObjects } from './read-objects.ts';

export interface GroupInput {
  readonly root: KubeObject;
  readonly namespace: string;
  /** The kinds that may be in the group. */
  readonly kinds: readonly ServedKind[];
  readonly memory: GroupKinds;
  readonly health: Pick<HealthEvaluator, 'evaluate'>;
  /** Of the namespace. */
  readonly events?: Promise<readonly KubeObject[]>;
}

/** The tree of a root, and the kinds that could not be listed for it. */
export interface ReadGroup {
  readonly tree: ResourceTree;
  /** The objects of the tree as they were read. */
  readonly objects: readonly KubeObject[];
  readonly unreadable: readonly ServedKind[];
}

/** Reads the tree of a root; see `readRemembered`. */
export async function readGroup(cluster: Pick<Cluster, 'list' | 'listMetadata'>, input: GroupInput): Promise<ReadGroup> {
  const { root, memory, events = [] } = input;
  const { asked, ...read } = await readRemembered(cluster, { ...input, known: [root] });
  await input.health.evaluate([root, ...read.objects]);
  const surroundings = { unavailable: read.unavailable, listed: read.listed, resources: resourcesOf(input.kinds), events: await events };
  const tree = buildTree(root, read.objects, surroundings);
  remember(memory, { asked, read, needed: new Set(kindsOf(tree.root)) });
  const uids = new Set(nodesOf(tree.root).map(({ uid }) => uid));
  return { tree, objects: read.objects.filter((object) => uids.has(uidOf(object))), unreadable: read.unreadable };
}

function resourcesOf(kinds: readonly ServedKind[]): ReadonlyMap<string, string> {
  return new Map(kinds.map(({ group, kind, resource }) => [`${group}/${kind}`, group === '' ? resource : `${resource}.${group}`]));
}

/** All objects of a namespace; see `readRemembered`. */
export async function readNamespace(
  cluster: Pick<Cluster, 'list' | 'listMetadata'>,
  input: Omit<GroupInput, 'root'>,
): Promise<ReadObjects> {
  const { asked, ...read } = await readRemembered(cluster, { ...input, known: [], custom: 'Whole' });
  await input.health.evaluate(read.objects);
  remember(input.memory, { asked, read, needed: new Set(read.objects.map(kindKey)) });
  return read;
}

interface RememberedInput extends Omit<GroupInput, 'root' | 'health'> {
  /** What is read already. */
  readonly known: readonly KubeObject[];
  readonly custom?: 'Parts' | 'Whole';
}

/**
 * Reads a namespace but for the kinds of which lately nothing belonged to the group, unless something that was read now has an owner of such a kind that is
 * new. What was forbidden lately is unreadable still.
 */
async function readRemembered(
  cluster: Pick<Cluster, 'list' | 'listMetadata'>,
  { known, namespace, kinds, memory, custom = 'Parts' }: RememberedInput,
): Promise<ReadObjects & { readonly asked: readonly ServedKind[] }> {
  const asked = kinds.filter((kind) => memory.recall(kind) === undefined);
  const forbidden = kinds.filter((kind) => memory.recall(kind) === 'Forbidden');
  const first = await readObjects(cluster, asked, { namespace, custom });
  const unread = unreadOwners([...known, ...first.objects], memory);
  const owners = kinds.filter((kind) => memory.recall(kind) === 'Nothing' && unread.has(`${kind.group}/${kind.kind}`));
  const second = await readObjects(cluster, owners, { namespace, custom });
  return {
    objects: [...first.objects, ...second.objects],
    unreadable: [...first.unreadable, ...second.unreadable, ...forbidden],
    unavailable: [...first.unavailable, ...second.unavailable],
    listed: new Set([...first.listed, ...second.listed]),
    asked: [...asked, ...owners],
  };
}

/** `group/Kind` of owners that were not read and that nobody has looked for. */
function unreadOwners(objects: readonly KubeObject[], memory: GroupKinds): ReadonlySet<string> {
  const known = new Set(objects.map(({ metadata }) => metadata.uid));
  const kinds = new Set<string>();
  for (const owner of objects.flatMap((object) => listAt(object, 'metadata', 'ownerReferences'))) {
    const [uid, apiVersion, kind] = [textAt(owner, 'uid'), textAt(owner, 'apiVersion'), textAt(owner, 'kind')];
    if (uid === undefined || apiVersion === undefined || kind === undefined || known.has(uid) || !memory.isNewOwner(uid)) continue;
    kinds.add(`${parseApiVersion(apiVersion).group}/${kind}`);
  }
  return kinds;
}

interface Outcome {
  readonly asked: readonly ServedKind[];
  readonly read: ReadObjects;
  /** `group/Kind` of what the group consists of, or refers to. */
  readonly needed: ReadonlySet<string>;
}

/** What is needed is listed every time; of the rest it is remembered that there was nothing. */
function remember(memory: GroupKinds, { asked, read, needed }: Outcome): void {
  const forbidden = new Set(read.unreadable);
  for (const kind of asked) {
    if (forbidden.has(kind)) memory.remember(kind, 'Forbidden');
    else if (read.listed.has(`${kind.group}/${kind.kind}`) && !needed.has(`${kind.group}/${kind.kind}`)) memory.remember(kind, 'Nothing');
    else memory.forget(kind);
  }
}

function kindsOf({ apiVersion, kind, health, links, children }: TreeNode): string[] {
  const own = `${parseApiVersion(apiVersion).group}/${kind}`;
  const selected = own === '/Service' && health?.status !== 'Healthy' ? SELECTED : [];
  return [own, ...selected, ...links.map((link) => `${link.group}/${link.kind}`), ...children.flatMap(kindsOf)];
}

/** What a Service could select: that there is nothing is known only while it is listed. */
const SELECTED = ['/Pod', 'apps/Deployment', 'apps/StatefulSet', 'apps/DaemonSet', 'apps/ReplicaSet', 'batch/Job'];
