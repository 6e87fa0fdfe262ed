import * as fc from 'fast-check';
import type { Dependency, Subchart } from '../../../src/domain/chart/subcharts.ts';
import type { Json, JsonObject } from '../../../src/domain/kubernetes/resource.ts';

/** A chart with values that somebody gives. */
export interface GeneratedChart extends Subchart {
  readonly given: JsonObject;
}

const NAMES = ['redis', 'db', 'queue'] as const;
const KEYS = [...NAMES, 'global', 'tags', 'exports', 'enabled', 'size', 'cache', 'a', '__proto__'] as const;
const VERSIONS = ['1.0.0', '1.2.0', '2.0.0-beta.1'] as const;
const RANGES = ['', '*', '1.x.x', '^1.0.0', '>=1.0.0-0', '^2.0.0'] as const;

const scalar: fc.Arbitrary<Json> = fc.constantFrom(null, null, true, false, 1, 'x', [1, { a: null }], []);
const { values } = fc.letrec<{ values: JsonObject; value: Json }>((tie) => ({
  value: fc.oneof({ maxDepth: 3, depthIdentifier: 'values' }, scalar, tie('values')),
  values: fc
    .uniqueArray(fc.tuple(fc.constantFrom(...KEYS), tie('value')), { maxLength: 5, selector: ([key]) => key, depthIdentifier: 'values' })
    .map((entries) => Object.fromEntries(entries)),
}));

const path = fc.uniqueArray(fc.constantFrom(...KEYS), { minLength: 1, maxLength: 3 }).map((keys) => keys.join('.'));
const dependency: fc.Arbitrary<Dependency> = fc
  .record({
    name: fc.constantFrom(...NAMES),
    version: fc.constantFrom(...RANGES),
    alias: fc.option(fc.constantFrom('cache', 'session', 'db'), { nil: undefined, freq: 2 }),
    condition: fc.option(
      fc.uniqueArray(path, { minLength: 1, maxLength: 2 }).map((paths) => paths.join(',')),
      { nil: undefined, freq: 2 },
    ),
    tags: fc.option(fc.subarray(['a', 'enabled', 'size']), { nil: undefined, freq: 2 }),
    importValues: fc.option(
      fc.array(fc.record({ child: path, parent: fc.oneof(fc.constant('.'), path) }), { minLength: 1, maxLength: 2 }),
      { nil: undefined, freq: 2 },
    ),
  })
  .map((one) => Object.fromEntries(Object.entries(one).filter(([, value]) => value !== undefined)) as unknown as Dependency);

function chartOf(depth: number): fc.Arbitrary<Subchart> {
  return fc.record({
    name: fc.constantFrom(...NAMES),
    version: fc.constantFrom(...VERSIONS),
    values,
    dependencies: fc.uniqueArray(dependency, { maxLength: 3, selector: ({ name, alias = name }) => alias }),
    subcharts: depth === 0 ? fc.constant([]) : fc.uniqueArray(chartOf(depth - 1), { maxLength: 3, selector: ({ name }) => name }),
  });
}

/** Charts with subcharts, aliases, conditions, tags, imported values, nulls and globals, and values for them. */
export const generatedCharts: fc.Arbitrary<GeneratedChart> = fc.tuple(chartOf(2), values).map(([chart, given]) => ({
  ...chart,
  name: 'shop',
  version: '1.0.0',
  dependencies: listed(chart),
  given,
  subcharts: chart.subcharts.map(withListed),
}));

/** Helm rejects a dependency that is not there. */
function listed({ dependencies, subcharts }: Subchart): readonly Dependency[] {
  return dependencies.filter(({ name }) => subcharts.some((one) => one.name === name));
}

function withListed(chart: Subchart): Subchart {
  return { ...chart, dependencies: listed(chart), subcharts: chart.subcharts.map(withListed) };
}

/** Charts in which Chandlery once had other values than Helm. */
export const FOUND: readonly GeneratedChart[] = [
  {
    // A null of the parent took the default of the subchart away.
    name: 'shop',
    version: '1.0.0',
    values: { redis: { size: null } },
    dependencies: [{ name: 'redis', version: '' }],
    subcharts: [{ name: 'redis', version: '1.0.0', values: { size: 1 }, dependencies: [], subcharts: [] }],
    given: {},
  },
];
