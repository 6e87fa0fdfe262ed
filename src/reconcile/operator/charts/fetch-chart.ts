import type { ChartAccess } from '../../../domain/chart/chart-access.ts';
import { type Channel, checkRange, isPinned, isSame, newerVersion, requestedVersion } from '../../../domain/chart/chart-version.ts';
import { AppError, isAppError } from '../../../domain/core/errors.ts';
import { installedChart } from '../../../domain/operator/operator-status.ts';
import type { PendingUpgrade } from '../../../domain/operator/kind/status-fields.ts';
import type { ChartSource } from '../../../domain/operator/operator-spec.ts';
import { isOpen } from '../../../domain/upgrade/maintenance-window.ts';
import { type Approval, type ApprovalFault, checkApproval, digestDiffers } from '../../../domain/upgrade/upgrade-approval.ts';
import { type ResolvedValues, resolveValues } from '../../helm-release/resolve-values.ts';
import type { Chart } from '../../helm-release/ports.ts';
import type { ActiveFacts } from '../state.ts';
import type { Work } from '../work.ts';
import { configDigest } from '../../helm-release/retry.ts';
import { ifFound } from '../../../domain/kubernetes/cluster.ts';
import { SECRET } from '../../../domain/kubernetes/resource-types.ts';
import { type AccessRead, readChartAccess as readAccess } from '../../../domain/chart/read-chart-access.ts';

/** Charts that were looked up lately, by the uid of their Operator. */
export type ChartMemory = Map<string, Remembered>;

interface Remembered {
  readonly chart: Chart;
  readonly generation: number;
  readonly requestedAt: string;
  /** The version of the Secrets that it was fetched with. */
  readonly revision: string;
  /** The version of the uploaded charts. */
  readonly uploads: string;
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number;
}

type Repository = Extract<ChartSource, { kind: 'repository' }>;

interface ChannelInput {
  readonly source: Repository;
  readonly access: ChartAccess;
}

interface Wished {
  readonly approval: Approval | undefined;
  /** What to ask for when the approval counts. */
  readonly approved: string;
  /** What to ask for when it does not. */
  readonly otherwise: string;
}

interface Wanted {
  readonly version: string;
  readonly digest: string | undefined;
}

/** The chart of an Operator, looked up again once an interval, for a new spec, another Secret, another upload, and when a person asks. What goes wrong is a fact, too. */
export async function fetchChart(memory: ChartMemory, work: Work): Promise<NonNullable<ActiveFacts['chart']>> {
  try {
    const chart = await lookUpChart(memory, work);
    const kubernetesVersion = await work.ports.kubernetesVersion({ signal: work.signal });
    const values = await valuesOf(work);
    if (values instanceof AppError) return { chart, unresolved: values };
    const { revisions: sources } = values;
    const { imageRewrites } = work.ports;
    const made = { chartDigest: chart.digest, spec: work.spec, kubernetesVersion, sources, imageRewrites };
    return { chart, values, configDigest: configDigest(made) };
  } catch (error) {
    if (!(error instanceof AppError) || isAppError(error, 'ClusterUnavailable')) throw error;
    return { error };
  }
}

async function valuesOf(work: Work): Promise<ResolvedValues | AppError> {
  try {
    const { ports, operator, spec, signal } = work;
    const namespace = operator.metadata.namespace ?? 'default';
    return await resolveValues({ cluster: ports.cluster, namespace, valuesFrom: spec.valuesFrom, values: spec.values, signal });
  } catch (error) {
    if (isAppError(error, 'ValuesInvalid')) return error;
    throw error;
  }
}

/** The chart of an Operator: the one of a moment ago, else what its source says now. Throws as fetching a chart does. */
async function lookUpChart(memory: ChartMemory, work: Work): Promise<Chart> {
  const { ports, operator, spec, generation, requestedAt } = work;
  const key = operator.metadata.uid ?? '';
  const known = memory.get(key);
  const now = ports.now().getTime();
  const { access, revision } = await readChartAccess(work);
  const uploads = ports.uploads?.revisionOf(operator) ?? '';
  const sameSources = known?.revision === revision && known.uploads === uploads;
  const sameWish = known?.generation === generation && known.requestedAt === requestedAt;
  const isFresh = known !== undefined && sameWish && sameSources && now - known.fetchedAt < spec.interval;
  if (isFresh && (await ports.charts.has(known.chart.digest))) return known.chart;
  const chart = await fetchWanted(work, access);
  memory.set(key, { chart, generation, requestedAt, revision, uploads, fetchedAt: now });
  return chart;
}

async function fetchWanted(work: Work, access: ChartAccess): Promise<Chart> {
  const { ports, spec, signal } = work;
  const { chart: source, upgrade } = spec;
  if (source.kind === 'repository') return await followChannel(work, { source, access });
  if (upgrade.window !== undefined) isOpen(upgrade.window, ports.now());
  return await ports.charts.fetch(source, signal, access);
}

/**
 * The chart of the channel that is to be installed: what is installed already, what was approved, or what the policy chooses; and what else is on
 * offer.
 *
 * @throws AppError `InvalidInput` for a range or a time zone that is none; as fetching a chart does.
 */
async function followChannel(work: Work, input: ChannelInput): Promise<Chart> {
  const { ports, spec, status } = work;
  const { policy, range, window } = spec.upgrade;
  const channel: Channel = { version: input.source.version, ...(range === undefined ? {} : { range }) };
  checkRange(channel);
  if (window !== undefined) isOpen(window, ports.now());
  const offered = await offeredVersions(work, input);
  const installed = installedChart(status)?.version;
  const verdict = checkApproval({ ...channel, text: work.approved, policy, installed, offered });
  const wish = { ...channel, policy, installed, offered };
  const approval = verdict.kind === 'Given' ? verdict.approval : undefined;
  const { chart, fault } = await fetchWished(work, input, {
    approval,
    approved: requestedVersion({ ...wish, approved: approval?.version }),
    otherwise: requestedVersion(wish),
  });
  const newer = newerVersion(offered, channel, chart.contents.metadata.version);
  const waits = newer !== undefined && !isPinned(channel);
  const approvalFault = fault ?? (verdict.kind === 'NoEffect' ? verdict.fault : undefined);
  return {
    ...chart,
    ...(newer === undefined ? {} : { availableVersion: newer }),
    ...(waits ? { pending: await awaitingApproval(work, input, newer) } : {}),
    ...(approvalFault === undefined ? {} : { approvalFault }),
  };
}

async function fetchWished(
  work: Work,
  input: ChannelInput,
  { approval, approved, otherwise }: Wished,
): Promise<{ readonly chart: Chart; readonly fault?: ApprovalFault }> {
  const pinned = approval?.digest !== undefined && isSame(approval.version, approved) ? approval.digest : undefined;
  try {
    return { chart: await fetchVersion(work, input, { version: approved, digest: pinned }) };
  } catch (error) {
    if (approval === undefined || pinned === undefined || isSame(approved, otherwise) || !isAppError(error, 'DigestMismatch')) throw error;
    return { chart: await fetchVersion(work, input, { version: otherwise, digest: undefined }), fault: digestDiffers(approval) };
  }
}

/** `spec.chart.digest` pins the bytes of `spec.chart.version`, not those of newer ones. */
async function fetchVersion({ ports, signal }: Work, { source, access }: ChannelInput, { version, digest }: Wanted): Promise<Chart> {
  const { digest: own, ...unpinned } = source;
  const pin = digest ?? (isSame(version, source.version) ? own : undefined);
  return await ports.charts.fetch({ ...unpinned, version, ...(pin === undefined ? {} : { digest: pin }) }, signal, access);
}

/** Its bytes are known before somebody approves them; where they cannot be had, the version alone is reported. */
async function awaitingApproval(work: Work, input: ChannelInput, version: string): Promise<PendingUpgrade> {
  const known = work.status.pendingUpgrade?.version === version ? work.status.pendingUpgrade.chartDigest : undefined;
  try {
    const { digest } = await fetchVersion(work, input, { version, digest: known }).catch((error: unknown) => {
      if (known !== undefined && isAppError(error, 'DigestMismatch')) return fetchVersion(work, input, { version, digest: undefined });
      throw error;
    });
    return { version, chartDigest: digest, reason: 'AwaitingApproval' };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    work.ports.log.debug('A newer chart cannot be fetched', { chart: input.source.name, version, why: error.message });
    return { version, reason: 'AwaitingApproval' };
  }
}

/** What else there is is worth knowing, and nothing that an Operator fails for. */
async function offeredVersions({ ports, signal }: Work, { source, access }: ChannelInput): Promise<readonly string[]> {
  try {
    return await ports.charts.versions(source, signal, access);
  } catch (error) {
    if (!isAppError(error)) throw error;
    ports.log.debug('The versions of a chart cannot be listed', { chart: source.name, why: error.message });
    return [];
  }
}

/** Reads the Secrets that the chart of an Operator names, as the controller reads `valuesFrom`. Throws AppError `ChartSecretInvalid`. */
export async function readChartAccess({ ports, operator, spec, signal }: Work): Promise<AccessRead> {
  const namespace = operator.metadata.namespace ?? 'default';
  const find = (name: string) => ifFound(ports.cluster.get({ ...SECRET, namespace, name }, { signal }));
  return readAccess({ source: spec.chart, namespace, find });
}
