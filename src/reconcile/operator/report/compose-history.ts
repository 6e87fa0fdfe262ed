import type { OperatorStatus } from '../../../domain/operator-status.ts';
import { recordHistory, type Revision, type RevisionChart } from '../../../domain/revision-history.ts';
import type { Rollback } from '../../../domain/rollback.ts';
import type { Chart } from '../ports.ts';
import type { Work } from '../work.ts';
import type { Finding } from './compose-status.ts';

/** The history of an Operator after what was found out. */
export function composeHistory({ status, spec }: Work, finding: Finding, rollback: Rollback | undefined): readonly Revision[] {
  const { release, marks = {} } = finding;
  if (release.kind === 'Foreign') return status.history;
  return recordHistory({
    earlier: status.history,
    records: release.kind === 'Own' ? release.records : [],
    chartOf: (step) => chartOf(status, finding, step),
    marks,
    rollback,
    limit: spec.historyLimit,
  });
}

/** What is being installed, what was tried last, or what an earlier revision of the same step was made of. */
function chartOf({ chart, lastAttempted, history }: OperatorStatus, finding: Finding, step: string): RevisionChart | undefined {
  if (step === '') return undefined;
  if (finding.chart !== undefined && finding.step === step) return revisionChart(finding.chart);
  const earlier = history.find(({ digest }) => digest === step);
  if (earlier !== undefined) return pick(earlier);
  if (chart === undefined || lastAttempted?.digest !== step || lastAttempted.chartDigest !== chart.digest) return undefined;
  return pick({ ...chart, chart: chart.name, chartDigest: chart.digest });
}

function revisionChart({ digest, contents }: Chart): RevisionChart {
  const { name, version, appVersion } = contents.metadata;
  return pick({ chart: name, version, appVersion, chartDigest: digest });
}

interface Described {
  readonly chart: string;
  readonly version: string;
  readonly appVersion?: string | undefined;
  readonly chartDigest?: string | undefined;
}

function pick({ chart, version, appVersion, chartDigest }: Described): RevisionChart {
  return { chart, version, ...(appVersion === undefined ? {} : { appVersion }), ...(chartDigest === undefined ? {} : { chartDigest }) };
}
