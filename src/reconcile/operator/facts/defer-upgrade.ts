import type { PendingUpgrade } from '../../../domain/operator/kind/status-fields.ts';
import { isNewer } from '../../../domain/chart/chart-version.ts';
import { AppError } from '../../../domain/core/errors.ts';
import { installedChart } from '../../../domain/operator/operator-status.ts';
import { isOpen, nextOpening } from '../../../domain/upgrade/maintenance-window.ts';
import type { OwnRelease } from '../../helm-release/observe-release.ts';
import type { Chart } from '../../helm-release/ports.ts';
import { readChartAccess } from '../charts/fetch-chart.ts';
import type { ActiveFacts, Target } from '../state.ts';
import type { Work } from '../work.ts';
import { timestamp } from '../../../domain/kubernetes/resource.ts';

/** An upgrade that the maintenance window holds, and what the release is meanwhile. */
export type Deferral = Pick<ActiveFacts, 'held'> & { readonly chart: Target };

/**
 * Whether the maintenance window holds an upgrade of the release now. What runs is then the target until the window opens, so that its health is
 * looked at, and its CRDs and objects are put right, as ever. Undefined when nothing is held.
 */
export async function deferUpgrade(
  work: Work,
  facts: Pick<ActiveFacts, 'forced' | 'rollback'>,
  { release, target }: { readonly release: OwnRelease; readonly target: Target },
): Promise<Deferral | undefined> {
  const { window } = work.spec.upgrade;
  const now = work.ports.now();
  if (window === undefined || facts.forced || facts.rollback?.digest === target.configDigest || isOpen(window, now)) return undefined;
  if (release.configDigest === target.configDigest && release.status === 'deployed') return undefined;
  const { digest, contents } = target.chart;
  const { version } = contents.metadata;
  const opensAt = timestamp(nextOpening(window, now));
  const held: PendingUpgrade = { version, chartDigest: digest, reason: 'OutsideWindow', opensAt };
  if (release.status === 'deployed')
    return { held, chart: { ...target, chart: await chartThatRuns(work, target.chart), configDigest: release.configDigest } };
  // An upgrade that failed is tried again when the window is open. A first installation never waits.
  const hasRun = release.records.some(({ status }) => status === 'superseded' || status === 'deployed');
  return hasRun && release.status === 'failed' ? { held, chart: target } : undefined;
}

async function chartThatRuns(work: Work, next: Chart): Promise<Chart> {
  const installed = installedChart(work.status);
  if (installed === undefined || installed.digest === next.digest) return next;
  return { ...((await fetchInstalled(work, installed)) ?? withoutFile(installed)), ...offerOf(next, installed.version) };
}

/** What was on offer before is on offer still. */
function offerOf(
  { availableVersion, approvalFault, contents }: Chart,
  installed: string,
): Pick<Chart, 'availableVersion' | 'approvalFault'> {
  const { version } = contents.metadata;
  const newest = availableVersion ?? (isNewer(version, installed) ? version : undefined);
  return { ...(newest === undefined ? {} : { availableVersion: newest }), ...(approvalFault === undefined ? {} : { approvalFault }) };
}

type Installed = NonNullable<ReturnType<typeof installedChart>>;

/** These very bytes; undefined when they are not to be had any more. */
async function fetchInstalled(work: Work, { version, digest }: Installed): Promise<Chart | undefined> {
  const { ports, spec, signal } = work;
  if (spec.chart.kind === 'url') return undefined;
  try {
    const { access } = await readChartAccess(work);
    return await ports.charts.fetch({ ...spec.chart, version, digest }, signal, access);
  } catch (error) {
    if (!(error instanceof AppError) || error.code === 'ClusterUnavailable') throw error;
    ports.log.debug('The installed chart can no longer be fetched', { digest, why: error.message });
    return undefined;
  }
}

/** Enough to tell how the release is; to restore CRDs from it fails with a sentence. */
function withoutFile({ name, version, appVersion, digest }: Installed): Chart {
  return { digest, path: '', contents: { metadata: { name, version, ...(appVersion === undefined ? {} : { appVersion }) }, crds: [] } };
}
