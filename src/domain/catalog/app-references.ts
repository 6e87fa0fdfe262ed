import { at, textAt } from '../core/read.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import type { CatalogKind } from '../operator/kind/catalog-fields.ts';

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

/** `references` of a kind in the `catalog` block. How a kind is called in addresses is known of those that the cluster has; of others it is put together as Kubernetes does. */
export function parseReferences({ references }: Pick<CatalogKind, 'references'>, crds: readonly KubeObject[]): AppReference[] {
  return Object.entries(references).map(([path, { group, kind }]) => ({ path, group, kind, plural: pluralOf(crds, group, kind) }));
}

function pluralOf(crds: readonly KubeObject[], group: string, kind: string): string {
  const found = crds.find(({ spec }) => at(spec, 'group') === group && at(spec, 'names', 'kind') === kind);
  return textAt(found?.spec, 'names', 'plural') ?? guessedPlural(kind.toLowerCase());
}

/** The plural of a word as English mostly makes it. */
export function guessedPlural(word: string): string {
  if (/(s|x|z|ch|sh)$/.test(word)) return `${word}es`;
  return /[^aeiou]y$/.test(word) ? `${word.slice(0, -1)}ies` : `${word}s`;
}
