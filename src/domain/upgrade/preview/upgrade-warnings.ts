import { isMajorStep, isNewer } from '../../chart/chart-version.ts';
import type { OperatorStatus } from '../../operator/operator-status.ts';
import type { PreviewedChart } from './upgrade-preview.ts';

export interface WarningsInput {
  readonly status: Pick<OperatorStatus, 'release' | 'pendingUpgrade'>;
  /** The chart that is installed, where it can be had. */
  readonly from: PreviewedChart | undefined;
  readonly to: PreviewedChart;
  /** Whether the installed chart renders still. */
  readonly before: 'Rendered' | 'Broken';
  /** How many sources of values the actor may not read. */
  readonly unread: number;
}

/** What to know about a preview, in sentences. */
export function upgradeWarnings({ status, from, to, before, unread }: WarningsInput): string[] {
  const [installed, wanted] = [from?.version ?? '', to.version];
  const isSameChart = from?.digest === to.digest;
  return [
    ...(isMajorStep(installed, wanted) ? [`${wanted} is another major version than ${installed}: read its release notes first`] : []),
    ...(isNewer(installed, wanted) ? [`${wanted} is older than ${installed}, which is installed`] : []),
    ...(status.release === undefined ? ['Nothing is installed yet, so everything is new'] : []),
    ...(status.release !== undefined && from === undefined
      ? ['The installed chart can no longer be fetched, so everything appears as new']
      : []),
    ...(before === 'Broken' ? ['The installed chart no longer renders, so everything appears as new'] : []),
    ...(isSameChart && status.pendingUpgrade?.reason === 'OutsideWindow'
      ? ['Values or settings wait for the maintenance window. Both sides are rendered with the current ones, so their effect is not shown']
      : []),
    ...(unread > 0 ? ['Values that you may not read have the same placeholder on both sides'] : []),
  ];
}
