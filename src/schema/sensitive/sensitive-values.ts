import { isObject, objectAt } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { holdsSecretsOnly, mayBeSecret, saysSecret, sensitivityOf } from '../../domain/sensitive/sensitivity.ts';
import { entrySchema } from '../../domain/values/own-values.ts';
import { formatPath, type FormPath, parsePath } from '../form-path.ts';

/** What says which values of an object are sensitive. */
export interface Marked {
  /** The schema of the value; undefined where there is none. */
  readonly schema: unknown;
  /** Paths that the catalogue names, root included: `spec.users[*].pin`. What stands below them is sensitive, too. */
  readonly sensitivePaths: readonly string[];
}

/** Values without schema and catalogue, such as those of a chart, are sensitive by their names alone. */
export const BY_NAMES: Marked = { schema: undefined, sensitivePaths: [] };

/** A value and where it stands: `['spec']`. */
export interface PlacedValue {
  readonly value: Json;
  readonly root: FormPath;
}

/** A sensitive value: a text or a number; any scalar where a schema or the catalogue marks it. Empty texts are none. */
export interface SensitiveValue {
  readonly path: FormPath;
  readonly value: string | number | bigint | boolean;
}

/**
 * The one way through the values of an object that finds the sensitive ones: those that the catalogue names, that their schema marks, that go by the name
 * of a secret, that stand in a row beside such a name (`{name: DB_PASSWORD, value: …}`), and private keys and addresses with a password in them.
 *
 * @returns the value with every sensitive one changed.
 */
export function changeSensitive(marked: Marked, { value, root }: PlacedValue, change: (found: SensitiveValue) => Json): Json {
  const sensitivePaths = marked.sensitivePaths.flatMap((mark) => {
    const steps = markSteps(mark);
    return startsWith(steps, root) ? [steps.slice(root.length)] : [];
  });
  const whole = { path: root, schemas: shapesOf([marked.schema]), sensitivePaths, below: 'anything', siblings: [], value } as const;
  return root.length === 0 && isObject(value) ? visitContent({ ...whole, value }, change) : visit(whole, change);
}

/** Labels and annotations of a resource are shown to everybody. */
function visitContent(
  { value: content, ...ref }: Omit<NodeRef, 'value'> & { readonly value: JsonObject },
  change: (found: SensitiveValue) => Json,
): Json {
  const { metadata, ...members } = content;
  const changed = visit({ ...ref, value: members }, change) as JsonObject;
  return metadata === undefined ? changed : { ...changed, metadata };
}

/** The sensitive values of an object, in its order. */
export function sensitiveValues(marked: Marked, place: PlacedValue): SensitiveValue[] {
  const found: SensitiveValue[] = [];
  changeSensitive(marked, place, (one) => {
    found.push(one);
    return one.value;
  });
  return found;
}

/** Whether a value is a secret or has one somewhere below, by what its schema and the names on its way say. */
export function holdsSecret(schema: unknown, value: Json | undefined, path: FormPath): boolean {
  return value !== undefined && sensitiveValues({ schema, sensitivePaths: [] }, { value, root: path }).length > 0;
}

/** The places of sensitive values and of everything that they stand in, each below the one before; what holds nothing sensitive is in none. */
export interface SensitivePlaces {
  readonly below: ReadonlyMap<string | number, SensitivePlaces>;
}

interface GrowingPlaces extends SensitivePlaces {
  readonly below: Map<string | number, GrowingPlaces>;
}

/** Where any of the values is or holds something sensitive. */
export function sensitivePlaces(marked: Marked, ...values: readonly PlacedValue[]): SensitivePlaces {
  const places: GrowingPlaces = { below: new Map() };
  for (const value of values) {
    for (const { path } of sensitiveValues(marked, value)) path.reduce(placeBelow, places);
  }
  return places;
}

function placeBelow({ below }: GrowingPlaces, step: string | number): GrowingPlaces {
  const known = below.get(step);
  if (known !== undefined) return known;
  const made: GrowingPlaces = { below: new Map() };
  below.set(step, made);
  return made;
}

/** The place at a path; undefined where nothing sensitive is or stands below it. */
export function placesAt(places: SensitivePlaces | undefined, path: FormPath): SensitivePlaces | undefined {
  return path.reduce((place: SensitivePlaces | undefined, step) => place?.below.get(step), places);
}

/** The paths of the sensitive values of what a form is about: `spec.users[0].password`. */
export function sensitivePaths(
  { root, sensitive }: { readonly root: { readonly path: readonly string[] }; readonly sensitive: Marked },
  value: JsonObject,
): readonly string[] {
  return sensitiveValues(sensitive, { value, root: root.path }).map(({ path }) => formatPath(path));
}

/** The steps of the path of a field; `*` stands for the rows of lists and maps. */
export function markSteps(mark: string): readonly string[] {
  return (parsePath(mark.replaceAll(/\[\*?\]/g, '["*"]')) ?? []).map(String);
}

interface NodeRef {
  readonly path: FormPath;
  /** The shapes that the value may have, the one that says most first. */
  readonly schemas: readonly JsonObject[];
  /** What is left of the paths that may lead here. */
  readonly sensitivePaths: readonly (readonly string[])[];
  /** What stands around it: something marked, or a map whose every entry is a secret. */
  readonly below: 'marked' | 'secrets' | 'anything';
  readonly siblings: readonly string[];
  /** The name that a row gives its value. */
  readonly alias?: string;
  readonly value: Json;
}

function visit(ref: NodeRef, change: (found: SensitiveValue) => Json): Json {
  const { value, path } = ref;
  if (value === null || value === '') return value;
  const isMarked = ref.below === 'marked' || ref.sensitivePaths.some(({ length }) => length === 0) || ref.schemas.some(saysSecret);
  if (typeof value !== 'object') {
    return isMarked || isSensitive(ref, value) ? change({ path, value }) : value;
  }
  const here = isMarked ? ({ ...ref, below: 'marked' } as const) : ref;
  return Array.isArray(value) ? visitRows(here, value as readonly Json[], change) : visitMembers(here, value as JsonObject, change);
}

/** What has no sensitive value in it is given back as it is: nearly all of an object, and nothing is made of it. */
function visitRows(ref: NodeRef, rows: readonly Json[], change: (found: SensitiveValue) => Json): Json {
  const schemas = shapesOf(ref.schemas.map((schema) => schema['items']));
  const changed = rows.map((item, row) => visit({ ...inside(ref, row), schemas, siblings: [], value: item }, change));
  return changed.some((item, row) => item !== rows[row]) ? changed : rows;
}

function visitMembers(ref: NodeRef, members: JsonObject, change: (found: SensitiveValue) => Json): Json {
  const siblings = Object.keys(members);
  const below = ref.below === 'anything' && isMapOfSecrets(ref) ? 'secrets' : ref.below;
  const group = { ...ref, below, siblings };
  const schemasOf = membersOf(ref.schemas);
  const changes = new Map<string, Json>();
  for (const key of siblings) {
    const value = members[key];
    const member = { key, value, schemas: schemasOf(key) };
    if (isPlain(group, member)) continue;
    const changed = visit(memberRef(group, members, member), change);
    if (changed !== value) changes.set(key, changed);
  }
  if (changes.size === 0) return members;
  return Object.fromEntries(siblings.map((key) => [key, changes.has(key) ? changes.get(key) : members[key]]));
}

interface Member {
  readonly key: string;
  readonly value: Json | undefined;
  readonly schemas: readonly JsonObject[];
}

/** Whether nothing can make a member sensitive, which is so for nearly all of them: found out without making anything for each. */
function isPlain({ sensitivePaths, below }: NodeRef, { key, value, schemas }: Member): boolean {
  if (value === undefined) return true;
  if (typeof value === 'object' || schemas.length > 0 || sensitivePaths.length > 0 || below !== 'anything') return false;
  if (key === 'value' || key === '*' || mayBeSecret(key)) return false;
  return typeof value !== 'string' || !isSecretText(value);
}

function memberRef(ref: NodeRef, members: JsonObject, { key, value = null, schemas }: Member): NodeRef {
  const { name, valueFrom } = members;
  const alias = key === 'value' && valueFrom === undefined ? (name ?? members['key']) : undefined;
  const step = { ...inside(ref, key), schemas, siblings: ref.siblings, value };
  return typeof alias === 'string' ? { ...step, alias } : step;
}

function inside({ path, sensitivePaths, below }: NodeRef, step: string | number): Pick<NodeRef, 'path' | 'sensitivePaths' | 'below'> {
  if (sensitivePaths.length === 0) return { path: [...path, step], sensitivePaths, below };
  return {
    path: [...path, step],
    sensitivePaths: sensitivePaths.flatMap(([first, ...rest]) => (isStep(first, step) ? [rest] : [])),
    below,
  };
}

function isStep(wanted: string | undefined, step: string | number): boolean {
  return wanted === '*' || wanted === String(step);
}

function startsWith(steps: readonly string[], root: FormPath): boolean {
  return steps.length >= root.length && root.every((step, index) => isStep(steps[index], step));
}

/** Members that no schema describes go by the name of their map. */
function isMapOfSecrets({ schemas, path }: NodeRef): boolean {
  return !schemas.some((schema) => isObject(schema['properties'])) && holdsSecretsOnly(path);
}

/** Names of members that say something about a secret rather than are one. */
const ABOUT =
  /^(user(name)?|login|email|name|key|id|type|kind|host(name)?|url|uri|endpoint|port|database|db|path|namespace|scope|region|realm)$/i;
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY( BLOCK)?-----/;
const PASSWORD_IN_ADDRESS = /^[a-z][\w+.-]{0,30}:\/\/[^\s/?#@:]{0,300}:[^\s/?#@]{1,300}@/i;

function isSensitive({ path, schemas, below, siblings, alias }: NodeRef, value: Exclude<Json, object | null>): boolean {
  if (typeof value === 'boolean') return false;
  const [schema] = schemas;
  const facts = { path, siblings, ...(schema === undefined ? {} : { schema }) };
  const verdict = sensitivityOf(facts);
  const isNamed = verdict === 'secret' || (alias !== undefined && sensitivityOf({ path: [...path.slice(0, -1), alias] }) === 'secret');
  if (typeof value !== 'string') return isNamed && schema === undefined;
  if (isNamed) return true;
  if (below === 'secrets' && verdict !== 'reference' && !ABOUT.test(String(path.at(-1)))) return typeof path.at(-1) === 'string';
  return isSecretText(value);
}

function isSecretText(text: string): boolean {
  return PASSWORD_IN_ADDRESS.test(text) || PRIVATE_KEY.test(text);
}

/** Each schema with its alternatives, which say less than what they stand in. */
function shapesOf(schemas: readonly unknown[]): readonly JsonObject[] {
  return schemas.flatMap((schema) => (isObject(schema) ? expand(schema as JsonObject) : []));
}

/** Schemas of objects that were asked for once: every member of a map has the same. */
const expanded = new WeakMap<JsonObject, readonly JsonObject[]>();

function expand(schema: JsonObject): readonly JsonObject[] {
  const known = expanded.get(schema);
  if (known !== undefined) return known;
  const shapes = [schema, ...PARTS.flatMap((part) => alternatives(schema[part]))];
  expanded.set(schema, shapes);
  return shapes;
}

const PARTS = ['allOf', 'anyOf', 'oneOf'] as const;

function alternatives(part: Json | undefined): readonly JsonObject[] {
  return Array.isArray(part) ? shapesOf(part) : [];
}

/** The schemas of the members of an object by their keys; those that no `properties` name have the same ones. */
function membersOf(schemas: readonly JsonObject[]): (key: string) => readonly JsonObject[] {
  if (schemas.length === 0) return () => schemas;
  const named = schemas.map((schema) => objectAt(schema, 'properties'));
  const unnamed = together(schemas.map((schema) => entrySchema(schema) as Json | undefined));
  return (key) => {
    if (!named.some((properties) => Object.hasOwn(properties, key))) return unnamed;
    return together(
      schemas.map((schema, index) => {
        const properties = named[index] ?? {};
        return Object.hasOwn(properties, key) ? (properties[key] as Json) : (entrySchema(schema) as Json | undefined);
      }),
    );
  };
}

function together(candidates: readonly (Json | undefined)[]): readonly JsonObject[] {
  const [first, ...others] = candidates.filter((schema) => isObject(schema)) as readonly JsonObject[];
  return first === undefined ? [] : shapesOf([first, ...others.map((other) => ({ ...other, ...first }))]);
}
