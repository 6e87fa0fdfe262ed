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

/** A value of the JSON kind with the defaults of its schema, as they are when it is read. */
export function withDefaults(schema: unknown, value: unknown): unknown {
  if (!describesMembers(schema)) return value;
  if (Array.isArray(value)) return value.map((item) => withDefaults(objectAt(schema)['items'], item));
  if (!isObject(value)) return value;
  const properties = objectAt(schema, 'properties');
  const open = objectAt(schema)['additionalProperties'];
  const filled = Object.entries(value).map(([name, member]): [string, unknown] => {
    const next = Object.hasOwn(properties, name) ? properties[name] : open;
    const replaced = member === null && isObject(next) && next['nullable'] !== true && Object.hasOwn(next, 'default');
    return [name, withDefaults(next, replaced ? next['default'] : member)];
  });
  const missing = Object.entries(properties).flatMap(([name, next]): [string, unknown][] =>
    !Object.hasOwn(value, name) && isObject(next) && Object.hasOwn(next, 'default') ? [[name, withDefaults(next, next['default'])]] : [],
  );
  return Object.fromEntries([...filled, ...missing]);
}

/** What describes nothing within its value has no defaults for it: free-form values, which may be large, stay as they are. */
function describesMembers(schema: unknown): boolean {
  return isObject(schema) && (isObject(schema['properties']) || isObject(schema['additionalProperties']) || isObject(schema['items']));
}
