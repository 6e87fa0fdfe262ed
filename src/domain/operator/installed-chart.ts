import type { OperatorStatus } from './operator-status.ts';

/** What the newest deployed revision was made of; undefined when nothing is installed. */
export function installedChart({ history, chart, release }: OperatorStatus): OperatorStatus['chart'] {
  const deployed = history.find(({ status }) => status === 'deployed');
  if (deployed?.chartDigest !== undefined && deployed.version !== '') {
    const { chart: name, version, appVersion, chartDigest: digest } = deployed;
    return { name, version, ...(appVersion === undefined ? {} : { appVersion }), digest };
  }
  return release === undefined ? undefined : chart;
}
