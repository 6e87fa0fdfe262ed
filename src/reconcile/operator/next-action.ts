import type { PendingUpgrade, Rollback } from '../../domain/operator/kind/status-fields.ts';
import type { AppError } from '../../domain/core/errors.ts';
import type { Health } from '../../domain/health/health.ts';
import type { CrdFact } from './facts/observe-crds.ts';
import type { DependencyFact } from './facts/observe-dependencies.ts';
import type { DriftFact } from './facts/observe-drift.ts';
import type { InstancesFact } from './facts/observe-instances.ts';
import type { Chart } from './ports.ts';
import type { ForeignRelease, OwnRelease } from './facts/judge-release.ts';
import type { DeletingState, ActiveState, RevisionFailure, SteadyState, Target } from './state.ts';

/** What to do next about an Operator that is to stay. */
export type ActiveAction =
  | { readonly kind: 'guard' }
  | { readonly kind: 'rest' }
  | { readonly kind: 'wait'; readonly wait: number }
  | { readonly kind: 'report-reserved'; readonly error: AppError }
  | { readonly kind: 'refuse-foreign'; readonly release: ForeignRelease }
  | { readonly kind: 'unlock' }
  | { readonly kind: 'report-unfetched'; readonly error: AppError }
  | { readonly kind: 'report-unresolved'; readonly chart: Chart; readonly error: AppError }
  | { readonly kind: 'await-dependencies'; readonly chart: Chart; readonly dependencies: DependencyFact }
  | { readonly kind: 'install'; readonly target: Target }
  | { readonly kind: 'adopt'; readonly target: Target; readonly release: ForeignRelease }
  | { readonly kind: 'upgrade'; readonly target: Target }
  | { readonly kind: 'restore-crds'; readonly target: Target }
  | { readonly kind: 'roll-back'; readonly failure: RevisionFailure }
  | { readonly kind: 'report-rolled-back'; readonly target: Target; readonly rollback: Rollback; readonly health: Health }
  | { readonly kind: 'report-unrecovered'; readonly target: Target; readonly rollback: Rollback; readonly health: Health }
  | { readonly kind: 'test'; readonly target: Target; readonly release: OwnRelease }
  | { readonly kind: 'report-test-failed'; readonly chart: Chart; readonly health: Health }
  | { readonly kind: 'correct-drift'; readonly drift: DriftFact }
  | { readonly kind: 'watch-progress'; readonly chart: Chart; readonly health: Health; readonly unestablished: readonly string[] }
  | { readonly kind: 'report-degraded'; readonly chart: Chart; readonly health: Health }
  | { readonly kind: 'mark-ready'; readonly chart: Chart; readonly health: Health }
  | { readonly kind: 'await-window'; readonly pending: PendingUpgrade; readonly settled?: ReportAction };

/** Acts that tell how a revision is that is as it should be. */
export type ReportAction = Extract<ActiveAction, { kind: 'watch-progress' | 'report-degraded' | 'report-test-failed' | 'mark-ready' }>;

/** What to do next about an Operator that is being deleted. */
export type DeletingAction =
  | { readonly kind: 'leave' }
  | { readonly kind: 'disown' }
  | { readonly kind: 'block'; readonly instances: readonly InstancesFact[] }
  | { readonly kind: 'delete-instances'; readonly instances: readonly InstancesFact[] }
  | { readonly kind: 'uninstall' }
  | { readonly kind: 'delete-crds'; readonly crds: readonly CrdFact[] }
  | { readonly kind: 'finish' };

/** One act for each state of an Operator that is to stay. */
export function nextActiveAction(state: ActiveState): ActiveAction {
  switch (state.kind) {
    case 'Suspended':
      return { kind: 'rest' };
    case 'FinalizerMissing':
      return { kind: 'guard' };
    case 'Locked':
      return { kind: 'unlock' };
    case 'Waiting':
      return { kind: 'wait', wait: state.wait };
    case 'Reserved':
    case 'Foreign':
    case 'Unfetched':
    case 'Unresolved':
    case 'Blocked':
      return actionOfObstacle(state);
    case 'Adoptable':
      return { ...state, kind: 'adopt' };
    case 'Absent':
    case 'Failed':
    case 'OutOfSync':
    case 'Forced':
    case 'CrdsMissing':
    case 'RollbackDue':
    case 'RolledBack':
    case 'RollbackFailed':
    case 'Drifted':
    case 'Progressing':
    case 'Degraded':
    case 'Untested':
    case 'TestFailed':
    case 'InSync':
    case 'OutsideWindow':
      return actionOfRevision(state);
    default:
      return state satisfies never;
  }
}

/** States in which something has to change before anything is done. */
type ObstacleState = Extract<ActiveState, { kind: 'Reserved' | 'Foreign' | 'Unfetched' | 'Unresolved' | 'Blocked' }>;

function actionOfObstacle(state: ObstacleState): ActiveAction {
  switch (state.kind) {
    case 'Reserved':
      return { kind: 'report-reserved', error: state.error };
    case 'Foreign':
      return { kind: 'refuse-foreign', release: state.release };
    case 'Unfetched':
      return { kind: 'report-unfetched', error: state.error };
    case 'Unresolved':
      return { ...state, kind: 'report-unresolved' };
    case 'Blocked':
      return { ...state, kind: 'await-dependencies' };
    default:
      return state satisfies never;
  }
}

/** States of a revision that is to be made, or was made and is to be judged. */
type RevisionState = Exclude<ActiveState, ObstacleState | { kind: 'Suspended' | 'FinalizerMissing' | 'Locked' | 'Waiting' | 'Adoptable' }>;

function actionOfRevision(state: RevisionState): ActiveAction {
  switch (state.kind) {
    case 'Absent':
      return { kind: 'install', target: state.target };
    case 'Failed':
    case 'OutOfSync':
    case 'Forced':
      return { kind: 'upgrade', target: state.target };
    case 'CrdsMissing':
      return { kind: 'restore-crds', target: state.target };
    case 'RollbackDue':
      return { kind: 'roll-back', failure: state.failure };
    case 'RolledBack':
      return { ...state, kind: 'report-rolled-back' };
    case 'RollbackFailed':
      return { ...state, kind: 'report-unrecovered' };
    case 'Drifted':
      return { kind: 'correct-drift', drift: state.drift };
    case 'Untested':
      return { ...state, kind: 'test' };
    case 'Progressing':
    case 'Degraded':
    case 'TestFailed':
    case 'InSync':
      return actionOfSteady(state);
    case 'OutsideWindow':
      return {
        kind: 'await-window',
        pending: state.pending,
        ...(state.settled === undefined ? {} : { settled: actionOfSteady(state.settled) }),
      };
    default:
      return state satisfies never;
  }
}

function actionOfSteady(state: SteadyState): ReportAction {
  switch (state.kind) {
    case 'Progressing':
      return { ...state, kind: 'watch-progress' };
    case 'Degraded':
      return { ...state, kind: 'report-degraded' };
    case 'TestFailed':
      return { ...state, kind: 'report-test-failed' };
    case 'InSync':
      return { ...state, kind: 'mark-ready' };
    default:
      return state satisfies never;
  }
}

/** One act for each state of an Operator that is being deleted. */
export function nextDeletingAction(state: DeletingState): DeletingAction {
  switch (state.kind) {
    case 'Released':
      return { kind: 'leave' };
    case 'ReleaseKept':
      return { kind: 'disown' };
    case 'InUse':
      return { kind: 'block', instances: state.instances };
    case 'DeletingInstances':
      return { kind: 'delete-instances', instances: state.instances };
    case 'Installed':
      return { kind: 'uninstall' };
    case 'DeletingCrds':
      return { kind: 'delete-crds', crds: state.crds };
    case 'CrdsDeleted':
      return { kind: 'finish' };
    default:
      return state satisfies never;
  }
}
