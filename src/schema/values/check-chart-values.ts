import { enabledSubcharts, type Dependency, type EnabledSubchart, type Subchart } from '../../domain/chart/subcharts.ts';
import { sentenceOfFault, type FieldFault } from '../../domain/core/errors.ts';
import { applyMergePatch } from '../../domain/core/merge-patch.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { createValuesCheck, type ValuesCheck } from './check-values.ts';

/** The check that previews and the controller share. */
const checkValues = createValuesCheck();

/** What is looked at of a chart. */
export interface ChartWithSchema {
  readonly digest: string;
  readonly contents: {
    readonly metadata: { readonly name: string; readonly dependencies?: readonly Dependency[] };
    readonly values?: JsonObject;
    /** values.schema.json. */
    readonly schema?: JsonObject;
    /** Absent: none. */
    readonly subcharts?: readonly Subchart[];
  };
}

/** What a chart says about values, a sentence each. */
interface ChartVerdict {
  readonly faults: readonly string[];
  readonly unchecked: readonly string[];
}

/**
 * Holds values, laid over those of the chart, against its values.schema.json and those of its subcharts that are on, as Helm would; Helm itself is configured
 * not to, because it would fetch what the schema refers to. What is meant for a chart inside of the chart is its own schema's affair.
 */
export async function checkChartValues(
  chart: ChartWithSchema,
  values: JsonObject,
  check: ValuesCheck = checkValues,
): Promise<ChartVerdict> {
  const verdicts = [await checkOwn(chart, values, check)];
  for (const subchart of subchartsOf(chart, values)) verdicts.push(await checkSubchart(chart.digest, subchart, check));
  return { faults: verdicts.flatMap(({ faults }) => faults), unchecked: verdicts.flatMap(({ unchecked }) => unchecked) };
}

async function checkOwn(chart: ChartWithSchema, values: JsonObject, check: ValuesCheck): Promise<ChartVerdict> {
  const { schema, values: defaults = {}, metadata } = chart.contents;
  if (schema === undefined) return { faults: [], unchecked: [] };
  const effective = applyMergePatch(defaults, values) as JsonObject;
  const { faults, unchecked } = await check({ schema, values: effective, id: chart.digest });
  const inner = new Set((metadata.dependencies ?? []).flatMap(({ name, alias }) => [name, ...(alias === undefined ? [] : [alias])]));
  const own = faults.filter(({ field = '' }) => !inner.has(/^[^.[]*/.exec(field)?.[0] ?? ''));
  return verdictOf('the chart', own, unchecked);
}

function subchartsOf({ contents }: ChartWithSchema, values: JsonObject): readonly EnabledSubchart[] {
  const { subcharts = [], metadata, values: defaults = {} } = contents;
  if (subcharts.length === 0) return [];
  return enabledSubcharts({ subcharts, dependencies: metadata.dependencies ?? [], values: defaults }, values);
}

async function checkSubchart(digest: string, { path, schema, values }: EnabledSubchart, check: ValuesCheck): Promise<ChartVerdict> {
  if (schema === undefined) return { faults: [], unchecked: [] };
  const { faults, unchecked } = await check({ schema, values, id: `${digest} ${path}` });
  const placed = faults.map(({ field = '', ...fault }) => ({ ...fault, field: `${path}${/^(\[|$)/.test(field) ? '' : '.'}${field}` }));
  return verdictOf(`the subchart ${path}`, placed, unchecked);
}

function verdictOf(of: string, faults: readonly FieldFault[], unchecked: string | undefined): ChartVerdict {
  return {
    faults: faults.map((fault) => `The values violate the schema of ${of}: ${sentenceOfFault(fault)}`),
    unchecked: unchecked === undefined ? [] : [`The values were not completely validated against the schema of ${of}: ${unchecked}`],
  };
}
