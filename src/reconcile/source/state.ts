import type { SourceFault, SourceSpec } from '../../domain/source/catalog-source.ts';
import type { SourceCommit } from '../../domain/source/git-source.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { checkDocuments, type CheckedDocuments } from './check-documents.ts';
import type { ParsedFile } from './parse/parse-file.ts';
import { parseFiles } from './parse/parse-files.ts';
import { type FolderContent, readFolder } from './read-folder.ts';

/** What is true of a CatalogSource and its folder. */
type SourceState =
  | { readonly kind: 'Deleting' }
  | { readonly kind: 'FinalizerMissing' }
  | { readonly kind: 'Suspended' }
  | { readonly kind: 'Vanished'; readonly why: string }
  | { readonly kind: 'GitUnavailable'; readonly why: string }
  | { readonly kind: 'Empty'; readonly read: ReadRevision }
  | { readonly kind: 'Stocked'; readonly stock: Stock };

/** What was read, and for a repository who committed it. */
interface ReadRevision {
  readonly revision: string;
  readonly commit?: SourceCommit;
}

/** What a folder holds. */
export interface Stock extends CheckedDocuments, ReadRevision {
  readonly files: number;
}

/** Says what is. `content` is what the folder or repository held a moment ago. */
export function determineSourceState(source: KubeObject, spec: SourceSpec, content: ParsedFolder): SourceState {
  const { deletionTimestamp, finalizers = [] } = source.metadata;
  if (deletionTimestamp !== undefined) return { kind: 'Deleting' };
  if (spec.suspend) return { kind: 'Suspended' };
  if (!finalizers.includes(OURS.finalizer)) return { kind: 'FinalizerMissing' };
  if (content.kind !== 'Read') return { kind: content.kind, why: content.why };
  const stock = stockOf(content);
  if (stock.named.size === 0 && stock.faults.length === 0) return { kind: 'Empty', read: revisionOf(content) };
  return { kind: 'Stocked', stock };
}

/** A folder with the documents of its files. */
export type ParsedFolder =
  | Extract<FolderContent, { kind: 'Vanished' }>
  | { readonly kind: 'GitUnavailable'; readonly why: string }
  | (Omit<Extract<FolderContent, { kind: 'Read' }>, 'files'> & ReadRevision & { readonly files: readonly ParsedFile[] });

/** Reads a folder and the documents in it. Without a revision, the digest of its content is one. */
export async function readParsedFolder(path: string, revision?: ReadRevision): Promise<ParsedFolder> {
  const content = await readFolder(path);
  if (content.kind === 'Vanished') return content;
  return { ...content, ...(revision === undefined ? {} : revisionOf(revision)), files: await parseFiles(content.files) };
}

function revisionOf({ revision, commit }: ReadRevision): ReadRevision {
  return { revision, ...(commit === undefined ? {} : { commit }) };
}

/** The documents of a folder, checked. */
export function stockOf({ files, faults, ...read }: Extract<ParsedFolder, { kind: 'Read' }>): Stock {
  const checked = checkDocuments(files.flatMap(({ documents }) => documents));
  const all: SourceFault[] = [...faults, ...files.flatMap((file) => file.faults), ...checked.faults];
  return { ...checked, ...revisionOf(read), faults: all, files: files.length };
}

/** What to do next about a CatalogSource. */
export type SourceAction =
  | { readonly kind: 'add-finalizer' }
  | { readonly kind: 'finalize' }
  | { readonly kind: 'rest' }
  | {
      readonly kind: 'reject';
      readonly reason: 'FolderMissing' | 'FolderEmpty' | 'GitUnavailable';
      readonly message: string;
      readonly read?: ReadRevision;
    }
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
    case 'GitUnavailable':
      return { kind: 'reject', reason: 'GitUnavailable', message: `${state.why}; nothing was deleted (${HINT})` };
    case 'Empty': {
      const message = `the folder is empty; nothing was deleted (${HINT})`;
      return { kind: 'reject', reason: 'FolderEmpty', message, read: state.read };
    }
    case 'Stocked':
      return { kind: 'synchronise', stock: state.stock };
    default:
      return state satisfies never;
  }
}
