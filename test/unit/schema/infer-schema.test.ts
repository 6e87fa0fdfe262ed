import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildForm } from '../../../src/form/model/form-model.ts';
import { formToValues } from '../../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../../src/form/input/values-to-fields.ts';
import { chartHints } from '../../../src/schema/hints/chart-hints.ts';
import { inferSchema } from '../../../src/schema/infer-schema.ts';

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
    anything: 'yaml',
    others: 'yaml',
    free: 'yaml',
    count: 'integer',
  });
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
