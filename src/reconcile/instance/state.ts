import type { SleepFact } from '../../domain/app-instance/sleep.ts';
import type { AppError } from '../../domain/core/errors.ts';
import type { Health } from '../../domain/health/health.ts';
import type { Rollback, RollbackCause } from '../../domain/operator/kind/status-fields.ts';
import { isPending } from '../../domain/operator/release.ts';
import type { ForeignRelease, OwnRelease, ReleaseFact } from '../helm-release/observe-release.ts';
import type { LimitFact } from './prerequisites.ts';
import type { Dependency } from './resolve-outputs.ts';
import type { Target } from './resolve-target.ts';
import type { DedicatedNamespace } from './work.ts';

/** What was seen of an instance that is to stay. */
export interface ActiveFacts {
  readonly hasFinalizer: boolean;
  readonly suspended: boolean;
  /** Whether it has expired, and nothing is released any more. */
  readonly expired: boolean;
  /** Why nothing can be released in its namespace. */
  readonly noEnvironment?: AppError;
  /** Whether the limits of its AppDefinition keep it from a first release; absent: they do not. */
  readonly limit?: LimitFact;
  /** The namespace that it has to itself; absent where its release is in its own. */
  readonly dedicated?: DedicatedNamespace;
  /** Milliseconds until the next attempt is due; 0 when it is due now. */
  readonly wait: number;
  /** A person has asked for an upgrade whatever the state, and it has not been carried out. */
  readonly forced: boolean;
  /** A person has asked for the tests of the chart, and they have not run since. */
  readonly testAsked: boolean;
  /** A person has asked to take over a release of that name. */
  readonly adopt: boolean;
  readonly release: ReleaseFact;
  /** The newest revision that Chandlery made; undefined before the first. */
  readonly managedRevision?: number;
  /** The newest revision is younger than helm lets a change take. */
  readonly recent: boolean;
  /** The digest of what Chandlery made last. */
  readonly appliedDigest?: string;
  /** The last rollback, as long as the spec and the requests are those that it was made under. */
  readonly rollback?: Rollback;
  /** The revision to go back to should the newest one have failed; absent when there is none. */
  readonly recovery?: number;
  /** The newest revision was healthy once. */
  readonly wasHealthy: boolean;
  /** The newest revision has had its time to become healthy. */
  readonly overdue: boolean;
  /** Why the record of the newest revision is not the one that Chandlery released; absent where it is, or has not been looked at. */
  readonly recordFault?: AppError;
  /** Whether it sleeps, or is to sleep or to wake. */
  readonly sleep?: { readonly wanted: boolean; readonly fact: SleepFact };
  /** Absent while something else comes first. */
  readonly target?: Target | { readonly error: AppError } | { readonly blocked: Dependency };
  /** Looked at only when the release is deployed. */
  readonly health?: Health;
}

/** What is true of an instance that is to stay. */
export type ActiveState =
  | { readonly kind: 'Suspended' }
  | { readonly kind: 'FinalizerMissing' }
  | { readonly kind: 'NoEnvironment'; readonly error: AppError }
  | { readonly kind: 'BeyondLimit'; readonly error: AppError }
  /** It expired before it was released. */
  | { readonly kind: 'Expired' }
  /** The namespace that is dedicated to it does not exist. */
  | { readonly kind: 'NamespaceMissing' }
  | { readonly kind: 'NamespaceTerminating'; readonly message: string }
  /** Somebody else's. */
  | { readonly kind: 'NamespaceTaken'; readonly message: string }
  /** Somebody else has a release of that name. */
  | { readonly kind: 'Foreign'; readonly release: ForeignRelease }
  /** The record of the newest revision has changed. */
  | { readonly kind: 'RecordChanged'; readonly error: AppError }
  /** A worker that is gone has left the release pending. */
  | { readonly kind: 'Locked' }
  /** Workloads are to be scaled to zero, or back. */
  | { readonly kind: 'SleepDue'; readonly release: OwnRelease; readonly sleep: SleepFact }
  /** Nothing of it runs, as desired. */
  | { readonly kind: 'Asleep'; readonly release: OwnRelease; readonly sleep: SleepFact }
  | { readonly kind: 'Waiting'; readonly wait: number }
  /** Its definition, version, chart or values cannot be had. */
  | { readonly kind: 'Unresolved'; readonly error: AppError }
  /** An instance that it takes outputs of is not ready, or takes outputs of it in turn. */
  | { readonly kind: 'Blocked'; readonly dependency: Dependency }
  | { readonly kind: 'Absent'; readonly target: Target }
  /** The desired state has moved, Helm could not make the newest revision, or somebody has asked. */
  | { readonly kind: 'OutOfSync'; readonly target: Target }
  | { readonly kind: 'RollbackDue'; readonly failure: RevisionFailure }
  /** The target failed, and what runs is a revision before; or bringing that back failed, too. */
  | { readonly kind: 'RolledBack'; readonly target: Target; readonly rollback: Rollback; readonly outcome: 'Deployed' | 'Failed' }
  /** Somebody has made a revision with helm; what it has is not known. */
  | { readonly kind: 'ChangedByHand'; readonly target: Target; readonly release: OwnRelease }
  /** As desired and healthy, and somebody has asked for its tests. */
  | { readonly kind: 'TestDue'; readonly target: Target; readonly release: OwnRelease }
  /** The release is as desired; how its objects are, conditions say. */
  | { readonly kind: 'InSync'; readonly target: Target };

/** A revision that failed, and the one to roll back to. */
export interface RevisionFailure {
  readonly target: Target;
  readonly revision: number;
  readonly toRevision: number;
  readonly cause: RollbackCause;
}

/** Says what is true of an instance; what to do about it is for `reconcileInstance`. Pure. */
export function determineActiveState(facts: ActiveFacts): ActiveState {
  const { release, target } = facts;
  if (facts.suspended) return { kind: 'Suspended' };
  if (facts.noEnvironment !== undefined) return { kind: 'NoEnvironment', error: facts.noEnvironment };
  if (!facts.hasFinalizer) return { kind: 'FinalizerMissing' };
  if (release.kind !== 'Own' && facts.limit !== undefined)
    return facts.limit.kind === 'Undecided' ? { kind: 'Waiting', wait: UNDECIDED_MS } : { kind: 'BeyondLimit', error: facts.limit.error };
  if (facts.expired && release.kind === 'Absent') return { kind: 'Expired' };
  const place = namespaceState(facts);
  if (place !== undefined) return place;
  if (release.kind === 'Foreign' && !isAdoptable(facts, release)) return { kind: 'Foreign', release };
  if (release.kind === 'Own' && isPending(release))
    return isUnderWay(facts, release) ? { kind: 'Waiting', wait: PENDING_MS } : { kind: 'Locked' };
  if (facts.recordFault !== undefined) return { kind: 'RecordChanged', error: facts.recordFault };
  const sleep = sleepState(facts);
  if (sleep !== undefined) return sleep;
  if (facts.wait > 0 || target === undefined) return { kind: 'Waiting', wait: facts.wait };
  if ('error' in target) return { kind: 'Unresolved', error: target.error };
  if ('blocked' in target) return { kind: 'Blocked', dependency: target.blocked };
  const next = releaseState(facts, target);
  const isChange = next.kind === 'Absent' || next.kind === 'OutOfSync';
  return isChange && target.waitsFor !== undefined ? { kind: 'Blocked', dependency: target.waitsFor } : next;
}

/** What sleeps stays as it is, like what is suspended. A release that is not deployed comes first. */
function sleepState({ release, sleep, forced }: ActiveFacts): ActiveState | undefined {
  if (release.kind !== 'Own' || release.status !== 'deployed' || sleep === undefined || forced) return undefined;
  const isSettled = sleep.wanted && sleep.fact.changes.length === 0;
  return { kind: isSettled ? 'Asleep' : 'SleepDue', release, sleep: sleep.fact };
}

function releaseState(facts: ActiveFacts, target: Target): ActiveState {
  const { release } = facts;
  if (release.kind === 'Own') return installedState(facts, { release, target });
  return release.kind === 'Foreign' ? { kind: 'OutOfSync', target } : { kind: 'Absent', target };
}

/** How soon to look whether the controller of AppDefinitions has decided. */
const UNDECIDED_MS = 2_000;
/** How soon to look again at a release that somebody else is changing. */
const PENDING_MS = 2_000;

/** Until the namespace is ours, nothing is done in it. */
function namespaceState({ dedicated }: ActiveFacts): ActiveState | undefined {
  switch (dedicated?.kind) {
    case undefined:
    case 'Ours':
      return undefined;
    case 'Missing':
      return { kind: 'NamespaceMissing' };
    case 'Terminating':
      return { kind: 'NamespaceTerminating', message: dedicated.message };
    case 'Foreign':
      return { kind: 'NamespaceTaken', message: dedicated.message };
    default:
      return dedicated satisfies never;
  }
}

/** Whether somebody is changing the release with helm, who holds no lease of ours. */
function isUnderWay({ managedRevision, recent }: ActiveFacts, { revision }: OwnRelease): boolean {
  return recent && managedRevision !== undefined && revision > managedRevision;
}

/** Whether somebody asks for a release that nobody owns, and that nobody is changing. */
function isAdoptable({ adopt }: Pick<ActiveFacts, 'adopt'>, release: ForeignRelease): boolean {
  return adopt && release.owner === '' && !isPending(release);
}

interface Installed {
  readonly release: OwnRelease;
  readonly target: Target;
}

function installedState(facts: ActiveFacts, installed: Installed): ActiveState {
  const { release, target } = installed;
  const { rollback } = facts;
  if (facts.forced) return { kind: 'OutOfSync', target };
  if (rollback?.digest === target.configDigest && release.revision >= rollback.revision) {
    if (release.revision === rollback.revision) return { kind: 'RollbackDue', failure: { ...rollback, target } };
    return { kind: 'RolledBack', target, rollback, outcome: release.status === 'deployed' ? 'Deployed' : 'Failed' };
  }
  if (isByHand(facts, installed)) return { kind: 'ChangedByHand', target, release };
  const moved = release.configDigest !== target.configDigest;
  const failure = moved ? undefined : failureOf(facts, installed);
  if (failure !== undefined) return { kind: 'RollbackDue', failure };
  if (moved || release.status !== 'deployed') return { kind: 'OutOfSync', target };
  return facts.testAsked && facts.health?.status === 'Healthy' ? { kind: 'TestDue', target, release } : { kind: 'InSync', target };
}

/** Helm passes our labels on to revisions that others make, so they are known by their number. What people want anew in the spec goes over them. */
function isByHand({ managedRevision, appliedDigest }: ActiveFacts, { release, target }: Installed): boolean {
  return managedRevision !== undefined && release.revision > managedRevision && appliedDigest === target.configDigest;
}

/** The way back from the newest revision, when it failed and there is one. */
function failureOf(facts: ActiveFacts, { release, target }: Installed): RevisionFailure | undefined {
  const { health, overdue, recovery, wasHealthy } = facts;
  if (recovery === undefined || wasHealthy) return undefined;
  const isUnwell = overdue && health !== undefined && !['Healthy', 'Suspended'].includes(health.status) && health.lacks === undefined;
  const cause = release.status === 'failed' ? 'UpgradeFailed' : isUnwell ? 'Unhealthy' : undefined;
  return cause && { target, revision: release.revision, toRevision: recovery, cause };
}
