import { formatPath } from '../../schema/form-path.ts';
import { at, isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { saysSecret } from '../../domain/sensitive/sensitivity.ts';
import { type BaseContext, baseOf, type BasePlace, branchLabel, curatedOrder, distinctLabels, isRoot, rootPath } from './node-base.ts';
import { controlNode } from '../controls/controls.ts';
import type { FieldFacts } from '../controls/field-facts.ts';
import { constraintsOf } from '../controls/limits.ts';
import type { ReferenceTarget } from '../references/reference-targets.ts';
import type { FallbackSource, Layer, NodeBase } from './field.ts';
import { asYaml, type FormMode, type FormModel, type FormNode, type GroupNode, yamlNode, type YamlNode } from './form-node.ts';
import { expectedShape, type Shape, shapeOf, yamlShape } from './shape.ts';
import type { ChartHints } from '../../schema/hints/chart-hints.ts';
import { SEVERAL } from '../../schema/branches.ts';
import { frozenPaths } from '../../schema/immutable.ts';
import { type KnownReferences, markKinds, markReferences, pathKey } from '../references/mark-references.ts';
import { resolveSchema, type SchemaDocument, TOO_LARGE } from '../../schema/resolve-schema.ts';
import { markSteps } from '../../schema/sensitive/sensitive-values.ts';
import { MAX_WORK, memberNames } from '../../schema/work.ts';

export interface FormInput {
  /** The schema of the root: `openAPIV3Schema.properties.spec` of a kind, or the values schema of a chart. */
  readonly schema: JsonObject;
  /** The first key of every path, `spec`; empty where the members of the schema are the first keys. */
  readonly root: string;
  /** See `FormModel.hoisted`. */
  readonly hoisted?: string;
  /** Where the values of a chart begin: the defaults of their schema are those of the chart. Absent: nowhere. */
  readonly chartValues?: readonly string[];
  /** Dotted paths, root included, of the fields that the catalogue picked, in their order. */
  readonly curated: readonly string[];
  /** The same where nobody picked a field, and the form is not so small that it shows all. */
  readonly suggested?: readonly string[];
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
  /** Paths that the catalogue calls sensitive: `spec.users[*].pin`. */
  readonly sensitive?: readonly string[];
  /** What types the values of a chart that its schema leaves open; absent: nothing does. */
  readonly hints?: ChartHints;
}

/** As many as a kind of 6,000 leaves has. */
const MAX_NODES = 10_000;
const DEEPEST = 24;
const STEPS_OF_OPTION = 3;
/** Steps for the names of branches, which are made last. */
const STEPS_OF_NAMES = MAX_WORK / 10;
/** No property that somebody fills in has a longer name. */
const MAX_KEY_LENGTH = 256;
/** A form of so few fields, none of them picked, shows them all at once. */
const SMALL_FORM = 15;

/**
 * Makes the form of a schema. Every node of the schema is in it: by a typed control, or within a YAML field that says why. Foreign schemas are
 * hostile: depth, size, work and recursion are bounded, and remote references are never followed. What is beyond the bounds is YAML as well, and the
 * form says so in `reduced`.
 */
export function buildForm(input: FormInput): FormModel {
  const form = build(input, input.curated.length > 0 ? input.curated : suggestedOf(input));
  const small = input.curated.length === 0 && form.leaves <= SMALL_FORM && !form.reduced;
  const { root } = small ? build(input, wholeOf(input)) : form;
  const sensitive = { schema: input.schema, sensitivePaths: input.sensitive ?? [] };
  const { hoisted } = input;
  return {
    root,
    mode: input.mode,
    sensitive,
    ...(hoisted === undefined ? {} : { hoisted }),
    ...(form.reduced ? { reduced: REDUCED } : {}),
  };
}

/** Of a release its values alone; what else its spec says, such as its version, stands among all fields. */
function suggestedOf(input: FormInput): readonly string[] {
  const { suggested = [], chartValues } = input;
  if (chartValues === undefined) return suggested;
  const values = suggested.filter((path) => path.startsWith(`${formatPath(chartValues)}.`));
  return values.length === 0 ? wholeOf(input) : values;
}

/** What a small form shows at once: all but what is about the resource itself. Of a release these are its values. */
function wholeOf({ root, schema, chartValues }: FormInput): readonly string[] {
  const { properties } = schema;
  if (chartValues !== undefined) return [formatPath(chartValues), formatPath([...chartValues.slice(0, -1), 'valuesFrom'])];
  if (root !== '' || !isObject(properties)) return [root];
  return memberNames(properties)
    .filter((key) => key !== METADATA)
    .map((key) => `[${JSON.stringify(key)}]`);
}

/** The member of a resource that is about the resource itself. */
const METADATA = 'metadata';

const REDUCED = 'The schema of this app is too large for a form of all its fields. Set the other fields as YAML.';

interface Builder extends BaseContext {
  readonly input: FormInput;
  readonly document: SchemaDocument;
  /** The same schema for the names of branches, with work of its own. */
  readonly naming: SchemaDocument;
  readonly known: KnownReferences;
  /** The steps of paths that the catalogue calls sensitive. */
  readonly sensitive: readonly (readonly string[])[];
  /** What is to be looked into. It grows while it is walked, level by level: what a form may cost is spent on what is near the root first. */
  readonly queue: InnerDraft[];
  nodes: number;
  leaves: number;
}

/** A node of which nothing below is known yet. */
interface LeafDraft {
  readonly place: Place;
  readonly base: NodeBase;
  readonly shape: Shape & { readonly kind: 'scalar' | 'enum' | 'yaml' };
}

/** A node with nodes below it. */
interface InnerDraft {
  readonly place: Place;
  readonly base: NodeBase;
  readonly shape: InnerShape;
  /** Empty until they were looked at, which what is too much for a form never is. */
  below: readonly Draft[];
}
type InnerShape = Shape & { readonly kind: 'group' | 'map' | 'list' | 'choice' };
type Draft = LeafDraft | InnerDraft;

/** Where a node stands while the form is built. */
interface Place extends BasePlace {
  readonly schema: Json | undefined;
  readonly refs: readonly string[];
  /** Whether the layer that is handed down ends here. */
  readonly nearest?: boolean;
  /** The names of the members beside it. */
  readonly siblings?: readonly string[];
  /** Whether an ancestor is marked as sensitive. */
  readonly sensitive?: boolean;
}

function build(input: FormInput, curated: readonly string[]): { root: GroupNode | YamlNode; leaves: number; reduced: boolean } {
  const { schema, defaultsFrom = 'operator', kinds = [], references = [] } = input;
  const known = { kinds, named: new Map(references.map(({ path, to }) => [pathKey(path), to])) };
  const document = { root: schema, work: { left: MAX_WORK } };
  const builder: Builder = {
    input,
    document,
    naming: { root: schema, work: { left: STEPS_OF_NAMES } },
    defaultsFrom,
    curated: curatedOrder(curated),
    known,
    sensitive: (input.sensitive ?? []).map(markSteps),
    labels: new Map(),
    queue: [],
    nodes: 0,
    leaves: 0,
    required: 0,
  };
  const place = { key: input.root, path: rootPath(input), schema, refs: [], required: false, chain: true };
  const drafted = draft(builder, { ...place, layer: 'all', frozen: input.frozen ?? [], immutable: false, fallback: input.defaults });
  for (const one of builder.queue) {
    if (isSpent(builder)) break;
    one.below = draftsBelow(builder, one);
  }
  const node = nodeOf(builder, drafted);
  const root = node.kind === 'group' || node.kind === 'yaml' ? node : asYaml(node, 'not an object with known members');
  return { root, leaves: builder.leaves, reduced: isSpent(builder) };
}

/** Whether the schema has used up what a form may cost. */
function isSpent({ nodes, document }: Builder): boolean {
  return nodes >= MAX_NODES || document.work.left < 0;
}

function draft(builder: Builder, place: Place): Draft {
  if (isSpent(builder)) return yamlDraft(builder, place, TOO_LARGE);
  builder.nodes += 1;
  const resolved = resolveSchema(builder.document, place.schema, place.refs);
  const { schema = {} } = resolved;
  const refs = resolved.schema === undefined ? place.refs : resolved.refs;
  if (place.path.length > DEEPEST) return yamlDraft(builder, place, 'nested too deeply', schema);
  const resolver = (part: Json | undefined) => resolveSchema(builder.document, part, refs);
  const own = resolved.schema === undefined ? yamlShape(resolved.reason, {}) : shapeOf(schema, resolver);
  const rules = frozenPaths(own.schema);
  const here = rules.length === 0 && refs === place.refs ? place : { ...place, refs, frozen: [...place.frozen, ...rules] };
  const base = baseOf(builder, here, own.schema);
  const shape = shapeFor(builder, place, own);
  if (shape.kind === 'enum') builder.document.work.left -= STEPS_OF_OPTION * shape.values.length;
  if (!hasInside(shape)) return { place: here, base, shape };
  const inner: InnerDraft = { place: here, base, shape, below: [] };
  builder.queue.push(inner);
  return inner;
}

function yamlDraft(builder: Builder, place: Place, reason: string, schema: JsonObject = {}): LeafDraft {
  return { place, base: baseOf(builder, place, schema), shape: yamlShape(reason, schema) };
}

/** What becomes of a shape in this form. */
function shapeFor({ document, input }: Builder, { path, schema, fallback }: Place, own: Shape): Shape {
  if (isRoot(input, path)) return own.kind === 'choice' ? shapeOfRoot(own) : own;
  const { hints, chartValues = rootPath(input) } = input;
  if (hints === undefined || chartValues.some((key, index) => path[index] !== key)) return own;
  const open = { path: path.slice(chartValues.length), schema, fallback: fallback ?? own.schema['default'], shape: own };
  return expectedShape(hints, open, document.work);
}

function hasInside(shape: Shape): shape is InnerShape {
  return shape.kind === 'group' || shape.kind === 'map' || shape.kind === 'list' || shape.kind === 'choice';
}

/** The whole form is one object: what its alternatives add is left to the YAML of its other fields. */
function shapeOfRoot({ schema }: Shape): Shape {
  const { properties } = schema;
  return isObject(properties) && Object.keys(properties).length > 0 ? { kind: 'group', open: true, schema } : yamlShape(SEVERAL, schema);
}

function draftsBelow(builder: Builder, { place, base, shape }: InnerDraft): readonly Draft[] {
  if (shape.kind === 'group') return draftMembers(builder, place, { shape, base });
  if (shape.kind === 'choice') return draftBranches(builder, place, { shape, base });
  return [draftRow(builder, place, { shape, base })];
}

/** The node that a draft has become, once as much as possible was looked into. */
function nodeOf(builder: Builder, drafted: Draft): FormNode {
  const { place, base, shape } = drafted;
  if (shape.kind === 'yaml') return leaf(builder, yamlNode(base, shape.reason));
  if (shape.kind === 'enum' || shape.kind === 'scalar') return leaf(builder, controlNode(base, fieldFacts(builder, place, shape)));
  const below = 'below' in drafted ? drafted.below.map((one) => nodeOf(builder, one)) : [];
  if (shape.kind === 'group') return groupNode(builder, below, { shape, base });
  const [first] = below;
  if (first === undefined) return leaf(builder, asYaml(base, TOO_LARGE));
  return shape.kind === 'choice' ? choiceNode(builder, below, { shape, base }) : rowsNode(builder, first, { place, shape, base });
}

/** What the control of a leaf is chosen by. */
function fieldFacts(builder: Builder, place: Place, shape: LeafDraft['shape'] & { readonly kind: 'enum' | 'scalar' }): FieldFacts {
  const { key, path, siblings = [] } = place;
  const sensitive = place.sensitive === true || isNamedSensitive(builder, path);
  const about = { key, path, schema: shape.schema, siblings, sensitive };
  return shape.kind === 'enum' ? { ...about, types: [], options: shape.values } : { ...about, types: shape.types };
}

/** Whether the catalogue calls a path sensitive. */
function isNamedSensitive({ sensitive }: Builder, path: readonly string[]): boolean {
  return sensitive.some((steps) => steps.length <= path.length && steps.every((step, index) => step === '*' || step === path[index]));
}

function leaf(builder: Builder, node: FormNode): FormNode {
  if (builder.input.root !== '' || node.path[0] !== METADATA) builder.leaves += 1;
  return node;
}

function groupNode(builder: Builder, children: readonly FormNode[], { shape, base }: Inner<'group'>): GroupNode | YamlNode {
  const members = memberNames(shape.schema['properties'] as JsonObject);
  if (children.length === 0 && isSpent(builder)) return asYaml(base, TOO_LARGE);
  const layers = children.map((child) => child.layer);
  const inFront = layers.find((one) => one === 'required') ?? layers.find((one) => one === 'curated');
  // A group of which nothing stands in front does not either.
  const layer = inFront ?? (children.length === 0 ? base.layer : 'all');
  // What the form has no place for stays reachable among the other fields.
  const open = shape.open || children.length < members.length;
  const marked = markKinds(base, markReferences(base, children, builder.known.kinds), builder.known);
  const { conditionals = [] } = shape;
  const conditional = conditionals.length === 0 ? {} : { conditionals };
  return { ...base, kind: 'group', layer, children: builder.curated.sort(marked), open, ...conditional };
}

interface Inner<Kind extends Shape['kind']> {
  readonly shape: Shape & { readonly kind: Kind };
  readonly base: NodeBase;
}

function draftMembers(builder: Builder, place: Place, { shape, base }: Inner<'group'>): Draft[] {
  const required = new Set(Array.isArray(shape.schema['required']) ? shape.schema['required'] : []);
  const frozen = Map.groupBy(place.frozen, ([first]) => first);
  const isPicked = builder.curated.picks(place.path);
  // What must be there and has no default, although no member of it must, is filled in by its nearest fields.
  const isBare = base.layer === 'required' && required.size === 0 && base.fallback === undefined;
  const children: Draft[] = [];
  const members = shape.schema['properties'] as JsonObject;
  const siblings = memberNames(members);
  const { sensitive = false } = sensitiveBelow(place, shape.schema);
  for (const key of siblings) {
    if (isSpent(builder)) break;
    if (key.length > MAX_KEY_LENGTH) continue;
    const child = draft(builder, {
      key,
      path: [...place.path, key],
      schema: members[key],
      refs: place.refs,
      required: required.has(key),
      chain:
        place.chain &&
        (base.required || isRoot(builder.input, place.path)) &&
        (required.has(key) || isRoot(builder.input, [...place.path, key])),
      layer: isPicked || isBare ? 'curated' : place.nearest === true ? 'all' : place.layer,
      nearest: isBare && !isPicked,
      frozen: place.frozen.length === 0 ? place.frozen : (frozen.get(key) ?? []).map((path) => path.slice(1)),
      immutable: base.immutable,
      fallback: at(base.fallback, key) as Json | undefined,
      siblings,
      sensitive,
    });
    children.push(child);
  }
  return children;
}

function sensitiveBelow(place: Place, schema: JsonObject): Pick<Place, 'sensitive'> {
  return place.sensitive === true || saysSecret(schema) ? { sensitive: true } : {};
}

function layerOfRows(builder: Builder, { path }: Place, base: NodeBase): Layer {
  return base.layer === 'all' && builder.curated.reaches(path) ? 'curated' : base.layer;
}

function draftRow(builder: Builder, place: Place, { shape, base }: Inner<'map' | 'list'>): Draft {
  return draft(builder, {
    key: '',
    path: [...place.path, '*'],
    schema: shape.kind === 'map' ? shape.value : shape.item,
    refs: place.refs,
    required: false,
    chain: false,
    layer: layerOfRows(builder, place, base),
    frozen: [],
    immutable: base.immutable,
    fallback: undefined,
    ...sensitiveBelow(place, shape.schema),
  });
}

function rowsNode(builder: Builder, row: FormNode, { place, shape, base }: Inner<'map' | 'list'> & { readonly place: Place }): FormNode {
  if (row.kind === 'yaml') return asYaml(base, row.reason);
  const layer = layerOfRows(builder, place, base);
  if (shape.kind === 'map') {
    const keys = shape.keys === undefined ? {} : { keys: shape.keys };
    return { ...base, layer, kind: 'map', value: row, ...keys };
  }
  return { ...base, layer, kind: 'list', item: row, constraints: constraintsOf(shape.schema) };
}

/** What a branch requires is required once it was chosen, so its fields stand where the choice stands. */
function draftBranches(builder: Builder, place: Place, { shape, base }: Inner<'choice'>): Draft[] {
  const layer = base.layer === 'required' ? 'curated' : base.layer;
  const here = { ...place, required: false, chain: false, layer, immutable: base.immutable, fallback: undefined };
  return shape.branches.map((schema) => draft(builder, { ...here, schema }));
}

function choiceNode(builder: Builder, below: readonly FormNode[], { shape, base }: Inner<'choice'>): FormNode {
  const branches = below.flatMap((node, index) =>
    node.kind === 'choice' ? node.branches : [{ node, label: branchLabel(builder.naming, shape.branches[index] ?? {}, node) }],
  );
  if (branches.every(({ node }) => node.kind === 'yaml')) return asYaml(base, SEVERAL);
  return { ...base, kind: 'choice', branches: distinctLabels(branches) };
}
