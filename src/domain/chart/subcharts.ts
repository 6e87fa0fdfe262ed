import semver from 'semver';
import { comparableVersion } from './comparable-version.ts';
import { applyMergePatch } from '../core/merge-patch.ts';
import { at, isObject, objectAt } from '../core/read.ts';
import type { JsonObject } from '../kubernetes/resource.ts';
import { mergeLayers } from '../values/layers.ts';

/** An entry of `dependencies` in Chart.yaml. */
export interface Dependency {
  readonly name: string;
  /** A range; empty for any. */
  readonly version: string;
  readonly alias?: string;
  /** Paths of values, separated by commas. */
  readonly condition?: string;
  readonly tags?: readonly string[];
  /** The parent takes values of it over (`import-values`). */
  readonly importsValues?: true;
}

/** A chart in the folder `charts/` of another one. */
export interface Subchart {
  readonly name: string;
  readonly version: string;
  readonly dependencies: readonly Dependency[];
  readonly values: JsonObject;
  /** values.schema.json. */
  readonly schema?: JsonObject;
  readonly subcharts: readonly Subchart[];
}

/** A subchart that Helm renders, with the values that it gets. */
export interface EnabledSubchart {
  /** Where its values stand in those of the chart: `redis`, `backend.redis`. */
  readonly path: string;
  readonly schema?: JsonObject;
  readonly values: JsonObject;
}

/** The part of a chart that has subcharts. */
export type ParentChart = Pick<Subchart, 'dependencies' | 'subcharts'> & { readonly values: JsonObject };

/**
 * The subcharts of a chart as Helm takes them: those listed by name or alias and not switched off by `condition` or `tags`, and those that lie in
 * `charts/` unlisted. Values of the parent are laid over those of the subchart, a `null` takes one away, and `global` of the parent wins.
 */
export function enabledSubcharts(chart: ParentChart, values: JsonObject): readonly EnabledSubchart[] {
  const laid = mergeLayers([
    { origin: 'the chart', values: chart.values },
    { origin: 'values', values },
  ]);
  return subchartsBelow(chart, { laid, names: [], root: coalesced(chart, laid) });
}

interface Scope {
  /** The values of the parent, with every `null`. */
  readonly laid: JsonObject;
  readonly names: readonly string[];
  /** All values, with those of all subcharts: conditions and tags look here. */
  readonly root: JsonObject;
}

function subchartsBelow(chart: ParentChart, { laid, names, root }: Scope): readonly EnabledSubchart[] {
  const off = new Set(chart.dependencies.flatMap((one) => (isEnabled(one, names, root) ? [] : [keyOf(one)])));
  return namedSubcharts(chart).flatMap(({ key, subchart }) => {
    const path = [...names, key];
    if (off.has(key)) return [];
    const own = valuesFor(subchart, laid, key);
    const values = applyMergePatch({}, own) as JsonObject;
    const found = { path: path.join('.'), values, ...(subchart.schema === undefined ? {} : { schema: subchart.schema }) };
    return [found, ...subchartsBelow(subchart, { laid: own, names: path, root })];
  });
}

/** What a subchart gets, with every `null`. Helm gives each one a `global`. */
function valuesFor(subchart: Subchart, parent: JsonObject, key: string): JsonObject {
  const own = mergeLayers([
    { origin: 'the subchart', values: subchart.values },
    { origin: 'the parent', values: objectAt(parent, key) as JsonObject },
  ]);
  const global = mergeLayers([
    { origin: 'the subchart', values: objectAt(own, 'global') as JsonObject },
    { origin: 'the parent', values: objectAt(parent, 'global') as JsonObject },
  ]);
  return { ...own, global };
}

/** The values of a chart with those of all its subcharts, whether they are on or off. */
function coalesced(chart: ParentChart, laid: JsonObject): JsonObject {
  const below = namedSubcharts(chart).map(({ key, subchart }) => [key, coalesced(subchart, valuesFor(subchart, laid, key))] as const);
  return { ...(applyMergePatch({}, laid) as JsonObject), ...Object.fromEntries(below) };
}

export interface NamedSubchart {
  /** The member of the parent's values that is meant for it. */
  readonly key: string;
  readonly subchart: Subchart;
}

/** One subchart can be there under several aliases; one that is listed in another version counts as unlisted. */
export function namedSubcharts({ dependencies, subcharts }: ParentChart): readonly NamedSubchart[] {
  const isListed = (subchart: Subchart, dependency: Dependency): boolean =>
    subchart.name === dependency.name && isInRange(subchart.version, dependency.version);
  const unlisted = subcharts.filter((subchart) => dependencies.every((dependency) => !isListed(subchart, dependency)));
  const listed = dependencies.flatMap((dependency): readonly NamedSubchart[] => {
    const subchart = subcharts.find((one) => isListed(one, dependency));
    return subchart === undefined ? [] : [{ key: keyOf(dependency), subchart }];
  });
  return [...unlisted.map((subchart) => ({ key: subchart.name, subchart })), ...listed];
}

function keyOf({ name, alias = name }: Dependency): string {
  return alias;
}

function isInRange(version: string, range: string): boolean {
  if (range === '' || semver.validRange(range, { loose: true }) === null) return true;
  return semver.satisfies(comparableVersion(version) ?? '', range, { loose: true, includePrerelease: true });
}

/** A condition that is a boolean decides, the first one of several; else tags, of which one that is on is enough; else it is on. */
function isEnabled({ condition = '', tags = [] }: Dependency, names: readonly string[], root: JsonObject): boolean {
  const conditions = condition.split(',').map((path) => at(root, ...names, ...path.trim().split('.')));
  const decided = conditions.find((value) => typeof value === 'boolean');
  if (decided !== undefined) return decided;
  const all = at(root, 'tags');
  const said = isObject(all) ? tags.map((tag) => all[tag]) : [];
  return said.includes(true) || !said.includes(false);
}
