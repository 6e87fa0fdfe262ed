import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import type { Json, JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { formToValues } from '../../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../../src/form/input/values-to-fields.ts';
import { buildForm } from '../../../src/form/model/form-model.ts';
import type { FormModel } from '../../../src/form/model/form-node.ts';
import { listFields } from '../../../src/form/model/list-fields.ts';
import { chartHints, type HintSources } from '../../../src/schema/hints/chart-hints.ts';

type Chart = Omit<HintSources, 'values'> & { readonly schema: JsonObject; readonly values?: JsonObject };

function formOf({ schema, values = {}, ...rest }: Chart): FormModel {
  const sources = { values, ...rest };
  return buildForm({ schema, root: '', curated: [], defaults: values, defaultsFrom: 'chart', mode: 'create', hints: chartHints(sources) });
}

/** The control of each field below a path. */
function controls(model: FormModel, prefix: string): Readonly<Record<string, string>> {
  const fields = listFields(model).filter(({ path }) => path === prefix || path.startsWith(`${prefix}.`) || path.startsWith(`${prefix}[`));
  return Object.fromEntries(fields.map(({ path, control }) => [path.slice(prefix.length), control]));
}

const list: JsonObject = { type: 'array' };
const object: JsonObject = { type: 'object' };

test('An example in the comments types an empty value, below the key or with its name above it', () => {
  const valuesText = `
# e.g.
# users:
#   - login: ann
#     admin: true
users: []
roles: []
  # - name: reader
  #   permissions: [read]
ldap: {}
  # Note: this is a sentence and no member of the object at all
  # server: ldap.example.com
  # port: 636
flags: {}
# debug: true
`;
  const model = formOf({ schema: { properties: { users: list, roles: list, ldap: object, flags: object } }, valuesText });
  assert.deepEqual(controls(model, 'users'), { '': 'list', '[*].login': 'text', '[*].admin': 'boolean' });
  assert.deepEqual(controls(model, 'roles'), { '': 'list', '[*].name': 'text', '[*].permissions': 'list' });
  assert.deepEqual(controls(model, 'ldap'), { '.server': 'text', '.port': 'int-or-string' });
  // A comment in the column of the key is a neighbour that is left out.
  assert.deepEqual(controls(model, 'flags'), { '': 'yaml' });
});

test('An example outweighs what a name usually means, and what it is outweighs both', () => {
  const schema = { properties: { extraEnvironmentVars: list, env: list, resources: object } };
  const valuesText = `
extraEnvironmentVars: []
  # - envName: A
  #   secretName: b
  #   secretKey: c
env: []
  # - name: FOO
  #   value: bar
resources: {preset: small}
`;
  const model = formOf({ schema, valuesText, values: { resources: { preset: 'small' } } });
  assert.deepEqual(Object.keys(controls(model, 'extraEnvironmentVars')), ['', '[*].envName', '[*].secretName', '[*].secretKey']);
  assert.equal(controls(model, 'env')['[*].valueFrom.secretKeyRef.name'], 'text');
  assert.deepEqual(controls(model, 'resources'), { '': 'map' });
});

test('A type of Kubernetes in another document is known by its name, although nothing is fetched', () => {
  const ref = (type: string): JsonObject => ({
    $ref: `https://example.com/v1.30.0/_definitions.json#/definitions/io.k8s.api.core.v1.${type}`,
  });
  const schema = { properties: { probe: ref('Probe'), where: { type: 'array', items: ref('Toleration') }, odd: ref('Nothing') } };
  const model = formOf({ schema, valuesText: '' });
  assert.equal(controls(model, 'probe')['.httpGet.path'], 'text');
  assert.equal(controls(model, 'where')['[*].effect'], 'enum');
  assert.deepEqual(controls(model, 'odd'), { '': 'yaml' });
});

test('Whole objects of Kubernetes stay YAML, which says so', () => {
  const model = formOf({ schema: { properties: { extraObjects: list } }, valuesText: '' });
  assert.equal(listFields(model)[0]?.reason, 'whole objects of Kubernetes');
});

test('A guess takes what does not fit it, and gives it back', () => {
  const schema = { properties: { tolerations: list, affinity: object, podAnnotations: object, volumes: {}, securityContext: object } };
  const model = formOf({ schema, valuesText: '' });
  const all: readonly Json[] = [
    null,
    '',
    '{{ .Values.x }}',
    7,
    true,
    [],
    {},
    [1, 'a', null],
    [{ key: 1, effect: 'Odd', more: [{}] }],
    { a: { b: 1 }, c: null },
  ];
  for (const value of all) {
    for (const key of Object.keys(schema.properties)) {
      const { values, faults } = formToValues(model, valuesToFields(model, { [key]: value }), {});
      assert.deepEqual([values, faults], [{ [key]: value }, []], `${key}: ${stringifyJson(value)}`);
    }
  }
  const typed = { securityContext: { runAsUser: '{{ .Values.uid }}', runAsGroup: 1000 } };
  assert.deepEqual(formToValues(model, valuesToFields(model, typed), {}), {
    ...formToValues(model, valuesToFields(model, typed), {}),
    values: typed,
    faults: [],
  });
});

test('Names of values decide only in the forms of charts', () => {
  const schema = { properties: { tolerations: { type: 'array' } } };
  const model = buildForm({ schema, root: '', curated: [], mode: 'create' });
  assert.deepEqual(controls(model, 'tolerations'), { '': 'yaml' });
});
