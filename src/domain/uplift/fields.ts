import type { KubeObject } from '../kubernetes/resource.ts';

/** A map of foreign data. */
export type Fields = Readonly<Record<string, unknown>>;

export function isFields(value: unknown): value is Fields {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The map at a member, empty when it is absent or something else. */
export function fieldsOf(value: unknown): Fields {
  return isFields(value) ? value : {};
}

/** The maps of a list, empty when it is absent or something else. */
export function listOf(value: unknown): Fields[] {
  return Array.isArray(value) ? value.filter(isFields) : [];
}

/** A copy without the named members. */
export function without(fields: Fields, ...names: readonly string[]): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([name]) => !names.includes(name)));
}

/** A copy whose members that are `undefined` are gone. */
export function compact(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== undefined));
}

/** The object under another apiVersion, with another spec. */
export function withSpec(object: KubeObject, apiVersion: string, spec: Fields): KubeObject {
  return { ...object, apiVersion, spec };
}
