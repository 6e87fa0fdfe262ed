import type { OperatorStatus } from '../../../domain/operator/operator-status.ts';

/** The chart of a revision, as the history remembers it; undefined when it does not. */
export function chartOfRevision({ history }: OperatorStatus, revision: number): OperatorStatus['chart'] {
  const entry = history.find((known) => known.revision === revision);
  if (entry?.chartDigest === undefined) return undefined;
  const { chart: name, version, appVersion, chartDigest: digest } = entry;
  return { name, version, ...(appVersion === undefined ? {} : { appVersion }), digest };
}
