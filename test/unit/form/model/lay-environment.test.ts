import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringifyJson } from '../../../../src/domain/core/exact-json.ts';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';
import { locksOf } from '../../../../src/domain/values/locks.ts';
import { buildForm } from '../../../../src/form/model/form-model.ts';
import type { FormNode } from '../../../../src/form/model/form-node.ts';
import { layEnvironment } from '../../../../src/form/model/lay-environment.ts';
import { placedForm } from '../../../../src/form/model/app-form.ts';

const text = { type: 'string' };
const spec = {
  type: 'object',
  required: ['storage', 'size'],
  properties: {
    size: text,
    storage: { type: 'object', required: ['size'], properties: { size: text, className: text } },
    users: { type: 'array', items: { type: 'object', properties: { name: text } } },
    store: {
      oneOf: [
        { type: 'object', properties: { bucket: text } },
        { type: 'object', properties: { volume: text } },
      ],
    },
  },
};
const model = buildForm({ schema: spec, root: 'spec', curated: [], mode: 'create' });

function lines(environment: JsonObject, locked: readonly string[]): string[] {
  const locks = locksOf([{ layer: 'environment', by: 'the environment shop', locked }]);
  const laid = layEnvironment(model, { lower: { operator: {}, environment: { spec: environment } }, locks });
  const below = (node: FormNode): FormNode[] => [
    node,
    ...(node.kind === 'group'
      ? node.children.flatMap(below)
      : node.kind === 'choice'
        ? node.branches.flatMap((one) => below(one.node))
        : []),
  ];
  return below(laid.root)
    .filter((node) => node.locked !== undefined || node.fallbackSource !== undefined)
    .map(({ path, locked: by, fallbackSource, fallback, required }) =>
      [path.join('.'), by ?? '-', fallbackSource ?? '-', stringifyJson(fallback) ?? '-', required ? 'required' : ''].join(' ').trim(),
    );
}

test('values of the environment are what empty fields get, so they need not be filled in', () => {
  assert.deepEqual(lines({ size: '1Gi', storage: { className: 'fast' } }, []), [
    'spec.size - environment "1Gi"',
    'spec.storage.className - environment "fast"',
  ]);
});

test('a lock on a group locks every field in it', () => {
  assert.deepEqual(lines({}, ['spec.storage']), [
    'spec.storage the environment shop - - required',
    'spec.storage.size the environment shop - -',
    'spec.storage.className the environment shop - -',
  ]);
});

test('a lock reaches into the branches of a choice, and a list is locked whole', () => {
  assert.deepEqual(lines({ users: [{ name: 'app' }] }, ['spec.store.bucket', 'spec.users']), [
    'spec.users the environment shop environment [{"name":"app"}]',
    'spec.store.bucket the environment shop - -',
  ]);
});

test('a form without environment and locks is the form itself', () => {
  assert.deepEqual(layEnvironment(model, { lower: { operator: {}, environment: {} }, locks: [] }), model);
});

test('only new instances start with values of the catalogue and the environment; the locks hold for all', () => {
  const app = {
    id: 'caches.example.com',
    group: 'example.com',
    plural: 'caches',
    kind: 'Cache',
    relatedApps: [],
    fields: [],
    operator: { namespace: 'chandlery-system', name: 'cache' },
    schema: { type: 'object', properties: { spec } },
    defaults: { spec: { size: '1Gi' } },
    locked: ['spec.size'],
  };
  const environment = { name: 'shop', overlay: [{ app: app.id, values: { spec: { storage: { size: '2Gi' } } }, locked: [] }] };
  const facts = (mode: 'create' | 'edit'): unknown[] => {
    const { root } = placedForm(app, mode, environment);
    const inner = root.kind === 'group' ? root.children.find(({ key }) => key === 'spec') : undefined;
    const [size, storage] = inner?.kind === 'group' ? inner.children.filter(({ key }) => key === 'size' || key === 'storage') : [];
    const [within] = storage?.kind === 'group' ? storage.children : [];
    return [size?.fallback, size?.locked, within?.fallback];
  };
  assert.deepEqual(facts('create'), ['1Gi', 'the Operator chandlery-system/cache', '2Gi']);
  assert.deepEqual(facts('edit'), [undefined, 'the Operator chandlery-system/cache', undefined]);
});
