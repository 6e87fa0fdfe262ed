import { type Revision, REVISION_STATUSES } from './kind/status-fields.ts';
import type { ReleaseStatus } from './release.ts';
import type { OperatorStatus } from './operator-status.ts';

/** What Helm's record of a revision tells by its labels. */
export interface RevisionRecord {
  readonly revision: number;
  readonly status: ReleaseStatus;
  /** The configuration digest; empty when it has none. */
  readonly configDigest: string;
  /** RFC 3339. */
  readonly time: string;
}

/** What is known of the chart of a step. */
export type RevisionChart = Pick<Revision, 'chart' | 'version' | 'appVersion' | 'chartDigest'>;

/** What was found out about the newest revision. */
export type RevisionResults = Pick<Revision, 'tested' | 'healthy'>;

export interface HistoryInput {
  readonly earlier: readonly Revision[];
  /** In any order; none: there is no release. */
  readonly records: readonly RevisionRecord[];
  /** The chart of a step, where it is known. */
  readonly chartOf: (configDigest: string) => RevisionChart | undefined;
  readonly results: RevisionResults;
  /** A rollback that was begun: from which revision to which. */
  readonly rollback: { readonly revision: number; readonly toRevision: number } | undefined;
  readonly limit: number;
}

/**
 * Brings the history up to what Helm's records say; newest first. The same input gives the same history, however often. A revision that is under
 * way, or whose chart nobody knows, is left out. Of a release that was made anew nothing of the old one is kept.
 */
export function recordHistory({ earlier, records, chartOf, results, rollback, limit }: HistoryInput): readonly Revision[] {
  const newest = Math.max(0, ...records.map(({ revision }) => revision));
  const known = new Map(earlier.filter((entry) => entry.revision <= newest).map((entry) => [entry.revision, entry]));
  for (const record of records) {
    const before = known.get(record.revision);
    const same = before !== undefined && before.time === record.time ? before : undefined;
    const entry = entryOf(record, same, chartOf);
    if (entry === undefined) known.delete(record.revision);
    else known.set(record.revision, record.revision === newest ? { ...entry, ...results } : entry);
  }
  return [...known.values()]
    .map((entry) => withRollback(entry, newest, rollback))
    .sort((a, b) => b.revision - a.revision)
    .slice(0, limit);
}

/**
 * The revision to go back to when the newest one failed: the newest earlier one that was healthy. Of revisions that are older than the history
 * itself the newest that was deployed. None when the same step was healthy before: then it is not the step that is at fault.
 */
export function lastHealthyRevision(history: readonly Revision[], records: readonly RevisionRecord[]): number | undefined {
  const known = new Map(history.map((entry) => [entry.revision, entry]));
  const [newest, ...older] = [...records].sort((a, b) => b.revision - a.revision);
  if (newest === undefined) return undefined;
  if (history.some(({ digest, healthy, revision }) => healthy === true && digest === newest.configDigest && revision !== newest.revision))
    return undefined;
  const usable = older.filter(
    ({ status, configDigest }) => (status === 'deployed' || status === 'superseded') && configDigest !== newest.configDigest,
  );
  const healthy = usable.find(({ revision }) => known.get(revision)?.healthy === true);
  return (healthy ?? usable.find(({ revision }) => !known.has(revision)))?.revision;
}

function entryOf(
  { revision, status, configDigest, time }: RevisionRecord,
  before: Revision | undefined,
  chartOf: HistoryInput['chartOf'],
): Revision | undefined {
  const word = REVISION_STATUSES.find((candidate) => candidate === status);
  if (word === undefined) return before;
  if (before !== undefined) return { ...before, status: before.status === 'rolled-back' ? before.status : word };
  const chart = chartOf(configDigest);
  return chart === undefined ? undefined : { revision, ...chart, digest: configDigest, time, status: word };
}

function withRollback(entry: Revision, newest: number, rollback: HistoryInput['rollback']): Revision {
  if (rollback === undefined || entry.revision !== rollback.revision || newest === rollback.revision) return entry;
  return { ...entry, status: 'rolled-back', rolledBackTo: rollback.toRevision };
}

/** The chart of a revision, as the history remembers it; undefined when it does not. */
export function chartOfRevision({ history }: OperatorStatus, revision: number): OperatorStatus['chart'] {
  const entry = history.find((known) => known.revision === revision);
  if (entry?.chartDigest === undefined) return undefined;
  const { chart: name, version, appVersion, chartDigest: digest } = entry;
  return { name, version, ...(appVersion === undefined ? {} : { appVersion }), digest };
}
