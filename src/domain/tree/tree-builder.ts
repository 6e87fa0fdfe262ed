import { worstHealth, type Health } from '../health/health.ts';
import { healthOf } from '../health/rules/health-of.ts';
import { at, numberAt, textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import type { ResourceTree, TreeNode } from './tree.ts';

const DEEPEST = 32;

/**
 * Builds the tree below a root out of all objects of its namespace, along owner references.
 *
 * @param objects full objects for kinds with a health rule, metadata alone for the others.
 * @param gaps the kinds that could not be listed.
 */
export function buildTree(
  root: KubeObject,
  objects: readonly KubeObject[],
  { unreadable = [], unavailable = [] }: Partial<Pick<ResourceTree, 'unreadable' | 'unavailable'>> = {},
): ResourceTree {
  const children = childrenByOwner(objects);
  const tree = nodeOf(root, children, new Set());
  const nodes = flatten(tree);
  const judged = nodes.flatMap((node) => (node.health === undefined ? [] : [{ ...node, health: node.health }]));
  const health = isTelling(tree, judged) ? worstHealth(judged.map((node) => node.health)) : undefined;
  const word = health?.status ?? 'Unknown';
  const causes = judged
    .filter((node) => node.health.status === word && !['Healthy', 'Suspended', 'Unknown'].includes(word))
    .map((node) => ({ kind: node.kind, name: node.name, message: node.health.message }));
  return {
    root: tree,
    count: nodes.length,
    health: health === undefined ? SILENT : explained(health, tree, causes),
    causes,
    unreadable: [...unreadable].sort(),
    unavailable: unavailable.toSorted((a, b) => a.kind.localeCompare(b.kind)),
  };
}

const SILENT: Health = { status: 'Unknown', message: 'No health reported yet' };
const WORKLOADS = new Set(['Pod', 'Deployment', 'StatefulSet', 'DaemonSet', 'ReplicaSet', 'Job']);

/**
 * A Service has an address from the first moment on, which says nothing about what is behind it: a tree is judged once the resource itself or
 * one of its workloads says how it is, or something says that it is not well.
 */
function isTelling(root: TreeNode, judged: readonly { readonly kind: string; readonly health: Health }[]): boolean {
  return root.health !== undefined || judged.some(({ kind, health }) => WORKLOADS.has(kind) || health.status !== 'Healthy');
}

/** The deepest cause explains best: a StatefulSet that is not ready says less than its Pod that finds no node. */
function explained(health: Health, root: TreeNode, causes: ResourceTree['causes']): Health {
  const own = root.health;
  if (own?.status === health.status && own.message !== '') return own;
  const last = causes.at(-1);
  return last === undefined ? health : { status: health.status, message: `${last.kind} ${last.name}: ${last.message}` };
}

function childrenByOwner(objects: readonly KubeObject[]): Map<string, KubeObject[]> {
  const children = new Map<string, KubeObject[]>();
  for (const object of objects) {
    for (const owner of object.metadata.ownerReferences ?? []) {
      const siblings = children.get(owner.uid) ?? [];
      siblings.push(object);
      children.set(owner.uid, siblings);
    }
  }
  return children;
}

function nodeOf(object: KubeObject, children: ReadonlyMap<string, readonly KubeObject[]>, above: ReadonlySet<string>): TreeNode {
  const uid = object.metadata.uid ?? '';
  const path = new Set([...above, uid]);
  const below = path.size > DEEPEST ? [] : (children.get(uid) ?? []).filter((child) => !path.has(child.metadata.uid ?? ''));
  const health = healthOf(object);
  return {
    uid,
    apiVersion: object.apiVersion,
    kind: object.kind,
    name: object.metadata.name,
    ...(health === undefined ? {} : { health }),
    info: infoOf(object),
    created: object.metadata.creationTimestamp ?? '',
    children: below
      .map((child) => nodeOf(child, children, path))
      .sort((a, b) => a.kind.localeCompare(b.kind) || a.name.localeCompare(b.name)),
  };
}

/** A few words on the state, for the kinds where a few words say much. */
function infoOf({ kind, spec, status }: KubeObject): string {
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

function flatten(node: TreeNode): TreeNode[] {
  return [node, ...node.children.flatMap(flatten)];
}
