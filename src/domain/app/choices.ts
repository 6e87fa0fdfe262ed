import type { MissingPermission } from '../core/errors.ts';
import { isObject, listAt, objectAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** An object that a field can refer to. */
export interface Choice {
  readonly name: string;
  /** The keys of a Secret or ConfigMap, sorted; empty for all others, and where the cluster does not tell them. */
  readonly keys: readonly string[];
}

/** The objects of one resource in an environment, as far as the actor may list them. Names and keys, never what is in them. */
export interface Choices {
  /** `secrets`, `storageclasses.storage.k8s.io`. */
  readonly resource: string;
  /** Sorted by name. */
  readonly items: readonly Choice[];
  /** Whether there are more than were looked at. */
  readonly truncated: boolean;
  /** Whether the cluster has such a resource at all. */
  readonly served: boolean;
  /** The permission without which nothing can be listed. */
  readonly missing?: MissingPermission;
  /** Why nobody can list them now, as a sentence without a full stop. */
  readonly unavailable?: string;
}

/** What is offered at once. */
export const MAX_CHOICES = 200;

/** The first choices whose name has the text in it; `more` when others are left out. */
export function filterChoices(choices: Choices, search: string): Choices {
  const wanted = search.trim().toLowerCase();
  const found = choices.items.filter(({ name }) => name.toLowerCase().includes(wanted));
  return { ...choices, items: found.slice(0, MAX_CHOICES), truncated: choices.truncated || found.length > MAX_CHOICES };
}

const DATA = ['f:data', 'f:binaryData', 'f:stringData'];

/**
 * The keys of a Secret or ConfigMap, from the managed fields among its metadata: the api-server notes there who wrote which key. The data itself is
 * neither asked for nor received.
 */
export function keysOf({ metadata }: KubeObject): readonly string[] {
  const names = listAt(metadata, 'managedFields')
    .filter(isObject)
    .flatMap((entry) => DATA.flatMap((member) => Object.keys(objectAt(entry, 'fieldsV1', member))));
  return [...new Set(names.filter((name) => name.startsWith('f:')).map((name) => name.slice(2)))].toSorted();
}
