import assert from 'node:assert/strict';
import { test } from 'node:test';
import { execa } from 'execa';
import { parseYamlDocument } from '../../../src/domain/core/bounded-yaml.ts';
import { parseArguments } from '../../../src/cli/options.ts';
import { VALUE_OPTIONS, withFields } from '../../../src/cli/values.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { isObject, objectAt } from '../../../src/domain/core/read.ts';
import type { Json, JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { loadTools } from '../../../src/embedded/cluster/tools.ts';
import { buildForm } from '../../../src/form/model/form-model.ts';
import { fieldName } from '../../../src/form/input/form-fields.ts';
import { formToValues } from '../../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../../src/form/input/values-to-fields.ts';
import { chartHints } from '../../../src/schema/hints/chart-hints.ts';
import { inferSchema } from '../../../src/schema/infer-schema.ts';
import { chartStructure } from '../../../src/schema/structural/chart-structure.ts';
import { listFields } from '../../../src/form/model/list-fields.ts';
import { chartFiles, temporaryFolder, writeFiles } from '../../support/charts.ts';
import { repoRoot } from '../../support/cluster.ts';

const VALUES = `
nodeSelector: {}
podAnnotations: {}
tolerations: []
resources: {}
extraEnv: []
# Names of Secrets with registry credentials
imagePullSecrets: []
affinity: {}
# -- (string) Where it is reached
host: ""
## @param size [number, nullable] How much
size: ""
anything: ""
others: []
free: {}
# -- (int) Never below one
count:
image: {registry: , tag: }
sleepSeconds:
searchIn:
`;
const hints = chartHints({ valuesText: VALUES, values: {} });
const model = buildForm({ schema: inferSchema(VALUES), root: 'values', curated: [], mode: 'create', hints });

test('What is empty in values.yaml has controls by its comment or its name, and stays free where neither says anything', () => {
  const kinds = model.root.kind === 'group' ? Object.fromEntries(model.root.children.map(({ key, kind }) => [key, kind])) : {};
  assert.deepEqual(kinds, {
    nodeSelector: 'map',
    podAnnotations: 'map',
    tolerations: 'list',
    resources: 'group',
    extraEnv: 'list',
    imagePullSecrets: 'list',
    affinity: 'group',
    host: 'host',
    size: 'int-or-string',
    anything: 'text',
    others: 'yaml',
    free: 'yaml',
    count: 'integer',
    image: 'group',
    sleepSeconds: 'int-or-string',
    searchIn: 'yaml',
  });
  const image = model.root.kind === 'group' ? model.root.children.find(({ key }) => key === 'image') : undefined;
  assert.deepEqual(image?.kind === 'group' ? image.children.map(({ kind }) => kind) : [], ['text', 'text'], 'a tag 1.10 is no number');
});

test('Values of another shape than the name says come back as they were', () => {
  const values = {
    tolerations: ['odd'],
    extraEnv: [{ name: 'A', more: [1] }],
    resources: { limits: { cpu: 1 }, claims: [{ name: 'x' }] },
    podAnnotations: { a: { b: 1 } },
  };
  assert.deepEqual(formToValues(model, valuesToFields(model, values), {}).values, values);
});

/** What go-yaml, and so Helm, reads otherwise than YAML 1.2 does. */
const DIALECT = `
base: &base
  # How much of a core
  cpu: 100m
  memory: 128Mi
metrics: on # switch of metrics
backup: no
mode: 0755
flags: 0o17
duration: 1:30
web: { <<: *base, memory: 1Gi, replicas: 2 }
jobs: { replicas: 1, <<: [{ replicas: 3 }, *base], <<: { cpu: 1 } }
rows: [*base]
names: &names [a, yes]
others: *names
word: &word text
again: *word
on: { off: [~] }
`;

test('Values are inferred as Helm reads them: merge keys, aliases, and the booleans and numbers of YAML 1.1', async (t) => {
  const folder = await temporaryFolder(t);
  await writeFiles(folder, {
    ...chartFiles('inferred', '1.0.0'),
    'values.yaml': DIALECT,
    'templates/a.yaml': 'kind: ConfigMap\nmetadata: {name: a}\ndata: {{ .Values | toJson }}\n',
  });
  const { helm } = await loadTools(repoRoot);
  const { stdout } = await execa(helm, ['template', 'x', folder]);
  assert.deepEqual(defaultsIn(inferSchema(DIALECT)), objectAt(parseYamlDocument(stdout), 'data'));
  const dialect = buildForm({ schema: inferSchema(`${DIALECT}seed: 9007199254740995\n`), root: 'values', curated: [], mode: 'create' });
  const lines = new Map(listFields(dialect).map((line) => [line.path.replace(/^values\./, ''), line]));
  assert.equal(lines.get('metrics')?.control, 'boolean');
  assert.equal(lines.get('metrics')?.help, 'switch of metrics');
  assert.equal(lines.get('web.cpu')?.help, 'How much of a core');
  assert.equal(lines.get('seed')?.fallback, 9_007_199_254_740_995n);
});

/** The defaults of a schema as one value. */
function defaultsIn(schema: unknown): Json {
  const { default: own = null, properties } = schema as JsonObject;
  if (!isObject(properties)) return own;
  return Object.fromEntries(Object.entries(properties).map(([name, member]) => [name, defaultsIn(member)]));
}

test('What people type where the default is a text is that text, in a form and with --set', () => {
  const texts = buildForm({
    schema: inferSchema('empty: ""\ntag: "16"\nhost: a.example.com\n'),
    root: 'values',
    curated: [],
    mode: 'create',
  });
  for (const typed of ['1.10', '0123456', 'off', '1e3', 'null', 's3cr: et#1', '{}', '"']) {
    const values = { empty: typed, tag: typed, host: typed };
    const inputs = Object.keys(values).map((name): [string, string] => [fieldName('value', ['values', name]), typed]);
    assert.deepEqual(formToValues(texts, new URLSearchParams(inputs), {}).values, values);
    const command = { name: 'install', usage: '', options: VALUE_OPTIONS, words: { least: 0, most: 0 } };
    const args = parseArguments(
      command,
      Object.keys(values).flatMap((name) => ['--set', `${name}=${typed}`]),
    );
    assert.deepEqual(withFields({}, args, { form: texts }), values);
  }
});

test('The CRD of a chart without a schema has no type, and gives a form without the chart the same controls', () => {
  const values = `${VALUES}on: yes\nargs: [a, b]\ntag: "16"\nempty: ''\nratio: 0.5\nmap: { name: a, port: 80, list: [{ a: 1 }] }\n`;
  const structure = chartStructure({ metadata: { dependencies: [] }, values: {}, valuesText: values, subcharts: [], ciValues: [] });
  const { type, ...below } = structure;
  assert.equal(type, 'object');
  assert.doesNotMatch(
    stringifyJson(below['properties']),
    /"type":(?!"object","nullable":true,"x-kubernetes-preserve-unknown-fields":true\})/,
  );
  const controls = (schema: JsonObject) =>
    listFields(buildForm({ schema, root: 'values', curated: [], mode: 'create' })).map(({ path, control }) => `${path}: ${control}`);
  const { global: _global, ...properties } = structure['properties'] as JsonObject;
  assert.deepEqual(controls({ ...structure, properties }), controls(inferSchema(values)));
});
