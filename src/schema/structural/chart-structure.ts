import { isObject } from '../../domain/core/read.ts';
import { type Dependency, namedSubcharts, type Subchart } from '../../domain/chart/subcharts.ts';
import type { JsonObject, Json } from '../../domain/kubernetes/resource.ts';
import { keepsUnknown } from '../../domain/upgrade/crd-safety/schema-shape.ts';
import { validateValue } from '../../domain/upgrade/crd-safety/validate-value.ts';
import { inferSchema } from '../infer-schema.ts';
import { completedSchema } from '../inferred-members.ts';
import { boundSchema } from './bound-schema.ts';
import { ANYTHING, openStructure } from './open-structure.ts';
import { structuralSchema } from './structural-schema.ts';

/** What a chart says of its values. */
export interface ChartValuesSource {
  readonly metadata: { readonly dependencies: readonly Dependency[] };
  readonly values: JsonObject;
  /** values.yaml as it is written. */
  readonly valuesText: string;
  /** values.schema.json. */
  readonly schema?: JsonObject;
  readonly subcharts: readonly Subchart[];
  /** The values of `ci/`. */
  readonly ciValues: readonly JsonObject[];
}

/** The JSON Schema of the values of a chart: its own, else the one inferred from values.yaml. */
export function valuesSchemaOf({ schema, valuesText }: Pick<ChartValuesSource, 'schema' | 'valuesText'>): JsonObject {
  return schema ?? inferSchema(valuesText);
}

/**
 * The values of a chart as a structural schema: what its JSON Schema says, the values of its subcharts below their names, and `global`. The values of
 * the chart itself and those of `ci/` fit, whatever the schema says. A chart without a schema takes any values, as Helm does.
 */
export function chartStructure(chart: ChartValuesSource): JsonObject {
  const { schema } = chart;
  const own =
    schema === undefined ? openStructure(inferSchema(chart.valuesText)) : structuralSchema(completedSchema(schema, chart.valuesText));
  // Values are a map, also where the schema does not say so.
  const root: JsonObject =
    own['type'] === undefined || own['type'] === 'object' ? { ...own, type: 'object' } : { type: 'object', ...ANYTHING };
  const open = { type: 'object', nullable: true, ...ANYTHING };
  const below = subchartsOf(chart, schema);
  const properties = new Map<string, JsonObject>([['global', open], ...entriesOf(root), ...below]);
  const { properties: _own, additionalProperties, ...rest } = root;
  const whole = { ...rest, ...(additionalProperties === undefined ? {} : ANYTHING), properties: Object.fromEntries(properties) };
  const samples = [chart.values, ...chart.ciValues];
  return boundSchema(samples.reduce<JsonObject>((fitted, sample) => fitSample(fitted, sample), whole));
}

function entriesOf({ properties }: JsonObject): [string, JsonObject][] {
  return Object.entries(isObject(properties) ? properties : {}).map(([name, member]) => [name, isObject(member) ? member : ANYTHING]);
}

/** The values of subcharts are for the schemas of these; what Helm passes on to them is `global`. */
function subchartsOf({ metadata, subcharts }: ChartValuesSource, schema: JsonObject | undefined): [string, JsonObject][] {
  const known = schema?.['properties'];
  const unread = metadata.dependencies
    .map(({ name, alias = name }) => alias)
    .filter((name) => !isObject(known) || !Object.hasOwn(known, name));
  const open = (name: string): [string, JsonObject] => [name, { type: 'object', nullable: true, ...ANYTHING }];
  const described = namedSubcharts({ dependencies: metadata.dependencies, subcharts }).flatMap(
    ({ key, subchart }): [string, JsonObject][] => {
      if (subchart.schema !== undefined) return [[key, subchartStructure(subchart)]];
      return isObject(known) && Object.hasOwn(known, key) ? [] : [open(key)];
    },
  );
  return [...(schema === undefined ? [] : unread.map(open)), ...described];
}

function subchartStructure({ schema, values, dependencies, subcharts }: Subchart): JsonObject {
  const given = schema === undefined ? {} : { schema };
  return { ...chartStructure({ metadata: { dependencies }, values, valuesText: '', subcharts, ciValues: [], ...given }), nullable: true };
}

/** The structural schema, widened where a value that is known to be right would not fit, or would lose a field. */
function fitSample(schema: JsonObject, value: Json): JsonObject {
  const fitted = isObject(value) ? fitMembers(schema, value) : fitRows(schema, value);
  if (validateValue(fitted, value).length === 0) return fitted;
  const { description } = schema;
  return { ...ANYTHING, nullable: true, ...(description === undefined ? {} : { description }) };
}

function fitMembers(schema: JsonObject, value: JsonObject): JsonObject {
  const { properties, additionalProperties: others } = schema;
  if (isObject(others)) {
    const fitted = Object.values(value).reduce<JsonObject>((row, member) => fitSample(row, member ?? null), others);
    return { ...schema, additionalProperties: fitted };
  }
  const members = Object.entries(value);
  const isKnown = (name: string): boolean => isObject(properties) && Object.hasOwn(properties, name);
  const fitted = members
    .filter(([name]) => isKnown(name))
    .map(([name, member]): [string, JsonObject] => [name, fitSample(memberOf(properties, name), member ?? null)]);
  const isOpened = !keepsUnknown(schema) && members.some(([name]) => !isKnown(name));
  return {
    ...schema,
    ...(fitted.length === 0 || !isObject(properties) ? {} : { properties: Object.fromEntries([...Object.entries(properties), ...fitted]) }),
    ...(isOpened ? ANYTHING : {}),
  };
}

function memberOf(properties: Json | undefined, name: string): JsonObject {
  const found = isObject(properties) ? properties[name] : undefined;
  return isObject(found) ? found : ANYTHING;
}

function fitRows(schema: JsonObject, value: Json): JsonObject {
  const { items } = schema;
  if (!Array.isArray(value) || !isObject(items)) return schema;
  return { ...schema, items: (value as readonly Json[]).reduce<JsonObject>((row, item) => fitSample(row, item), items) };
}
