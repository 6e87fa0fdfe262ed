import type { ChartAccess } from '../../domain/chart/chart-access.ts';
import { type Channel, isInChannel, isNewer, isPinned, isSame, isVersion, newestFirst } from '../../domain/chart/chart-version.ts';
import { readChartAccess } from '../../domain/chart/read-chart-access.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { installedChart, type OperatorStatus, parseOperatorStatus } from '../../domain/operator/operator-status.ts';
import { type ChartSource, type OperatorSpec, parseOperatorSpec } from '../../domain/operator/operator-spec.ts';
import { findOperator, type OperatorAddress } from '../operator/find-operator.ts';
import { findSecret } from '../operator/find-secret.ts';
import type { Ports } from '../ports.ts';
import { overlaidValues, type OverlaidValues } from './preview-values.ts';
import type { UpgradeChart, UpgradePorts } from './upgrade-ports.ts';

export interface ChartsInput {
  readonly spec: OperatorSpec;
  readonly status: OperatorStatus;
  /** What the Secrets say that the source names. */
  readonly access: ChartAccess;
  /** Empty: the version that waits, or the newest that the channel offers. */
  readonly version: string;
}

export interface ComparedCharts {
  /** Absent when nothing is installed. */
  readonly from?: UpgradeChart;
  readonly to: UpgradeChart;
  /** Newer versions of the channel, newest first. */
  readonly offered: readonly string[];
}

const MAX_VERSIONS = 20;

/**
 * The chart that is installed and the one to compare it with.
 *
 * @throws AppError `InvalidInput` for what is no version; as fetching a chart does for one that cannot be fetched.
 */
export async function chartsToCompare(ports: UpgradePorts, input: ChartsInput, signal: AbortSignal): Promise<ComparedCharts> {
  const { access, spec } = input;
  const { chart: source } = spec;
  const installed = installedChart(input.status);
  if (source.kind === 'url') {
    const to = await ports.charts.fetch(source, signal, access);
    // What an address held before is nowhere to be had.
    return { ...(installed?.digest === to.digest ? { from: to } : {}), to, offered: [] };
  }
  const from = installed === undefined ? undefined : await fetchPinned(ports, { source, access, ...installed }, signal);
  const versions = await versionsOf(ports, { source, access }, signal);
  const offered = newerOnes(versions, channelOf(spec), installed?.version);
  const to = await targetChart(ports, { ...input, source, offered }, signal);
  return { ...(from === undefined ? {} : { from }), to, offered: offered.slice(0, MAX_VERSIONS) };
}

export function channelOf({ chart, upgrade }: OperatorSpec): Channel {
  const version = chart.kind === 'url' ? '' : chart.version;
  return { version, ...(upgrade.range === undefined ? {} : { range: upgrade.range }) };
}

type Repository = Extract<ChartSource, { kind: 'repository' }>;
interface Asked {
  readonly source: Repository;
  readonly access: ChartAccess;
}

type TargetInput = ChartsInput & { readonly source: Repository; readonly offered: readonly string[] };

async function targetChart(ports: UpgradePorts, input: TargetInput, signal: AbortSignal): Promise<UpgradeChart> {
  const { source, access, status, offered, version } = input;
  const { pendingUpgrade: pending, availableVersion } = status;
  const wanted =
    version === '' ? (pending?.version ?? offered[0] ?? availableVersion ?? installedChart(status)?.version ?? source.version) : version;
  if (version !== '' && !isVersion(version)) {
    throw new AppError('InvalidInput', `version: ${JSON.stringify(version.slice(0, 60))} is no version; write one such as 1.5.0`, {
      faults: [{ field: 'version', message: 'Write one version, such as 1.5.0' }],
    });
  }
  const known = pending !== undefined && isSame(pending.version, wanted) ? pending.chartDigest : undefined;
  const seen = known === undefined ? undefined : await fetchPinned(ports, { source, access, version: wanted, digest: known }, signal);
  if (seen !== undefined) return seen;
  const { digest, ...unpinned } = source;
  const pin = digest !== undefined && isSame(source.version, wanted) ? { digest } : {};
  return await ports.charts.fetch({ ...unpinned, ...pin, version: wanted }, signal, access);
}

/** These very bytes; undefined when they are not to be had any more. */
async function fetchPinned(
  { charts }: UpgradePorts,
  { source, access, version, digest }: Asked & { readonly version: string; readonly digest: string },
  signal: AbortSignal,
): Promise<UpgradeChart | undefined> {
  try {
    return await charts.fetch({ ...source, version, digest }, signal, access);
  } catch (error) {
    if (isAppError(error, 'DigestMismatch', 'ChartNotFound')) return undefined;
    throw error;
  }
}

/** What else there is is worth knowing, and nothing that a preview fails for. */
async function versionsOf({ charts }: UpgradePorts, { source, access }: Asked, signal: AbortSignal): Promise<readonly string[]> {
  try {
    return await charts.versions(source, signal, access);
  } catch (error) {
    if (!isAppError(error)) throw error;
    return [];
  }
}

function newerOnes(versions: readonly string[], channel: Channel, installed: string | undefined): string[] {
  if (isPinned(channel)) return [];
  const fitting = versions.filter((version) => isInChannel(version, channel) && (installed === undefined || isNewer(version, installed)));
  return fitting.toSorted(newestFirst);
}

/** What a preview of an upgrade is made of, read as the actor. */
export interface UpgradeInputs {
  readonly operator: KubeObject;
  readonly spec: OperatorSpec;
  readonly status: OperatorStatus;
  readonly charts: ComparedCharts;
  readonly values: OverlaidValues;
}

/** @throws AppError as `findOperator`; `InvalidInput` for what is no version; as fetching a chart does when there is none. */
export async function loadUpgradeInputs(
  ports: Pick<Ports, 'clusters' | 'upgrades'>,
  actor: Actor,
  { address, version, signal }: { readonly address: OperatorAddress; readonly version: string; readonly signal: AbortSignal },
): Promise<UpgradeInputs> {
  const operator = await findOperator(ports, actor, address);
  const [spec, status] = [parseOperatorSpec(operator), parseOperatorStatus(operator)];
  const { namespace } = address;
  const { access } = await readChartAccess({
    source: spec.chart,
    namespace,
    find: (name) => findSecret(ports.clusters, actor, { namespace, name }),
  });
  const charts = await chartsToCompare(ports.upgrades, { spec, status, access, version }, signal);
  const values = await overlaidValues(ports, actor, { namespace, spec, status });
  return { operator, spec, status, charts, values };
}
