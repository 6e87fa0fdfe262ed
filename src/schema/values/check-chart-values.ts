import { sentenceOfFault } from '../../domain/core/errors.ts';
import { applyMergePatch } from '../../domain/core/merge-patch.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { createValuesCheck, type ValuesCheck } from './check-values.ts';

/** The check that plans and the controller share. */
const checkValues = createValuesCheck();

/** What is looked at of a chart. */
export interface ChartWithSchema {
  readonly digest: string;
  readonly contents: {
    readonly metadata: { readonly name: string; readonly dependencies?: readonly { readonly name: string; readonly alias?: string }[] };
    readonly values?: JsonObject;
    /** values.schema.json. */
    readonly schema?: JsonObject;
  };
}

/** What a chart says about values, a sentence each. */
interface ChartVerdict {
  readonly faults: readonly string[];
  readonly unchecked: readonly string[];
}

/**
 * Holds values, laid over those of the chart, against its values.schema.json, as Helm would; Helm itself is told not to, because it would fetch what
 * the schema refers to. What is meant for a chart inside of the chart is its own schema's affair.
 */
export async function checkChartValues(
  chart: ChartWithSchema,
  values: JsonObject,
  check: ValuesCheck = checkValues,
): Promise<ChartVerdict> {
  const { schema, values: defaults = {}, metadata } = chart.contents;
  if (schema === undefined) return { faults: [], unchecked: [] };
  const effective = applyMergePatch(defaults, values) as JsonObject;
  const { faults, unchecked } = await check({ schema, values: effective, id: chart.digest });
  const inner = new Set((metadata.dependencies ?? []).flatMap(({ name, alias }) => [name, ...(alias === undefined ? [] : [alias])]));
  const own = faults.filter(({ field = '' }) => !inner.has(/^[^.[]*/.exec(field)?.[0] ?? ''));
  return {
    faults: own.map((fault) => `The schema of the chart refuses these values: ${sentenceOfFault(fault)}`),
    unchecked: unchecked === undefined ? [] : [`The values were not, or not wholly, held against the schema of the chart: ${unchecked}`],
  };
}
