import { specOf, statusOf } from '../../domain/kind/kind.ts';
import { mergeConditions, type ConditionInput } from '../../domain/kubernetes/condition.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { CATALOG_SOURCE } from '../../domain/kubernetes/resource-types.ts';
import { type KubeObject, timestamp } from '../../domain/kubernetes/resource.ts';
import {
  CATALOG_SOURCE_KIND,
  type HistoryEntry,
  originOfSpec,
  type PendingRemoval,
  type SourceFault,
  type SourceStatus,
  storedStatus,
} from '../../domain/source/catalog-source.ts';
import type { DependencyProblem } from '../../domain/source/dependencies.ts';
import type { SourceCommit } from '../../domain/source/git-source.ts';
import { NO_CHANGES, type RevisionChanges, withResult } from '../../domain/source/source-history.ts';
import { applyStatus } from '../apply-status.ts';
import { removalConditions, removalNames } from './report-removals.ts';
import { unapprovedRemovals } from '../../domain/source/decide-removals.ts';
import { nameOfItem, sameFault } from '../../domain/source/check-documents.ts';
import type { Unhealthy } from './check-health.ts';
import type { SourcePorts } from './ports.ts';
import type { Synchronised, SynchroniseInput } from './synchronise.ts';

/** How an attempt to bring a source in step ended. */
export type SourceOutcome =
  | {
      readonly kind: 'Synced';
      readonly resources: number;
      readonly files: number;
      /** Resources without a document that are removed after `spec.pruneDelay`. */
      readonly pending: readonly PendingRemoval[];
    }
  | { readonly kind: 'Invalid'; readonly faults: readonly SourceFault[]; readonly unit: SynchroniseInput['unit'] }
  | {
      readonly kind: 'PruneNotApproved';
      readonly source: string;
      readonly revision: string;
      readonly owned: number;
      readonly unapproved: readonly PendingRemoval[];
    }
  | {
      readonly kind: 'WaitingForHealth' | 'HealthCheckFailed';
      readonly first: Unhealthy;
      readonly others: number;
      /** The resources whose CRDs an Operator has to bring first. */
      readonly waiting: readonly string[];
    }
  | (DependencyProblem & { readonly kind: 'Blocked' })
  | { readonly kind: 'Rejected'; readonly reason: string; readonly fault: SourceFault }
  | { readonly kind: 'Suspended' };

export interface Work {
  readonly ports: SourcePorts;
  readonly source: KubeObject;
  readonly signal: AbortSignal;
}

const MAX_FAULTS = 100;

export interface Report {
  readonly outcome: SourceOutcome;
  readonly faults: readonly SourceFault[];
  readonly inventory?: SourceStatus['inventory'];
  /** What was read, if anything was. */
  readonly read?: { readonly revision: string; readonly commit?: SourceCommit };
  /** Default: as before, because nothing is known about them. */
  readonly pendingRemovals?: readonly PendingRemoval[];
  readonly applied?: number;
  readonly changes?: RevisionChanges;
}

/** Writes what came of an attempt into the status, and each new fault into the log. */
export async function reportSource({ ports, source, signal }: Work, found: Report): Promise<void> {
  const before = statusOf(CATALOG_SOURCE_KIND, source);
  const now = timestamp(ports.now());
  const observedGeneration = source.metadata.generation ?? 0;
  const { revision, commit } = found.read ?? before;
  const partial = found.outcome.kind === 'Synced' ? undefined : before.partialRevision;
  const pending = found.pendingRemovals ?? before.pendingRemovals;
  const conditions = [...sourceConditions(found.outcome, revisionSentence(partial, found.read?.revision)), ...removalConditions(pending)];
  const asked = found.outcome.kind === 'Suspended' ? undefined : source.metadata.annotations?.[OURS.reconcileAt];
  const handled = asked ?? before.lastHandledReconcileAt;
  const appliedRevision = found.outcome.kind === 'Synced' ? revision : before.lastAppliedRevision;
  const time = appliedRevision === before.lastAppliedRevision ? before.lastAppliedTime : now;
  const status: SourceStatus = {
    observedGeneration,
    ...(handled === undefined ? {} : { lastHandledReconcileAt: handled }),
    ...(revision === undefined ? {} : { revision }),
    ...(appliedRevision === undefined ? {} : { lastAppliedRevision: appliedRevision }),
    ...(time === undefined ? {} : { lastAppliedTime: time }),
    ...originAfter(source, found),
    ...(partial === undefined ? {} : { partialRevision: partial }),
    ...(commit === undefined ? {} : { commit }),
    history: historyAfter(before.history, found, { time: now, message: conditions[0]?.message ?? '' }),
    inventory: found.inventory ?? before.inventory,
    faults: found.faults,
    pendingRemovals: pending.slice(0, MAX_FAULTS),
    ...(pending.length === 0 ? {} : { removals: pending.length }),
    conditions: mergeConditions(
      before.conditions,
      conditions.map((condition) => ({ ...condition, observedGeneration })),
      now,
    ),
  };
  await writeSourceStatus(ports, { source, status, signal });
  logFaults(ports, source, { known: before.faults, faults: found.faults });
}

/** What was synchronised says where the inventory comes from; what was only read or rejected does not. */
function originAfter(source: KubeObject, { outcome, read }: Report): Pick<SourceStatus, 'origin'> {
  const { origin } = statusOf(CATALOG_SOURCE_KIND, source);
  const found = read !== undefined && outcome.kind !== 'Rejected' ? originOfSpec(specOf(CATALOG_SOURCE_KIND, source)) : origin;
  return found === undefined ? {} : { origin: found };
}

interface FaultsToLog {
  readonly known: readonly SourceFault[];
  readonly faults: readonly SourceFault[];
}

function logFaults({ log }: SourcePorts, { metadata }: KubeObject, { known, faults }: FaultsToLog): void {
  for (const fault of faults.filter((each) => !known.some((one) => sameFault(one, each)))) {
    const keys = { source: metadata.name, place: placeOf(fault), resource: fault.resource };
    log.warn('The catalogue has a fault', { ...keys, fault: fault.message });
  }
}

const HISTORY_OUTCOMES = {
  Synced: 'Applied',
  Invalid: 'Failed',
  Rejected: 'Failed',
  PruneNotApproved: 'Waiting',
  HealthCheckFailed: 'Failed',
  WaitingForHealth: undefined,
  Blocked: undefined,
  Suspended: undefined,
} as const satisfies Record<SourceOutcome['kind'], HistoryEntry['outcome'] | undefined>;

/** What could not be read has no revision, and so no entry. */
function historyAfter(
  history: SourceStatus['history'],
  { outcome: { kind }, read, applied = 0, changes = NO_CHANGES }: Report,
  at: Pick<HistoryEntry, 'time' | 'message'>,
): SourceStatus['history'] {
  const outcome = HISTORY_OUTCOMES[kind];
  if (read === undefined || outcome === undefined) return history;
  const { revision, commit } = read;
  return withResult(history, { revision, ...at, outcome, applied, changes, ...(commit === undefined ? {} : { commit }) });
}

interface Changes {
  readonly before: SourceStatus;
  readonly done: Synchronised;
  readonly revision: string;
}

/** Logs what an attempt changed, and writes Events about it. */
export async function logChanges({ ports, source }: Work, { before, done, revision }: Changes): Promise<void> {
  const keys = { source: source.metadata.name };
  const renamed = new Map(done.inventory.map((item) => [`${item.kind} ${item.movedFrom ?? ''}`, nameOfItem(item)]));
  for (const resource of done.pruned) {
    const to = renamed.get(resource);
    if (to === undefined) ports.log.info('A resource was removed from the catalogue', { ...keys, resource });
    else ports.log.info('A resource was renamed in the catalogue', { ...keys, resource, to });
  }
  for (const resource of done.handedOver) ports.log.info('A resource was transferred to another source', { ...keys, resource });
  if (before.lastAppliedRevision === revision) await reportHealed(ports, source, done.changed);
  if (
    done.faults.length > 0 ||
    unapprovedRemovals(done.pending).length > 0 ||
    done.unhealthy.length > 0 ||
    before.lastAppliedRevision === revision
  )
    return;
  const counts = { resources: done.applied.length, changed: done.changed.length, deleted: done.pruned.length };
  ports.log.info('The catalogue is in sync with its folder', { ...keys, ...counts, revision: revision.slice(0, 19) });
  const message = `${revision}: ${count(counts.changed, 'resource')} changed, ${count(counts.deleted, 'resource')} deleted`;
  await ports.events.record(source, { type: 'Normal', reason: 'Applied', message });
}

/** The revision is the same, so that somebody has changed or deleted what had to be applied again. */
async function reportHealed(ports: SourcePorts, source: KubeObject, healed: readonly string[]): Promise<void> {
  if (healed.length === 0) return;
  for (const resource of healed) ports.log.info('A resource was applied again', { source: source.metadata.name, resource });
  const message = `${healed.slice(0, 5).join(', ')}${healed.length > 5 ? ' and others' : ''} had been changed or deleted`;
  await ports.events.record(source, { type: 'Normal', reason: 'Healed', message: `Applied again: ${message}` });
}

function placeOf(fault: SourceFault): string {
  if (fault.file === '') return 'the folder';
  return fault.line === 0 ? fault.file : `${fault.file}:${fault.line}`;
}

/** What of a revision that was not applied as a whole is live. */
function revisionSentence(partial: string | undefined, revision: string | undefined): string {
  if (partial === undefined) return 'nothing of this revision is applied';
  return partial === revision ? 'this revision is live in part' : `nothing of this revision is applied, and ${partial} is live in part`;
}

/**
 * The conditions of a CatalogSource. A fault waits for a person, so the source is stalled until then.
 *
 * @param state what is live of a revision that cannot be applied as a whole.
 */
function sourceConditions(outcome: SourceOutcome, state: string): ConditionInput[] {
  switch (outcome.kind) {
    case 'Synced': {
      const message = `${count(outcome.resources, 'resource')} of ${count(outcome.files, 'file')} ${outcome.resources === 1 ? 'is' : 'are'} live`;
      const next = outcome.pending.length === 0 ? '' : `; ${count(outcome.pending.length, 'resource')} without a document pending removal`;
      return [{ type: 'Ready', status: 'True', reason: 'Synced', message: `${message}${next}` }];
    }
    case 'Invalid':
      return stalled('Invalid', faultySentence(outcome, state));
    case 'PruneNotApproved':
      return stalled('PruneNotApproved', pruneSentence(outcome));
    case 'Rejected':
      return stalled(outcome.reason, outcome.fault.message);
    case 'WaitingForHealth': {
      const message = healthSentence(outcome);
      const reason = outcome.kind;
      return [
        { type: 'Ready', status: 'Unknown', reason, message },
        { type: 'Reconciling', status: 'True', reason, message },
      ];
    }
    case 'HealthCheckFailed':
      return [{ type: 'Ready', status: 'False', reason: outcome.kind, message: healthSentence(outcome) }];
    case 'Blocked':
      if (outcome.reason === 'DependencyCycle') return stalled(outcome.reason, outcome.message);
      return [{ type: 'Ready', status: 'False', reason: outcome.reason, message: outcome.message }];
    case 'Suspended':
      return [{ type: 'Ready', status: 'False', reason: 'Suspended', message: 'The source is suspended' }];
    default:
      return outcome satisfies never;
  }
}

function healthSentence({
  kind,
  first,
  others,
  waiting,
}: Extract<SourceOutcome, { kind: 'WaitingForHealth' | 'HealthCheckFailed' }>): string {
  const more = others === 0 ? '' : `; so ${others === 1 ? 'is' : 'are'} ${count(others, 'more resource')}`;
  const since = kind === 'HealthCheckFailed' ? ' after spec.timeout' : '';
  const [resource = '', ...rest] = waiting;
  const needs =
    waiting.length === 0
      ? ''
      : `; ${resource}${rest.length === 0 ? ' waits' : ` and ${count(rest.length, 'more resource')} wait`} for its CRD`;
  return `${first.resource} is ${first.status}${since}: ${first.message}${more}${needs}; nothing is deleted until then`;
}

function pruneSentence({ source, revision, owned, unapproved }: Extract<SourceOutcome, { kind: 'PruneNotApproved' }>): string {
  const command = `kubectl annotate --overwrite catalogsource ${source} ${OURS.approvedPrune}=${revision}`;
  const removes = `${revision} would remove ${unapproved.length} of ${count(owned, 'resource')} (${removalNames(unapproved)})`;
  return `${removes}; everything else is live. To undo it, restore the documents. To approve it: ${command}`;
}

function faultySentence({ faults, unit }: Extract<SourceOutcome, { kind: 'Invalid' }>, state: string): string {
  const [first] = faults;
  const place = first === undefined ? '' : [first.file, ...(first.line === 0 ? [] : [first.line])].join(':');
  const more = faults.length > 1 ? `; ${count(faults.length - 1, 'more fault')} in status.faults` : '';
  return `${place}: ${first?.message ?? ''}${more}; ${unit === 'Revision' ? state : 'everything else is live'}`;
}

function stalled(reason: string, message: string): ConditionInput[] {
  return [
    { type: 'Ready', status: 'False', reason, message },
    { type: 'Stalled', status: 'True', reason, message },
  ];
}

function count(number: number, word: string): string {
  return `${number} ${word}${number === 1 ? '' : 's'}`;
}

/** Writes the status, with no more faults than it may hold. */
export async function writeSourceStatus(
  { cluster }: SourcePorts,
  input: { source: KubeObject; status: SourceStatus; signal: AbortSignal },
): Promise<void> {
  const { source, signal } = input;
  const status = storedStatus({ ...input.status, faults: input.status.faults.slice(0, MAX_FAULTS) });
  await applyStatus(cluster, CATALOG_SOURCE, { object: source, status, signal });
}
