import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { RenderChartInput } from '../../../src/domain/chart/rendered-chart.ts';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { createChartRenderer, type RenderChartPorts } from '../../../src/helm/render-chart.ts';

const SCHEMA = { properties: { size: { type: 'integer' } } };
const contents = { metadata: { name: 'c', version: '1.0.0' }, crds: [], schema: SCHEMA };
const INPUT: RenderChartInput = {
  chart: { digest: 'sha256:1', path: '/c.tgz', contents },
  values: { size: 2 },
  release: 'c',
  namespace: 'default',
  action: 'install',
  legacyAPIs: 'Uplift',
  label: 'default.c',
  invalidValues: 'Render',
  secrets: ['hunter2'],
};
const LEGACY = { apiVersion: 'policy/v1beta1', kind: 'PodDisruptionBudget', metadata: { name: 'hunter2' }, spec: {} };

describe('what a chart renders for a cluster', () => {
  it('has a fault for an object of Chandlery, and for a legacy API where the Operator rejects them', async () => {
    const reserved = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name: 'mine' } };
    const { faults } = await rendering([reserved, LEGACY], { legacyAPIs: 'Reject' });
    assert.deepEqual(
      faults.map(({ code }) => code),
      ['ObjectReserved', 'UpliftFailed'],
    );
    assert.ok(faults.every(({ message }) => !message.includes('hunter2')));
  });

  it('has its objects in current APIs, and a secret in no name of a conversion', async () => {
    const { objects, conversions, faults } = await rendering([LEGACY]);
    assert.deepEqual(faults, []);
    assert.equal(objects[0]?.apiVersion, 'policy/v1');
    assert.ok(conversions.every(({ name }) => name !== 'hunter2'));
  });

  it('is rendered as an installation or as an upgrade', async () => {
    const asked: boolean[] = [];
    const render: RenderChartPorts['render'] = async ({ isUpgrade }) => {
      asked.push(isUpgrade);
      return [];
    };
    for (const action of ['install', 'upgrade'] as const) await renderer(render)({ ...INPUT, action }, AbortSignal.timeout(10_000));
    assert.deepEqual(asked, [false, true]);
  });
});

async function rendering(objects: KubeObject[], input: Partial<RenderChartInput> = {}) {
  return await renderer(async () => objects)({ ...INPUT, ...input }, AbortSignal.timeout(10_000));
}

function renderer(render: RenderChartPorts['render']) {
  return createChartRenderer({ render, discovery: { kinds: async () => [] }, kubernetesVersion: async () => '1.36.3' });
}
