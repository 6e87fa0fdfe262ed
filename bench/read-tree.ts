import { NO_DECLARED_RELATIONS } from '../src/domain/tree/declared-edges.ts';
import { buildTreeOnce } from '../src/domain/tree/tree-builder.ts';
import type { ResourceTree } from '../src/domain/tree/tree.ts';
import type { Cluster } from '../src/domain/kubernetes/cluster.ts';
import type { KubeObject, ServedKind } from '../src/domain/kubernetes/resource.ts';
import type { NamespaceKinds } from '../src/operation/environment/namespace-memory.ts';
import { readNamespace } from '../src/operation/environment/read-namespace.ts';
import { ROOT_KIND } from './seed-tree.ts';

interface TreeInput {
  readonly namespace: string;
  readonly kinds: readonly ServedKind[];
  readonly memory: NamespaceKinds;
}

/** The tree of the seeded root, and what was read for it. */
export interface SeededTree {
  readonly tree: ResourceTree;
  readonly objects: readonly KubeObject[];
}

/** Reads the tree of a seeded namespace, as the page of an instance does. */
export async function readSeededTree(
  cluster: Pick<Cluster, 'get' | 'list' | 'listMetadata' | 'pages'>,
  { namespace, ...input }: TreeInput,
): Promise<SeededTree> {
  const health = { evaluate: async () => undefined };
  const root = await cluster.get({ ...ROOT_KIND, namespace, name: 'root' });
  const { objects, listed, unavailable } = await readNamespace(cluster, { ...input, namespace, health });
  const others = objects.filter(({ metadata }) => metadata.uid !== root.metadata.uid);
  const known = { events: [], members: new Map(), declared: NO_DECLARED_RELATIONS, resources: new Map() };
  return { tree: buildTreeOnce(root, others, { namespace, listed, unavailable, ...known }), objects };
}
