import type { InventoryItem } from '../../domain/source/catalog-source.ts';
import { resourceName } from './check-documents.ts';

/** The name of an inventory item, as documents have it. */
export function nameOfItem(item: InventoryItem): string {
  return resourceName(item.kind, item.namespace, item.name);
}
