import { at, isObject } from '../domain/read.ts';
import type { Json, JsonObject } from '../domain/resource.ts';
import { branchLabel, distinctLabels } from './branch-label.ts';
import { curatedOrder, type CuratedOrder } from './curated.ts';
import type { FallbackSource, FormMode, FormModel, FormNode, GroupNode, Layer, NodeBase, ReferenceTarget, YamlNode } from './form-node.ts';
import { frozenPaths, pathsBelow } from './immutable.ts';
import { helpOf, humanise } from './label.ts';
import { constraintsOf, enumNode, scalarNode } from './leaf-nodes.ts';
import { markReferences } from './mark-references.ts';
import { markKinds, pathKey, type KnownReferences } from './reference-kinds.ts';
import { resolveSchema } from './resolve-schema.ts';
import { isNullable, shapeOf, type Shape } from './shape.ts';

export interface FormInput {
  /** The schema of the root: `openAPIV3Schema.properties.spec` of a kind, or the values schema of a chart. */
  readonly schema: JsonObject;
  /** The first key of every path, `spec`. */
  readonly root: string;
  /** Dotted paths, root included, of the fields that the catalogue picked, in their order. */
  readonly curated: readonly string[];
  /** Values that something else fills in; shown where the schema names no default or another one. */
  readonly defaults?: JsonObject;
  /** Whose `defaults` they are; by default the Operator's. */
  readonly defaultsFrom?: Exclude<FallbackSource, 'schema'>;
  readonly mode: FormMode;
  /** Places below the root that rules above it freeze once they have a value, by the names of members. */
  readonly frozen?: readonly (readonly string[])[];
  /** The kinds that fields may refer to, beside those that every cluster has. */
  readonly kinds?: readonly ReferenceTarget[];
  /** What the catalogue says that fields name: `spec.databaseRef.name`. */
  readonly references?: readonly { readonly path: string; readonly to: ReferenceTarget }[];
}

const MOST_NODES = 20_000;
const DEEPEST = 24;
/** A form of so few fields, none of them picked, shows them all at once. */
const SMALL_FORM = 15;

/**
 * Makes the form of a schema. Every node of the schema is in it: by a typed control, or within a YAML field that says why. Foreign schemas are
 * hostile: depth, size and recursion are bounded, and remote references are never followed.
 */
export function buildForm(input: FormInput): FormModel {
  const form = build(input, input.curated);
  const small = input.curated.length === 0 && form.leaves <= SMALL_FORM;
  return { root: small ? build(input, [input.root]).root : form.root, mode: input.mode };
}

interface Builder {
  readonly document: Json;
  readonly defaultsFrom: FallbackSource;
  readonly curated: CuratedOrder;
  readonly known: KnownReferences;
  nodes: number;
  leaves: number;
}

/** Where a node stands while the form is built. */
interface Place {
  readonly key: string;
  readonly path: readonly string[];
  readonly schema: Json | undefined;
  readonly refs: readonly string[];
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

function build(input: FormInput, curated: readonly string[]): { root: GroupNode | YamlNode; leaves: number } {
  const { schema, defaultsFrom = 'operator', kinds = [], references = [] } = input;
  const known = { kinds, named: new Map(references.map(({ path, to }) => [pathKey(path), to])) };
  const builder: Builder = { document: schema, defaultsFrom, curated: curatedOrder(curated), known, nodes: 0, leaves: 0 };
  const place = { key: input.root, path: [input.root], schema, refs: [], required: false, chain: true };
  const node = nodeOf(builder, { ...place, layer: 'all', frozen: input.frozen ?? [], immutable: false, fallback: input.defaults });
  const root = node.kind === 'group' || node.kind === 'yaml' ? node : asYaml(node, 'not an object with known members');
  return { root, leaves: builder.leaves };
}

function nodeOf(builder: Builder, place: Place): FormNode {
  builder.nodes += 1;
  const resolved = resolveSchema(builder.document, place.schema, place.refs);
  if (resolved.schema === undefined) return leaf(builder, yamlNode(baseOf(builder, place, {}), resolved.reason));
  const { schema, refs } = resolved;
  if (place.path.length > DEEPEST) return leaf(builder, yamlNode(baseOf(builder, place, schema), 'nested too deeply'));
  if (builder.nodes > MOST_NODES) return leaf(builder, yamlNode(baseOf(builder, place, schema), 'the schema is too large'));
  const shape = shapeOf(schema, (part) => resolveSchema(builder.document, part, refs));
  return shapedNode(builder, { ...place, refs }, { shape, base: baseOf(builder, place, shape.schema) });
}

function shapedNode(builder: Builder, place: Place, { shape, base }: { shape: Shape; base: NodeBase }): FormNode {
  if (shape.is === 'yaml') return leaf(builder, yamlNode(base, shape.reason));
  if (shape.is === 'enum') return leaf(builder, enumNode(base, shape.values) ?? yamlNode(base, 'choices that read the same'));
  if (shape.is === 'scalar') return leaf(builder, scalarNode(base, shape.types, shape.schema));
  if (shape.is === 'choice' && place.path.length === 1) return rootOf(builder, place, { shape, base });
  if (shape.is === 'choice') return choiceNode(builder, place, { shape, base });
  return shape.is === 'group' ? groupNode(builder, place, { shape, base }) : rowsNode(builder, place, { shape, base });
}

function leaf(builder: Builder, node: FormNode): FormNode {
  builder.leaves += 1;
  return node;
}

function groupNode(builder: Builder, place: Place, { shape, base }: { shape: Shape & { is: 'group' }; base: NodeBase }): GroupNode {
  const required = new Set(Array.isArray(shape.schema['required']) ? shape.schema['required'] : []);
  const frozen = [...place.frozen, ...frozenPaths(shape.schema)];
  const picked = builder.curated.picks(place.path) || (base.layer === 'required' && required.size === 0);
  const children = Object.entries(shape.schema['properties'] as JsonObject).map(([key, schema]) =>
    nodeOf(builder, {
      key,
      path: [...place.path, key],
      schema,
      refs: place.refs,
      required: required.has(key),
      chain: place.chain && (base.required || place.path.length === 1) && required.has(key),
      layer: picked ? 'curated' : place.layer,
      frozen: pathsBelow(frozen, key),
      immutable: base.immutable,
      fallback: at(base.fallback, key) as Json | undefined,
    }),
  );
  const layers = children.map((child) => child.layer);
  const layer = layers.find((one) => one === 'required') ?? layers.find((one) => one === 'curated') ?? base.layer;
  const marked = markKinds(base, markReferences(base, children, builder.known.kinds), builder.known);
  return { ...base, kind: 'group', layer, children: builder.curated.sort(marked), open: shape.open };
}

function rowsNode(builder: Builder, place: Place, { shape, base }: { shape: Shape & { is: 'map' | 'list' }; base: NodeBase }): FormNode {
  const layer = base.layer === 'all' && builder.curated.reaches(place.path) ? 'curated' : base.layer;
  const row = nodeOf(builder, {
    key: '',
    path: [...place.path, '*'],
    schema: shape.is === 'map' ? shape.value : shape.item,
    refs: place.refs,
    required: false,
    chain: false,
    layer,
    frozen: [],
    immutable: base.immutable,
    fallback: undefined,
  });
  if (row.kind === 'yaml') return asYaml(base, row.reason);
  if (shape.is === 'map') return { ...base, layer, kind: 'map', value: row };
  return { ...base, layer, kind: 'list', item: row, constraints: constraintsOf(shape.schema) };
}

/** The whole form is one object: what its alternatives add is left to the YAML of its other fields. */
function rootOf(builder: Builder, place: Place, { shape, base }: { shape: Shape & { is: 'choice' }; base: NodeBase }): FormNode {
  const { properties } = shape.schema;
  if (!isObject(properties) || Object.keys(properties).length === 0) return leaf(builder, yamlNode(base, 'several shapes are allowed'));
  return groupNode(builder, place, { shape: { is: 'group', open: true, schema: shape.schema }, base });
}

/** What a branch requires is required once it was chosen, so its fields stand where the choice stands. */
function choiceNode(builder: Builder, place: Place, { shape, base }: { shape: Shape & { is: 'choice' }; base: NodeBase }): FormNode {
  const layer = base.layer === 'required' ? 'curated' : base.layer;
  const nodes = shape.branches.map((schema) => {
    const node = nodeOf(builder, {
      ...place,
      schema,
      required: false,
      chain: false,
      layer,
      immutable: base.immutable,
      fallback: undefined,
    });
    return { node, label: branchLabel(builder.document, schema, node) };
  });
  const branches = nodes.flatMap(({ node, label }) => (node.kind === 'choice' ? node.branches : [{ node, label }]));
  if (branches.every(({ node }) => node.kind === 'yaml')) return asYaml(base, 'several shapes are allowed');
  return { ...base, kind: 'choice', branches: distinctLabels(branches) };
}

function baseOf(builder: Builder, place: Place, schema: JsonObject): NodeBase {
  const title = schema['title'];
  const picked = builder.curated.picks(place.path) ? 'curated' : place.layer;
  const fallback = place.fallback ?? schema['default'];
  return {
    key: place.key,
    path: place.path,
    label: typeof title === 'string' && title.trim() !== '' ? title.trim().slice(0, 120) : humanise(place.key),
    help: helpOf(schema['description']),
    // A default is filled in before anything is checked, so nobody has to.
    required: place.required && fallback === undefined,
    ...(fallback === undefined || (isObject(fallback) && Object.keys(fallback).length === 0)
      ? {}
      : { fallback, fallbackSource: place.fallback === undefined ? 'schema' : builder.defaultsFrom }),
    immutable: place.immutable || [...place.frozen, ...frozenPaths(schema)].some((path) => path.length === 0),
    nullable: isNullable(schema),
    layer: place.chain && place.path.length > 1 ? 'required' : picked,
  };
}

function yamlNode(base: NodeBase, reason: string): YamlNode {
  return { ...base, kind: 'yaml', reason };
}

function asYaml(node: NodeBase, reason: string): YamlNode {
  const { key, path, label, help, required, fallback, fallbackSource, immutable, nullable, layer } = node;
  const known = { ...(fallback === undefined ? {} : { fallback }), ...(fallbackSource === undefined ? {} : { fallbackSource }) };
  return yamlNode({ key, path, label, help, required, immutable, nullable, layer, ...known }, reason);
}
