import type { KubeObject } from '../kubernetes/resource.ts';

/** One legacy object that was carried over to an API that today's Kubernetes serves. */
export interface Conversion {
  readonly kind: string;
  readonly name: string;
  /** The legacy apiVersion. */
  readonly from: string;
  readonly to: string;
  /** What was changed beyond the apiVersion, in a sentence; empty when nothing was. */
  readonly note: string;
}

/** A legacy object that has no faithful counterpart. */
export interface FailedConversion {
  readonly kind: string;
  readonly name: string;
  readonly apiVersion: string;
  /** A sentence about why, and what to do. */
  readonly reason: string;
}

/** What a rule made of one object. */
export type Lifted = { readonly object: KubeObject; readonly notes: readonly string[] } | { readonly failed: string };

/** Carries one object of a legacy API over; pure. */
export type Rule = (object: KubeObject) => Lifted;

/** The rules of an API family by `<apiVersion> <kind>`. */
export type RuleTable = Readonly<Record<string, Rule>>;

/** A table that gives each of the kinds in each of the versions the same rule. */
export function rulesFor(apiVersions: readonly string[], kinds: readonly string[], rule: Rule): RuleTable {
  return Object.fromEntries(apiVersions.flatMap((apiVersion) => kinds.map((kind) => [`${apiVersion} ${kind}`, rule])));
}

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
