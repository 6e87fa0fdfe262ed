import { resourceName } from './check-documents.ts';
import type { InventoryItem } from './source-status.ts';

/** The name of an inventory item, as documents have it. */
export function nameOfItem(item: InventoryItem): string {
  return resourceName(item.kind, item.namespace, item.name);
}
