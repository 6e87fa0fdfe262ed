import { statusOf } from '../../domain/kind/kind.ts';
import { CATALOG_SOURCE_KIND } from '../../domain/source/catalog-source.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { nameOfItem } from './inventory-name.ts';

/** Whose a resource is, as one CatalogSource sees it. */
export type Ownership =
  | { readonly kind: 'Own' }
  /** No source has it: somebody applied it by hand, or its source is gone. */
  | { readonly kind: 'Free' }
  | { readonly kind: 'Foreign'; readonly owner: KubeObject };

/**
 * By the label of the resource. The label is the lock, too: each source applies it by a field manager of its own and never by force, so of two that
 * make the same resource at the same time only one gets it.
 *
 * @param sources all CatalogSources.
 */
export function ownershipOf(live: KubeObject, source: string, sources: readonly KubeObject[]): Ownership {
  const label = live.metadata.labels?.[OURS.sourceLabel];
  if (label === source) return { kind: 'Own' };
  const owner = sources.find(({ metadata }) => metadata.name === label);
  return owner === undefined ? { kind: 'Free' } : { kind: 'Foreign', owner };
}

/** `the CatalogSource "a" (team.yaml)`, with the file where its inventory names one. */
export function ownerSentence(owner: KubeObject, resource: string): string {
  const file = statusOf(CATALOG_SOURCE_KIND, owner).inventory.find((item) => nameOfItem(item) === resource)?.file;
  return `the CatalogSource "${owner.metadata.name}"${file === undefined ? '' : ` (${file})`}`;
}
