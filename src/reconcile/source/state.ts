import type { KubeObject } from '../../domain/resource.ts';
import { OURS } from '../../domain/names.ts';
import { checkDocuments, type CheckedDocuments } from './check-documents.ts';
import type { SourceFault } from './fault.ts';
import { parseFile } from './parse-file.ts';
import type { FolderContent } from './read-folder.ts';
import type { SourceSpec } from './source-status.ts';

/** What is true of a CatalogSource and its folder. */
export type SourceState =
  | { readonly kind: 'Deleting' }
  | { readonly kind: 'Unguarded' }
  | { readonly kind: 'Suspended' }
  | { readonly kind: 'Vanished'; readonly why: string }
  | { readonly kind: 'Empty'; readonly revision: string }
  | { readonly kind: 'Stocked'; readonly stock: Stock };

/** What a folder holds. */
export interface Stock extends CheckedDocuments {
  readonly revision: string;
  readonly files: number;
}

/** Says what is. `content` is what the folder held a moment ago. */
export function determineSourceState(source: KubeObject, spec: SourceSpec, content: FolderContent): SourceState {
  const { deletionTimestamp, finalizers = [] } = source.metadata;
  if (deletionTimestamp !== undefined) return { kind: 'Deleting' };
  if (spec.suspend) return { kind: 'Suspended' };
  if (!finalizers.includes(OURS.finalizer)) return { kind: 'Unguarded' };
  if (content.kind === 'Vanished') return { kind: 'Vanished', why: content.why };
  const stock = stockOf(content);
  if (stock.named.size === 0 && stock.faults.length === 0) return { kind: 'Empty', revision: content.revision };
  return { kind: 'Stocked', stock };
}

/** Reads the documents of a folder. */
export function stockOf(content: Extract<FolderContent, { kind: 'Read' }>): Stock {
  const parsed = content.files.map((file) => parseFile(file));
  const checked = checkDocuments(parsed.flatMap(({ documents }) => documents));
  const faults: SourceFault[] = [...content.faults, ...parsed.flatMap((file) => file.faults), ...checked.faults];
  return { ...checked, faults, revision: content.revision, files: content.files.length };
}
