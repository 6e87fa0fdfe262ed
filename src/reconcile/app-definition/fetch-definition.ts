import { backoffDelay } from '../../domain/core/backoff.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { readChartAccess } from '../../domain/chart/read-chart-access.ts';
import { appRevision, type AppDefinitionSpec } from '../../domain/app-definition/app-definition.ts';
import { APP_DEFINITION_KIND } from '../../domain/app-definition/app-definition-kind.ts';
import { rejectCrds } from '../../domain/app-definition/reject-crds.ts';
import { scaledValues } from '../../domain/app-definition/scale.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { specOf } from '../../domain/kind/kind.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import type { ChartSource } from '../../domain/operator/operator-spec.ts';
import { SECRET } from '../../domain/kubernetes/resource-types.ts';
import { chartStructure, valuesSchemaOf } from '../../schema/structural/chart-structure.ts';
import type { DefinitionChart, DefinitionPorts } from './ports.ts';

/** A chart with all that is generated from it. */
export interface FetchedDefinition {
  readonly metadata: DefinitionChart['contents']['metadata'];
  readonly digest: string;
  /** The structural schema of its values. */
  readonly values: JsonObject;
  /** The AppRevision that it is. */
  readonly revision: KubeObject;
  /** Why the generated kind cannot have the scale of the spec, a sentence; absent: it can. */
  readonly scaleFault?: string;
}

/** What came of fetching the chart. `retryAfter` in milliseconds. */
export type FetchFact =
  | { readonly kind: 'Fetched'; readonly chart: FetchedDefinition }
  | { readonly kind: 'Failed'; readonly error: AppError; readonly retryAfter: number };

/** What was fetched lately, by the uid of the AppDefinition. */
export type FetchMemory = Map<string, Remembered>;

interface Remembered {
  readonly wish: string;
  readonly outcome: { readonly kind: 'Fetched'; readonly chart: FetchedDefinition } | { readonly kind: 'Failed'; readonly error: AppError };
  /** Milliseconds since the epoch. */
  readonly at: number;
  /** In a row. */
  readonly failures: number;
}

interface FetchInput {
  readonly definition: KubeObject;
  readonly spec: Pick<AppDefinitionSpec, 'interval'>;
  readonly source: ChartSource;
  readonly signal: AbortSignal;
}

const RETRY = { first: 2_000, longest: 10 * 60_000 };

/** The chart of an AppDefinition, looked up again once an interval, for a new spec, another Secret, another upload, and when a person asks. What goes wrong is a fact, too. */
export async function fetchDefinition(ports: DefinitionPorts, memory: FetchMemory, input: FetchInput): Promise<FetchFact> {
  const { definition, spec, source, signal } = input;
  const { uid = '', generation = 0, annotations = {} } = definition.metadata;
  const now = ports.now().getTime();
  const known = memory.get(uid);
  try {
    const find = (name: string) => ifFound(ports.cluster.get({ ...SECRET, namespace: OURS.systemNamespace, name }, { signal }));
    const { access, revision } = await readChartAccess({ source, namespace: OURS.systemNamespace, find });
    const wish = JSON.stringify([generation, annotations[OURS.reconcileAt] ?? '', revision, ports.uploads?.revisionOf(definition) ?? '']);
    if (known?.wish === wish && (await isFresh(ports, known, { now, interval: spec.interval })))
      return factOf(known, { now, interval: spec.interval });
    const outcome = await attempt(async () => generated(definition, await ports.charts.fetch(source, signal, access)));
    signal.throwIfAborted();
    const failures = outcome.kind === 'Fetched' ? 0 : (known?.wish === wish ? known.failures : 0) + 1;
    const remembered = { wish, outcome, at: now, failures };
    memory.set(uid, remembered);
    return factOf(remembered, { now, interval: spec.interval });
  } catch (error) {
    if (!(error instanceof AppError) || isAppError(error, 'ClusterUnavailable')) throw error;
    return { kind: 'Failed', error, retryAfter: spec.interval };
  }
}

interface Clock {
  readonly now: number;
  readonly interval: number;
}

async function isFresh({ charts }: DefinitionPorts, known: Remembered, { now, interval }: Clock): Promise<boolean> {
  if (known.outcome.kind === 'Failed') return now - known.at < delayOf(known.failures, interval);
  return now - known.at < interval && (await charts.has(known.outcome.chart.digest));
}

function factOf({ outcome, at, failures }: Remembered, { now, interval }: Clock): FetchFact {
  return outcome.kind === 'Fetched' ? outcome : { ...outcome, retryAfter: Math.max(1, at + delayOf(failures, interval) - now) };
}

function delayOf(failures: number, interval: number): number {
  return Math.min(interval, backoffDelay(failures, RETRY, 0));
}

async function attempt(work: () => Promise<FetchedDefinition>): Promise<Remembered['outcome']> {
  try {
    return { kind: 'Fetched', chart: await work() };
  } catch (error) {
    if (error instanceof AppError) return { kind: 'Failed', error };
    throw error;
  }
}

/** @throws AppError as `rejectCrds`. */
function generated(definition: KubeObject, { digest, contents }: DefinitionChart): FetchedDefinition {
  const { metadata } = contents;
  rejectCrds(contents);
  const { name, version, appVersion, kubeVersion } = metadata;
  const chart = {
    name,
    version,
    ...(appVersion === undefined ? {} : { appVersion }),
    ...(kubeVersion === undefined ? {} : { kubeVersion }),
  };
  const schema = stringifyJson(valuesSchemaOf(contents));
  const made = { metadata, digest, revision: appRevision({ definition, chart, digest, schema }) };
  const values = chartStructure(contents);
  const { scale } = specOf(APP_DEFINITION_KIND, definition);
  if (scale === undefined) return { ...made, values };
  const scaled = scaledValues(scale, values, contents.values);
  return scaled.kind === 'Scaled' ? { ...made, values: scaled.values } : { ...made, values, scaleFault: scaled.message };
}
