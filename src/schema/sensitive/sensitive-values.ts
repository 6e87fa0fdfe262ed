import { isObject, objectAt } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { holdsSecretsOnly, mayBeSecret, saysSecret, sensitivityOf } from '../../domain/sensitive/sensitivity.ts';
import { formatPath, parsePath, type FormPath } from '../form-path.ts';

/** What says which values of an object are sensitive. */
export interface Marked {
  /** The schema of the value; undefined where there is none. */
  readonly schema: unknown;
  /** Paths that the catalogue names, root included: `spec.users[*].pin`. What stands below them is sensitive, too. */
  readonly marks: readonly string[];
}

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
  const marks = marked.marks.flatMap((mark) => {
    const steps = markSteps(mark);
    return startsWith(steps, root) ? [steps.slice(root.length)] : [];
  });
  return visit({ path: root, schemas: shapesOf([marked.schema]), marks, below: 'anything', siblings: [], value }, change);
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

/** The paths of sensitive values, and of everything that they stand in. */
export function sensitivePlaces(marked: Marked, place: PlacedValue): ReadonlySet<string> {
  const paths = sensitiveValues(marked, place).flatMap(({ path }) => path.map((_, index) => formatPath(path.slice(0, index + 1))));
  return new Set(paths);
}

/** The paths of the sensitive values of what a form is about: `spec.users[0].password`. */
export function sensitivePaths(
  { root, sensitive }: { readonly root: { readonly key: string }; readonly sensitive: Marked },
  value: JsonObject,
): readonly string[] {
  return sensitiveValues(sensitive, { value, root: [root.key] }).map(({ path }) => formatPath(path));
}

/** The steps of the path of a field; `*` stands for the rows of lists and maps. */
export function markSteps(mark: string): readonly string[] {
  return (parsePath(mark.replaceAll(/\[\*?\]/g, '["*"]')) ?? []).map(String);
}

interface Spot {
  readonly path: FormPath;
  /** The shapes that the value may have, the one that says most first. */
  readonly schemas: readonly JsonObject[];
  /** What is left of the paths that may lead here. */
  readonly marks: readonly (readonly string[])[];
  /** What stands around it: something marked, or a map whose every entry is a secret. */
  readonly below: 'marked' | 'secrets' | 'anything';
  readonly siblings: readonly string[];
  /** The name that a row gives its value. */
  readonly alias?: string;
  readonly value: Json;
}

function visit(spot: Spot, change: (found: SensitiveValue) => Json): Json {
  const { value, path } = spot;
  if (value === null || value === '') return value;
  const isMarked = spot.below === 'marked' || spot.marks.some(({ length }) => length === 0) || spot.schemas.some(saysSecret);
  if (typeof value !== 'object') {
    return isMarked || isSensitive(spot, value) ? change({ path, value }) : value;
  }
  const here = isMarked ? ({ ...spot, below: 'marked' } as const) : spot;
  if (Array.isArray(value)) return (value as readonly Json[]).map((item, row) => visit(rowSpot(here, item, row), change));
  const members = value as JsonObject;
  const siblings = Object.keys(members);
  const below = here.below === 'anything' && isMapOfSecrets(here) ? 'secrets' : here.below;
  const group = { ...here, below, siblings };
  return Object.fromEntries(
    Object.entries(members).map(([key, member]) => [
      key,
      member === undefined || isPlain(group, key, member) ? member : visit(memberSpot(group, { key, member, members }), change),
    ]),
  );
}

/** Whether nothing can make a member sensitive, which is so for nearly all of them: found out without making anything for each. */
function isPlain({ schemas, marks, below }: Spot, key: string, member: Json): boolean {
  if (typeof member === 'object' || schemas.length > 0 || marks.length > 0 || below !== 'anything') return false;
  if (key === 'value' || key === '*' || mayBeSecret(key)) return false;
  return typeof member !== 'string' || !holdsSecret(member);
}

function rowSpot(spot: Spot, value: Json, row: number): Spot {
  const schemas = shapesOf(spot.schemas.map((schema) => schema['items']));
  return { ...inside(spot, row), schemas, siblings: [], value };
}

function memberSpot(
  spot: Spot,
  { key, member, members }: { readonly key: string; readonly member: Json; readonly members: JsonObject },
): Spot {
  const { name, valueFrom } = members;
  const alias = key === 'value' && valueFrom === undefined ? (name ?? members['key']) : undefined;
  const step = { ...inside(spot, key), schemas: membersOf(spot.schemas, key), siblings: spot.siblings, value: member };
  return typeof alias === 'string' ? { ...step, alias } : step;
}

function inside({ path, marks, below }: Spot, step: string | number): Pick<Spot, 'path' | 'marks' | 'below'> {
  return { path: [...path, step], marks: marks.flatMap(([first, ...rest]) => (isStep(first, step) ? [rest] : [])), below };
}

function isStep(wanted: string | undefined, step: string | number): boolean {
  return wanted === '*' || wanted === String(step);
}

function startsWith(steps: readonly string[], root: FormPath): boolean {
  return steps.length >= root.length && root.every((step, index) => isStep(steps[index], step));
}

/** Members that no schema describes go by the name of their map. */
function isMapOfSecrets({ schemas, path }: Spot): boolean {
  return !schemas.some((schema) => isObject(schema['properties'])) && holdsSecretsOnly(path);
}

/** Names of members that say something about a secret rather than are one. */
const ABOUT =
  /^(user(name)?|login|email|name|key|id|type|kind|host(name)?|url|uri|endpoint|port|database|db|path|namespace|scope|region|realm)$/i;
const PRIVATE_KEY = /-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY( BLOCK)?-----/;
const PASSWORD_IN_ADDRESS = /^[a-z][\w+.-]{0,30}:\/\/[^\s/?#@:]{0,300}:[^\s/?#@]{1,300}@/i;

function isSensitive({ path, schemas, below, siblings, alias }: Spot, value: Exclude<Json, object | null>): boolean {
  if (typeof value === 'boolean') return false;
  const [schema] = schemas;
  const facts = { path, siblings, ...(schema === undefined ? {} : { schema }) };
  const verdict = sensitivityOf(facts);
  const isNamed = verdict === 'secret' || (alias !== undefined && sensitivityOf({ path: [...path.slice(0, -1), alias] }) === 'secret');
  if (typeof value !== 'string') return isNamed && schema === undefined;
  if (isNamed) return true;
  if (below === 'secrets' && verdict !== 'reference' && !ABOUT.test(String(path.at(-1)))) return typeof path.at(-1) === 'string';
  return holdsSecret(value);
}

function holdsSecret(text: string): boolean {
  return PASSWORD_IN_ADDRESS.test(text) || PRIVATE_KEY.test(text);
}

/** Each schema with its alternatives, which say less than what they stand in. */
function shapesOf(schemas: readonly unknown[]): readonly JsonObject[] {
  const known = schemas.filter((schema) => isObject(schema)) as readonly JsonObject[];
  return known.flatMap((schema) => [schema, ...PARTS.flatMap((part) => alternatives(schema[part]))]);
}

const PARTS = ['allOf', 'anyOf', 'oneOf'] as const;

function alternatives(part: Json | undefined): readonly JsonObject[] {
  return Array.isArray(part) ? shapesOf(part) : [];
}

function membersOf(schemas: readonly JsonObject[], key: string): readonly JsonObject[] {
  const [first, ...others] = schemas.flatMap((schema) => {
    const properties = objectAt(schema, 'properties');
    const member = Object.hasOwn(properties, key) ? properties[key] : schema['additionalProperties'];
    return isObject(member) ? [member as JsonObject] : [];
  });
  return first === undefined ? [] : shapesOf([first, ...others.map((other) => ({ ...other, ...first }))]);
}
