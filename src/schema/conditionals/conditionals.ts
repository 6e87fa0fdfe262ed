import { isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import type { Resolver } from '../resolve-schema.ts';
import { hasConditions, splitConditions } from './split-conditions.ts';

/** What a schema asks of members of an object while others have certain values: `if`, `dependentRequired` and `dependencies`. Paths are relative to the object. */
export interface Conditional {
  /** A schema of the object, as `holds` takes it. */
  readonly test: Json;
  /** Members that only such conditions describe. */
  readonly described: readonly (readonly string[])[];
  readonly required: readonly (readonly string[])[];
  /** Members that must be absent. */
  readonly forbidden: readonly (readonly string[])[];
}

const DEEPEST = 8;
const MAX_CONDITIONALS = 200;

/** An object schema with the members of all its conditions as its own, and what holds when. */
export interface Lifted {
  readonly schema: JsonObject;
  readonly conditionals: readonly Conditional[];
}

/** Takes the conditions out of the schema of an object that has members; undefined for any other. */
export function liftConditions(schema: JsonObject, resolver: Resolver): Lifted | undefined {
  const { properties } = schema;
  if (!isObject(properties) || !hasConditions(schema)) return undefined;
  const { rest, conditions } = splitConditions(schema);
  const lifting: Lifting = { resolver, properties: { ...properties }, added: new Map(), conditionals: [] };
  for (const condition of conditions) liftOne(lifting, condition, { tests: [], depth: 0 });
  const added = [...lifting.added].map(([key, [first, ...others]]): [string, Json] => [
    key,
    others.length === 0 ? (first ?? {}) : { anyOf: [first ?? {}, ...others] },
  ]);
  return {
    schema: { ...rest, properties: { ...lifting.properties, ...Object.fromEntries(added) } },
    conditionals: lifting.conditionals.slice(0, MAX_CONDITIONALS),
  };
}

interface Lifting {
  readonly resolver: Resolver;
  readonly properties: Record<string, Json | undefined>;
  /** The schemas of members that only conditions describe. */
  readonly added: Map<string, Json[]>;
  readonly conditionals: Conditional[];
}

interface Place {
  /** All of them must hold. */
  readonly tests: readonly Json[];
  readonly depth: number;
}

function liftOne(lifting: Lifting, condition: JsonObject, { tests, depth }: Place): void {
  if (depth > DEEPEST || lifting.conditionals.length > MAX_CONDITIONALS) return;
  const below = (test: Json, schema: Json | undefined): void => liftBranch(lifting, schema, { tests: [...tests, test], depth: depth + 1 });
  const test = condition['if'];
  if (test !== undefined) {
    if (condition['then'] !== undefined) below(test, condition['then']);
    if (condition['else'] !== undefined) below({ not: test }, condition['else']);
  }
  for (const keyword of ['dependentRequired', 'dependentSchemas', 'dependencies'] as const) {
    const byMember = condition[keyword];
    if (!isObject(byMember)) continue;
    for (const [key, wanted] of Object.entries(byMember)) {
      below({ required: [key] }, Array.isArray(wanted) ? { required: wanted } : wanted);
    }
  }
}

/** What holds while the tests do. */
function liftBranch(lifting: Lifting, branch: Json | undefined, place: Place): void {
  const { schema } = lifting.resolver(branch);
  if (schema === undefined) return;
  const { rest, conditions } = splitConditions(schema);
  const effects: Effects = { described: [], required: [], forbidden: [] };
  addEffects(effects, rest, []);
  const members = isObject(rest['properties']) ? rest['properties'] : {};
  for (const [key, member] of Object.entries(members)) addMember(lifting, effects, { key, member });
  const [only, ...more] = place.tests;
  if (Object.values(effects).some((paths) => paths.length > 0)) {
    lifting.conditionals.push({ test: more.length === 0 ? (only ?? {}) : { allOf: [...place.tests] }, ...effects });
  }
  for (const condition of conditions) liftOne(lifting, condition, place);
}

interface Effects {
  readonly described: (readonly string[])[];
  readonly required: (readonly string[])[];
  readonly forbidden: (readonly string[])[];
}

/** What a schema requires and forbids, at any depth. */
function addEffects(effects: Effects, schema: Json | undefined, path: readonly string[]): void {
  if (!isObject(schema) || path.length > DEEPEST) return;
  const { required, properties } = schema;
  if (Array.isArray(required)) effects.required.push(...required.filter((key) => typeof key === 'string').map((key) => [...path, key]));
  for (const [key, member] of isObject(properties) ? Object.entries(properties) : []) {
    if (member === false) effects.forbidden.push([...path, key]);
    else addEffects(effects, member, [...path, key]);
  }
}

/** A member that the object does not describe by itself has a field all the same, and so has what is new below one that it does. */
function addMember(lifting: Lifting, effects: Effects, { key, member }: { readonly key: string; readonly member: Json | undefined }): void {
  if (member === undefined || typeof member === 'boolean') return;
  if (!Object.hasOwn(lifting.properties, key)) {
    effects.described.push([key]);
    lifting.added.set(key, [...(lifting.added.get(key) ?? []), member]);
    return;
  }
  const known = lifting.properties[key];
  const inner = newMembers(lifting, { known, member, depth: 0 });
  if (inner === undefined) return;
  effects.described.push(...inner.paths.map((path) => [key, ...path]));
  Object.defineProperty(lifting.properties, key, {
    value: { allOf: [known ?? {}, inner.schema] },
    enumerable: true,
    configurable: true,
    writable: true,
  });
}

interface Nested {
  readonly known: Json | undefined;
  readonly member: Json;
  readonly depth: number;
}

/** The members of a schema that another one does not describe, at any depth; undefined when there are none. */
function newMembers(
  { resolver }: Pick<Lifting, 'resolver'>,
  { known, member, depth }: Nested,
): { readonly schema: JsonObject; readonly paths: readonly (readonly string[])[] } | undefined {
  const [before, after] = [resolver(known).schema, resolver(member).schema];
  const [mine, theirs] = [before?.['properties'], after?.['properties']];
  if (!isObject(mine) || !isObject(theirs) || depth > DEEPEST) return undefined;
  const paths: (readonly string[])[] = [];
  const members = Object.entries(theirs).flatMap(([key, schema]): [string, Json][] => {
    if (schema === undefined || typeof schema === 'boolean') return [];
    if (!Object.hasOwn(mine, key)) {
      paths.push([key]);
      return [[key, schema]];
    }
    const inner = newMembers({ resolver }, { known: mine[key], member: schema, depth: depth + 1 });
    if (inner === undefined) return [];
    paths.push(...inner.paths.map((path) => [key, ...path]));
    return [[key, inner.schema]];
  });
  return members.length === 0 ? undefined : { schema: { properties: Object.fromEntries(members) }, paths };
}
