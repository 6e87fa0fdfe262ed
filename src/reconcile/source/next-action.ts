import type { SourceState, Stock } from './state.ts';

/** What to do next about a CatalogSource. */
export type SourceAction =
  | { readonly kind: 'add-finalizer' }
  | { readonly kind: 'finalize' }
  | { readonly kind: 'rest' }
  | { readonly kind: 'reject'; readonly reason: 'FolderMissing' | 'FolderEmpty'; readonly message: string; readonly revision?: string }
  | { readonly kind: 'synchronise'; readonly stock: Stock };

const HINT = 'delete the CatalogSource to delete its resources';

/** One act for each state. A folder that is empty or away is taken for a mistake: nothing is removed on its account. */
export function nextSourceAction(state: SourceState): SourceAction {
  switch (state.kind) {
    case 'Deleting':
      return { kind: 'finalize' };
    case 'FinalizerMissing':
      return { kind: 'add-finalizer' };
    case 'Suspended':
      return { kind: 'rest' };
    case 'Vanished':
      return {
        kind: 'reject',
        reason: 'FolderMissing',
        message: `the folder cannot be read: ${state.why}; nothing was deleted (${HINT})`,
      };
    case 'Empty': {
      const message = `the folder is empty; nothing was deleted (${HINT})`;
      return { kind: 'reject', reason: 'FolderEmpty', message, revision: state.revision };
    }
    case 'Stocked':
      return { kind: 'synchronise', stock: state.stock };
    default:
      return state satisfies never;
  }
}
