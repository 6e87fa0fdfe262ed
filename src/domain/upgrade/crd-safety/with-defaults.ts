import { isObject, objectAt } from '../../core/read.ts';

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
