import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { generatedCrd } from '../../src/domain/app-definition/generated-crd.ts';
import { parseYamlDocument } from '../../src/domain/core/bounded-yaml.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { applyMergePatch } from '../../src/domain/core/merge-patch.ts';
import { objectAt } from '../../src/domain/core/read.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import type { Json, JsonObject, KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { CRD } from '../../src/domain/kubernetes/resource-types.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { chartStructure } from '../../src/schema/structural/chart-structure.ts';
import { chartFiles, writeFiles } from '../support/charts.ts';
import { repoRoot, sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { openKube } from '../support/open-kube.ts';
import { RUN } from '../support/run-name.ts';

/** One default of each kind, at the top and within a map. */
const DEFAULTS = `
tag: "16"
cpu: 100m
surge: 25%
empty: ""
count: 1
ratio: 0.5
nodePort: false
metrics: on
nothing:
args: [a, b]
ports: [80, http]
mounts: [{ name: a, size: 1 }]
none: []
free: {}
`;
const VALUES_YAML = `${DEFAULTS}inner:\n${DEFAULTS.trim().replaceAll(/^/gm, '  ')}\n`;
/** What people put there: a value of each kind that there is. */
const SET: readonly Json[] = [
  1,
  -0.25,
  9_007_199_254_740_993n,
  true,
  '',
  '17',
  null,
  [],
  [1, 'b', true, null, { c: [null] }, ['d']],
  {},
  { a: 1, b: { c: ['d', 2] }, e: null },
];
const GROUP = `open.${RUN}.example.com`;
const TYPE = { group: GROUP, version: 'v1alpha1', resource: 'opens' };
const API_VERSION = `${GROUP}/v1alpha1`;

describe('a kind that is generated for a chart without a schema', { timeout: 120_000 }, () => {
  let testCluster: TestCluster;
  let kube: Kube;
  let cluster: ReturnType<Kube['asController']>;
  let folder: string;

  before(async () => {
    testCluster = await sharedCluster();
    kube = openKube(testCluster.kubeconfigPath);
    cluster = kube.asController();
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-open-'));
    const values = parseYamlDocument(VALUES_YAML) as JsonObject;
    const structure = chartStructure({ metadata: { dependencies: [] }, values, valuesText: VALUES_YAML, subcharts: [], ciValues: [] });
    const names = { kind: 'Open', plural: TYPE.resource, singular: 'open', shortNames: [] };
    const crd = generatedCrd({ definition: 'open', names, description: '', values: structure, revision: 'open-1' });
    // In a group of its own, so that nobody works on its instances.
    const metadata = { name: `${TYPE.resource}.${GROUP}` };
    await cluster.create(CRD, { ...crd, metadata, spec: { ...(crd.spec as JsonObject), group: GROUP } });
    const { spec } = await cluster.get({ ...CRD, ...metadata });
    assert.match(stringifyJson(spec), /"example":\[""\]/, 'the api-server keeps what a form shows');
    await eventually(async () => (await ifFound(cluster.list(TYPE))) !== undefined, 'the kind is served');
  });
  after(async () => {
    await cluster.delete({ ...CRD, name: `${TYPE.resource}.${GROUP}` });
    await kube.close();
    await testCluster.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const instance = (name: string, values: Json): KubeObject => ({
    apiVersion: API_VERSION,
    kind: 'Open',
    metadata: { namespace: 'default', name },
    spec: { values },
  });

  it('takes every value that helm takes for the chart, keeps it, and rejects what is no map as helm does', async () => {
    const { helm } = await loadTools(repoRoot);
    await writeFiles(folder, {
      ...chartFiles('open', '1.0.0'),
      'values.yaml': VALUES_YAML,
      'templates/a.yaml': 'kind: ConfigMap\nmetadata: {name: a}\ndata: {{ .Values | toJson }}\n',
    });
    const file = join(folder, 'set.json');
    const names = Object.keys(parseYamlDocument(DEFAULTS) as JsonObject);
    const rendered = async (values: Json): Promise<unknown> => {
      await writeFiles(folder, { 'set.json': stringifyJson(values) });
      const { stdout } = await execa(helm, ['template', 'x', folder, '-f', file]);
      return objectAt(parseYamlDocument(stdout), 'data');
    };
    const stored = async (values: Json): Promise<unknown> =>
      objectAt((await cluster.create(TYPE, instance('x', values), { dryRun: 'All', fieldValidation: 'Strict' })).object.spec)['values'];
    for (const value of SET) {
      const members = Object.fromEntries(names.map((name) => [name, value]));
      const values = { ...members, inner: members };
      assert.deepEqual(await stored(values), values);
      if (typeof value !== 'bigint') assert.equal(typeof (await rendered(values)), 'object', stringifyJson(value));
      const replaced = { inner: value };
      assert.deepEqual(await stored(replaced), replaced);
      await rendered(replaced);
    }
    for (const values of [[], 'text', 1] as const) {
      await assert.rejects(rendered(values));
      await assert.rejects(stored(values), (error) => isAppError(error, 'InvalidInput'));
    }
  });

  it('merges maps and replaces lists in a server-side apply', async () => {
    const apply = async (manager: string, values: JsonObject): Promise<Json | undefined> => {
      const { object } = await cluster.apply(TYPE, instance('merged', values), { fieldManager: manager, force: 'force' });
      return objectAt(object.spec)['values'] as Json;
    };
    const first: JsonObject = { cpu: 1, args: ['a', 1], free: { a: 1 }, inner: { free: { a: { b: 1 } }, mounts: [{ name: 'x' }] } };
    const second: JsonObject = { args: ['c'], free: { b: '2' }, inner: { free: { a: { c: 2 } }, tag: 17, mounts: [{ name: 'y' }] } };
    await apply('first', first);
    assert.deepEqual(await apply('second', second), applyMergePatch(first, second));
    assert.deepEqual(await apply('second', { free: { b: '3' } }), {
      cpu: 1,
      free: { a: 1, b: '3' },
      inner: { free: { a: { b: 1 } } },
    });
  });
});
