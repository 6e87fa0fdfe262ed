import type { OperatorDeletionPolicy } from '../../domain/operator/kind/operator-kind.ts';
import type { DriftMode, RemediationPolicy } from '../../domain/operator/kind/upgrade-fields.ts';
import type { PendingUpgrade, Rollback, RollbackCause } from '../../domain/operator/kind/status-fields.ts';
import type { AppError } from '../../domain/core/errors.ts';
import { isPending } from '../../domain/operator/release.ts';
import type { Health } from '../../domain/health/health.ts';
import type { CrdFact } from './facts/observe-crds.ts';
import type { DependencyFact } from './facts/observe-dependencies.ts';
import type { DriftFact } from './drift.ts';
import type { InstancesFact } from './facts/observe-instances.ts';
import type { DepartureFact, MoveFact } from './facts/observe-move.ts';
import type { ForeignRelease, OwnRelease, ReleaseFact } from '../helm-release/observe-release.ts';
import type { PastFact } from './facts/read-history.ts';
import type { Chart } from '../helm-release/ports.ts';
import type { ResolvedValues } from '../helm-release/resolve-values.ts';

/** What was seen of an Operator that is to stay. */
export interface ActiveFacts {
  readonly hasFinalizer: boolean;
  readonly suspended: boolean;
  /** Absent unless it was renamed and something is still the former one's. */
  readonly move?: MoveFact;
  /** Why it must not work in its namespaces. */
  readonly reserved?: AppError;
  /** Milliseconds until the next attempt is due; 0 when it is due now. */
  readonly wait: number;
  /** The spec is new, or a person has asked, since the last attempt. */
  readonly asked: boolean;
  /** A person has asked for an upgrade whatever the state, and it has not been carried out. */
  readonly forced: boolean;
  readonly adopt: boolean;
  readonly remediation: RemediationPolicy;
  readonly testing: boolean;
  readonly release: ReleaseFact;
  readonly past: PastFact;
  /** The last rollback, as long as the spec and the requests are those that it was made under. */
  readonly rollback?: Rollback;
  readonly crds: readonly CrdFact[];
  /** Names of CRDs that were applied once and should be there. */
  readonly expectedCrds: readonly string[];
  /** Absent while nothing was fetched because something else comes first. */
  readonly chart?: Target | { readonly error: AppError } | { readonly chart: Chart; readonly unresolved: AppError };
  readonly health?: Health;
  /** Looked at only when the release is in step and the Operator asks for it. */
  readonly drift?: DriftFact;
  readonly driftMode: DriftMode;
  /** Looked at only when something is to be installed or upgraded. */
  readonly dependencies?: DependencyFact;
  /** An upgrade that the maintenance window holds. The chart is then the one that runs, unless Helm could not make the newest revision. */
  readonly held?: PendingUpgrade;
}

/** What was seen of an Operator that is being deleted. */
export interface DeletingFacts {
  readonly hasFinalizer: boolean;
  readonly policy: OperatorDeletionPolicy;
  readonly release: ReleaseFact;
  readonly crds: readonly CrdFact[];
  readonly instances: readonly InstancesFact[];
  /** Absent unless it was renamed. */
  readonly move?: DepartureFact;
}

/** What is true of an Operator that is to stay. */
export type ActiveState =
  | { readonly kind: 'Suspended' }
  | { readonly kind: 'FinalizerMissing' }
  /** It was renamed, and its former one is not being deleted, or has another release. */
  | { readonly kind: 'MovePending'; readonly move: Exclude<MoveFact, { kind: 'Due' }> }
  | { readonly kind: 'MoveDue'; readonly move: Extract<MoveFact, { kind: 'Due' }> }
  /** A namespace that it uses belongs to an Environment or to Kubernetes. */
  | { readonly kind: 'Reserved'; readonly error: AppError }
  /** Somebody else has a release of that name. */
  | { readonly kind: 'Foreign'; readonly release: ForeignRelease }
  /** A worker that is gone has left the release pending. */
  | { readonly kind: 'Locked'; readonly release: OwnRelease }
  | { readonly kind: 'Waiting'; readonly wait: number }
  | { readonly kind: 'Unfetched'; readonly error: AppError }
  /** Values that it takes from elsewhere cannot be read. */
  | { readonly kind: 'Unresolved'; readonly chart: Chart; readonly error: AppError }
  /** What it depends on is not there yet, or depends on it in turn. */
  | { readonly kind: 'Blocked'; readonly chart: Chart; readonly dependencies: DependencyFact }
  | { readonly kind: 'Absent'; readonly target: Target }
  /** Nobody's release, which the Operator is to take over. */
  | { readonly kind: 'Adoptable'; readonly target: Target; readonly release: ForeignRelease }
  /** Helm could not make the newest revision. */
  | { readonly kind: 'Failed'; readonly target: Target }
  /** The newest revision failed, and an earlier one that was healthy is to come back. */
  | { readonly kind: 'RollbackDue'; readonly failure: RevisionFailure }
  /** The target failed, and what runs is the revision before. */
  | { readonly kind: 'RolledBack'; readonly target: Target; readonly rollback: Rollback; readonly health: Health }
  /** The target failed, and so did bringing back the revision before. */
  | { readonly kind: 'RollbackFailed'; readonly target: Target; readonly rollback: Rollback; readonly health: Health }
  /** The desired state has moved. */
  | { readonly kind: 'OutOfSync'; readonly target: Target }
  /** In step, but a person wants an upgrade all the same. */
  | { readonly kind: 'Forced'; readonly target: Target }
  /** CRDs that it brought are gone. */
  | { readonly kind: 'CrdsMissing'; readonly target: Target }
  /** Objects are not as the release has them, and the Operator wants them put right. */
  | { readonly kind: 'Drifted'; readonly drift: DriftFact }
  /** Healthy, and its tests have not run. */
  | { readonly kind: 'Untested'; readonly target: Target; readonly release: OwnRelease }
  /** The release is as desired. How its workloads are, conditions say. */
  | InSync
  /** The desired state has moved, and the maintenance window is closed. `runs` is what runs meanwhile; absent when the last upgrade failed. */
  | { readonly kind: 'OutsideWindow'; readonly pending: PendingUpgrade; readonly runs?: InSync };

/** A release that is as desired, and what is known of what it installed. */
export interface InSync {
  readonly kind: 'InSync';
  readonly chart: Chart;
  readonly health: Health;
  /** Names of CRDs that the api-server does not serve yet. */
  readonly unestablished: readonly string[];
  /** `Failed`: the tests of the chart failed, and there is no revision to roll back to. */
  readonly tests: 'Failed' | 'NotFailed';
}

/** A revision that failed, and the one to roll back to. */
export interface RevisionFailure {
  readonly target: Target;
  readonly revision: number;
  readonly toRevision: number;
  readonly cause: RollbackCause;
  /** How its workloads are; absent when they were not looked at. */
  readonly health?: Health;
}

/** What is true of an Operator that is being deleted. */
export type DeletingState =
  | { readonly kind: 'Finalized' }
  /** The Operator that it was renamed to takes the release over. */
  | { readonly kind: 'Moving'; readonly successor: string }
  | { readonly kind: 'Moved' }
  /** That one has another release. */
  | { readonly kind: 'CannotMove'; readonly successor: string; readonly message: string }
  | { readonly kind: 'ReleaseKept' }
  /** Kinds have instances, or nobody can tell now whether they have. */
  | { readonly kind: 'InUse'; readonly instances: readonly InstancesFact[] }
  | { readonly kind: 'DeletingInstances'; readonly instances: readonly InstancesFact[] }
  | { readonly kind: 'Installed' }
  | { readonly kind: 'DeletingCrds'; readonly crds: readonly CrdFact[] }
  | { readonly kind: 'CrdsDeleted' };

/** How a chart is deployed; `restore` applies CRDs that are missing again, and leaves the release as it is. */
export type DeployVerb = 'install' | 'upgrade' | 'adopt' | 'restore';

/** What the release is to become. */
export interface Target {
  readonly chart: Chart;
  readonly values: ResolvedValues;
  readonly configDigest: string;
}

/** Says what is true of an Operator; what to do about it is for `reconcileOperator`. Pure. */
export function determineActiveState(facts: ActiveFacts): ActiveState {
  const { release, chart } = facts;
  if (facts.suspended) return { kind: 'Suspended' };
  if (!facts.hasFinalizer) return { kind: 'FinalizerMissing' };
  if (facts.move !== undefined)
    return facts.move.kind === 'Due' ? { kind: 'MoveDue', move: facts.move } : { kind: 'MovePending', move: facts.move };
  if (facts.reserved !== undefined) return { kind: 'Reserved', error: facts.reserved };
  if (release.kind === 'Foreign' && !isAdoptable(facts, release)) return { kind: 'Foreign', release };
  if (release.kind === 'Own' && isPending(release)) return { kind: 'Locked', release };
  if (facts.wait > 0 || chart === undefined) return { kind: 'Waiting', wait: facts.wait };
  if ('error' in chart) return { kind: 'Unfetched', error: chart.error };
  if ('unresolved' in chart) return { kind: 'Unresolved', chart: chart.chart, error: chart.unresolved };
  if (release.kind === 'Own') return installedState(facts, { release, target: chart });
  if (isBlocked(facts.dependencies)) return { kind: 'Blocked', chart: chart.chart, dependencies: facts.dependencies };
  return release.kind === 'Foreign' ? { kind: 'Adoptable', target: chart, release } : { kind: 'Absent', target: chart };
}

/** Whether the Operator asks for a release that nobody owns, and that nobody is changing. */
export function isAdoptable({ adopt }: Pick<ActiveFacts, 'adopt'>, release: ForeignRelease): boolean {
  return adopt && release.owner === '' && !isPending(release);
}

/** Says how far the deletion of an Operator has come. Pure. */
export function determineDeletingState(facts: DeletingFacts): DeletingState {
  const { move } = facts;
  if (!facts.hasFinalizer) return { kind: 'Finalized' };
  if (move?.kind === 'Moving') return { kind: 'Moving', successor: move.successor };
  if (move?.kind === 'Moved') return { kind: 'Moved' };
  if (facts.policy === 'Orphan' || move?.kind === 'Aborted') return { kind: 'ReleaseKept' };
  if (move?.kind === 'Impossible' && facts.release.kind === 'Own') return { ...move, kind: 'CannotMove' };
  const used = facts.instances.filter(({ items, unavailable }) => items.length > 0 || unavailable !== undefined);
  if (used.length > 0) return { kind: facts.policy === 'Cascade' ? 'DeletingInstances' : 'InUse', instances: used };
  if (facts.release.kind === 'Own') return { kind: 'Installed' };
  if (facts.policy === 'Cascade' && facts.crds.length > 0) return { kind: 'DeletingCrds', crds: facts.crds };
  return { kind: 'CrdsDeleted' };
}

interface Installed {
  readonly release: OwnRelease;
  readonly target: Target;
}

function installedState(facts: ActiveFacts, installed: Installed): ActiveState {
  const { release, target } = installed;
  const { dependencies } = facts;
  const begun = begunRollback(facts, installed);
  if (begun !== undefined) return begun;
  const upToDate = release.configDigest === target.configDigest;
  const failed = upToDate && release.status === 'failed';
  const failure = failed ? recoverable(facts, installed, 'UpgradeFailed') : undefined;
  if (failure !== undefined) return { kind: 'RollbackDue', failure };
  if (facts.held !== undefined && release.status === 'failed') return { kind: 'OutsideWindow', pending: facts.held };
  const moved = !upToDate || release.status !== 'deployed';
  if ((moved || facts.forced) && isBlocked(dependencies)) return { kind: 'Blocked', chart: target.chart, dependencies };
  if (failed) return { kind: 'Failed', target };
  if (moved) return { kind: 'OutOfSync', target };
  if (facts.forced) return { kind: 'Forced', target };
  if (lacksCrds(facts)) return { kind: 'CrdsMissing', target };
  if (isToBeCorrected(facts)) return { kind: 'Drifted', drift: facts.drift };
  const state = stateOfRevision(facts, installed);
  const { held } = facts;
  return held !== undefined && state.kind === 'InSync' ? { kind: 'OutsideWindow', pending: held, runs: state } : state;
}

/** A rollback that was written down is done before anything else, and ends there. */
function begunRollback({ rollback, health = UNSEEN }: ActiveFacts, { release, target }: Installed): ActiveState | undefined {
  if (rollback === undefined || rollback.digest !== target.configDigest || release.revision < rollback.revision) return undefined;
  if (release.revision === rollback.revision) return { kind: 'RollbackDue', failure: { ...rollback, target } };
  return { kind: release.status === 'deployed' ? 'RolledBack' : 'RollbackFailed', target, rollback, health };
}

/** The way back from the newest revision, when it is asked for and there is one. */
function recoverable(facts: ActiveFacts, { release, target }: Installed, cause: RollbackCause): RevisionFailure | undefined {
  const { remediation, past, health } = facts;
  if (remediation !== 'Rollback' || past.recovery === undefined || past.results.healthy === true) return undefined;
  const { revision } = release;
  return { target, revision, toRevision: past.recovery, cause, ...(health === undefined ? {} : { health }) };
}

/** What is left to do about the newest revision once it is the desired one: bring another back, test it, or nothing. */
function stateOfRevision(facts: ActiveFacts, installed: Installed): ActiveState {
  const { crds, health = UNSEEN, past, testing } = facts;
  const { chart } = installed.target;
  const unestablished = crds.filter((crd) => !crd.established).map((crd) => crd.name);
  const isWell = unestablished.length === 0 && (health.status === 'Healthy' || health.status === 'Suspended');
  const testFailed = testing && past.results.tested === false && !facts.asked;
  const cause = testFailed ? 'TestFailed' : !isWell && past.overdue ? 'Unhealthy' : undefined;
  const failure = cause === undefined ? undefined : recoverable(facts, installed, cause);
  if (failure !== undefined) return { kind: 'RollbackDue', failure };
  if (isWell && testing && !testFailed && past.results.tested !== true) return { kind: 'Untested', ...installed };
  return { kind: 'InSync', chart, health, unestablished, tests: testFailed ? 'Failed' : 'NotFailed' };
}

const UNSEEN: Health = { status: 'Unknown', message: 'Its workloads were not checked' };

function isBlocked(fact: DependencyFact | undefined): fact is DependencyFact {
  return fact !== undefined && (fact.waiting.length > 0 || fact.cycle !== undefined);
}

function isToBeCorrected(facts: ActiveFacts): facts is ActiveFacts & { readonly drift: DriftFact } {
  const { drift, driftMode } = facts;
  return driftMode === 'Enabled' && drift !== undefined && drift.drifted.length > 0 && !drift.contended;
}

function lacksCrds({ crds, expectedCrds }: ActiveFacts): boolean {
  return expectedCrds.some((name) => !crds.some((crd) => crd.name === name));
}
