import { at, isObject, listAt, textAt } from '../../domain/core/read.ts';
import { type KubeObject, parseKey } from '../../domain/kubernetes/resource.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import { CATALOG_SOURCE_KIND } from '../../domain/source/catalog-source.ts';
import { resourceName } from '../../domain/source/check-documents.ts';

/** What every field manager of a source begins with; earlier versions used this name for all of them. */
const PREFIX = 'chandlery-source';

/** The field manager of what a CatalogSource says. Names of sources have at most 63 characters, field managers 128. */
export function fieldManagerOf(source: string): string {
  return `${PREFIX}-${source}`;
}

/** The source behind a field manager; undefined when it is no source's, or that of earlier versions. */
export function sourceOfManager(manager: string): string | undefined {
  return manager.startsWith(`${PREFIX}-`) ? manager.slice(PREFIX.length + 1) : undefined;
}

/**
 * The managed fields of a resource with those that any source has applied as this source's, so that no field stays with a manager that applies it no
 * more: after an upgrade of Chandlery, or when the resource changes its source. Undefined when there is nothing to change.
 */
export function upgradeManagers(live: KubeObject, source: string): readonly unknown[] | undefined {
  const manager = fieldManagerOf(source);
  const entries = listAt(live.metadata, 'managedFields');
  const isOfSource = (entry: unknown): boolean => {
    const name = textAt(entry, 'manager') ?? '';
    return textAt(entry, 'operation') === 'Apply' && (name === PREFIX || sourceOfManager(name) !== undefined);
  };
  if (!entries.some((entry) => isOfSource(entry) && textAt(entry, 'manager') !== manager)) return undefined;
  const merged = new Map<string, object>();
  for (const entry of entries.filter(isOfSource)) {
    if (!isObject(entry)) continue;
    const key = `${textAt(entry, 'apiVersion') ?? ''} ${textAt(entry, 'subresource') ?? ''}`;
    const fieldsV1 = union(at(merged.get(key), 'fieldsV1'), entry['fieldsV1']);
    merged.set(key, { ...entry, ...merged.get(key), manager, fieldsV1 });
  }
  return [...entries.filter((entry) => !isOfSource(entry)), ...merged.values()];
}

/** When a source last changed a resource, in milliseconds since 1970, to the second: to apply the same again leaves that time as it is. */
export function changedBy({ metadata }: KubeObject, source: string): number {
  const entries = listAt(metadata, 'managedFields').filter((entry) => textAt(entry, 'manager') === fieldManagerOf(source));
  return Math.max(0, ...entries.map((entry) => Date.parse(textAt(entry, 'time') ?? '') || 0));
}

/** Two sets of fields as one. A set is a tree of maps, so this is their deep merge. */
function union(a: unknown, b: unknown): unknown {
  if (!isObject(a)) return b ?? {};
  if (!isObject(b)) return a;
  const keys = new Set([...Object.keys(a), ...Object.keys(b)]);
  return Object.fromEntries([...keys].map((key) => [key, key in a && key in b ? union(a[key], b[key]) : (a[key] ?? b[key])]));
}

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
