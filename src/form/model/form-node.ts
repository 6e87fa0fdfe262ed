import { CONTROLS, controlOf, type ControlNode } from '../controls/controls.ts';
import type { Conditional } from '../../schema/conditionals/conditionals.ts';
import type { Marked } from '../../schema/sensitive/sensitive-values.ts';
import type { Constraints, NodeBase } from './field.ts';

export interface GroupNode extends NodeBase {
  readonly kind: 'group';
  readonly children: readonly FormNode[];
  /** Whether keys beyond the children are allowed, which then have a YAML field of their own. */
  readonly open: boolean;
  /** What is required, or has a place at all, only while others have certain values; absent: nothing. */
  readonly conditionals?: readonly Conditional[];
}
export interface ListNode extends NodeBase {
  readonly kind: 'list';
  readonly item: FormNode;
  readonly constraints: Constraints;
}
export interface MapNode extends NodeBase {
  readonly kind: 'map';
  readonly value: FormNode;
  /** The pattern of its keys, a foreign regular expression; absent: any. */
  readonly keys?: string;
}

/** Several shapes of which a value has one. */
export interface ChoiceNode extends NodeBase {
  readonly kind: 'choice';
  readonly branches: readonly Branch[];
}
export interface Branch {
  /** What tells it from the others, in a few words. */
  readonly label: string;
  /** At the same path as the choice; never a choice itself. */
  readonly node: Exclude<FormNode, ChoiceNode>;
}

/** Anything that no typed control expresses, as YAML for that node alone. */
export interface YamlNode extends NodeBase {
  readonly kind: 'yaml';
  /** A few words: why there is no typed control. */
  readonly reason: string;
}

/** A node that holds one scalar. */
export type ScalarNode = ControlNode;
export type FormNode = ScalarNode | GroupNode | ListNode | MapNode | ChoiceNode | YamlNode;

/** Every kind of node. */
export const FORM_KINDS: readonly FormNode['kind'][] = [...CONTROLS.map(({ kind }) => kind), 'group', 'list', 'map', 'choice', 'yaml'];

export type FormMode = 'create' | 'edit';

/** A form as plain data. `root` is a group, or a YAML node when the schema says nothing about its members. */
export interface FormModel {
  readonly root: GroupNode | YamlNode;
  /** The member of the root whose fields stand where those of the root would, and that is there even when it is empty: `spec` of a resource. */
  readonly hoisted?: string;
  readonly mode: FormMode;
  /** What says which values of the root are sensitive. */
  readonly sensitive: Marked;
  /** A sentence, where the schema asks for more than a form may cost, so that some fields have no control of their own. */
  readonly reduced?: string;
}

/** Whether a path is that of the root, or of the member that stands for it. */
export function isTop({ root, hoisted }: Pick<FormModel, 'root' | 'hoisted'>, path: readonly (string | number)[]): boolean {
  const below = path.length - root.path.length;
  return below <= 0 || (below === 1 && hoisted !== undefined && path.at(-1) === hoisted);
}

/** Whether the node holds one scalar. */
export function isScalar(node: FormNode): node is ScalarNode {
  return node.kind !== 'group' && node.kind !== 'list' && node.kind !== 'map' && node.kind !== 'choice' && node.kind !== 'yaml';
}

/** Whether the node holds a secret, which no page, link and log shows. */
export function isSecret(node: FormNode): boolean {
  return isScalar(node) && controlOf(node).secret === true;
}

/** A node that no typed control expresses. */
export function yamlNode(base: NodeBase, reason: string): YamlNode {
  return { ...base, kind: 'yaml', reason };
}

/** The same of one that has become a node of another kind. */
export function asYaml(node: NodeBase, reason: string): YamlNode {
  const { key, path, label, help, required, fallback, fallbackSource, immutable, nullable, layer } = node;
  const known = { ...(fallback === undefined ? {} : { fallback }), ...(fallbackSource === undefined ? {} : { fallbackSource }) };
  return yamlNode({ key, path, label, help, required, immutable, nullable, layer, ...known }, reason);
}
