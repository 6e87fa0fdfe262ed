import { isObject } from '../../domain/core/read.ts';
import type { Json, JsonObject } from '../../domain/kubernetes/resource.ts';
import { keepsUnknown } from '../../domain/upgrade/crd-safety/schema-shape.ts';
import { validateValue } from '../../domain/upgrade/crd-safety/validate-value.ts';
import { ANYTHING } from './structural-schema.ts';

/** The structural schema, widened where a value that is known to be right would not fit, or would lose a field. */
export function fitSample(schema: JsonObject, value: Json): JsonObject {
  const fitted = isObject(value) ? fitMembers(schema, value) : fitRows(schema, value);
  if (validateValue(fitted, value).length === 0) return fitted;
  const { description } = schema;
  return { ...ANYTHING, nullable: true, ...(description === undefined ? {} : { description }) };
}

function fitMembers(schema: JsonObject, value: JsonObject): JsonObject {
  const { properties, additionalProperties: others } = schema;
  if (isObject(others)) {
    const fitted = Object.values(value).reduce<JsonObject>((row, member) => fitSample(row, member ?? null), others);
    return { ...schema, additionalProperties: fitted };
  }
  const members = Object.entries(value);
  const isKnown = (name: string): boolean => isObject(properties) && Object.hasOwn(properties, name);
  const fitted = members
    .filter(([name]) => isKnown(name))
    .map(([name, member]): [string, JsonObject] => [name, fitSample(memberOf(properties, name), member ?? null)]);
  const isOpened = !keepsUnknown(schema) && members.some(([name]) => !isKnown(name));
  return {
    ...schema,
    ...(fitted.length === 0 || !isObject(properties) ? {} : { properties: Object.fromEntries([...Object.entries(properties), ...fitted]) }),
    ...(isOpened ? ANYTHING : {}),
  };
}

function memberOf(properties: Json | undefined, name: string): JsonObject {
  const found = isObject(properties) ? properties[name] : undefined;
  return isObject(found) ? found : ANYTHING;
}

function fitRows(schema: JsonObject, value: Json): JsonObject {
  const { items } = schema;
  if (!Array.isArray(value) || !isObject(items)) return schema;
  return { ...schema, items: (value as readonly Json[]).reduce<JsonObject>((row, item) => fitSample(row, item), items) };
}
