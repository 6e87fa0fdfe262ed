import type { ChartAccess } from '../../../domain/chart/chart-access.ts';
import { AppError, isAppError } from '../../../domain/core/errors.ts';
import { isOpen } from '../../../domain/upgrade/maintenance-window.ts';
import { followChannel } from './follow-channel.ts';
import type { Chart } from '../ports.ts';
import { readChartAccess } from './read-chart-access.ts';
import { resolveValues, type ResolvedValues } from '../facts/resolve-values.ts';
import { configDigest } from './config-digest.ts';
import type { ActiveFacts } from '../state.ts';
import type { Work } from '../work.ts';

/** Charts that were looked up lately, by the uid of their Operator. */
export type ChartMemory = Map<string, Remembered>;

interface Remembered {
  readonly chart: Chart;
  readonly generation: number;
  readonly requestedAt: string;
  /** The version of the Secrets that it was fetched with. */
  readonly revision: string;
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number;
}

/** The chart of an Operator, looked up again once an interval, for a new spec, another Secret, and when a person asks. What goes wrong is a fact, too. */
export async function fetchChart(memory: ChartMemory, work: Work): Promise<NonNullable<ActiveFacts['chart']>> {
  try {
    const chart = await lookUpChart(memory, work);
    const kubernetesVersion = await work.ports.kubernetesVersion({ signal: work.signal });
    const values = await valuesOf(work);
    if (values instanceof AppError) return { chart, unresolved: values };
    const { revisions: sources } = values;
    return { chart, values, configDigest: configDigest({ chartDigest: chart.digest, spec: work.spec, kubernetesVersion, sources }) };
  } catch (error) {
    if (!(error instanceof AppError) || isAppError(error, 'ClusterUnavailable')) throw error;
    return { error };
  }
}

async function valuesOf(work: Work): Promise<ResolvedValues | AppError> {
  try {
    return await resolveValues(work);
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
  const sameWish = known?.generation === generation && known.requestedAt === requestedAt && known.revision === revision;
  const isFresh = known !== undefined && sameWish && now - known.fetchedAt < spec.interval;
  if (isFresh && (await ports.charts.has(known.chart.digest))) return known.chart;
  const chart = await fetchWanted(work, access);
  memory.set(key, { chart, generation, requestedAt, revision, fetchedAt: now });
  return chart;
}

async function fetchWanted(work: Work, access: ChartAccess): Promise<Chart> {
  const { ports, spec, signal } = work;
  const { chart: source, upgrade } = spec;
  if (source.kind === 'repository') return await followChannel(work, { source, access });
  if (upgrade.window !== undefined) isOpen(upgrade.window, ports.now());
  return await ports.charts.fetch(source, signal, access);
}
