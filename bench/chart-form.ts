import { isDeepStrictEqual } from 'node:util';
import type { ChartContents } from '../src/chart/archive/contents.ts';
import { stringifyJson } from '../src/domain/core/exact-json.ts';
import { OURS } from '../src/domain/kubernetes/names.ts';
import type { Json, JsonObject } from '../src/domain/kubernetes/resource.ts';
import { formToValues } from '../src/form/input/form-to-values.ts';
import { valuesToFields } from '../src/form/input/values-to-fields.ts';
import { appForm } from '../src/form/model/app-form.ts';
import type { FormNode } from '../src/form/model/form-node.ts';
import { embedChartValues } from '../src/schema/embed-chart-values.ts';
import { chartStructure } from '../src/schema/structural/chart-structure.ts';
import { countTypedValues, type ValueCounts } from './typed-values.ts';

/** The form of an offered chart, as its page shows it. */
export interface ChartForm {
  readonly counts: ValueCounts;
  /** Whether the chart's own values, and those of its folder `ci/`, come back from the form as they went in. */
  readonly roundTrip: 'yes' | 'NO';
}

export function measureChartForm(contents: ChartContents): ChartForm {
  const { schema: own, values, valuesText, hints, ciValues } = contents;
  const kind: JsonObject = {
    type: 'object',
    properties: { spec: { type: 'object', properties: { version: { type: 'string' }, values: chartStructure(contents) } } },
  };
  const schema = embedChartValues(kind, { values, valuesText, hints, ...(own === undefined ? {} : { schema: own }) });
  const names = { group: OURS.appsGroup, plural: 'charts', kind: 'Chart', relatedApps: [] };
  const model = appForm({ ...names, schema, hints, fields: [], presets: [], defaults: {} }, 'create');
  const returns = (one: JsonObject): boolean => {
    const content = { spec: { values: one } };
    return isDeepStrictEqual(plain(formToValues(model, valuesToFields(model, content), {}).values), plain(content));
  };
  const root = memberOf(memberOf(model.root, 'spec'), 'values');
  return {
    counts: root === undefined ? { values: 0, typed: 0, untyped: [] } : countTypedValues(root, values),
    roundTrip: [values, ...ciValues].every(returns) ? 'yes' : 'NO',
  };
}

function memberOf(node: FormNode | undefined, key: string): FormNode | undefined {
  return node?.kind === 'group' ? node.children.find((child) => child.key === key) : undefined;
}

function plain(value: Json): Json {
  return JSON.parse(stringifyJson(value)) as Json;
}
