import { statusOf } from '../../domain/kind/kind.ts';
import { CATALOG_SOURCE_KIND } from '../../domain/source/catalog-source.ts';
import { parseKey } from '../../domain/kubernetes/object-key.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { resourceName } from './check-documents.ts';

/** The names of the CatalogSources that own a resource, by their inventories. For a resource that somebody deleted: its source brings it back. */
export function sourcesOwning(kind: string, key: string, sources: readonly KubeObject[]): string[] {
  const { namespace, name } = parseKey(key);
  return sources
    .filter((source) =>
      statusOf(CATALOG_SOURCE_KIND, source).inventory.some(
        (item) => item.kind === kind && item.namespace === namespace && item.name === name,
      ),
    )
    .map((source) => source.metadata.name);
}

/** The names of the CatalogSources that have a document of a resource and could not apply it. For a resource that nobody owns any more. */
export function sourcesWaiting(kind: string, key: string, sources: readonly KubeObject[]): string[] {
  const { namespace, name } = parseKey(key);
  const resource = resourceName(kind, namespace, name);
  return sources
    .filter((source) => statusOf(CATALOG_SOURCE_KIND, source).faults.some((fault) => fault.resource === resource))
    .map((source) => source.metadata.name);
}
