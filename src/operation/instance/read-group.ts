import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { listAt, textAt } from '../../domain/core/read.ts';
import { parseApiVersion, type KubeObject, type ServedKind } from '../../domain/kubernetes/resource.ts';
import { buildTree } from '../../domain/tree/tree-builder.ts';
import type { ResourceTree, TreeNode } from '../../domain/tree/tree.ts';
import type { GroupKinds } from './group-memory.ts';
import { type ReadObjects, readObjects } from './read-objects.ts';

export interface GroupInput {
  readonly root: KubeObject;
  readonly namespace: string;
  /** The kinds that may be in the group. */
  readonly kinds: readonly ServedKind[];
  readonly memory: GroupKinds;
}

/** The tree of a root, and the kinds that could not be listed for it. */
export interface ReadGroup {
  readonly tree: ResourceTree;
  readonly unreadable: readonly ServedKind[];
}

/**
 * Reads the tree of a root. Kinds of which lately nothing belonged to it are left out, unless something that was read now has an owner of such a kind that is
 * new.
 */
export async function readGroup(cluster: Pick<Cluster, 'list' | 'listMetadata'>, input: GroupInput): Promise<ReadGroup> {
  const { root, namespace, kinds, memory } = input;
  const asked = kinds.filter((kind) => memory.recall(kind) === undefined);
  const first = await readObjects(cluster, asked, { namespace });
  const unread = unreadOwners(first.objects, root, memory);
  const owners = kinds.filter((kind) => memory.recall(kind) === 'Nothing' && unread.has(`${kind.group}/${kind.kind}`));
  const second = await readObjects(cluster, owners, { namespace });
  const read = joined(first, second);
  const forbidden = kinds.filter((kind) => memory.recall(kind) === 'Forbidden');
  const tree = buildTree(root, read.objects, { unavailable: read.unavailable, listed: read.listed });
  remember(memory, { asked: [...asked, ...owners], read, tree });
  return { tree, unreadable: [...read.unreadable, ...forbidden] };
}

/** `group/Kind` of owners that were not read and that nobody has looked for. */
function unreadOwners(objects: readonly KubeObject[], root: KubeObject, memory: GroupKinds): ReadonlySet<string> {
  const known = new Set([root, ...objects].map(({ metadata }) => metadata.uid));
  const kinds = new Set<string>();
  for (const owner of objects.flatMap((object) => listAt(object, 'metadata', 'ownerReferences'))) {
    const [uid, apiVersion, kind] = [textAt(owner, 'uid'), textAt(owner, 'apiVersion'), textAt(owner, 'kind')];
    if (uid === undefined || apiVersion === undefined || kind === undefined || known.has(uid) || !memory.isNewOwner(uid)) continue;
    kinds.add(`${parseApiVersion(apiVersion).group}/${kind}`);
  }
  return kinds;
}

function joined(a: ReadObjects, b: ReadObjects): ReadObjects {
  return {
    objects: [...a.objects, ...b.objects],
    unreadable: [...a.unreadable, ...b.unreadable],
    unavailable: [...a.unavailable, ...b.unavailable],
    listed: new Set([...a.listed, ...b.listed]),
  };
}

interface Outcome {
  readonly asked: readonly ServedKind[];
  readonly read: ReadObjects;
  readonly tree: ResourceTree;
}

/** What is in the tree, or linked by it, is listed every time; of the rest it is remembered that there was nothing. */
function remember(memory: GroupKinds, { asked, read, tree }: Outcome): void {
  const needed = new Set(kindsOf(tree.root));
  const forbidden = new Set(read.unreadable);
  for (const kind of asked) {
    if (forbidden.has(kind)) memory.remember(kind, 'Forbidden');
    else if (read.listed.has(`${kind.group}/${kind.kind}`) && !needed.has(`${kind.group}/${kind.kind}`)) memory.remember(kind, 'Nothing');
    else memory.forget(kind);
  }
}

function kindsOf({ apiVersion, kind, links, children }: TreeNode): string[] {
  const own = `${parseApiVersion(apiVersion).group}/${kind}`;
  return [own, ...links.map((link) => `${link.group}/${link.kind}`), ...children.flatMap(kindsOf)];
}
