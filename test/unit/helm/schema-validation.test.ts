import assert from 'node:assert/strict';
import { writeFile } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { describe, test } from 'node:test';
import { execa } from 'execa';
import type { RenderFault } from '../../../src/domain/chart/rendered-chart.ts';
import { refersToItself } from '../../../src/domain/chart/schema-references.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { loadTools } from '../../../src/embedded/cluster/tools.ts';
import { createHelm } from '../../../src/helm/helm.ts';
import { createChartRenderer } from '../../../src/helm/render-chart.ts';
import { type ChartFiles, temporaryFolder, writeFiles } from '../../support/charts.ts';

const { signal } = new AbortController();

const SCHEMA = {
  type: 'object',
  required: ['endpoint'],
  properties: {
    endpoint: { type: 'string' },
    port: { type: 'integer', maximum: 9000 },
    storageClass: { type: 'string' },
    password: { pattern: '^[a-z]+$' },
    mode: { oneOf: [{ type: 'string' }, { type: 'integer' }] },
    hosts: { items: { properties: { path: { enum: ['/'] } } } },
  },
};
const CONFIG_MAP = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\ndata: {values: {{ .Values | toJson | quote }}}\n';

/** It takes a required value from its subchart, and leaves another one unset by null, as many charts do. */
const FILES: ChartFiles = {
  'Chart.yaml': `apiVersion: v2
name: shop
version: 1.0.0
dependencies:
  - {name: lib, version: 1.0.0, alias: db, condition: db.enabled, import-values: [{child: exports, parent: .}]}
`,
  'values.yaml': 'port: 80\nstorageClass: null\ndb: {enabled: true}\n',
  'values.schema.json': stringifyJson(SCHEMA),
  'templates/a.yaml': CONFIG_MAP,
  'charts/lib/Chart.yaml': 'apiVersion: v2\nname: lib\nversion: 1.0.0\n',
  'charts/lib/values.yaml': 'exports: {endpoint: lib.example.com}\nsize: 1\n',
  'charts/lib/values.schema.json': stringifyJson({ properties: { size: { type: 'integer' } } }),
};

const CASES: readonly { readonly title: string; readonly values: JsonObject; readonly faults: readonly string[] }[] = [
  { title: 'an imported value, and a null of the chart', values: {}, faults: [] },
  { title: 'a whole number as helm writes it', values: { port: 8080 }, faults: [] },
  {
    title: 'a text for a number, a bound, and an entry of a list',
    values: { port: 'high', hosts: [{ path: '/x' }] },
    faults: [
      "The values violate the schema of the chart shop: hosts[0].path: value must be '/'",
      'The values violate the schema of the chart shop: port: got string, want integer',
    ],
  },
  {
    title: 'a pattern, without the value',
    values: { password: 'hunter2 and more' },
    faults: ["The values violate the schema of the chart shop: password: does not match pattern '^[a-z]+$'"],
  },
  {
    title: 'none of several branches',
    values: { mode: true },
    faults: [
      "The values violate the schema of the chart shop: mode: 'oneOf' failed, none matched, got boolean, want string, got boolean, want integer",
    ],
  },
  {
    title: 'a value of a subchart, by its alias',
    values: { db: { size: 'big' } },
    faults: ['The values violate the schema of the chart db: size: got string, want integer'],
  },
  {
    title: 'what is missing where the subchart is off',
    values: { db: { enabled: false } },
    faults: ["The values violate the schema of the chart shop: missing property 'endpoint'"],
  },
];

describe('values are valid exactly where helm takes them', { timeout: 120_000 }, () => {
  test('with subcharts, imported values and nulls', async (t) => {
    const folder = await temporaryFolder(t);
    const chart = join(folder, 'shop');
    await writeFiles(chart, FILES);
    const { helm: program } = await loadTools(resolve(import.meta.dirname, '../../..'));
    const helm = await createHelm({ program, homeDir: join(folder, 'helm'), maxChildren: 1, log: { debug: () => undefined } });
    const render = createChartRenderer({
      render: helm.render,
      discovery: { kinds: async () => [] },
      kubernetesVersion: async () => 'v1.36.3',
    });
    const contents = { metadata: { name: 'shop' }, crds: [], schema: SCHEMA };
    const faultsOf = async (values: JsonObject, invalidValues: 'Stop' | 'Render'): Promise<readonly [readonly RenderFault[], number]> => {
      const source = { digest: 'sha256:shop', path: chart, contents };
      const how = { action: 'install', legacyAPIs: 'Uplift', label: 'x', secrets: [], invalidValues } as const;
      const { faults, objects } = await render({ chart: source, values, release: 'r', namespace: 'ns', ...how }, signal);
      return [faults, objects.length];
    };
    for (const { title, values, faults } of CASES) {
      const file = join(folder, 'values.json');
      await writeFile(file, stringifyJson(values));
      const said = await execa(program ?? 'helm', ['template', 'r', chart, '--values', file], { reject: false });
      const expected = faults.map((message) => ({ code: 'ValuesInvalid', message }));
      assert.deepEqual(await faultsOf(values, 'Stop'), [expected, faults.length === 0 ? 1 : 0], title);
      assert.equal(said.exitCode === 0, faults.length === 0, title);
      assert.deepEqual(await faultsOf(values, 'Render'), [expected, 1], `${title}: a preview shows the objects, too`);
    }
  });

  test('unless a schema refers to something that helm would fetch', () => {
    const refers = (schema: JsonObject): boolean => refersToItself({ subcharts: [{ ...SUBCHART, schema }] });
    assert.equal(refers({ $schema: 'http://json-schema.org/draft-07/schema#', properties: { a: { $ref: '#/$defs/a' } } }), true);
    assert.equal(refers({ $schema: 'http://json-schema.org/schema#' }), true, 'as charts of Bitnami have it');
    for (const $ref of ['https://example.com/a.json', 'file:///etc/passwd', 'other.json', '/etc/passwd'])
      assert.equal(refers({ properties: { list: { items: [{ $ref }] } } }), false, $ref);
    assert.equal(refers({ $schema: 'https://example.com/meta.json' }), false);
    assert.equal(refers({ $dynamicRef: 'other.json#a' }), false);
  });
});

const SUBCHART = { name: 'a', version: '1.0.0', dependencies: [], values: {}, subcharts: [] };
