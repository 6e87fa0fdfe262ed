import { AppError } from '../domain/core/errors.ts';
import { stringifyJson } from '../domain/core/exact-json.ts';
import { isObject, textAt } from '../domain/core/read.ts';
import type { JsonSchema } from './route.ts';

/** Every schema of an object under a name of its own, so that each generated client has a type for it, and the same one. */
export interface NamedSchemas {
  readonly components: Readonly<Record<string, JsonSchema>>;
  /** A schema that is no component: objects within it become components whose names begin with `name`. */
  name(schema: JsonSchema, name: string): JsonSchema;
}

/**
 * Takes objects out of the schemas that they stand in, and names them after the places where they stand: `Operator` and `crds` make `OperatorCrd`.
 * One that is the same as a component is that component.
 *
 * @throws AppError `Internal` when two different objects would have one name: then one of them needs a component.
 */
export function nameSchemas(roots: Readonly<Record<string, JsonSchema>>): NamedSchemas {
  const components: Record<string, JsonSchema> = {};
  const rootByText = new Map(Object.entries(roots).map(([name, schema]) => [textOf(schema), name]));
  const add = (name: string, schema: JsonSchema): void => {
    const taken = Object.hasOwn(roots, name) || components[name] !== undefined;
    const named = inner(schema, name);
    if (taken && textOf(components[name] ?? roots[name] ?? {}) !== textOf(named)) {
      throw new AppError('Internal', `OpenAPI: two schemas would be called ${name}; make one of them a component`);
    }
    components[name] = named;
  };
  const visit = (schema: unknown, name: string): unknown => {
    if (Array.isArray(schema)) return schema.map((member) => visit(member, `${name}${pascal(memberName(member))}`));
    if (!isObject(schema)) return schema;
    if (textAt(schema, 'type') !== 'object' || !isObject(schema['properties'])) return inner(schema, name);
    const known = rootByText.get(textOf(schema));
    if (known === undefined) add(name, schema);
    const { description } = schema;
    return { $ref: `#/components/schemas/${known ?? name}`, ...(description === undefined ? {} : { description }) };
  };
  const inner = (schema: JsonSchema, name: string): JsonSchema => ({
    ...schema,
    ...(isObject(schema['properties']) && {
      properties: mapped(schema['properties'], (member, key) => visit(member, `${name}${pascal(key)}`)),
    }),
    ...(isObject(schema['items']) && { items: visit(schema['items'], singular(name)) }),
    ...(isObject(schema['additionalProperties']) && { additionalProperties: visit(schema['additionalProperties'], `${name}Value`) }),
    ...(Array.isArray(schema['oneOf']) && { oneOf: visit(schema['oneOf'], name) }),
    // What is laid over another schema is no type of its own.
    ...(Array.isArray(schema['allOf']) && { allOf: schema['allOf'].map((part: JsonSchema) => inner(part, name)) }),
  });
  for (const [name, schema] of Object.entries(roots)) components[name] = inner(schema, name);
  return { components, name: (schema, name) => visit(schema, name) as JsonSchema };
}

function mapped(members: Readonly<Record<string, unknown>>, change: (member: unknown, key: string) => unknown): Record<string, unknown> {
  return Object.fromEntries(Object.entries(members).map(([key, member]) => [key, change(member, key)]));
}

/** The order and the description of an object do not make it another one. */
function textOf({ description: _description, ...schema }: JsonSchema): string {
  return stringifyJson(schema);
}

/** Of a choice: what tells it from the others. */
function memberName(member: unknown): string {
  const required: unknown = isObject(member) ? member['required'] : undefined;
  return Array.isArray(required) ? String(required[0]) : '';
}

function pascal(key: string): string {
  return key.slice(0, 1).toUpperCase() + key.slice(1);
}

function singular(name: string): string {
  if (name.endsWith('ies')) return `${name.slice(0, -3)}y`;
  if (name.endsWith('ches')) return name.slice(0, -2);
  return name.endsWith('s') && !name.endsWith('ss') ? name.slice(0, -1) : `${name}Item`;
}
