import { lastHealthyRevision, type RevisionResults } from '../../../domain/operator/revision-history.ts';
import type { ReleaseFact } from '../../helm-release/observe-release.ts';
import type { Work } from '../work.ts';

/** What the history tells about the newest revision. */
export interface PastFact {
  readonly results: RevisionResults;
  /** The newest revision has had its time to become healthy. */
  readonly overdue: boolean;
  /** The revision to go back to should the newest one have failed; absent when there is none. */
  readonly recovery?: number;
}

/** Reads the history for what is to be decided about the newest revision. Pure but for the clock. */
export function readHistory({ status, spec, ports }: Pick<Work, 'status' | 'spec' | 'ports'>, release: ReleaseFact): PastFact {
  const [newest] = release.kind === 'Own' ? release.records : [];
  if (release.kind !== 'Own' || newest === undefined) return { results: {}, overdue: false };
  const entry = status.history.find(({ revision, time }) => revision === newest.revision && time === newest.time);
  const { tested, healthy } = entry ?? {};
  const recovery = lastHealthyRevision(status.history, release.records);
  const age = ports.now().getTime() - Date.parse(newest.time);
  return {
    results: { ...(tested === undefined ? {} : { tested }), ...(healthy === undefined ? {} : { healthy }) },
    overdue: healthy !== true && age > spec.upgrade.healthTimeout,
    ...(recovery === undefined ? {} : { recovery }),
  };
}
