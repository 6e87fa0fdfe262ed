import { memberSchema } from '../domain/crd-safety/schema-shape.ts';
import { at, isObject, objectAt } from '../domain/read.ts';
import type { Json, JsonObject } from '../domain/resource.ts';
import { textMeaning } from './heuristics.ts';

/** Whether a value is a secret or has one somewhere below, by what its schema and the names of its members say. */
export function holdsSecret(schema: unknown, value: Json | undefined, key: string): boolean {
  if (textMeaning(key, objectAt(schema) as JsonObject).kind === 'secret') return true;
  if (Array.isArray(value)) return (value as readonly Json[]).some((item) => holdsSecret(at(schema, 'items'), item, key));
  if (!isObject(value)) return false;
  return Object.entries(value).some(([name, member]) => holdsSecret(memberSchema(schema, name), member, name));
}
