import type { MissingPermission } from '../core/errors.ts';
import type { UnavailableKind } from '../tree/tree.ts';

/** How many instances a kind has, the permission that is missing to know, or why nobody can tell now. */
export type InstanceCount = { readonly count: number } | { readonly missing: MissingPermission } | { readonly unavailable: string };

/** An instance of one of an Operator's kinds, by its metadata alone. */
export interface OperatorInstance {
  /** The name of its CustomResourceDefinition. */
  readonly app: string;
  readonly kind: string;
  /** Absent when the kind is cluster-wide. */
  readonly namespace?: string;
  /** The Environment of its namespace; absent when there is none that the actor may see. */
  readonly environment?: string;
  readonly name: string;
  /** RFC 3339. */
  readonly created: string;
  /** When its deletion was asked for, RFC 3339; absent while nobody has. */
  readonly deletingSince?: string;
  readonly finalizers: readonly string[];
}

/** How many instances of one kind there are in one place. */
export interface InstancePlace {
  readonly app: string;
  readonly kind: string;
  readonly namespace?: string;
  readonly environment?: string;
  readonly count: number;
}

export interface OperatorInstances {
  /** By namespace, kind and name. */
  readonly instances: readonly OperatorInstance[];
  /** The kinds that the actor may not list. */
  readonly missing: readonly MissingPermission[];
  /** The kinds that nobody can list now. */
  readonly unavailable: readonly UnavailableKind[];
}

/** The counts per kind and place, in the order of the instances. */
export function placesOf(instances: readonly OperatorInstance[]): InstancePlace[] {
  const places = new Map<string, InstancePlace>();
  for (const { app, kind, namespace, environment } of instances) {
    const key = `${namespace ?? ''}/${app}`;
    const place = { app, kind, ...(namespace === undefined ? {} : { namespace }), ...(environment === undefined ? {} : { environment }) };
    places.set(key, { ...place, count: (places.get(key)?.count ?? 0) + 1 });
  }
  return [...places.values()];
}

/** Unique in a list, and its order. */
export function instanceKey({ namespace = '', app, name }: OperatorInstance): string {
  return `${namespace} ${app} ${name}`;
}
