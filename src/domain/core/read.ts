/** Readers for foreign JSON: each gives the value when it has the wanted type, and nothing otherwise. */

/** A member of an object at a path; undefined when any step is missing. */
export function at(value: unknown, ...path: readonly (string | number)[]): unknown {
  return follow(value, path);
}

/** Trees ask this millions of times, so that the path is not copied once more. */
function follow(value: unknown, path: readonly (string | number)[]): unknown {
  let current = value;
  for (const key of path) {
    if (current === null || typeof current !== 'object' || !Object.hasOwn(current, key)) return undefined;
    current = (current as Record<string | number, unknown>)[key];
  }
  return current;
}

export function textAt(value: unknown, ...path: readonly (string | number)[]): string | undefined {
  const found = follow(value, path);
  return typeof found === 'string' ? found : undefined;
}

export function numberAt(value: unknown, ...path: readonly (string | number)[]): number | undefined {
  const found = follow(value, path);
  return typeof found === 'number' ? found : undefined;
}

export function booleanAt(value: unknown, ...path: readonly (string | number)[]): boolean | undefined {
  const found = follow(value, path);
  return typeof found === 'boolean' ? found : undefined;
}

/** The list at a path; empty when there is none. */
export function listAt(value: unknown, ...path: readonly (string | number)[]): readonly unknown[] {
  const found = follow(value, path);
  return Array.isArray(found) ? found : [];
}

/** The texts of the list at a path. */
export function textsAt(value: unknown, ...path: readonly (string | number)[]): readonly string[] {
  return listAt(value, ...path).filter((item) => typeof item === 'string');
}

/** The object at a path; empty when there is none. */
export function objectAt(value: unknown, ...path: readonly (string | number)[]): Readonly<Record<string, unknown>> {
  const found = follow(value, path);
  return isObject(found) ? found : {};
}

export function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
