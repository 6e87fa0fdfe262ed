import assert from 'node:assert/strict';
import { globSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { test } from 'node:test';
import { parse } from 'yaml';
import { at } from '../../../../src/domain/core/read.ts';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { coverage } from '../../../../src/form/model/coverage.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import { formToValues } from '../../../../src/form/input/form-to-values.ts';
import { valuesToFields } from '../../../../src/form/input/values-to-fields.ts';
import { chartHints } from '../../../../src/schema/hints/chart-hints.ts';
import { CRD_FOLDERS, SCHEMA_FOLDERS } from '../../../support/schemas.ts';

const SAMPLES = path.join(import.meta.dirname, '../../../../charts');

interface Named {
  readonly name: string;
  readonly schema: JsonObject;
}

for (const { name, schema } of [...CRD_FOLDERS.flatMap((folder) => crdsIn(folder)), ...sampleCrds()]) {
  test(`Every field of the kind ${name} can be reached, and nearly all have a control of their own`, () => {
    const { leaves, typed, unreachable } = coverage(schema, buildForm({ schema, root: 'spec', curated: [], mode: 'create' }));
    assert.deepEqual(unreachable, []);
    assert.ok(typed / leaves > 0.7, `${typed} of ${leaves} are typed`);
  });
}

for (const { name, schema, values, valuesText } of SCHEMA_FOLDERS.flatMap(chartsIn)) {
  const model = buildForm({
    schema,
    root: 'values',
    curated: [],
    defaults: values,
    defaultsFrom: 'chart',
    mode: 'create',
    hints: chartHints({ valuesText, values }),
  });
  test(`Every value of the chart ${name} can be reached, and its defaults come back from the form as they are`, () => {
    assert.deepEqual(coverage(schema, model).unreachable, []);
    assert.deepEqual(formToValues(model, valuesToFields(model, values), {}).values, values);
  });

  test(`Nearly all values of the chart ${name} have a control of their own, also those that its schema leaves open`, () => {
    const { leaves, typed } = coverage(schema, model);
    assert.equal(model.reduced, undefined);
    assert.ok(typed / leaves > 0.93, `${typed} of ${leaves} are typed`);
  });
}

test('Each leaf of a kind of seven whole pod templates, with all that is said about them, has a control of its own', () => {
  const workshop = CRD_FOLDERS.flatMap((folder) => crdsIn(folder)).find(({ name }) => name === 'Workshop v1')?.schema;
  assert.ok(workshop);
  const schema = { type: 'object', properties: Object.fromEntries(Array.from({ length: 7 }, (_, n) => [`part${n}`, workshop])) };
  const form = buildForm({ schema, root: 'spec', curated: [], mode: 'create' });
  const { leaves, yaml, freeForm } = coverage(schema, form);
  assert.equal(form.reduced, undefined, `${leaves} leaves`);
  assert.equal(yaml, freeForm);
});

test('The schemas of the sample operators are among them', () => {
  assert.equal(sampleCrds().length, 2);
});

function crdsIn(folder: string, pattern = '*.yaml'): Named[] {
  const files = globSync(pattern, { cwd: folder }).toSorted();
  return files.flatMap((file) => {
    const crd: unknown = parse(readFileSync(path.join(folder, file), 'utf8'));
    const versions = at(crd, 'spec', 'versions');
    return (Array.isArray(versions) ? versions : []).map((version: unknown) => ({
      name: `${String(at(crd, 'spec', 'names', 'kind'))} ${String(at(version, 'name'))}`,
      schema: at(version, 'schema', 'openAPIV3Schema', 'properties', 'spec') as JsonObject,
    }));
  });
}

function sampleCrds(): Named[] {
  return crdsIn(SAMPLES, '{cache-operator/crds/*,postgres-operator/templates/crd-*}.yaml');
}

function chartsIn(schemas: string): (Named & { readonly values: JsonObject; readonly valuesText: string })[] {
  const folder = path.join(schemas, 'charts');
  return readdirSync(folder)
    .filter((file) => /\.schema\.(json|yaml)$/.test(file))
    .toSorted()
    .map((file) => {
      const name = file.replace(/\.schema\.\w+$/, '');
      const read = (of: string) => readFileSync(path.join(folder, of), 'utf8');
      const valuesText = read(`${name}.values.yaml`);
      return { name, schema: parse(read(file)) as JsonObject, values: parse(valuesText) as JsonObject, valuesText };
    });
}
