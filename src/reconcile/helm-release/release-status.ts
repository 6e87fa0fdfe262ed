import type { Revision, Rollback } from '../../domain/operator/kind/status-fields.ts';
import type { OperatorStatus } from '../../domain/operator/operator-status.ts';
import { recordHistory, type RevisionChart, type RevisionResults } from '../../domain/operator/revision-history.ts';
import type { ReleaseFact } from './observe-release.ts';
import type { Chart, ReleaseRef } from './ports.ts';

/** What a status says of a chart. */
export function chartStatus({ digest, contents }: ChartOfRelease): NonNullable<OperatorStatus['chart']> {
  const { name, version, appVersion } = contents.metadata;
  return { name, version, ...(appVersion === undefined ? {} : { appVersion }), digest };
}

type ChartOfRelease = Pick<Chart, 'digest'> & { readonly contents: Pick<Chart['contents'], 'metadata'> };

/** What a status says of a release that is the resource's own. */
export function releaseStatus({ release, namespace }: ReleaseRef, fact: ReleaseFact): Pick<OperatorStatus, 'release'> {
  if (fact.kind !== 'Own') return {};
  return { release: { name: release, namespace, revision: fact.revision, status: fact.status } };
}

interface HistoryInput {
  /** As it was read. */
  readonly status: Pick<OperatorStatus, 'chart' | 'history' | 'lastAttempted'>;
  readonly release: ReleaseFact;
  /** What is being installed, with the digest of its configuration. */
  readonly installing?: { readonly chart: Chart; readonly configDigest: string } | undefined;
  readonly results?: RevisionResults | undefined;
  readonly rollback: Rollback | undefined;
  readonly limit: number;
}

/** The history of a status after what was found out about the release. That of somebody else's changes nothing. */
export function releaseHistory({ status, release, installing, results = {}, rollback, limit }: HistoryInput): readonly Revision[] {
  if (release.kind === 'Foreign') return status.history;
  const records = release.kind === 'Own' ? release.records : [];
  const chartOf = (configDigest: string): RevisionChart | undefined =>
    configDigest === installing?.configDigest ? chartOfStatus(chartStatus(installing.chart)) : knownChart(status, configDigest);
  return recordHistory({ earlier: status.history, records, chartOf, results, rollback, limit });
}

/** What an earlier revision of the same configuration was made of, or what was tried last. */
function knownChart({ chart, history, lastAttempted }: HistoryInput['status'], configDigest: string): RevisionChart | undefined {
  if (configDigest === '') return undefined;
  const earlier = history.find(({ digest }) => digest === configDigest);
  if (earlier !== undefined) return pick(earlier);
  if (chart === undefined || lastAttempted?.digest !== configDigest || lastAttempted.chartDigest !== chart.digest) return undefined;
  return chartOfStatus(chart);
}

function chartOfStatus({ name, digest, ...chart }: NonNullable<OperatorStatus['chart']>): RevisionChart {
  return pick({ ...chart, chart: name, chartDigest: digest });
}

function pick({ chart, version, appVersion, chartDigest }: RevisionChart): RevisionChart {
  return { chart, version, ...(appVersion === undefined ? {} : { appVersion }), ...(chartDigest === undefined ? {} : { chartDigest }) };
}
