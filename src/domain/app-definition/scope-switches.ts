import { isObject } from '../core/read.ts';
import type { Json, JsonObject } from '../kubernetes/resource.ts';

/** A value of a chart that may leave out what is outside the namespace of a release. */
export interface ScopeSwitch {
  /** In the values of the chart, for example `rbac.namespaced`. */
  readonly path: readonly string[];
  /** The value that the chart does not have by default. */
  readonly value: boolean;
}

/** Names in the paths of such values, the most telling ones first. */
const NAMES = [
  /namespaced|namespace-?scope|cluster-?scoped?|cluster-?wide/i,
  /cluster-?role|crds?(\.|$)/i,
  /rbac/i,
  /webhook|admission|priority-?class|pod-?security-?polic|psp|ingress-?class|storage-?class|api-?service|cluster/i,
];
const MAX_DEPTH = 6;

/** The switches among the values of a chart, the most telling ones first. */
export function scopeSwitches(values: JsonObject): readonly ScopeSwitch[] {
  const ranked = booleansOf(values, []).flatMap((found) => {
    const rank = NAMES.findIndex((name) => name.test(found.path.join('.')));
    return rank < 0 ? [] : [{ rank, path: found.path, value: !found.value }];
  });
  return ranked.toSorted((a, b) => a.rank - b.rank).map(({ path, value }) => ({ path, value }));
}

/** Values with these switches alone. */
export function switchedValues(switches: readonly ScopeSwitch[]): JsonObject {
  return switches.reduce<JsonObject>((values, { path, value }) => withValue(values, path, value), {});
}

function booleansOf(value: Json | undefined, path: readonly string[]): readonly ScopeSwitch[] {
  if (typeof value === 'boolean') return [{ path, value }];
  if (!isObject(value) || path.length >= MAX_DEPTH) return [];
  return Object.entries(value).flatMap(([key, member]) => booleansOf(member as Json, [...path, key]));
}

function withValue(values: JsonObject, [key, ...rest]: readonly string[], value: boolean): JsonObject {
  if (key === undefined) return values;
  const inner = values[key];
  return { ...values, [key]: rest.length === 0 ? value : withValue(isObject(inner) ? inner : {}, rest, value) };
}
