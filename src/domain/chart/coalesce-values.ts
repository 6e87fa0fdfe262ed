import type { JsonObject } from '../kubernetes/resource.ts';
import { copyTable, dropNulls, isTable, layTable, type NullRule, type Table, tableAt, tableOf, valuesOf } from './coalesce-tables.ts';
import { namedSubcharts, type Dependency, type EnabledSubchart, type ParentChart, type Subchart } from './subcharts.ts';

/** The values of a chart and of its subcharts, as Helm gives them to templates and holds them against schemas. */
export interface CoalescedValues {
  /** Those of the chart, with those of its subcharts below their names. */
  readonly values: JsonObject;
  /** Of the subcharts that Helm renders. */
  readonly subcharts: readonly EnabledSubchart[];
}

/** A value that is no object where those of a subchart stand: Helm renders nothing. */
export interface SubchartMismatch {
  readonly mismatch: string;
}

/**
 * The values of a chart with those of all its subcharts, by the rules of Helm 4: what is on by `condition` and `tags`, aliases, `import-values`, `global`, and the
 * nulls that take a default away, or do not. It follows `ProcessDependencies` and `CoalesceValues` of Helm step by step, and a test holds it to what Helm prints.
 */
export function coalesceValues(chart: ParentChart, values: JsonObject): CoalescedValues | SubchartMismatch {
  const root: ChartNode = nodeOf({ ...chart, name: '', version: '' });
  const given = tableOf(values);
  try {
    selectSubcharts(root, given, []);
    importValues(root);
    const all = coalesce(root, copyTable(given), 'Coalesce');
    return { values: valuesOf(all), subcharts: enabledBelow(root, all, []) };
  } catch (error) {
    if (error instanceof Mismatch) return { mismatch: error.message };
    throw error;
  }
}

class Mismatch extends Error {}

/** A chart while its subcharts are selected; its name is its alias then. */
interface ChartNode {
  readonly name: string;
  readonly version: string;
  readonly schema?: JsonObject;
  values: Table;
  dependencies: readonly Dependency[];
  subcharts: readonly ChartNode[];
}

function nodeOf({ name, version, schema, values, dependencies, subcharts }: Subchart): ChartNode {
  const own = schema === undefined ? {} : { schema };
  return { name, version, ...own, values: tableOf(values), dependencies, subcharts: subcharts.map(nodeOf) };
}

function selectSubcharts(chart: ChartNode, given: Table, path: readonly string[]): void {
  if (chart.dependencies.length === 0) return;
  chart.subcharts = namedNodes(chart);
  const named = chart.dependencies.map((one) => ({ ...one, name: one.alias ?? one.name }));
  const all = coalesce(chart, copyTable(given), 'Coalesce');
  const off = new Set(named.flatMap((one) => (isEnabled(one, all, path) ? [] : [one.name])));
  chart.dependencies = named.filter(({ name }) => !off.has(name));
  chart.subcharts = chart.subcharts.filter(({ name }) => !off.has(name));
  for (const subchart of chart.subcharts) selectSubcharts(subchart, all, [...path, subchart.name]);
}

/** The subcharts by their aliases, each with nodes of its own below it. */
function namedNodes(chart: ChartNode): readonly ChartNode[] {
  return namedSubcharts(chart).map(({ key, subchart }) => ({
    ...subchart,
    name: key,
    subcharts: subchart.subcharts.map((one) => ({ ...one })),
  }));
}

/** A condition that is a boolean decides, the first one of several; else tags, of which one that is on is enough; else it is on. */
function isEnabled({ condition = '', tags = [] }: Dependency, all: Table, path: readonly string[]): boolean {
  for (const one of condition.trim().split(',')) {
    const keys = [...path, ...one.split('.')];
    const value = tableAt(all, keys.slice(0, -1))?.get(keys.at(-1) ?? '');
    if (typeof value === 'boolean') return value;
  }
  const switches = all.get('tags');
  const said = isTable(switches) ? tags.map((tag) => switches.get(tag)) : [];
  return said.includes(true) || !said.includes(false);
}

/** What a chart takes over of its subcharts is below its own values. */
function importValues(chart: ChartNode): void {
  for (const subchart of chart.subcharts) importValues(subchart);
  if (chart.dependencies.length === 0) return;
  const all = coalesce(chart, new Map(), 'Merge');
  const imported: Table = new Map();
  for (const { name, importValues: wanted = [] } of chart.dependencies) {
    for (const { child, parent } of wanted) {
      const found = tableAt(all, [name, ...child.split('.')]);
      if (found === undefined) continue;
      const placed = parent === '.' ? found : parent.split('.').reduceRight<Table>((table, key) => new Map([[key, table]]), found);
      layTable(imported, placed, 'Merge');
    }
  }
  chart.values = layTable(copyTable(all), imported, 'Merge');
}

function coalesce(chart: ChartNode, values: Table, rule: NullRule): Table {
  layDefaults(chart, values, rule);
  for (const subchart of chart.subcharts) {
    const own = values.get(subchart.name) ?? (values.has(subchart.name) ? null : new Map());
    if (!isTable(own)) throw new Mismatch(subchart.name);
    values.set(subchart.name, own);
    passGlobals(own, values);
    coalesce(subchart, own, rule);
  }
  return values;
}

/** The chart's own values below those that are given. A null of its own stands for nothing. */
function layDefaults(chart: ChartNode, values: Table, rule: NullRule): void {
  for (const [key, fallback] of copyTable(chart.values)) {
    const given = values.get(key);
    if (given === undefined) {
      if (rule === 'Coalesce' && fallback === null) continue;
      if (rule === 'Coalesce' && isTable(fallback)) dropNulls(fallback);
      values.set(key, fallback);
    } else if (given === null && rule === 'Coalesce') values.delete(key);
    else if (isTable(given) && isTable(fallback)) {
      // A null for a subchart is kept until the values of that one are laid below.
      const below = chart.subcharts.some(({ name }) => name === key) ? 'Merge' : rule;
      if (below === 'Coalesce') dropNulls(fallback);
      layTable(given, fallback, below);
    }
  }
}

const GLOBAL = 'global';

/** Globals of the parent win over those of the subchart. */
function passGlobals(to: Table, from: Table): void {
  const [own, upper] = [to, from].map((values) => (values.has(GLOBAL) ? values.get(GLOBAL) : new Map()));
  if (!isTable(own) || !isTable(upper)) return;
  for (const [key, value] of upper) {
    const known = own.get(key);
    if (!isTable(value)) {
      if (!isTable(known)) own.set(key, value);
    } else if (known === undefined || isTable(known)) {
      const copy = new Map(value);
      own.set(key, known === undefined ? copy : layTable(copy, known, 'Merge'));
    }
  }
  to.set(GLOBAL, own);
}

function enabledBelow(chart: ChartNode, values: Table, path: readonly string[]): readonly EnabledSubchart[] {
  return chart.subcharts.flatMap((subchart) => {
    const [here, own] = [[...path, subchart.name], values.get(subchart.name)];
    if (!isTable(own)) return [];
    const found = { path: here.join('.'), values: valuesOf(own), ...(subchart.schema === undefined ? {} : { schema: subchart.schema }) };
    return [found, ...enabledBelow(subchart, own, here)];
  });
}
