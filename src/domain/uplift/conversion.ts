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
