import type { AppError } from '../../domain/errors.ts';
import type { OperatorDeletionPolicy } from '../../domain/operator-spec.ts';
import type { DriftMode } from '../../domain/drift.ts';
import { isPending } from '../../domain/release.ts';
import type { Health } from '../../domain/health.ts';
import type { CrdFact } from './observe-crds.ts';
import type { DependencyFact } from './observe-dependencies.ts';
import type { DriftFact } from './observe-drift.ts';
import type { InstancesFact } from './observe-instances.ts';
import type { OwnRelease, ReleaseFact } from './observe-release.ts';
import type { Chart } from './ports.ts';
import type { ResolvedValues } from './resolve-values.ts';

/** What was seen of an Operator that is to stay. */
export interface LivingFacts {
  readonly guarded: boolean;
  readonly suspended: boolean;
  /** Milliseconds until the next attempt is due; 0 when it is due now. */
  readonly wait: number;
  readonly release: ReleaseFact;
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
}

/** What was seen of an Operator that is being deleted. */
export interface DyingFacts {
  readonly guarded: boolean;
  readonly policy: OperatorDeletionPolicy;
  readonly release: ReleaseFact;
  readonly crds: readonly CrdFact[];
  readonly instances: readonly InstancesFact[];
}

/** What is true of an Operator that is to stay. */
export type LivingState =
  | { readonly kind: 'Suspended' }
  | { readonly kind: 'Unguarded' }
  | { readonly kind: 'Foreign'; readonly owner: string }
  | { readonly kind: 'Pending'; readonly release: OwnRelease }
  | { readonly kind: 'Waiting'; readonly wait: number }
  | { readonly kind: 'Unfetched'; readonly error: AppError }
  /** Values that it takes from elsewhere cannot be read. */
  | { readonly kind: 'Unresolved'; readonly chart: Chart; readonly error: AppError }
  /** What it depends on is not there yet, or depends on it in turn. */
  | { readonly kind: 'Blocked'; readonly chart: Chart; readonly dependencies: DependencyFact }
  | { readonly kind: 'Absent'; readonly target: Target }
  | { readonly kind: 'Outdated'; readonly target: Target }
  /** Definitions that it brought are gone. */
  | { readonly kind: 'Undefined'; readonly target: Target }
  /** Objects are not as the release has them, and the Operator wants them put right. */
  | { readonly kind: 'Drifted'; readonly drift: DriftFact }
  | { readonly kind: 'Progressing'; readonly chart: Chart; readonly health: Health; readonly unestablished: readonly string[] }
  | { readonly kind: 'Degraded'; readonly chart: Chart; readonly health: Health }
  | { readonly kind: 'InStep'; readonly chart: Chart; readonly health: Health };

/** What is true of an Operator that is being deleted. */
export type DyingState =
  | { readonly kind: 'Released' }
  | { readonly kind: 'Orphaned' }
  | { readonly kind: 'InUse'; readonly instances: readonly InstancesFact[] }
  | { readonly kind: 'Emptying'; readonly instances: readonly InstancesFact[] }
  | { readonly kind: 'Installed' }
  | { readonly kind: 'Discarding'; readonly crds: readonly CrdFact[] }
  | { readonly kind: 'Vacant' };

/** What the release is to become. */
export interface Target {
  readonly chart: Chart;
  readonly values: ResolvedValues;
  readonly step: string;
}

/** Says what is; what to do about it is the plan's. */
export function determineLivingState(facts: LivingFacts): LivingState {
  const { release, chart } = facts;
  if (facts.suspended) return { kind: 'Suspended' };
  if (!facts.guarded) return { kind: 'Unguarded' };
  if (release.kind === 'Foreign') return { kind: 'Foreign', owner: release.owner };
  if (release.kind === 'Own' && isPending(release)) return { kind: 'Pending', release };
  if (facts.wait > 0 || chart === undefined) return { kind: 'Waiting', wait: facts.wait };
  if ('error' in chart) return { kind: 'Unfetched', error: chart.error };
  if ('unresolved' in chart) return { kind: 'Unresolved', chart: chart.chart, error: chart.unresolved };
  if (isBlocked(facts.dependencies)) return { kind: 'Blocked', chart: chart.chart, dependencies: facts.dependencies };
  if (release.kind === 'Absent') return { kind: 'Absent', target: chart };
  if (release.status !== 'deployed' || release.step !== chart.step) return { kind: 'Outdated', target: chart };
  if (lacksCrds(facts)) return { kind: 'Undefined', target: chart };
  if (isToBeCorrected(facts)) return { kind: 'Drifted', drift: facts.drift };
  return settledState(facts, chart.chart);
}

export function determineDyingState(facts: DyingFacts): DyingState {
  if (!facts.guarded) return { kind: 'Released' };
  if (facts.policy === 'Orphan') return { kind: 'Orphaned' };
  const used = facts.instances.filter(({ items }) => items.length > 0);
  if (used.length > 0) return { kind: facts.policy === 'Cascade' ? 'Emptying' : 'InUse', instances: used };
  if (facts.release.kind === 'Own') return { kind: 'Installed' };
  if (facts.policy === 'Cascade' && facts.crds.length > 0) return { kind: 'Discarding', crds: facts.crds };
  return { kind: 'Vacant' };
}

function isBlocked(fact: DependencyFact | undefined): fact is DependencyFact {
  return fact !== undefined && (fact.waiting.length > 0 || fact.cycle !== undefined);
}

function isToBeCorrected(facts: LivingFacts): facts is LivingFacts & { readonly drift: DriftFact } {
  const { drift, driftMode } = facts;
  return driftMode === 'Enabled' && drift !== undefined && drift.drifted.length > 0 && !drift.contended;
}

function lacksCrds({ crds, expectedCrds }: LivingFacts): boolean {
  return expectedCrds.some((name) => !crds.some((crd) => crd.name === name));
}

function settledState({ crds, health }: LivingFacts, chart: Chart): LivingState {
  const unestablished = crds.filter((crd) => !crd.established).map((crd) => crd.name);
  const known = health ?? { word: 'Unknown', message: 'Its workloads were not looked at' };
  const progressing = known.word === 'Progressing' || known.word === 'Unknown' || known.word === 'Missing';
  if (progressing || unestablished.length > 0) return { kind: 'Progressing', chart, health: known, unestablished };
  return { kind: known.word === 'Degraded' ? 'Degraded' : 'InStep', chart, health: known };
}
