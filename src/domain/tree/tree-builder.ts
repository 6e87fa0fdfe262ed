import { areSame } from './are-same.ts';
import { compareTexts } from '../core/compare-texts.ts';
import type { Verdicts } from '../cause/find-cause.ts';
import { customHealthVersion } from '../health/rules/health-of.ts';
import { at, numberAt, textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { addressesOf } from './addresses.ts';
import type { Edge } from './find-edges.ts';
import { type JudgeContext, judgeTree } from './judge-tree.ts';
import { keyOf, kindKey, namespaceOf, uidOf } from './object-index.ts';
import type { Placed } from './place-objects.ts';
import type { ResourceTree, TreeEdge, TreeLink, TreeNode } from './tree.ts';

/** Of one resource. */
const MAX_LINKS = 50;

/** What could be read besides the objects themselves. */
export interface TreeContext extends JudgeContext, Pick<ResourceTree, 'unreadable' | 'unavailable'> {
  /** The namespace that was read; by default that of the root. */
  readonly namespace: string;
  /** Plural and group of each kind (`group/Kind`). */
  readonly resources: ReadonlyMap<string, string>;
}

/**
 * Builds the tree of a root out of all objects of its namespace, along the relations of place-objects.ts.
 *
 * @param objects full objects for kinds with a health rule or a relation, metadata alone for the others.
 */
export function buildTree(root: KubeObject, objects: readonly KubeObject[], context: Partial<TreeContext> = {}): ResourceTree {
  const { namespace, unreadable = [], unavailable = [], listed = new Set(), resources = new Map() } = context;
  const judged = judgeTree(root, objects, context);
  const { top, placed, verdicts, health, causes, cause } = judged;
  return {
    root: nodeOf(top, { namespace: namespace ?? namespaceOf(root), listed, resources, verdicts }),
    count: placed.length,
    addresses: addressesOf(placed.map(({ object }) => object)),
    health,
    causes,
    ...(cause === undefined ? {} : { cause }),
    unreadable: [...unreadable].sort(),
    unavailable: unavailable.toSorted((a, b) => a.kind.localeCompare(b.kind)),
  };
}

/** What a tree follows from, and the tree. */
interface Built {
  readonly objects: readonly KubeObject[];
  readonly context: BuildContext;
  readonly healthVersion: number;
  readonly tree: ResourceTree;
}

type BuildContext = Omit<TreeContext, 'unreadable' | 'graph'> & Partial<Pick<TreeContext, 'graph'>>;

/** By the root, as long as that is in memory. */
const lastBuilt = new WeakMap<KubeObject, Built>();

/**
 * The same, or the tree from before where everything is the very same object as then: a page that follows the cluster by watches reads again every few
 * seconds while nobody changes anything.
 */
export function buildTreeOnce(root: KubeObject, objects: readonly KubeObject[], context: BuildContext): ResourceTree {
  const healthVersion = customHealthVersion();
  const before = lastBuilt.get(root);
  const isKnown = before?.healthVersion === healthVersion && areSame(before.objects, objects) && isSame(before.context, context);
  if (isKnown) return before.tree;
  const tree = buildTree(root, objects, context);
  if (isPlain(context)) lastBuilt.set(root, { objects, context, healthVersion, tree });
  return tree;
}

function isSame(a: BuildContext, b: BuildContext): boolean {
  const isRead = a.namespace === b.namespace && areSame([...a.listed], [...b.listed]) && areSame(a.events, b.events);
  const isOfRelease = areSame([...a.members.keys()], [...b.members.keys()]);
  return isRead && isOfRelease && isPlain(a) && isPlain(b) && a.resources === b.resources && a.declared === b.declared;
}

/** What is unavailable is reported anew each time. */
function isPlain({ unavailable }: BuildContext): boolean {
  return unavailable.length === 0;
}

interface Reading extends Pick<TreeContext, 'listed' | 'resources'> {
  readonly namespace: string | undefined;
  readonly verdicts: Verdicts;
}

function nodeOf(placed: Placed, reading: Reading): TreeNode {
  const { object, children } = placed;
  const health = reading.verdicts.get(placed)?.health;
  const namespace = namespaceOf(object);
  const resource = reading.resources.get(kindKey(object));
  // Of ten thousand nodes, spreading what may be absent takes as long as everything else.
  const node: Draft = {
    uid: uidOf(object),
    apiVersion: object.apiVersion,
    kind: object.kind,
    name: object.metadata.name,
    info: infoOf(object),
    created: object.metadata.creationTimestamp ?? '',
    links: linksOf(placed, reading),
    children: [...children].sort(byKindAndName).map((child) => nodeOf(child, reading)),
  };
  if (resource !== undefined) node.resource = resource;
  if (namespace !== undefined) node.namespace = namespace;
  if (placed.edge !== undefined) node.edge = edgeOf(placed.edge, object);
  if (health !== undefined) node.health = health;
  return node;
}

type Draft = { -readonly [K in keyof TreeNode]: TreeNode[K] };

function byKindAndName({ object: a }: Placed, { object: b }: Placed): number {
  return a.kind === b.kind ? compareTexts(a.metadata.name, b.metadata.name) : a.kind.localeCompare(b.kind);
}

function edgeOf({ class: relation, path, inferred, holder }: Edge, object: KubeObject): TreeEdge {
  return { class: relation, path, inferred, fieldOf: holder === object ? 'Resource' : 'Parent' };
}

/** What an object names besides its parent and what it brought along, each once. */
function linksOf({ edge, edges, parent, children }: Placed, reading: Reading): readonly TreeLink[] {
  if (edges.every((one) => one === edge)) return NO_LINKS;
  const shown = new Set([edge, ...children.map((child) => child.edge)].flatMap((one) => (one === undefined ? [] : [linkKey(one)])));
  const links: TreeLink[] = [];
  for (const one of edges) {
    const key = linkKey(one);
    const state = stateOf(one, reading);
    if (shown.has(key) || state === undefined || (one.target !== undefined && one.target === parent?.object)) continue;
    shown.add(key);
    const [group = '', kind = ''] = one.named.kind.split('/');
    const { namespace, name } = one.named;
    const place = namespace === undefined ? {} : { namespace };
    links.push({ class: one.class, path: one.path, inferred: one.inferred, group, kind, ...place, name, state });
    if (links.length === MAX_LINKS) break;
  }
  return links;
}

const NO_LINKS: readonly TreeLink[] = [];

function linkKey({ class: relation, named }: Edge): string {
  return `${relation} ${keyOf(named)}`;
}

/** Undefined for what is not there and need not be. */
function stateOf({ target, named, isOptional, inferred }: Edge, { namespace, listed }: Reading): TreeLink['state'] | undefined {
  if (target !== undefined) return 'Found';
  if (!inferred || named.namespace !== namespace || !listed.has(named.kind)) return 'NotRead';
  return isOptional ? undefined : 'Missing';
}

/** A few words on the state, for the kinds where a few words say much. */
export function infoOf({ kind, spec, status }: KubeObject): string {
  switch (kind) {
    case 'Deployment':
    case 'StatefulSet':
    case 'ReplicaSet':
      return at(spec, 'replicas') === undefined ? '' : `${numberAt(status, 'readyReplicas') ?? 0}/${numberAt(spec, 'replicas') ?? 0} ready`;
    case 'Pod':
      return textAt(spec, 'nodeName') ?? '';
    case 'Service':
      return textAt(spec, 'clusterIP') ?? '';
    case 'PersistentVolumeClaim':
      return textAt(status, 'capacity', 'storage') ?? textAt(spec, 'resources', 'requests', 'storage') ?? '';
    default:
      return '';
  }
}
