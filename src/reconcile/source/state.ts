import { CATALOG_SOURCE_KIND, originOfSpec, type SourceSpec } from '../../domain/source/catalog-source.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import type { DependencyProblem } from '../../domain/source/dependencies.ts';
import { hasFinalizer } from '../../domain/kubernetes/finalizers.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { SourceRules } from '../../domain/source/check-documents.ts';
import { type ParsedFolder, type ReadRevision, type Stock, stockOf } from '../../domain/source/stock.ts';

/** What is true of a CatalogSource and its folder. */
type SourceState =
  | { readonly kind: 'Deleting' }
  | { readonly kind: 'FinalizerMissing' }
  | { readonly kind: 'Suspended' }
  | { readonly kind: 'Vanished'; readonly why: string }
  | Unreadable
  | { readonly kind: 'Blocked'; readonly problem: DependencyProblem }
  | { readonly kind: 'OriginChanged'; readonly name: string; readonly from: string; readonly to: string; readonly read: ReadRevision }
  | { readonly kind: 'Empty'; readonly read: ReadRevision }
  | { readonly kind: 'Stocked'; readonly stock: Stock };

/** A repository or artifact that gave no revision that may be applied. */
export interface Unreadable {
  readonly kind: 'GitUnavailable' | 'ArtifactUnavailable' | 'VerificationFailed';
  readonly why: string;
}

/** What the folder or repository held a moment ago, and the kinds in it. */
export interface Content {
  readonly folder: ParsedFolder | Unreadable | { readonly kind: 'Blocked'; readonly problem: DependencyProblem };
  readonly kindOf: SourceRules['kindOf'];
}

/** Says what is. */
export function determineSourceState(source: KubeObject, spec: SourceSpec, { folder, kindOf }: Content): SourceState {
  if (source.metadata.deletionTimestamp !== undefined) return { kind: 'Deleting' };
  if (spec.suspend) return { kind: 'Suspended' };
  if (!hasFinalizer(source)) return { kind: 'FinalizerMissing' };
  if (folder.kind === 'Blocked') return { kind: 'Blocked', problem: folder.problem };
  // Only a poll of a source at rest asks whether anything has changed.
  if (folder.kind === 'Unchanged') return { kind: 'Vanished', why: 'it was not read' };
  if (folder.kind !== 'Read') return { kind: folder.kind, why: folder.why };
  const stock = stockOf(folder, { spec, kindOf });
  const from = replacedOrigin(source, spec, stock.revision);
  if (from !== undefined) return { kind: 'OriginChanged', name: source.metadata.name, from, to: originOfSpec(spec), read: stock };
  // An empty revision of a repository deletes everything, which somebody may approve.
  const isMistake = spec.folder !== undefined || statusOf(CATALOG_SOURCE_KIND, source).inventory.length === 0;
  if (stock.named.size === 0 && stock.faults.length === 0 && isMistake) return { kind: 'Empty', read: stock };
  return { kind: 'Stocked', stock };
}

/**
 * The folder that the resources of a source come from, when its spec names another one now that is not confirmed. The same content has only moved. A user who
 * edits the address of a repository has decided about exactly that.
 */
function replacedOrigin(source: KubeObject, spec: SourceSpec, revision: string): string | undefined {
  const { origin, inventory, lastAppliedRevision } = statusOf(CATALOG_SOURCE_KIND, source);
  const now = originOfSpec(spec);
  const isConfirmed = source.metadata.annotations?.[OURS.confirmedOrigin] === now;
  const areFolders = spec.folder !== undefined && origin?.startsWith('/') === true;
  const isSame = origin === now || revision === lastAppliedRevision;
  return areFolders && !isSame && !isConfirmed && inventory.length > 0 ? origin : undefined;
}

/** What to do next about a CatalogSource. */
export type SourceAction =
  | { readonly kind: 'add-finalizer' }
  | { readonly kind: 'finalize' }
  | { readonly kind: 'rest' }
  | { readonly kind: 'wait'; readonly problem: DependencyProblem }
  | {
      readonly kind: 'reject';
      readonly reason: 'FolderMissing' | 'FolderEmpty' | 'OriginChanged' | Unreadable['kind'];
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
    case 'ArtifactUnavailable':
    case 'VerificationFailed':
      return { kind: 'reject', reason: state.kind, message: `${state.why}; nothing was deleted (${HINT})` };
    case 'Blocked':
      return { kind: 'wait', problem: state.problem };
    case 'OriginChanged': {
      const { name, from, to, read } = state;
      const confirm = `kubectl annotate --overwrite catalogsource ${name} ${OURS.confirmedOrigin}=${to}`;
      const message = `the source was ${from} until now, and its spec names ${to}; nothing was applied or deleted. To go back, set the spec as it was. To use ${to}: ${confirm}`;
      return { kind: 'reject', reason: state.kind, message, read };
    }
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
