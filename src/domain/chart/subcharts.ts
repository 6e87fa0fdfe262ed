import semver from 'semver';
import { comparableVersion } from './comparable-version.ts';
import type { JsonObject } from '../kubernetes/resource.ts';

/** An entry of `dependencies` in Chart.yaml. */
export interface Dependency {
  readonly name: string;
  /** A range; empty for any. */
  readonly version: string;
  readonly alias?: string;
  /** Paths of values, separated by commas. */
  readonly condition?: string;
  readonly tags?: readonly string[];
  /** Values that the parent imports (`import-values`), by paths with dots; `.` is the parent itself. */
  readonly importValues?: readonly ImportedValues[];
}

export interface ImportedValues {
  readonly child: string;
  readonly parent: string;
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

interface NamedSubchart<S> {
  /** The member of the parent's values that is meant for it. */
  readonly key: string;
  readonly subchart: S;
}

interface NamedParent<S> {
  readonly dependencies: readonly Dependency[];
  readonly subcharts: readonly S[];
}

/** One subchart can be there under several aliases; one that is listed in another version counts as unlisted. */
export function namedSubcharts<S extends Pick<Subchart, 'name' | 'version'>>({
  dependencies,
  subcharts,
}: NamedParent<S>): readonly NamedSubchart<S>[] {
  const isListed = (subchart: S, dependency: Dependency): boolean =>
    subchart.name === dependency.name && isInRange(subchart.version, dependency.version);
  const unlisted = subcharts.filter((subchart) => dependencies.every((dependency) => !isListed(subchart, dependency)));
  const listed = dependencies.flatMap((dependency): readonly NamedSubchart<S>[] => {
    const subchart = subcharts.find((one) => isListed(one, dependency));
    return subchart === undefined ? [] : [{ key: keyOf(dependency), subchart }];
  });
  return [...unlisted.map((subchart) => ({ key: subchart.name, subchart })), ...listed];
}

function keyOf({ name, alias = name }: Dependency): string {
  return alias;
}

/** Whether a version fits the range of a dependency. A pre-release fits only a range that names one, and nothing fits an empty range. */
function isInRange(version: string, range: string): boolean {
  if (range.trim() === '') return false;
  return semver.satisfies(comparableVersion(version) ?? '', range, { loose: true, includePrerelease: /-[0-9A-Za-z]/.test(range) });
}
