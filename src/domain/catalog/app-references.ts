import { at, isObject, objectAt, textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** A kind that fields can name an object of. */
export interface ReferableKind {
  readonly group: string;
  readonly plural: string;
  readonly kind: string;
}

/** A field of which the catalogue says what it names. */
export interface AppReference extends ReferableKind {
  /** `spec.databaseRef.name`, or `spec.databaseRef` for the group that holds the name; `[]` stands for the rows of a list. */
  readonly path: string;
}

const MOST = 50;

/**
 * Reads `references` of a kind in the `catalog` block as its schema has accepted it. How a kind is called in addresses is known of those that the
 * cluster has; of others it is put together as Kubernetes does.
 */
export function parseReferences(kindBlock: unknown, crds: readonly KubeObject[]): AppReference[] {
  return Object.entries(objectAt(kindBlock, 'references'))
    .slice(0, MOST)
    .flatMap(([path, to]) => {
      const kind = textAt(to, 'kind');
      if (kind === undefined || !isObject(to)) return [];
      const group = textAt(to, 'group') ?? '';
      return [{ path, group, kind, plural: pluralOf(crds, group, kind) }];
    });
}

function pluralOf(crds: readonly KubeObject[], group: string, kind: string): string {
  const found = crds.find(({ spec }) => at(spec, 'group') === group && at(spec, 'names', 'kind') === kind);
  return textAt(found?.spec, 'names', 'plural') ?? guessedPlural(kind.toLowerCase());
}

function guessedPlural(word: string): string {
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}
