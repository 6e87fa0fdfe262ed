import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { scaledValues } from '../../../../src/domain/app-definition/scale.ts';
import { instanceScale, workloadScale } from '../../../../src/domain/app-instance/scale.ts';
import { chartStructure } from '../../../../src/schema/structural/chart-structure.ts';

const DEFAULTS = { image: 'nginx', port: 80, web: { host: '', replicaCount: 2 } };
const INFERRED = chartStructure({
  metadata: { dependencies: [] },
  values: DEFAULTS,
  valuesText: 'image: nginx\nport: 80\nweb:\n  host: ""\n  # How many\n  replicaCount: 2\n',
  subcharts: [],
  ciValues: [],
});

describe('the scale of a generated kind', () => {
  it('makes an integer of the field that it names in values without a schema', () => {
    const scaled = scaledValues({ specReplicasPath: 'spec.values.web.replicaCount' }, INFERRED, DEFAULTS);
    assert.equal(scaled.kind, 'Scaled');
    const integer = { type: 'integer', minimum: 0, maximum: 2_147_483_647, nullable: true, description: 'How many' };
    const web = (scaled.values['properties'] as Record<string, { properties: Record<string, object> }>)['web'];
    assert.deepEqual(web?.properties['replicaCount'], integer);
  });

  const faults: readonly (readonly [why: string, path: string])[] = [
    ['a text is none', 'spec.values.image'],
    ['an object is none', 'spec.values.web'],
    ['nor is what does not exist', 'spec.values.web.count'],
    ['nor what every object has', 'spec.values.web.constructor'],
  ];
  for (const [why, specReplicasPath] of faults) {
    it(`names the integers of the values, those called replicas first: ${why}`, () => {
      assert.deepEqual(scaledValues({ specReplicasPath }, INFERRED, DEFAULTS), {
        kind: 'NoInteger',
        message: `spec.scale.specReplicasPath: the values of the chart have no integer at ${specReplicasPath}; integers: spec.values.web.replicaCount, spec.values.port`,
      });
    });
  }
});

describe('the scale of an instance', () => {
  const workload = (kind: string, name: string, replicas?: number) => ({
    apiVersion: 'apps/v1',
    kind,
    metadata: { name },
    spec: { selector: { matchLabels: { app: name, a: 'b' }, matchExpressions: [{ key: 'tier', operator: 'In', values: ['x', 'y'] }] } },
    status: replicas === undefined ? {} : { replicas },
  });

  it('is that of its only Deployment or StatefulSet', () => {
    const scales = [workload('Deployment', 'web', 3), workload('DaemonSet', 'logs', 9)].map(workloadScale);
    assert.deepEqual(instanceScale(scales), { replicas: 3, selector: 'a=b,app=web,tier in (x,y)' });
    assert.deepEqual(instanceScale([]), { replicas: 0 });
  });

  it('has no selector where several have pods, which are not replicas of one another', () => {
    const scales = [workload('Deployment', 'web', 3), workload('StatefulSet', 'db')].map(workloadScale);
    assert.deepEqual(instanceScale(scales), { replicas: 3 });
  });
});
