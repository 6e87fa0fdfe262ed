import assert from 'node:assert/strict';
import { test } from 'node:test';
import { at } from '../../../src/domain/core/read.ts';
import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import { findScopeDefaults, type ScopeCount } from '../../../src/operation/app-definition/find-scope-defaults.ts';

const CHART = { rbac: { create: true, namespaced: false }, webhooks: { enabled: true } };
const INITIAL: ScopeCount = { outside: 3, inside: 5, faults: 0 };

/** Two objects of RBAC and a webhook are outside; without RBAC, two more are missing inside. */
function render(values: JsonObject): Promise<ScopeCount> {
  const [create, namespaced, webhook] = [
    ['rbac', 'create'],
    ['rbac', 'namespaced'],
    ['webhooks', 'enabled'],
  ].map((path) => at(values, ...path));
  const role = create === false || namespaced === true ? 0 : 2;
  return Promise.resolve({ outside: role + (webhook === false ? 0 : 1), inside: create === false ? 3 : 5, faults: 0 });
}

test('Switches are combined until nothing is outside, those that leave more inside before others', async () => {
  assert.deepEqual(await findScopeDefaults(CHART, INITIAL, { render, isOver: () => false }), {
    values: { rbac: { namespaced: true }, webhooks: { enabled: false } },
    count: { outside: 0, inside: 5, faults: 0 },
  });
});

test('Values with which the chart does not render are no defaults', async () => {
  const broken = async (values: JsonObject): Promise<ScopeCount> =>
    at(values, 'rbac', 'namespaced') === true ? { outside: 0, inside: 0, faults: 1 } : await render(values);
  const found = await findScopeDefaults({ rbac: { namespaced: false } }, INITIAL, { render: broken, isOver: () => false });
  assert.equal(found, undefined);
});

test('The search ends with what it has when its time is over, and does not begin where nothing is outside', async () => {
  let renderings = 0;
  const counted = (values: JsonObject): Promise<ScopeCount> => {
    renderings += 1;
    return render(values);
  };
  const found = await findScopeDefaults(CHART, INITIAL, { render: counted, isOver: () => renderings > 0 });
  assert.deepEqual([found, renderings], [{ values: { rbac: { namespaced: true } }, count: { outside: 1, inside: 5, faults: 0 } }, 1]);
  assert.equal(await findScopeDefaults(CHART, { ...INITIAL, outside: 0 }, { render: counted, isOver: () => false }), undefined);
  assert.equal(renderings, 1);
});
