import pMap from 'p-map';
import { isAppInstance } from '../../domain/app-instance/instance.ts';
import type { CallOptions, Cluster } from '../../domain/kubernetes/cluster.ts';
import { listAt, textAt } from '../../domain/core/read.ts';
import { parseApiVersion, type KubeObject, type ServedKind } from '../../domain/kubernetes/resource.ts';
import { kindKey, uidOf } from '../../domain/tree/object-index.ts';
import { buildTreeOnce } from '../../domain/tree/tree-builder.ts';
import { releaseField, type ReleaseMembers, releaseMembers, releaseOfInstance } from '../../domain/tree/release-members.ts';
import { nodesOf, type ResourceTree, type TreeNode, type TreeRelease } from '../../domain/tree/tree.ts';
import { withoutRequestId } from '../../observe/log.ts';
import type { HealthEvaluator } from '../health/health-evaluator.ts';
import { expectRelease, readRestOfRelease, type ReleaseCluster } from '../release/read-release.ts';
import { type DeclaredRelations, NO_DECLARED_RELATIONS } from '../../domain/tree/declared-edges.ts';
import type { GroupKinds } from './group-memory.ts';
import { listKind } from './list-instances.ts';
import { type ReadObjects, readObjects } from './read-objects.ts';

/** Calls at once for what no page waits for. */
const EXPLORED_AT_ONCE = 4;

export interface GroupInput {
  readonly root: KubeObject;
  readonly namespace: string;
  /** The kinds that may be in the group. */
  readonly kinds: readonly ServedKind[];
  readonly memory: GroupKinds;
  /**
   * `Expected`: the first answer has what an app usually consists of; what else there is, and whether there is something by now of what there was nothing, is
   * found out afterwards. Default: all kinds.
   */
  readonly extent?: 'Expected';
  readonly health: Pick<HealthEvaluator, 'evaluate'>;
  /** Of the namespace. */
  readonly events?: Promise<readonly KubeObject[]>;
  /** All kinds that the cluster serves, cluster-scoped ones as well: what a release may consist of. */
  readonly served?: readonly ServedKind[];
  /** What CRDs declare about relations. */
  readonly declared?: DeclaredRelations;
}

/** The tree of a root, and the kinds that could not be listed for it. */
export interface ReadGroup {
  readonly tree: ResourceTree;
  /** The objects of the tree as they were read. */
  readonly objects: readonly KubeObject[];
  readonly unreadable: readonly ServedKind[];
}

type GroupCluster = Pick<Cluster, 'list' | 'listMetadata' | 'pages'>;

/** Reads the tree of a root; see `readRemembered`. Where the root is a Helm release, what that has elsewhere is in the tree, too. */
export async function readGroup(cluster: ReleaseCluster & GroupCluster, input: GroupInput): Promise<ReadGroup> {
  const { root, memory, events = [], served = input.kinds } = input;
  const reading = readRemembered(cluster, { ...input, known: [root] });
  const [{ asked, ...read }, { objects, ...ofRelease }] = await Promise.all([
    reading,
    readReleaseOf(cluster, { ...input, read: reading.then((one) => one.objects), served }),
    reading.then(async (one) => await input.health.evaluate([root, ...one.objects])),
  ]);
  const { unavailable, listed } = read;
  const { namespace, declared = NO_DECLARED_RELATIONS } = input;
  const { members } = ofRelease;
  const context = { namespace, unavailable, listed, resources: resourcesOf(served), events: await events, members, declared };
  const built = buildTreeOnce(root, objects, context);
  const tree = ofRelease.release === undefined ? built : { ...built, release: ofRelease.release };
  const nodes = nodesOf(tree.root);
  remember(memory, { asked, read, needed: kindsOf(nodes) });
  const uids = new Set(nodes.map(({ uid }) => uid));
  return { tree, objects: read.objects.filter((object) => uids.has(uidOf(object))), unreadable: read.unreadable };
}

interface OfRelease {
  /** What was read, and what the release has besides. */
  readonly objects: readonly KubeObject[];
  readonly members: ReleaseMembers;
  readonly release?: TreeRelease;
}

async function readReleaseOf(
  cluster: ReleaseCluster,
  {
    root,
    read,
    served,
    health,
  }: Required<Pick<GroupInput, 'root' | 'served' | 'health'>> & { readonly read: Promise<readonly KubeObject[]> },
): Promise<OfRelease> {
  // What an operator made is known by its record alone, which is among what was read.
  const release = releaseOfInstance(root, []) ?? releaseOfInstance(root, await read);
  if (release === undefined && isAppInstance(root)) expectRelease();
  if (release === undefined) return { objects: await read, members: new Map() };
  const rest = await readRestOfRelease(cluster, { release, read, kinds: served, health });
  const objects = [...(await read), ...rest.objects];
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

interface ReadNamespace extends ReadObjects {
  /** The kinds that are looked for in the background for the first time, as only what is expected was asked for. */
  readonly unexplored: readonly ServedKind[];
}

/** All objects of a namespace; see `readRemembered`. */
export async function readNamespace(cluster: GroupCluster, input: Omit<GroupInput, 'root'>): Promise<ReadNamespace> {
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
  cluster: GroupCluster,
  { known, namespace, kinds, memory, extent, custom = 'Parts' }: RememberedInput,
): Promise<ReadNamespace & { readonly asked: readonly ServedKind[] }> {
  const unknown = kinds.filter((kind) => memory.recall(kind) === undefined);
  const [asked, later] = partition(unknown, (kind) => extent === undefined || memory.isExpected(kind));
  const forbidden = kinds.filter((kind) => memory.recall(kind) === 'Forbidden');
  const where = { namespace, custom, isWhole: memory.isLearnt };
  const first = await readObjects(cluster, asked, where);
  const unread = unreadOwners([...known, ...first.objects], memory);
  const owners = kinds.filter(
    (kind) => (memory.recall(kind) === 'Nothing' || later.includes(kind)) && unread.has(`${kind.group}/${kind.kind}`),
  );
  const second = await readObjects(cluster, owners, where);
  const rest = later.filter((kind) => !owners.includes(kind));
  if (rest.length > 0) withoutRequestId(() => memory.inBackground(async () => await exploreKinds(cluster, rest, { namespace, memory })));
  return {
    objects: [...first.objects, ...second.objects],
    unreadable: [...first.unreadable, ...second.unreadable, ...forbidden],
    unavailable: [...first.unavailable, ...second.unavailable],
    listed: new Set([...first.listed, ...second.listed]),
    asked: [...asked, ...owners],
    unexplored: rest.filter((kind) => !memory.isStale(kind)),
  };
}

function partition<T>(items: readonly T[], belongs: (item: T) => boolean): [T[], T[]] {
  return [items.filter(belongs), items.filter((item) => !belongs(item))];
}

/** Finds out of which kinds there is something in a namespace; it is read with the next reading. */
async function exploreKinds(
  cluster: Pick<Cluster, 'pages'>,
  kinds: readonly ServedKind[],
  { namespace, memory }: Pick<GroupInput, 'namespace' | 'memory'>,
): Promise<void> {
  const anyOf = async (kind: ServedKind, options: CallOptions): Promise<readonly KubeObject[]> => {
    for await (const { items } of cluster.pages(kind, { namespace, content: 'metadata', size: 1, ...options })) return items;
    return [];
  };
  const explore = async (kind: ServedKind): Promise<void> => {
    const list = await listKind(async (options) => await anyOf(kind, options));
    if (list.outcome === 'Forbidden') memory.remember(kind, 'Forbidden');
    else if (list.outcome === 'Listed' && list.items.length === 0) memory.remember(kind, 'Nothing');
    else if (list.outcome === 'Listed') memory.expect(kind);
  };
  await pMap(kinds, explore, { concurrency: EXPLORED_AT_ONCE });
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
    else if (!read.listed.has(`${kind.group}/${kind.kind}`)) memory.forget(kind);
    else if (needed.has(`${kind.group}/${kind.kind}`)) memory.learn(kind);
    else memory.remember(kind, 'Nothing');
  }
}

function kindsOf(nodes: readonly TreeNode[]): ReadonlySet<string> {
  const kinds = new Set<string>();
  for (const node of nodes) {
    const own = kindKey(node);
    kinds.add(own);
    for (const { group, kind } of node.links) kinds.add(`${group}/${kind}`);
    if (own === '/Service' && node.health?.status !== 'Healthy') SELECTED.forEach((kind) => kinds.add(kind));
  }
  return kinds;
}

/** What a Service could select: that there is nothing is known only while it is listed. */
const SELECTED = ['/Pod', 'apps/Deployment', 'apps/StatefulSet', 'apps/DaemonSet', 'apps/ReplicaSet', 'batch/Job'];
