import { isObject, objectAt, textAt } from '../../core/read.ts';

/** The type of a node of a structural schema; `any` when it says none. */
export function typeOf(schema: unknown): string {
  if (isObject(schema) && schema['x-kubernetes-int-or-string'] === true) return 'int-or-string';
  return textAt(schema, 'type') ?? 'any';
}

/** Whether fields that the schema does not name are kept. */
export function keepsUnknown(schema: unknown): boolean {
  if (!isObject(schema)) return true;
  return schema['x-kubernetes-preserve-unknown-fields'] === true || schema['additionalProperties'] === true;
}

/** The schema of a member: by its name, or that of every other name; undefined when there is none. */
export function memberSchema(schema: unknown, name: string): unknown {
  const properties = objectAt(schema, 'properties');
  if (Object.hasOwn(properties, name)) return properties[name];
  return openMembers(schema);
}

/** The schema of members without a name of their own. */
export function openMembers(schema: unknown): unknown {
  const open = isObject(schema) ? schema['additionalProperties'] : undefined;
  return isObject(open) ? open : undefined;
}

export function hasDefault(schema: unknown): boolean {
  return isObject(schema) && Object.hasOwn(schema, 'default');
}

/** `spec.size`, and for names that hold more than letters and digits `spec["a.b"]`. */
export function below(path: string, name: string): string {
  if (!/^[\w-]+$/.test(name)) return `${path}[${JSON.stringify(name)}]`;
  return path === '' ? name : `${path}.${name}`;
}
