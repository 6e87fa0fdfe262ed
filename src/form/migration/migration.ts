import { isSame } from '../../domain/core/merge-patch.ts';
import { at, isObject, objectAt, textAt, textsAt } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { compareSchemas } from '../../domain/upgrade/crd-safety/compare-schemas.ts';
import { hasDefault, keepsUnknown, memberSchema } from '../../domain/upgrade/crd-safety/schema-shape.ts';
import { validateValue } from '../../domain/upgrade/crd-safety/validate-value.ts';
import type { MigrationChange } from '../../domain/upgrade/preview/value-rows.ts';
import { holdsSecret } from '../../schema/sensitive/sensitive-values.ts';
import { formatPath, type FormPath } from '../../schema/form-path.ts';

/** A field of given values about which somebody has to decide when the schema changes. */
export interface MigrationRow {
  /** `spec.users[0].name`, in the form's own spelling. */
  readonly path: string;
  /** The same as steps, without the root. */
  readonly keys: FormPath;
  readonly change: MigrationChange;
  /** A clause: what changed. */
  readonly message: string;
  /** The value that is there now; absent for fields that are not set. */
  readonly value?: Json;
  /** The default that applied, for `default`. */
  readonly from?: Json;
  /** The default that would apply, for `default`. */
  readonly to?: Json;
  /** Whether the value is a secret or holds one: it is in no page and no answer. */
  readonly secret: boolean;
  /** What may be decided, best first; see `Decisions`. */
  readonly options: readonly MigrationOption[];
}

/** `move` also says where to, as a path; `leave` is offered only where what has no place does no harm. */
export type MigrationOption = 'remove' | 'leave' | 'keep' | 'take' | 'set' | `move:${string}`;

export interface Migration {
  readonly rows: readonly MigrationRow[];
  /** How many other places of the schema changed, which the values do not use. */
  readonly others: number;
}

export interface MigrationInput {
  /** Schemas of the root. */
  readonly from: JsonObject;
  readonly to: JsonObject;
  readonly values: JsonObject;
  /** The first key of every path, `spec`. */
  readonly root: string;
}

const DEEPEST = 60;

interface Member {
  /** The schemas of the parent, before and after. */
  readonly from: unknown;
  readonly to: unknown;
  readonly parent: JsonObject;
  readonly key: string;
}

/** How much of the words two members must share: of their names, or, nearly all, of their descriptions. */
const ALIKE_NAMES = 0.5;
const ALIKE_WORDS = 0.7;

/**
 * What moving values from one structural schema to another asks somebody to decide: values that have no place any more, or look renamed; fields that
 * became required; defaults that changed under fields left empty; values of another type than is allowed, or beyond narrower limits.
 */
export function previewMigration(input: MigrationInput): Migration {
  const { from, to, root } = input;
  const rows = migrationRows(input);
  const changed = new Set(compareSchemas(from, to, root).map(({ path }) => path));
  for (const { keys } of rows) changed.delete(schemaPath(root, keys));
  return { rows, others: changed.size };
}

/** The rows alone. */
export function migrationRows({ from, to, values, root }: MigrationInput): MigrationRow[] {
  return withoutClashes(rowsOf({ from, to, value: values, keys: [], root }));
}

/** Two values cannot move to one place, and what one moves to needs no other value. */
function withoutClashes(rows: readonly MigrationRow[]): MigrationRow[] {
  const taken = new Set<string>();
  const distinct = rows.map((row): MigrationRow => {
    const options = row.options.filter((option) => !taken.has(option));
    const [best] = options;
    if (best?.startsWith('move:') === true) taken.add(best);
    return options.length === row.options.length || best !== 'remove' ? { ...row, options } : { ...row, options, ...GONE };
  });
  const targets = [...taken].map((option) => option.slice('move:'.length));
  const isMovedTo = (path: string): boolean => targets.some((target) => path === target || path.startsWith(`${target}.`));
  return distinct.filter(({ path, value }) => value !== undefined || !isMovedTo(path));
}

const GONE = { change: 'removed', message: 'the field is removed' } as const;

interface NodeRef {
  readonly from: unknown;
  readonly to: unknown;
  readonly value: Json;
  readonly keys: FormPath;
  readonly root: string;
}

function rowsOf(ref: NodeRef): MigrationRow[] {
  const { from, to, value, keys } = ref;
  if (keys.length > DEEPEST) return [];
  const [fault] = ownFaults(to, value);
  if (fault !== undefined) {
    const change = fault.startsWith('it is not of the type') || fault === 'it is null' ? 'type' : 'narrowed';
    const removable = typeof keys.at(-1) === 'string' ? (['remove'] as const) : [];
    return keys.length === 0 ? [] : [rowAt(ref, { change, message: fault, value, options: ['set', ...removable] })];
  }
  if (Array.isArray(value)) {
    const items = [at(from, 'items'), at(to, 'items')];
    return (value as readonly Json[]).flatMap((item, row) =>
      rowsOf({ ...ref, from: items[0], to: items[1], value: item, keys: [...keys, row] }),
    );
  }
  if (!isObject(value) || !isObject(to)) return [];
  const members = Object.entries(value).flatMap(([key, member]) => (member === undefined ? [] : memberRows(ref, value, { key, member })));
  return [...members, ...emptyRows(ref, value)];
}

/** What is wrong with a value by itself, whatever it holds. */
function ownFaults(schema: unknown, value: Json): string[] {
  if (!isObject(schema)) return [];
  const { properties: _members, additionalProperties: _others, items: _items, required: _required, ...own } = schema;
  return validateValue({ ...own, 'x-kubernetes-preserve-unknown-fields': true }, value).map(({ message }) => message);
}

function memberRows(ref: NodeRef, parent: JsonObject, { key, member }: { readonly key: string; readonly member: Json }): MigrationRow[] {
  const { from, to, keys } = ref;
  const here = { ...ref, from: memberSchema(from, key), value: member, keys: [...keys, key] };
  const next = memberSchema(to, key);
  if (next !== undefined) return rowsOf({ ...here, to: next });
  if (keepsUnknown(to)) return [];
  const moved = renamedTo({ from, to, parent, key });
  const moves = moved.map((name): MigrationOption => `move:${formatPath([ref.root, ...keys, name])}`);
  if (moves.length === 0) return [rowAt(here, { ...GONE, value: member, options: ['remove'] })];
  return [
    rowAt(here, {
      change: 'renamed',
      message: `the field is removed; ${moved[0]} is similar`,
      value: member,
      options: [...moves, 'remove'],
    }),
  ];
}

/** Fields that are not set: required now, or with another default. */
function emptyRows(ref: NodeRef, value: JsonObject): MigrationRow[] {
  const required = new Set(textsAt(ref.to, 'required'));
  return Object.entries(objectAt(ref.to, 'properties')).flatMap(([key, schema]): MigrationRow[] => {
    if (Object.hasOwn(value, key)) return [];
    const here = { ...ref, from: memberSchema(ref.from, key), keys: [...ref.keys, key] };
    if (required.has(key) && !hasDefault(schema)) return [rowAt(here, { change: 'required', message: 'it must be set', options: ['set'] })];
    const known = objectAt(ref.from, 'properties', key);
    const [before, after] = [known['default'], at(schema, 'default')] as (Json | undefined)[];
    if (before === undefined || after === undefined || isSame(before, after)) return [];
    return [rowAt(here, { change: 'default', message: 'its default changes', from: before, to: after, options: ['take', 'keep'] })];
  });
}

function rowAt({ from, keys, root }: Omit<NodeRef, 'value'>, row: Omit<MigrationRow, 'path' | 'keys' | 'secret'>): MigrationRow {
  return { path: formatPath([root, ...keys]), keys, ...row, secret: holdsSecret(from, row.value, [root, ...keys]) };
}

/** The place in the schema, whatever the row of a list: as `compareSchemas` spells it. */
export function schemaPath(root: string, keys: FormPath): string {
  return keys.reduce<string>((path, key) => (typeof key === 'number' ? `${path}[]` : `${path}${formatPath(['-', key]).slice(1)}`), root);
}

/**
 * The new members of a group that a removed one may have become: they are not set, take its value, and are called or described alike. Best first, none
 * when nothing looks like it.
 */
function renamedTo({ from, to, parent, key }: Member): readonly string[] {
  const before = objectAt(from, 'properties');
  const gone = memberSchema(from, key);
  const added = Object.entries(objectAt(to, 'properties')).filter(
    ([name, schema]) => !Object.hasOwn(before, name) && isFree(schema, parent, name),
  );
  return added
    .filter(([, schema]) => validateValue(schema, parent[key]).length === 0)
    .map(([name, schema]) => ({ name, names: alike(wordsOf(key), wordsOf(name)), words: alike(helpOf(gone), helpOf(schema)) }))
    .filter(({ names, words }) => names >= ALIKE_NAMES || words >= ALIKE_WORDS)
    .toSorted((a, b) => b.names + b.words - (a.names + a.words) || a.name.localeCompare(b.name))
    .map(({ name }) => name);
}

/** A map that is empty is nothing that could be lost. */
function isFree(schema: unknown, parent: JsonObject, name: string): boolean {
  const value = Object.hasOwn(parent, name) ? parent[name] : undefined;
  return value === undefined || (textAt(schema, 'type') === 'object' && isObject(value) && Object.keys(value).length === 0);
}

function helpOf(schema: unknown): ReadonlySet<string> {
  return wordsOf((textAt(schema, 'description') ?? '').slice(0, 1000));
}

/** `storageClassName` has the words storage, class and name; plurals count as their singular. */
function wordsOf(text: string): ReadonlySet<string> {
  const words = text.replaceAll(/([a-z0-9])([A-Z])/g, '$1 $2').split(/[^A-Za-z0-9]+/);
  return new Set(words.filter((word) => word !== '').map((word) => word.toLowerCase().replace(/s$/, '')));
}

/** The share of words that both have among those of the shorter one; the longer one may say more, up to three times as much. */
function alike(one: ReadonlySet<string>, other: ReadonlySet<string>): number {
  const [small, large] = [Math.min(one.size, other.size), Math.max(one.size, other.size)];
  if (small === 0 || large > small * 3) return 0;
  return [...one].filter((word) => other.has(word)).length / small;
}
