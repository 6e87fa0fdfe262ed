import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { objectAt } from '../../../../src/domain/core/read.ts';
import { definitionOf } from '../../../../src/domain/kubeplus/resource-composition.ts';
import type { JsonObject } from '../../../../src/domain/kubernetes/resource.ts';

const resource = { kind: 'HelloWorldService', group: 'platformapi.kubeplus', version: 'v1alpha1', plural: 'helloworldservices' };
const composed = (policy: JsonObject, more: JsonObject = {}, chartName?: string): ReturnType<typeof definitionOf> =>
  definitionOf(
    {
      apiVersion: 'workflows.kubeplus/v1alpha1',
      kind: 'ResourceComposition',
      metadata: { name: 'hello', namespace: 'default' },
      spec: {
        newResource: { resource, chartURL: 'file:///hello-world-chart-0.0.2.tgz', chartName: 'hello-world-chart' },
        respolicy: { kind: 'ResourcePolicy', spec: { resource, policy } },
        ...more,
      },
    },
    chartName,
  );
const names = { kind: 'HelloWorldService', plural: 'helloworldservices', singular: 'helloworldservice' };
const GROUP = 'newResource.resource: the kind is apps.chandlery.dev/v1alpha1 and not platformapi.kubeplus/v1alpha1';

describe('the AppDefinition of a ResourceComposition', () => {
  it('has the uploaded chart, a namespace for each instance, and the policy in its words', () => {
    const podconfig = { limits: { cpu: '200m', memory: '2Gi' }, requests: { cpu: '100m' } };
    const nodeSelector = 'values.nodeName';
    const quota = { 'requests.cpu': '1', 'limits.memory': '4Gi' };
    const { spec, omitted } = composed({ podconfig: { ...podconfig, nodeSelector }, quota });
    assert.deepEqual(spec, {
      chartURL: 'file://uploaded/hello-world-chart-0.0.2.tgz',
      names,
      namespaceMode: 'Dedicated',
      policy: {
        quota: { 'requests.cpu': '1', 'limits.memory': '4Gi' },
        limitRange: [{ type: 'Container', default: podconfig.limits, defaultRequest: podconfig.requests }],
        nodeSelectorFrom: { 'kubernetes.io/hostname': 'nodeName' },
      },
    });
    assert.deepEqual(omitted, [GROUP]);
  });

  it('selects a node by its name, too, which its documentation allows', () => {
    const { spec, omitted } = composed({ podconfig: { nodeSelector: ' node-1.example ' } });
    assert.deepEqual(objectAt(spec, 'policy'), { nodeSelector: { 'kubernetes.io/hostname': 'node-1.example' } });
    assert.deepEqual(omitted, [GROUP]);
  });

  it('leaves out what has no effect, and names each of it', () => {
    const podconfig = { limits: { cpu: 'values.cpu' }, nodeSelector: 'a node' };
    const { spec, omitted } = composed({ podconfig, quota: { 'requests.cpu': '-1' } }, { resmonitor: { spec: {} } });
    assert.deepEqual(spec, { chartURL: 'file://uploaded/hello-world-chart-0.0.2.tgz', names, namespaceMode: 'Dedicated' });
    assert.deepEqual(omitted, [
      GROUP,
      'respolicy.spec.policy.podconfig.nodeSelector: "a node" is no name of a node',
      'respolicy.spec.policy.quota.requests.cpu: "-1" is no quantity',
      'respolicy.spec.policy.podconfig.limits.cpu: "values.cpu" is no quantity',
      'resmonitor: the metrics of an Environment show its instances',
    ]);
  });

  it('takes the name of the chart from the chart, and says so where another one was given', () => {
    assert.deepEqual(composed({}, {}, 'hello-world-chart').omitted, [GROUP]);
    assert.deepEqual(composed({}, {}, 'hello').omitted, [
      GROUP,
      'newResource.chartName: the chart at chartURL is "hello", not "hello-world-chart"',
    ]);
  });
});
