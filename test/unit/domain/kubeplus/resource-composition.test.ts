import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
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
    const { spec, omitted } = composed({ podconfig, quota: { 'requests.cpu': '1', 'limits.memory': '4Gi' } });
    assert.deepEqual(spec, {
      chartURL: 'file://uploaded/hello-world-chart-0.0.2.tgz',
      names,
      namespaceMode: 'Dedicated',
      policy: {
        quota: { 'requests.cpu': '1', 'limits.memory': '4Gi' },
        limitRange: [{ type: 'Container', default: podconfig.limits, defaultRequest: podconfig.requests }],
      },
    });
    assert.deepEqual(omitted, [GROUP]);
  });

  it('leaves out what has no effect, and names each of it', () => {
    const podconfig = { limits: { cpu: 'values.cpu' }, nodeSelector: 'values.nodeName' };
    const { spec, omitted } = composed({ podconfig, quota: { 'requests.cpu': '-1' } }, { resmonitor: { spec: {} } });
    assert.deepEqual(spec, { chartURL: 'file://uploaded/hello-world-chart-0.0.2.tgz', names, namespaceMode: 'Dedicated' });
    assert.deepEqual(omitted, [
      GROUP,
      'respolicy.spec.policy.podconfig.nodeSelector: give it to the chart as a value',
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
