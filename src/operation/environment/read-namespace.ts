import pMap from 'p-map';
import type { CallOptions, Cluster } from '../../domain/kubernetes/cluster.ts';
import { listAt, textAt } from '../../domain/core/read.ts';
import { parseApiVersion, type KubeObject, type ServedKind } from '../../domain/kubernetes/resource.ts';
import { kindKey } from '../../domain/tree/object-index.ts';
import { withoutRequestId } from '../../observe/log.ts';
import type { HealthEvaluator } from '../health/health-evaluator.ts';
import { listKind } from '../instance/list-kind.ts';
import { type ReadObjects, readObjects } from '../instance/read-objects.ts';
import type { NamespaceKinds } from './namespace-memory.ts';

/** Calls at once for what no page waits for. */
const EXPLORED_AT_ONCE = 4;

export interface NamespaceInput {
  readonly namespace: string;
  /** The kinds that may be in it. */
  readonly kinds: readonly ServedKind[];
  readonly memory: NamespaceKinds;
  /**
   * `Expected`: the first answer has what namespaces usually consist of; what else there is, and whether there is something by now of what there was nothing, is
   * found out afterwards. Default: all kinds.
   */
  readonly extent?: 'Expected';
  readonly health: Pick<HealthEvaluator, 'evaluate'>;
}

type NamespaceCluster = Pick<Cluster, 'list' | 'listMetadata' | 'pages'>;

interface ReadNamespace extends ReadObjects {
  /** The kinds that are looked for in the background for the first time, as only what is expected was asked for. */
  readonly unexplored: readonly ServedKind[];
}

/** All objects of a namespace; see `readRemembered`. */
export async function readNamespace(cluster: NamespaceCluster, input: NamespaceInput): Promise<ReadNamespace> {
  const { asked, ...read } = await readRemembered(cluster, input);
  await input.health.evaluate(read.objects);
  remember(input.memory, { asked, read, needed: new Set(read.objects.map(kindKey)) });
  return read;
}

/**
 * Reads a namespace but for the kinds of which there was nothing lately, unless something that was read now has an owner of such a kind that is
 * new. What was forbidden lately is unreadable still.
 */
async function readRemembered(
  cluster: NamespaceCluster,
  { namespace, kinds, memory, extent }: Omit<NamespaceInput, 'health'>,
): Promise<ReadNamespace & { readonly asked: readonly ServedKind[] }> {
  const unknown = kinds.filter((kind) => memory.recall(kind) === undefined);
  const [asked, later] = partition(unknown, (kind) => extent === undefined || memory.isExpected(kind));
  const forbidden = kinds.filter((kind) => memory.recall(kind) === 'Forbidden');
  const where = { namespace, custom: 'Whole' } as const;
  const first = await readObjects(cluster, asked, where);
  const unlisted = kinds.filter((kind) => memory.recall(kind) === 'Nothing' || later.includes(kind));
  const unread = unlisted.length === 0 ? NO_KINDS : unreadOwners(first.objects, memory);
  const owners = unlisted.filter((kind) => unread.has(`${kind.group}/${kind.kind}`));
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
  { namespace, memory }: Pick<NamespaceInput, 'namespace' | 'memory'>,
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

const NO_KINDS: ReadonlySet<string> = new Set();

/** `group/Kind` of owners that were not read and that nobody has looked for. */
function unreadOwners(objects: readonly KubeObject[], memory: NamespaceKinds): ReadonlySet<string> {
  const known = new Set(objects.map(({ metadata }) => metadata.uid));
  const kinds = new Set<string>();
  for (const object of objects) {
    for (const { uid, kind } of ownersOf(object)) if (!known.has(uid) && memory.isNewOwner(uid)) kinds.add(kind);
  }
  return kinds;
}

interface OwnerRef {
  readonly uid: string;
  /** `group/Kind` */
  readonly kind: string;
}

const ownerRefs = new WeakMap<KubeObject, readonly OwnerRef[]>();

function ownersOf(object: KubeObject): readonly OwnerRef[] {
  const known = ownerRefs.get(object);
  if (known !== undefined) return known;
  const owners = listAt(object, 'metadata', 'ownerReferences').flatMap((owner) => {
    const [uid, apiVersion, kind] = [textAt(owner, 'uid'), textAt(owner, 'apiVersion'), textAt(owner, 'kind')];
    if (uid === undefined || apiVersion === undefined || kind === undefined) return [];
    return [{ uid, kind: `${parseApiVersion(apiVersion).group}/${kind}` }];
  });
  ownerRefs.set(object, owners);
  return owners;
}

interface Outcome {
  readonly asked: readonly ServedKind[];
  readonly read: ReadObjects;
  /** `group/Kind` of what the group consists of, or refers to. */
  readonly needed: ReadonlySet<string>;
}

/** What is needed is listed every time; of the rest it is remembered that there was nothing. */
function remember(memory: NamespaceKinds, { asked, read, needed }: Outcome): void {
  const forbidden = new Set(read.unreadable);
  for (const kind of asked) {
    if (forbidden.has(kind)) memory.remember(kind, 'Forbidden');
    else if (!read.listed.has(`${kind.group}/${kind.kind}`)) memory.forget(kind);
    else if (needed.has(`${kind.group}/${kind.kind}`)) memory.learn(kind);
    else memory.remember(kind, 'Nothing');
  }
}
