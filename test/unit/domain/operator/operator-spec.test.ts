import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { parseOperatorSpec } from '../../../../src/domain/operator/operator-spec.ts';
import { parseOperatorStatus } from '../../../../src/domain/operator/operator-status.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

const CHART = { repoURL: 'https://charts.example.com', name: 'demo', version: '1.0.0' };

describe('the spec of an Operator', () => {
  it('has a default for whatever is left out', () => {
    const spec = {
      chart: CHART,
      valuesFrom: [{ kind: 'Secret', name: 'db' }],
      dependsOn: [{ name: 'a' }, { name: 'b', namespace: 'other' }],
    };
    assert.deepEqual(parseOperatorSpec(operator(spec)), {
      chart: { kind: 'repository', ...CHART },
      values: {},
      valuesFrom: [{ kind: 'Secret', name: 'db', key: 'values.yaml', optional: false }],
      targetNamespace: 'ops',
      createNamespace: false,
      releaseName: 'demo',
      legacyAPIs: 'Uplift',
      upgrade: { policy: 'Manual', crdSafety: 'Instances', remediation: 'None', healthTimeout: 600_000 },
      test: { enable: false, timeout: 300_000 },
      adopt: false,
      driftDetection: { mode: 'Disabled', ignore: [] },
      dependsOn: ['ops/a', 'other/b'],
      suspend: false,
      interval: 600_000,
      health: [],
      historyLimit: 10,
      deletionPolicy: 'Block',
      catalog: { tags: [], audience: [], kinds: [] },
    });
  });

  it('reads the window of a minute as the clock shows it', () => {
    const window = { start: '22:30', duration: '4h', days: ['Sat'] };
    const { upgrade } = parseOperatorSpec(operator({ chart: CHART, upgrade: { window } }));
    assert.deepEqual(upgrade.window, { days: ['Sat'], start: 1350, duration: 14_400_000, timeZone: 'UTC' });
  });

  it('asks for a signature that nobody can make when the policy cannot be read', () => {
    const { chart } = parseOperatorSpec(operator({ chart: { ...CHART, verify: { provider: 'Other', secretRef: { name: 'keys' } } } }));
    assert.deepEqual(chart, { kind: 'repository', ...CHART, verify: { provider: 'Provenance', secret: '' } });
  });
});

it('the status that kubeplus wrote is one of ours', () => {
  const status = { status: 'READY', customResourceDefinitions: ['moodles.moodlecontroller.kubeplus'] };
  assert.deepEqual(parseOperatorStatus({ ...operator({}), status }), {
    ...status,
    values: [],
    history: [],
    crds: [],
    conditions: [],
    failures: 0,
  });
});

function operator(spec: object): KubeObject {
  return { apiVersion: 'operatorcontroller.kubeplus/v1', kind: 'Operator', metadata: { name: 'demo', namespace: 'ops' }, spec };
}
