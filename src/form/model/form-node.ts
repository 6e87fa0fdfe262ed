import type { Json } from '../../domain/kubernetes/resource.ts';
import type { Marked } from '../../schema/sensitive/sensitive-values.ts';

/** How near the surface a field stands: what must be filled, what the catalogue picked, everything else. */
export type Layer = 'required' | 'curated' | 'all';

/** What a scalar may be. One node can accept several, e.g. an integer or text. */
export type ScalarType = 'string' | 'integer' | 'number' | 'boolean';

/** Who names the default of a field: its schema, the values of the chart, what the Operator starts instances with, or the environment. */
export type FallbackSource = 'schema' | 'chart' | 'operator' | 'environment';

/** Help from a description: its first sentence, and the rest. Plain text, both possibly empty. */
export interface Help {
  readonly summary: string;
  readonly more: string;
}

/** Limits of a schema that are checked before anything is sent. Numbers and lengths are inclusive unless they say otherwise. */
export interface Constraints {
  readonly minimum?: number;
  readonly maximum?: number;
  readonly exclusiveMinimum?: number;
  readonly exclusiveMaximum?: number;
  readonly multipleOf?: number;
  /** In code points. */
  readonly minLength?: number;
  readonly maxLength?: number;
  /** A foreign regular expression; only ever evaluated in linear time. */
  readonly pattern?: string;
  readonly minItems?: number;
  readonly maxItems?: number;
}

/** What every node of a form has. */
export interface NodeBase {
  /** The name in its parent; empty for the rows of lists and maps. */
  readonly key: string;
  /** From the root, e.g. `['spec', 'users', '*', 'name']`; `*` stands for the rows of a list or map. */
  readonly path: readonly string[];
  readonly label: string;
  readonly help: Help;
  readonly required: boolean;
  /** The value that the api-server or the chart fills in. Shown, never written. */
  readonly fallback?: Json;
  readonly fallbackSource?: FallbackSource;
  /** Cannot be changed once it has a value. */
  readonly immutable: boolean;
  /** Who sets it for everybody, `the environment shop`; absent: people may. */
  readonly locked?: string;
  readonly nullable: boolean;
  readonly layer: Layer;
}

/** A resource as the api-server serves it; `group` is empty for the core group. */
export interface ReferenceTarget {
  readonly group: string;
  /** The plural, as in addresses. */
  readonly resource: string;
  readonly kind: string;
}

/** What a text names: an object, or a key of the object that the member `of` beside it names. A better input, and no limit: any text may be typed. */
export type Reference = NameReference | { readonly to: ReferenceTarget; readonly part: 'key'; readonly of: string };

export interface NameReference {
  readonly to: ReferenceTarget;
  readonly part: 'name';
  /** The member beside it that names a key of the object. */
  readonly key?: string;
  /** The kinds that the member `kind` beside it chooses from, and the member that says their group. */
  readonly kinds?: { readonly to: readonly ReferenceTarget[]; readonly group?: string };
}

/** A value typed as text into one line or several, or masked. */
export interface TextNode extends NodeBase {
  readonly kind: 'text' | 'multiline' | 'secret';
  readonly types: readonly ['string'];
  readonly format: string;
  readonly constraints: Constraints;
  /** Only of a text of one line. */
  readonly reference?: Reference;
}

/** A text of one line with a grammar of its own: a schedule, a DNS name or IP address, an address with a scheme. */
export interface SpecialTextNode extends NodeBase {
  readonly kind: 'cron' | 'host' | 'url';
  readonly types: readonly ['string'];
  readonly format: string;
  /** Whether the schema itself asks for the grammar; otherwise what does not have it is only warned of. */
  readonly strict: boolean;
  /** How many parts a schedule has, where that is known: six with the seconds first. */
  readonly parts?: 5 | 6;
  readonly constraints: Constraints;
}

/** A number, an amount or a time with a unit, or a value that may be either number or text. */
export interface MeasureNode extends NodeBase {
  readonly kind: 'integer' | 'number' | 'quantity' | 'duration' | 'int-or-string' | 'port' | 'percentage';
  readonly types: readonly ScalarType[];
  /** Whether the schema itself asks for the grammar of quantities or durations; otherwise they are only a hint. */
  readonly strict: boolean;
  readonly constraints: Constraints;
}

export interface BooleanNode extends NodeBase {
  readonly kind: 'boolean';
}

export interface EnumOption {
  /** The text that stands for the value in forms; unique among the options. */
  readonly text: string;
  readonly label: string;
  readonly value: Json;
}
export interface EnumNode extends NodeBase {
  readonly kind: 'enum';
  readonly options: readonly EnumOption[];
}

export interface GroupNode extends NodeBase {
  readonly kind: 'group';
  readonly children: readonly FormNode[];
  /** Whether keys beyond the children are allowed, which then have a YAML field of their own. */
  readonly open: boolean;
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

export type ScalarNode = TextNode | SpecialTextNode | MeasureNode | BooleanNode | EnumNode;
export type FormNode = ScalarNode | GroupNode | ListNode | MapNode | ChoiceNode | YamlNode;

/** Every kind of node. */
export const FORM_KINDS = [
  'text',
  'multiline',
  'secret',
  'cron',
  'host',
  'url',
  'integer',
  'number',
  'quantity',
  'duration',
  'int-or-string',
  'port',
  'percentage',
  'boolean',
  'enum',
  'group',
  'list',
  'map',
  'choice',
  'yaml',
] as const satisfies readonly FormNode['kind'][];

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
