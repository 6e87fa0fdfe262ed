import type { MissingRight } from '../core/errors.ts';
import type { Health } from '../health/health.ts';

/** One resource of a tree. */
export interface TreeNode {
  readonly uid: string;
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  /** Absent when its kind has no rule and no conditions. */
  readonly health?: Health;
  /** A few words on its state, e.g. `2/3 ready`. */
  readonly info: string;
  readonly created: string;
  readonly children: readonly TreeNode[];
}

/** The resource tree of an Instance as one actor may read it. */
export interface ResourceTree {
  readonly root: TreeNode;
  /** Resources of the tree, the root included. */
  readonly count: number;
  /** The worst health of the tree and the resources that cause it. */
  readonly health: Health;
  readonly causes: readonly { readonly kind: string; readonly name: string; readonly message: string }[];
  /** Kinds that the actor may not list here; what they hold is not in the tree. */
  readonly unreadable: readonly string[];
}

/** The resource tree of an Operator: its release and its definitions. */
export interface OperatorTree extends ResourceTree {
  /** Where the release is. */
  readonly namespace: string;
  /** The right without which nothing of the operator at work can be seen. */
  readonly missing?: MissingRight;
}
