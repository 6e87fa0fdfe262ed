import assert from 'node:assert/strict';
import { test } from 'node:test';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { errorSummary } from '../../../../src/form/view/error-summary.ts';
import { locateFaults } from '../../../../src/form/input/locate-faults.ts';
import { valuesToFields } from '../../../../src/form/input/values-to-fields.ts';

const user = { type: 'object', properties: { name: { type: 'string' } } };
const model = buildForm({
  schema: {
    properties: {
      users: { type: 'array', items: user },
      'a.b/c': { type: 'string' },
      labels: { type: 'object', additionalProperties: { type: 'string' } },
      config: { type: 'object', 'x-kubernetes-preserve-unknown-fields': true },
      storage: { type: 'object', properties: { size: { type: 'string' } } },
    },
  },
  root: 'spec',
  curated: [],
  mode: 'create',
});
const fields = valuesToFields(model, { users: [{ name: 'x' }, { name: 'y' }], labels: { app: '1', 'a.b/c': '2' }, storage: 7 });

const cases: readonly { readonly world: string; readonly field: string; readonly lands: string | undefined; readonly message?: string }[] =
  [
    { world: 'A row of a list', field: 'spec.users[1].name', lands: 'spec.users[1].name' },
    { world: 'A row as a part of the path', field: 'spec.users.1.name', lands: 'spec.users[1].name' },
    { world: 'A key of a map in brackets', field: 'spec.labels[a.b/c]', lands: 'spec.labels[1]' },
    { world: 'A key of a map as a part of the path', field: 'spec.labels.app', lands: 'spec.labels[0]' },
    { world: 'A row of a map that the form itself named', field: 'spec.labels[1]', lands: 'spec.labels[1]' },
    { world: 'A property whose name has dots', field: 'spec.a.b/c', lands: 'spec["a.b/c"]' },
    { world: 'Something within a YAML field', field: 'spec.config.deep[0].x', lands: 'spec.config', message: 'deep[0].x: is wrong' },
    {
      world: 'Something within a part that is shown as YAML',
      field: 'spec.storage.size',
      lands: 'spec.storage',
      message: 'size: is wrong',
    },
    { world: 'A field that the form does not have', field: 'spec.unknown', lands: undefined, message: 'spec.unknown: is wrong' },
    { world: 'The root', field: 'spec', lands: undefined },
    { world: 'Something outside of the form', field: 'metadata.name', lands: undefined },
    { world: 'A property that only begins like the root', field: 'specification.x', lands: undefined },
  ];

for (const { world, field, lands, message = 'is wrong' } of cases) {
  test(`${world} is found: ${field}`, () => {
    assert.deepEqual(locateFaults(model, fields, [{ field, message: 'is wrong' }]), [
      lands === undefined ? { message } : { field: lands, message },
    ]);
  });
}

test('A line of the summary leads to its field and calls it by its labels', () => {
  const faults = [
    { field: 'spec.users[1].name', message: 'Use another one' },
    { field: 'spec.storage.size', message: 'Enter size' },
    { message: 'The quota is used up' },
    { field: 'metadata.name', message: 'Taken' },
  ];
  assert.deepEqual(errorSummary(faults, model), [
    { href: '#f-spec-users-1-name', label: 'Users 2, Name', message: 'Users 2, Name: Use another one' },
    { href: '#f-spec-storage-size', label: 'Storage, Size', message: 'Storage, Size: Enter size' },
    { href: '', label: '', message: 'The quota is used up' },
    { href: '', label: '', message: 'Taken' },
  ]);
});
