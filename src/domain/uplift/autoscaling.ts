import type { KubeObject } from '../kubernetes/resource.ts';
import { rulesFor } from './conversion.ts';
import type { Lifted, RuleTable } from './conversion.ts';
import { compact, fieldsOf, listOf, withSpec } from './fields.ts';
import type { Fields } from './fields.ts';

export const autoscalingRules: RuleTable = rulesFor(['autoscaling/v2beta1'], ['HorizontalPodAutoscaler'], liftAutoscaler);

/** v2beta1 kept metric and target flat; v2 nests them. */
function liftAutoscaler(object: KubeObject): Lifted {
  const spec = fieldsOf(object.spec);
  const metrics = spec['metrics'] === undefined ? undefined : listOf(spec['metrics']).map(currentMetric);
  const unknown = metrics?.indexOf(undefined) ?? -1;
  if (unknown >= 0) return { failed: `metric ${unknown + 1} is of a type that is not known` };
  return { object: withSpec(object, 'autoscaling/v2', compact({ ...spec, metrics })), notes: ['metrics have the nested form of v2'] };
}

function currentMetric(metric: Fields): Fields | undefined {
  const { type } = metric;
  const resource = fieldsOf(metric['resource']);
  const container = fieldsOf(metric['containerResource']);
  const pods = fieldsOf(metric['pods']);
  const external = fieldsOf(metric['external']);
  switch (type) {
    case 'Resource':
      return { type, resource: { name: resource['name'], target: target(resource) } };
    case 'ContainerResource':
      return { type, containerResource: { name: container['name'], container: container['container'], target: target(container) } };
    case 'Pods':
      return { type, pods: { metric: named(pods, 'selector'), target: target(pods) } };
    case 'External':
      return { type, external: { metric: named(external, 'metricSelector'), target: target(external) } };
    case 'Object':
      return { type, object: currentObjectMetric(fieldsOf(metric['object'])) };
    default:
      return undefined;
  }
}

function currentObjectMetric(source: Fields): Fields {
  const { averageValue, targetValue } = source;
  const aim = averageValue === undefined ? { type: 'Value', value: targetValue } : { type: 'AverageValue', averageValue };
  return { describedObject: source['target'], metric: named(source, 'selector'), target: aim };
}

function named(source: Fields, selectorField: string): Fields {
  return compact({ name: source['metricName'], selector: source[selectorField] });
}

function target(source: Fields): Fields {
  const { targetAverageUtilization, targetAverageValue, targetValue } = source;
  if (targetAverageUtilization !== undefined) return { type: 'Utilization', averageUtilization: targetAverageUtilization };
  if (targetAverageValue !== undefined) return { type: 'AverageValue', averageValue: targetAverageValue };
  return { type: 'Value', value: targetValue };
}
