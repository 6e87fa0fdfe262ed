import { isObject } from '../domain/core/read.ts';
import type { Json, JsonObject } from '../domain/kubernetes/resource.ts';

/**
 * The work that one walk over a foreign schema may still cause. It is counted, not timed: the same schema always has the same form, on any machine.
 * A step is about a microsecond.
 */
export interface Work {
  left: number;
}

/** What a form may cost: a quarter more than seven pod templates with all that Kubernetes says about them. */
export const MAX_WORK = 100_000;

/** Of a longer description no more than the first sentence is looked for. */
const READ_CLOSELY = 220;

/** What it costs to look at one schema: at its keywords, its members, its choices and its words. Members are not looked into. */
export function costOf(schema: JsonObject): number {
  const { description, properties, enum: options, required, $ref: ref } = schema;
  const listed = [options, required].reduce<number>((sum, list) => sum + (Array.isArray(list) ? list.length : 0), 0);
  const members = isObject(properties) ? memberNames(properties).length : 0;
  const words = typeof description === 'string' ? Math.min(description.length, READ_CLOSELY) / 20 + description.length / 1_000 : 0;
  const pointer = typeof ref === 'string' ? ref.length / 2 : 0;
  return 1 + (Object.keys(schema).length + listed + members) / 8 + words + pointer + rulesCost(schema['x-kubernetes-validations']);
}

const known = new WeakMap<object, readonly string[]>();

/** The names of the members of an object of a schema. To list a hundred thousand of them takes milliseconds, so it is done once. */
export function memberNames(members: object): readonly string[] {
  const names = known.get(members) ?? Object.keys(members);
  known.set(members, names);
  return names;
}

/** Rules in CEL are parsed. */
function rulesCost(rules: Json | undefined): number {
  if (!Array.isArray(rules)) return 0;
  return rules.reduce<number>((sum, one) => sum + 1 + (isObject(one) && typeof one['rule'] === 'string' ? one['rule'].length / 4 : 0), 0);
}
