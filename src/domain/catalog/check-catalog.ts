import { stringifyJson } from '../core/exact-json.ts';
import { editDistance } from '../core/compare-texts.ts';
import { listInShort } from '../core/name-words.ts';
import type { FieldFault } from '../core/errors.ts';
import { afterYield } from '../core/yield-to-event-loop.ts';
import { at, isObject, objectAt, textAt } from '../core/read.ts';
import { specOf } from '../kind/kind.ts';
import { compileFaults } from '../health/custom-rules.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { connectionFaults } from '../connection/connection.ts';
import type { CatalogKind } from '../operator/kind/catalog-fields.ts';
import { OPERATOR_KIND } from '../operator/kind/operator-kind.ts';
import { schemaOf, versionForNew } from './app-catalog.ts';

/** A fault of the catalog block, with the path of the field in the Operator and what kind of thing is not known. */
export interface CatalogBlockFault extends FieldFault {
  readonly field: string;
  readonly reason: 'UnknownKind' | 'UnknownField' | 'InvalidExpression';
}

const MAX_ITEMS = 100;
const MAX_NAMES = 8;

/**
 * Compares `spec.catalog.kinds` with the kinds of an Operator: kinds that it does not bring, and paths that the schema of the kind does not have, each with
 * the nearest name, and health rules that do not compile. To read the schema of a large kind takes a while, so it is read only for blocks that name a field, each in a turn of its own, and what was
 * found out of a kind is known for as long as it stays the same object.
 *
 * @param crds those of the Operator; empty while they are not known, and then nothing is compared.
 */
export async function checkCatalogBlock(operator: KubeObject, crds: readonly KubeObject[]): Promise<readonly CatalogBlockFault[]> {
  if (crds.length === 0) return [];
  const byKind = new Map(crds.map((crd) => [textAt(crd.spec, 'names', 'kind') ?? '', crd]));
  const faults: CatalogBlockFault[] = [];
  for (const [index, block] of specOf(OPERATOR_KIND, operator).catalog.kinds.entries()) {
    const crd = byKind.get(block.kind);
    const place = `spec.catalog.kinds[${index}]`;
    if (crd !== undefined) faults.push(...(await faultsOf(block, place, crd)));
    // A kind that the operator registers itself may come later.
    else if (block.definition === undefined) faults.push(unknownKind(block, place, [...byKind.keys()]));
  }
  return faults.slice(0, MAX_ITEMS);
}

function unknownKind({ kind }: CatalogKind, place: string, kinds: readonly string[]): CatalogBlockFault {
  const near = nearestName(kind, kinds);
  const hint = near === undefined ? `it has ${listInShort(kinds, MAX_NAMES)}` : `did you mean ${near}?`;
  return { field: `${place}.kind`, reason: 'UnknownKind', message: `the Operator has no kind ${kind}; ${hint}` };
}

/** By CRD, which never changes in place, what was found out of a block. */
const known = new WeakMap<KubeObject, { readonly block: string; readonly faults: readonly CatalogBlockFault[] }>();

async function faultsOf(block: CatalogKind, place: string, crd: KubeObject): Promise<readonly CatalogBlockFault[]> {
  const text = `${place} ${stringifyJson(block)}`;
  const found = known.get(crd);
  if (found?.block === text) return found.faults;
  const schema = schemaOf(crd, versionForNew(crd) ?? '');
  const faults = await afterYield(() => faultsOfBlock(block, { place, kind: block.kind, schema }));
  known.set(crd, { block: text, faults });
  return faults;
}

interface Scope {
  /** Of the block in the Operator. */
  readonly place: string;
  readonly kind: string;
  /** Of a whole instance. */
  readonly schema: unknown;
}

const PATHS = ['fields', 'locked', 'sensitive'] as const;
const VALUES = ['defaults', 'example'] as const;

function faultsOfBlock(block: CatalogKind, scope: Scope): readonly CatalogBlockFault[] {
  const paths = PATHS.flatMap((key) => block[key].map((path, index) => ({ path, field: `${scope.place}.${key}[${index}]` })));
  const references = Object.keys(block.references).map((path) => ({ path, field: `${scope.place}.references["${path}"]` }));
  const rules = compileFaults(block.health).map(({ index, member, message }) => ({
    field: `${scope.place}.health[${index}].${member}`,
    reason: 'InvalidExpression' as const,
    message,
  }));
  const values = [
    ...VALUES.map((key) => ({ value: block[key], field: `${scope.place}.${key}` })),
    ...block.presets.map((preset, index) => ({ value: preset.values, field: `${scope.place}.presets[${index}].values` })),
  ];
  const found = [
    ...[...paths, ...references].flatMap(({ path, field }) => ({ field, message: unknownPath(stepsOf(path), scope) })),
    ...values.flatMap(({ value, field }) => unknownValues(value, field, scope)),
    ...[...block.usage.matchAll(/\{(?:spec|metadata|status)\.[\w.]+\}/g)].map(([placeholder]) => ({
      field: `${scope.place}.usage`,
      message: `there is no placeholder ${placeholder}; usage has {name} and {namespace}`,
    })),
    ...connectionFaults(block, { place: scope.place, schema: scope.schema, unknownPath: (steps) => unknownField(steps, scope) }),
  ];
  return [
    ...rules,
    ...found.flatMap(({ field, message }) => (message === undefined ? [] : [{ field, reason: 'UnknownField' as const, message }])),
  ];
}

/** An example may be a `spec` alone. */
function unknownValues(value: unknown, field: string, scope: Scope): readonly { readonly field: string; readonly message?: string }[] {
  if (!isObject(value) || Object.keys(value).length === 0) return [];
  const isSpec = field.endsWith('.example') && !isObject(value['spec']);
  const paths = isSpec ? leavesOf(value).map((path) => ['spec', ...path]) : leavesOf(value);
  return paths.flatMap((path) => {
    const isWritten = path[0] !== 'apiVersion' && path[0] !== 'kind' && !(field.endsWith('.example') && path[0] === 'metadata');
    const message = isWritten ? unknownPath(path, scope) : undefined;
    return message === undefined ? [] : [{ field: `${field}.${formatted(isSpec ? path.slice(1) : path)}`, message }];
  });
}

/** The paths of the values in an object; rows of lists are `[]`. */
function leavesOf(value: unknown): readonly (readonly string[])[] {
  if (Array.isArray(value)) return value.flatMap((item: unknown) => leavesOf(item).map((path) => [ROW, ...path]));
  if (!isObject(value) || Object.keys(value).length === 0) return [[]];
  return Object.entries(value).flatMap(([key, member]) => leavesOf(member).map((path) => [key, ...path]));
}

const ROW = '[]';

/** `spec.users[*].pin` and `["spec"]["users"]` in steps. */
function stepsOf(path: string): readonly string[] {
  return [...path.matchAll(/\["((?:[^"\\]|\\.)*)"\]|(\[[^\]]*\])|([^.[\]]+)/g)].map(([, quoted, row, plain]) =>
    row === undefined ? (quoted ?? plain ?? '') : ROW,
  );
}

/** Why there is no such field, and the nearest one; undefined when there is. */
function unknownPath(steps: readonly string[], { kind, schema }: Scope): string | undefined {
  const [first = '', second = ''] = steps;
  if (first === 'metadata') {
    if (second === 'labels' || second === 'annotations') return undefined;
    return `the form of ${kind} has no ${formatted(steps)}; of metadata it has metadata.labels and metadata.annotations`;
  }
  if (first !== 'spec')
    return `there is no ${formatted(steps)} to set in ${kind}; paths begin with spec, metadata.labels or metadata.annotations`;
  return unknownField(steps, { kind, schema });
}

/** The same for a path that may be one of the status. */
function unknownField(steps: readonly string[], { kind, schema }: Pick<Scope, 'kind' | 'schema'>): string | undefined {
  let node: unknown = schema;
  for (const [index, step] of steps.entries()) {
    const next = below(node, step);
    if (next === 'open') return undefined;
    if (next === undefined) return missing(steps.slice(0, index + 1), { kind, schema, node });
    node = next.node;
  }
  return undefined;
}

/** The schema of a member; `open` where anything may stand. Rows may be left out of a path. */
function below(node: unknown, step: string): { readonly node: unknown } | 'open' | undefined {
  const items = at(node, 'items');
  if (step === ROW) return items === undefined ? (isOpen(node) ? 'open' : undefined) : { node: items };
  if (items !== undefined) return below(items, step);
  const properties = objectAt(node, 'properties');
  if (Object.hasOwn(properties, step)) return { node: properties[step] };
  const additional = at(node, 'additionalProperties');
  if (isObject(additional)) return { node: additional };
  return isOpen(node) ? 'open' : undefined;
}

function isOpen(node: unknown): boolean {
  return (
    at(node, 'x-kubernetes-preserve-unknown-fields') === true ||
    at(node, 'x-kubernetes-embedded-resource') === true ||
    at(node, 'additionalProperties') === true
  );
}

function missing(steps: readonly string[], { kind, schema, node }: { kind: string; schema: unknown; node: unknown }): string {
  const parent = steps.slice(0, -1);
  const last = steps.at(-1) ?? '';
  const siblings = Object.keys(objectAt(at(node, 'items') ?? node, 'properties'));
  const near = nearestName(last, siblings);
  const elsewhere = near === undefined ? findNamed(at(schema, 'properties', 'spec'), last, ['spec']) : undefined;
  const path = near === undefined ? elsewhere : [...parent, near];
  const has = siblings.length === 0 ? `${formatted(parent)} has no fields` : `${formatted(parent)} has ${listInShort(siblings, MAX_NAMES)}`;
  return `${kind} has no field ${formatted(steps)}; ${path === undefined ? has : `did you mean ${formatted(path)}?`}`;
}

const DEEPEST = 8;

/** The first field of that very name anywhere below, the shallowest first. */
function findNamed(schema: unknown, name: string, path: readonly string[]): readonly string[] | undefined {
  let level: readonly { readonly node: unknown; readonly path: readonly string[] }[] = [{ node: schema, path }];
  while (level.length > 0 && (level[0]?.path.length ?? 0) < DEEPEST) {
    const members = level.flatMap(({ node, path: to }) => {
      const [inner, prefix] = at(node, 'items') === undefined ? [node, to] : [at(node, 'items'), [...to, ROW]];
      return Object.entries(objectAt(inner, 'properties')).map(([key, member]) => ({ node: member, path: [...prefix, key] }));
    });
    const found = members.find((member) => member.path.at(-1) === name);
    if (found !== undefined) return found.path;
    level = members;
  }
  return undefined;
}

function formatted(steps: readonly string[]): string {
  return steps.join('.').replaceAll(`.${ROW}`, ROW);
}

/** The name that was probably meant: the one that takes the fewest changed letters, as long as that is a third of them at most; undefined when none is near. */
function nearestName(wanted: string, names: readonly string[]): string | undefined {
  const bound = Math.max(1, Math.floor(wanted.length / 3));
  const [best] = names
    .filter((name) => Math.abs(name.length - wanted.length) <= bound)
    .map((name) => ({ name, changes: editDistance(wanted.toLowerCase(), name.toLowerCase()) }))
    .filter(({ changes }) => changes <= bound)
    .sort((a, b) => a.changes - b.changes || a.name.localeCompare(b.name));
  return best?.name;
}
