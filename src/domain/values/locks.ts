import type { FieldFault } from '../core/errors.ts';
import { applyMergePatch, isSame } from '../core/merge-patch.ts';
import { at, isObject } from '../core/read.ts';
import type { JsonObject } from '../kubernetes/resource.ts';
import { namesOf } from '../upgrade/preview/value-changes.ts';

/** A field that people do not set: what lies beneath them does. */
export interface Lock {
  /** The names below the root of the resource: `['spec', 'storage', 'size']`. All that is below it is locked, too. */
  readonly names: readonly string[];
  /** Who locked it, in a sentence: `the Operator chandlery-system/cache`. */
  readonly by: string;
  readonly layer: 'operator' | 'environment';
}

/** Who locks which paths. */
export interface LockOwner {
  readonly layer: Lock['layer'];
  readonly by: string;
  readonly locked: readonly string[];
}

/** The locks of some owners, the strongest first. A path that is none, the whole `spec`, and what people do not set lock nothing. */
export function locksOf(owners: readonly LockOwner[]): Lock[] {
  return owners.flatMap(({ layer, by, locked }) =>
    locked.flatMap((path) => {
      const names = namesOf(path);
      return isLockable(names) ? [{ names, by, layer }] : [];
    }),
  );
}

function isLockable([first = '', second, third]: readonly string[]): boolean {
  if (first === 'metadata') return (second === 'labels' || second === 'annotations') && third !== undefined;
  return !['', 'apiVersion', 'kind', 'status'].includes(first) && (first !== 'spec' || second !== undefined);
}

/** Values without what is locked. */
export function withoutLocked(values: JsonObject, locks: readonly Lock[]): JsonObject {
  return locks.reduce((left, { names }) => without(left, names), values);
}

/** Two values laid over one another as a merge patch lays them. */
export function layValues(lower: JsonObject, upper: JsonObject): JsonObject {
  const laid = applyMergePatch(lower, upper);
  return isObject(laid) ? (laid as JsonObject) : {};
}

/** What is compared with the locks, laid out like the resource. */
export interface LockedValues {
  readonly wanted: JsonObject;
  /** What lies beneath the person's own values. */
  readonly lower: JsonObject;
  /** What is live; absent for a new instance. */
  readonly live?: JsonObject;
}

/** The locks of fields that would become neither what their owner wants nor stay what they are; of several on one field, the strongest. */
export function brokenLocks(locks: readonly Lock[], { wanted, lower, live }: LockedValues): readonly Lock[] {
  const broken = locks.filter(({ names }) => {
    const value = at(wanted, ...names);
    const stays = live !== undefined && isSame(value, at(live, ...names));
    return !stays && !isSame(value, at(lower, ...names));
  });
  return [...new Map(broken.toReversed().map((lock) => [lock.names.join('.'), lock])).values()].toReversed();
}

/** A fault for each of `brokenLocks`. */
export function lockFaults(locks: readonly Lock[], values: LockedValues): FieldFault[] {
  return brokenLocks(locks, values).map(({ names, by }) => ({
    field: names.join('.'),
    message: `It is locked by ${by}: leave it as it is`,
  }));
}

function without(values: JsonObject, [name = '', ...rest]: readonly string[]): JsonObject {
  if (!Object.hasOwn(values, name)) return values;
  const { [name]: value, ...others } = values;
  if (rest.length === 0) return others;
  return isObject(value) ? { ...others, [name]: without(value, rest) } : values;
}
