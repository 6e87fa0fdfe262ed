import { isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { parsePath } from '../../schema/form-path.ts';
import type { FallbackSource, Layer, NodeBase } from './field.ts';
import type { Branch, FormModel, FormNode } from './form-node.ts';
import { helpOf, humanise } from './label.ts';
import { isNullable } from './shape.ts';
import { INFERRED } from '../../schema/inferred-members.ts';
import { resolveSchema, type SchemaDocument } from '../../schema/resolve-schema.ts';

/** Where the paths of a form begin. */
interface FormRoot extends Pick<FormModel, 'hoisted'> {
  /** Where the values of a chart begin. */
  readonly chartValues?: readonly string[];
  /** The first key of every path; empty where the members of the schema are the first keys. */
  readonly root: string;
}

/** What the nodes of one form share. */
export interface BaseContext {
  readonly input: FormRoot;
  readonly curated: CuratedOrder;
  readonly defaultsFrom: FallbackSource;
  /** The names for people of keys, which many fields share. */
  readonly labels: Map<string, string>;
  /** Required fields so far. */
  required: number;
}

/** What is known of a node before its schema is looked at. */
export interface BasePlace {
  readonly key: string;
  readonly path: readonly string[];
  /** Whether its parent requires it, and whether every ancestor is required too. */
  readonly required: boolean;
  readonly chain: boolean;
  /** The layer that an ancestor hands down. */
  readonly layer: Layer;
  /** What rules above freeze of it, empty paths for itself; `immutable` says that an ancestor is frozen whole. */
  readonly frozen: readonly (readonly string[])[];
  readonly immutable: boolean;
  readonly fallback: Json | undefined;
}

/** Nobody fills in more than so many required fields on one page. */
const MAX_REQUIRED = 200;

/** What every node has, whatever control it gets. */
export function baseOf(context: BaseContext, place: BasePlace, schema: JsonObject): NodeBase {
  const title = schema['title'];
  const picked = context.curated.picks(place.path) ? 'curated' : place.layer;
  const fallback = place.fallback ?? schema['default'];
  const base: NodeBase = {
    ...(schema[INFERRED] === true ? { inferred: true } : {}),
    key: place.key,
    path: place.path,
    label: typeof title === 'string' && title.trim() !== '' ? title.trim().slice(0, 120) : labelOf(context, place.key),
    help: helpOf(schema['description']),
    // A default is filled in before anything is checked, so nobody has to.
    required: place.required && fallback === undefined,
    immutable: place.immutable || place.frozen.some((path) => path.length === 0),
    nullable: isNullable(schema),
    layer: place.chain && !isRoot(context.input, place.path) && isAmongRequired(context) ? 'required' : picked,
  };
  if (fallback === undefined || (isObject(fallback) && Object.keys(fallback).length === 0)) return base;
  return { ...base, fallback, fallbackSource: place.fallback === undefined ? schemaSource(context, place.path) : context.defaultsFrom };
}

function schemaSource({ input: { chartValues } }: BaseContext, path: readonly string[]): FallbackSource {
  return chartValues?.every((key, index) => path[index] === key) === true ? 'chart' : 'schema';
}

export function rootPath({ root }: FormRoot): readonly string[] {
  return root === '' ? [] : [root];
}

/** Whether a path is that of the root or of what stands for it. */
export function isRoot(input: FormRoot, path: readonly string[]): boolean {
  const below = path.length - (input.root === '' ? 0 : 1);
  return below <= 0 || (below === 1 && path.at(-1) === input.hoisted);
}

/** Beyond that number they stand among all fields, each still marked as required. */
function isAmongRequired(context: BaseContext): boolean {
  context.required += 1;
  return context.required <= MAX_REQUIRED;
}

function labelOf({ labels }: BaseContext, key: string): string {
  const label = labels.get(key) ?? humanise(key);
  labels.set(key, label);
  return label;
}

const MAX_LENGTH = 60;

/** What a branch is called: its title, the constant or the required fields that mark it, else its kind. */
export function branchLabel(document: SchemaDocument, schema: Json, node: FormNode): string {
  const own = isObject(schema) && Array.isArray(schema['allOf']) ? (schema['allOf'][0] as Json) : schema;
  const title = resolveSchema(document, own, []).schema?.['title'];
  if (typeof title === 'string' && title.trim() !== '') return title.trim().slice(0, MAX_LENGTH);
  if (node.kind !== 'group') return kindLabel(node);
  const constant = node.children.find((child) => child.kind === 'enum' && child.options.length === 1);
  if (constant?.kind === 'enum') return humanise(constant.options[0]?.text ?? '').slice(0, MAX_LENGTH);
  const required = resolveSchema(document, own, []).schema?.['required'];
  const named = node.children.filter((child) => Array.isArray(required) && required.includes(child.key));
  const names = (named.length > 0 ? named : node.children).slice(0, 3).map((child) => child.label);
  return names.join(', ').slice(0, MAX_LENGTH);
}

/** The same labels, numbered where two of them are alike. */
export function distinctLabels(branches: readonly Branch[]): Branch[] {
  return branches.map((branch, index) => {
    const before = branches.slice(0, index).filter(({ label }) => label === branch.label).length;
    return before === 0 ? branch : { ...branch, label: `${branch.label} (${before + 1})` };
  });
}

function kindLabel(node: FormNode): string {
  return KIND_LABELS[node.kind] ?? 'Text';
}

const KIND_LABELS: Partial<Record<FormNode['kind'], string>> = {
  list: 'List',
  map: 'Keys and values',
  boolean: 'Yes or no',
  integer: 'Number',
  number: 'Number',
  enum: 'One of several',
  yaml: 'YAML',
};

/** The picked fields, asked by path. */
interface CuratedOrder {
  /** Whether the field itself was picked. */
  picks(path: readonly string[]): boolean;
  /** Whether a field at or below the path was picked. */
  reaches(path: readonly string[]): boolean;
  /** Required ones first, then picked ones in the order of picking, then the others as the schema has them. */
  sort(nodes: readonly FormNode[]): readonly FormNode[];
}

const MAX_ITEMS = 500;

/** Reads picked paths. A path that cannot be read picks nothing. Rows count as their list: `spec.users[].name` picks `spec.users`. */
export function curatedOrder(paths: readonly string[]): CuratedOrder {
  const picked = new Set<string>();
  const order = new Map<string, number>();
  /** The last keys of all these paths: hardly any other path ends like them, so the others are not written out. */
  const ends = new Set<string>();
  for (const text of paths.slice(0, MAX_ITEMS)) {
    const keys = (parsePath(text.replace(/^\./, '').replaceAll(/\[\*?\]/g, '["*"]')) ?? []).map((step) =>
      typeof step === 'number' ? '*' : step,
    );
    if (keys.length > 0) picked.add(keyOf(keys));
    keys.forEach((key, index) => {
      ends.add(key);
      const prefix = keyOf(keys.slice(0, index + 1));
      if (!order.has(prefix)) order.set(prefix, order.size);
    });
  }
  const endsLikeOne = (path: readonly string[]): boolean => ends.has(path.at(-1) ?? '');
  const placeOf = (path: readonly string[]): number | undefined => (endsLikeOne(path) ? order.get(keyOf(path)) : undefined);
  const rank = (node: FormNode) => (node.layer === 'required' ? -1 : (placeOf(node.path) ?? Number.MAX_SAFE_INTEGER));
  return {
    picks: (path) => endsLikeOne(path) && picked.has(keyOf(path)),
    reaches: (path) => placeOf(path) !== undefined,
    sort: (nodes) =>
      order.size === 0 && nodes.every((node) => node.layer === 'all') ? nodes : nodes.toSorted((a, b) => rank(a) - rank(b)),
  };
}

/** The paths that an example sets, for kinds of which nobody picked fields: `{spec: {size: '1Gi'}}` gives `spec.size`. Lists and free-form parts count as one field. */
export function curatedFromExample(example: unknown): string[] {
  const paths: string[] = [];
  const visit = (value: unknown, keys: readonly string[]) => {
    if (paths.length >= MAX_ITEMS || keys.length > 20) return;
    if (isObject(value) && Object.keys(value).length > 0) {
      for (const [key, member] of Object.entries(value)) visit(member, [...keys, key]);
    } else if (keys.length > 0) paths.push(keys.map((key) => `[${JSON.stringify(key)}]`).join(''));
  };
  visit(example, []);
  return paths;
}

function keyOf(keys: readonly string[]): string {
  return JSON.stringify(keys);
}
