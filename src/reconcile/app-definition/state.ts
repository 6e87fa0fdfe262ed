import type { GeneratedNames } from '../../domain/app-definition/app-definition-kind.ts';
import { type ReservedName, reservedNamesFault } from '../../domain/app-definition/reserved-names.ts';
import type { AppDefinitionSpec } from '../../domain/app-definition/app-definition.ts';
import type { AppError } from '../../domain/core/errors.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { CrdVerdict } from '../../domain/upgrade/crd-safety/finding.ts';
import type { FetchedDefinition, FetchFact } from './fetch-definition.ts';

/** The CRD of the generated kind as it is. */
export type CrdFact =
  | { readonly kind: 'Missing' }
  /** @property message whose it is, and what to do. */
  | { readonly kind: 'Foreign'; readonly message: string }
  /** It is that of the AppDefinition under its former name, which is not being deleted. @property message what it waits for. */
  | { readonly kind: 'Former'; readonly message: string }
  | {
      readonly kind: 'Own';
      readonly crd: KubeObject;
      readonly applied: 'UpToDate' | 'Outdated';
      /** The former name of the AppDefinition, where the CRD is still under it. */
      readonly former?: string;
      readonly serving: 'Established' | 'Pending';
      /** Why its names are not accepted; absent: they are, or nobody has said yet. */
      readonly rejection?: string;
    };

/** What an AppDefinition that stays depends on. */
export interface ActiveFacts {
  readonly hasFinalizer: boolean;
  readonly suspended: boolean;
  /** Absent before the finalizer is there. */
  readonly fetched?: FetchFact;
  /** Those of the status: they are written down before the CRD is made. */
  readonly recorded?: GeneratedNames;
  /** Absent without a chart. */
  readonly generated?: {
    readonly names: GeneratedNames;
    readonly candidate: KubeObject;
    readonly crd: CrdFact;
    readonly revision: 'Exists' | 'Missing';
    /** Existing instances held against the new schema; absent where it is the live one. */
    readonly stored?: CrdVerdict;
    /** Names of other kinds that the kind would take, and does not have yet. */
    readonly taken: readonly ReservedName[];
  };
}

/** What an AppDefinition that stays is in; each asks for one act. */
export type ActiveState =
  | { readonly kind: 'FinalizerMissing' }
  | { readonly kind: 'Suspended' }
  | { readonly kind: 'FetchFailed'; readonly error: AppError; readonly retryAfter: number }
  | { readonly kind: 'NamesUnrecorded'; readonly chart: FetchedDefinition; readonly names: GeneratedNames }
  | { readonly kind: 'Conflict'; readonly chart: FetchedDefinition; readonly message: string }
  | { readonly kind: 'NamesReserved'; readonly message: string }
  | { readonly kind: 'MovePending'; readonly message: string }
  /** The values of the chart have no integer where the spec names the replicas. */
  | { readonly kind: 'ScaleInvalid'; readonly message: string }
  | { readonly kind: 'RevisionMissing'; readonly chart: FetchedDefinition }
  | { readonly kind: 'Breaking'; readonly chart: FetchedDefinition; readonly verdict: CrdVerdict }
  | { readonly kind: 'CrdOutdated'; readonly chart: FetchedDefinition; readonly candidate: KubeObject; readonly former?: string }
  | { readonly kind: 'Establishing'; readonly chart: FetchedDefinition }
  | { readonly kind: 'Ready'; readonly chart: FetchedDefinition; readonly names: GeneratedNames };

/** Says what an AppDefinition that stays is in. Pure. */
export function determineActiveState({ hasFinalizer, suspended, fetched, recorded, generated }: ActiveFacts): ActiveState {
  if (!hasFinalizer) return { kind: 'FinalizerMissing' };
  if (suspended || fetched === undefined) return { kind: 'Suspended' };
  if (fetched.kind === 'Failed') return { ...fetched, kind: 'FetchFailed' };
  const { chart } = fetched;
  if (generated === undefined) return { kind: 'Suspended' };
  const { names, candidate, crd, revision, stored, taken } = generated;
  if (crd.kind === 'Foreign') return { kind: 'Conflict', chart, message: crd.message };
  if (crd.kind === 'Former') return { kind: 'MovePending', message: crd.message };
  if (taken.length > 0) return { kind: 'NamesReserved', message: reservedNamesFault(taken) };
  if (chart.scaleFault !== undefined) return { kind: 'ScaleInvalid', message: chart.scaleFault };
  if (recorded?.plural !== names.plural) return { kind: 'NamesUnrecorded', chart, names };
  if (stored !== undefined && stored.faults.length > 0) return { kind: 'Breaking', chart, verdict: stored };
  if (revision === 'Missing') return { kind: 'RevisionMissing', chart };
  if (crd.kind === 'Missing') return { kind: 'CrdOutdated', chart, candidate };
  if (crd.applied === 'Outdated')
    return { kind: 'CrdOutdated', chart, candidate, ...(crd.former === undefined ? {} : { former: crd.former }) };
  if (crd.rejection !== undefined) return { kind: 'Conflict', chart, message: crd.rejection };
  return crd.serving === 'Established' ? { kind: 'Ready', chart, names } : { kind: 'Establishing', chart };
}

/**
 * How far a renamed AppDefinition has moved its kind to the one of its new name. `Impossible`: that one generates another kind, or none. `Aborted`: it has been deleted
 * before it had the kind.
 */
export type DefinitionMove = { readonly kind: 'Begun' | 'Done' | 'Impossible'; readonly successor: string } | { readonly kind: 'Aborted' };

/** What an AppDefinition that is being deleted depends on. */
export interface DeletingFacts {
  readonly hasFinalizer: boolean;
  readonly policy: AppDefinitionSpec['deletionPolicy'];
  /** Its own one, when there is one. */
  readonly crd: KubeObject | undefined;
  /** Metadata of what exists of the kind. */
  readonly instances: readonly KubeObject[];
  /** Only of a renamed one. */
  readonly move?: DefinitionMove | undefined;
}

export type DeletingState =
  | { readonly kind: 'Finalized' }
  /** The AppDefinition of the new name takes the kind over. */
  | { readonly kind: 'Moving'; readonly successor: string }
  | { readonly kind: 'Moved' }
  /** That one generates another kind, so instances would lose theirs. */
  | { readonly kind: 'CannotMove'; readonly successor: string; readonly instances: readonly KubeObject[] }
  | { readonly kind: 'Kept'; readonly crd: KubeObject | undefined }
  | { readonly kind: 'InUse'; readonly instances: readonly KubeObject[] }
  | { readonly kind: 'DeletingInstances'; readonly instances: readonly KubeObject[] }
  | { readonly kind: 'CrdLeft'; readonly crd: KubeObject }
  | { readonly kind: 'CrdDeleted' };

/** Says how far the deletion of an AppDefinition has come. Pure. */
export function determineDeletingState({ hasFinalizer, policy, crd, instances, move }: DeletingFacts): DeletingState {
  if (!hasFinalizer) return { kind: 'Finalized' };
  if (move?.kind === 'Begun') return { kind: 'Moving', successor: move.successor };
  if (move?.kind === 'Done') return { kind: 'Moved' };
  if (policy === 'Orphan' || move?.kind === 'Aborted') return { kind: 'Kept', crd };
  if (move?.kind === 'Impossible' && instances.length > 0) return { kind: 'CannotMove', successor: move.successor, instances };
  if (instances.length > 0) return { kind: policy === 'Cascade' ? 'DeletingInstances' : 'InUse', instances };
  return crd === undefined ? { kind: 'CrdDeleted' } : { kind: 'CrdLeft', crd };
}
