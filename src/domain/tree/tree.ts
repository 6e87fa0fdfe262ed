import type { MissingPermission } from '../core/errors.ts';
import type { Address } from './addresses.ts';
import type { Cause } from '../cause/cause.ts';
import type { Emptiness } from './emptiness.ts';
import type { Health } from '../health/health.ts';
import type { RelationClass } from './relations.ts';

/** Why a resource stands below its parent: a field of one of the two that names the other. */
export interface TreeEdge {
  readonly class: RelationClass;
  /** Such as `spec.template.spec.volumes[0].configMap.name`. */
  readonly path: string;
  readonly fieldOf: 'Parent' | 'Resource';
  /** Whether something else than an owner reference says so. */
  readonly inferred: boolean;
}

/** A relation of a resource to another one than its parent, by a field of this resource. */
export interface TreeLink {
  readonly class: RelationClass;
  readonly path: string;
  readonly inferred: boolean;
  readonly group: string;
  readonly kind: string;
  /** Absent for cluster-scoped ones. */
  readonly namespace?: string;
  readonly name: string;
  /** `Missing`: its kind was listed, and it is not there; `NotRead`: nobody looked, or the actor may not. */
  readonly state: 'Found' | 'Missing' | 'NotRead';
}

/** One resource of a tree. */
export interface TreeNode {
  readonly uid: string;
  /** Plural and group: `pods`, `deployments.apps`; absent for a kind that discovery does not have. */
  readonly resource?: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Absent for cluster-scoped ones. */
  readonly namespace?: string;
  /** Absent for the root. */
  readonly edge?: TreeEdge;
  /** Absent when its kind has no rule and no conditions. */
  readonly health?: Health;
  /** A few words on its state, e.g. `2/3 ready`. */
  readonly info: string;
  readonly created: string;
  /** Further relations; at most 50. */
  readonly links: readonly TreeLink[];
  readonly children: readonly TreeNode[];
}

/** A resource and everything below it. */
export function nodesOf(node: TreeNode): TreeNode[] {
  const nodes: TreeNode[] = [];
  const visit = (one: TreeNode): void => {
    nodes.push(one);
    one.children.forEach(visit);
  };
  visit(node);
  return nodes;
}

/** A kind whose objects cannot be listed now, because what the api-server has to ask for them does not answer. */
export interface UnavailableKind {
  readonly kind: string;
  readonly apiVersion: string;
  /** What does not answer, and the Service behind it. */
  readonly message: string;
}

/** The resource tree of an Instance as one actor may read it. */
export interface ResourceTree {
  readonly root: TreeNode;
  /** Resources of the tree, the root included; each once. */
  readonly count: number;
  /** Resources that match a filter; absent without one. */
  readonly matched?: number;
  /** The worst health of the tree and the resources that cause it. */
  readonly health: Health;
  readonly causes: readonly { readonly kind: string; readonly name: string; readonly message: string }[];
  /** Why it is not well, or what to look at although it is; absent where nothing is known to be wrong. */
  readonly cause?: Cause;
  /** Where its resources listen. */
  readonly addresses: readonly Address[];
  /** Kinds that the actor may not list here; what they hold is not in the tree. */
  readonly unreadable: readonly string[];
  /** Kinds that nobody can list now; what they hold is not in the tree either. */
  readonly unavailable: readonly UnavailableKind[];
  /** Why there is nothing but the root; absent when there is something. */
  readonly empty?: Emptiness;
  /** The Helm release whose objects are in the tree; absent where none is known. */
  readonly release?: TreeRelease;
}

export interface TreeRelease {
  readonly namespace: string;
  readonly name: string;
  /** Without these permissions it is not known what the release has in other namespaces and cluster-wide, and what of it is missing. */
  readonly missing: readonly MissingPermission[];
}

/** The resource tree of an Operator: its release and its definitions. */
export interface OperatorTree extends ResourceTree {
  /** Where the release is. */
  readonly namespace: string;
  /** The right without which nothing of the operator at work can be seen. */
  readonly missing?: MissingPermission;
}
