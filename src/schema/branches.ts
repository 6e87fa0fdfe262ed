import { isObject } from '../domain/core/read.ts';
import type { Json, JsonObject } from '../domain/kubernetes/resource.ts';
import type { Resolver } from './resolve-schema.ts';

/** A schema whose `oneOf`, `anyOf` and `if` need no more attention; `open` when they allow keys that `properties` does not list. */
export type Merged =
  | { readonly schema: JsonObject; readonly open: boolean; readonly reason?: undefined; readonly choice?: undefined }
  | { readonly choice: readonly Json[]; readonly reason?: undefined }
  | { readonly reason: string; readonly choice?: undefined };

const DEEPEST = 16;
const MAX_BRANCHES = 20;
/** Why a node has no typed control whose alternatives cannot be shown as a choice. */
export const SEVERAL = 'several shapes are allowed';

/**
 * Takes alternatives out of a schema where a form can do without them: those that only restrict what is described outside of them, those of
 * scalars alone, a single one beside `null`. What remains is a choice between whole schemas, or cannot be typed.
 */
export function mergeBranches(schema: JsonObject, resolver: Resolver, depth = 0): Merged {
  if (schema['x-kubernetes-int-or-string'] === true) return { schema, open: false };
  if (depth > DEEPEST) return { reason: 'nested too deeply' };
  const branches: JsonObject[] = [];
  for (const branch of branchesOf(schema)) {
    const resolved = resolver(branch);
    if (resolved.schema === undefined) return { reason: resolved.reason };
    branches.push(resolved.schema);
  }
  if (branches.length === 0) return { schema, open: false };
  const described = ['type', 'properties', 'items', 'enum', 'const'].some((key) => schema[key] !== undefined);
  const merged = described ? restricted(schema, branches) : alternatives(schema, branches);
  const exclusive = described ? exclusiveMembers(schema) : undefined;
  if (exclusive !== undefined) return exclusive;
  if (merged.reason === SEVERAL) return choiceOf(schema) ?? merged;
  return described || merged.reason !== undefined || merged.choice !== undefined
    ? merged
    : mergeBranches(merged.schema, resolver, depth + 1);
}

/** `oneOf: [{required: [a]}, {required: [b]}]`, as kinds of Kubernetes write a choice: each branch has its own members and those of none. */
function exclusiveMembers(schema: JsonObject): Merged | undefined {
  const { oneOf, title: _title, description: _help, default: _default, ...outside } = schema;
  if (!Array.isArray(oneOf) || oneOf.length < 2 || oneOf.length > MAX_BRANCHES || schema['anyOf'] !== undefined) return undefined;
  const known = membersOf(schema);
  const wanted = (oneOf as readonly Json[]).map((branch) => requiredAlone(branch));
  const all = new Set(wanted.flat());
  const isPlain = wanted.every((names) => names.length > 0) && [...all].every((name) => Object.hasOwn(known, name));
  if (!isPlain || all.size < wanted.flat().length) return undefined;
  return {
    choice: wanted.map((own) => {
      const mine = new Set(own);
      const members = Object.entries(known).filter(([name]) => mine.has(name) || !all.has(name));
      return { allOf: [{ required: own }, { ...outside, properties: Object.fromEntries(members) }] };
    }),
  };
}

/** The members that a branch requires, when that is all it says. */
function requiredAlone(branch: Json): readonly string[] {
  if (!isObject(branch) || Object.keys(branch).some((key) => key !== 'required')) return [];
  const { required } = branch;
  return Array.isArray(required) ? required.filter((name) => typeof name === 'string') : [];
}

/** Each alternative together with what is described outside of them; undefined when one list of them does not tell it all. */
function choiceOf(schema: JsonObject): Merged | undefined {
  const { oneOf, anyOf, title: _title, description: _help, default: _default, ...outside } = schema;
  const lists = [oneOf, anyOf].filter((list) => Array.isArray(list));
  const [list] = lists as (readonly Json[])[];
  if (list === undefined || lists.length > 1 || list.length > MAX_BRANCHES || schema['if'] !== undefined) return undefined;
  const solid = list.filter((branch) => !isObject(branch) || branch['type'] !== 'null');
  return { choice: solid.map((branch) => ({ allOf: [branch, outside] })) };
}

function branchesOf(schema: JsonObject): readonly Json[] {
  const lists = [schema['oneOf'], schema['anyOf']].flatMap((list) => (Array.isArray(list) ? (list as readonly Json[]) : []));
  return [...lists, ...[schema['if'], schema['then'], schema['else']].filter((branch) => branch !== undefined)];
}

/** The schema describes something by itself. Branches may add keys to an object, which opens it; deeper additions cannot be shown. */
function restricted(schema: JsonObject, branches: readonly JsonObject[]): Merged {
  const known = membersOf(schema);
  if (Object.keys(known).length === 0)
    return branches.some(describes) && !isScalarType(schema) ? { reason: SEVERAL } : { schema, open: false };
  const members = branches.flatMap((branch) => Object.entries(membersOf(branch)));
  const inside = members.filter(([key]) => Object.hasOwn(known, key));
  if (inside.some(([key, member]) => Object.keys(membersOf(member)).some((name) => !Object.hasOwn(membersOf(known[key]), name)))) {
    return { reason: SEVERAL };
  }
  if (schema['oneOf'] !== undefined && inside.length < members.length) return { reason: SEVERAL };
  const anyKey = branches.some((branch) => isObject(branch['additionalProperties']) || isObject(branch['patternProperties']));
  return { schema, open: anyKey || inside.length < members.length };
}

/** The schema is its branches. */
function alternatives(schema: JsonObject, branches: readonly JsonObject[]): Merged {
  const solid = branches.filter((branch) => branch['type'] !== 'null');
  const { oneOf: _one, anyOf: _any, if: _if, then: _then, else: _else, ...outside } = schema;
  const nullable = solid.length < branches.length || schema['nullable'] === true ? { nullable: true } : {};
  const [only] = solid;
  if (solid.length === 1 && only !== undefined) return { schema: { ...only, ...outside, ...nullable }, open: false };
  const choices = solid.map(choicesOf);
  if (choices.every((values) => values !== undefined)) return { schema: { ...outside, ...nullable, enum: choices.flat() }, open: false };
  const types = solid.flatMap((branch) => branch['type'] ?? ['object']).flat();
  if (!types.every((type) => isScalarType({ type })) || types.length === 0) return { reason: SEVERAL };
  return { schema: { ...outside, ...nullable, type: [...new Set(types)] }, open: false };
}

function choicesOf(branch: JsonObject): Json[] | undefined {
  if (branch['const'] !== undefined) return [branch['const']];
  return Array.isArray(branch['enum']) ? [...(branch['enum'] as readonly Json[])] : undefined;
}

function isScalarType(schema: JsonObject): boolean {
  const { type } = schema;
  return (Array.isArray(type) ? type : [type]).every((name) => ['string', 'integer', 'number', 'boolean', 'null'].includes(String(name)));
}

function describes(schema: Json | undefined): boolean {
  return isObject(schema) && ['properties', 'items', 'additionalProperties', 'patternProperties'].some((key) => isObject(schema[key]));
}

function membersOf(schema: Json | undefined): JsonObject {
  const properties = isObject(schema) ? schema['properties'] : undefined;
  return isObject(properties) ? properties : {};
}
