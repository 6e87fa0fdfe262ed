import { AppError, isAppError } from '../../domain/errors.ts';
import type { Chart } from './ports.ts';
import { resolveValues, type ResolvedValues } from './resolve-values.ts';
import { stepDigest } from './step-digest.ts';
import type { LivingFacts } from './state.ts';
import type { Work } from './work.ts';

/** Charts that were looked up lately, by the uid of their Operator. */
export type ChartMemory = Map<string, Remembered>;

interface Remembered {
  readonly chart: Chart;
  readonly generation: number;
  readonly requestedAt: string;
  /** Milliseconds since the epoch. */
  readonly fetchedAt: number;
}

/** The chart of an Operator, looked up again once an interval, for a new spec, and when a person asks. What goes wrong is a fact, too. */
export async function fetchChart(memory: ChartMemory, work: Work): Promise<NonNullable<LivingFacts['chart']>> {
  try {
    const chart = await recallOrFetch(memory, work);
    const kubernetesVersion = await work.ports.kubernetesVersion({ signal: work.signal });
    const values = await valuesOf(work);
    if (values instanceof AppError) return { chart, unresolved: values };
    const { revisions: sources } = values;
    return { chart, values, step: stepDigest({ chartDigest: chart.digest, spec: work.spec, kubernetesVersion, sources }) };
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

async function recallOrFetch(memory: ChartMemory, { ports, operator, spec, generation, requestedAt, signal }: Work): Promise<Chart> {
  const key = operator.metadata.uid ?? '';
  const known = memory.get(key);
  const now = ports.now().getTime();
  const sameWish = known?.generation === generation && known.requestedAt === requestedAt;
  if (known !== undefined && sameWish && now - known.fetchedAt < spec.interval) return known.chart;
  const chart = await ports.charts.fetch(spec.chart, signal);
  memory.set(key, { chart, generation, requestedAt, fetchedAt: now });
  return chart;
}
