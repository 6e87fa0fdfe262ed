import type { KubeObject } from '../kubernetes/resource.ts';
import {
  compact,
  type Fields,
  fieldsOf,
  isFields,
  type Lifted,
  listOf,
  rulesFor,
  type RuleTable,
  without,
  withSpec,
} from './conversion.ts';

const EXTENSIONS = 'extensions/v1beta1';
const APPS_BETA_1 = 'apps/v1beta1';

/** Deployment, StatefulSet, DaemonSet and ReplicaSet. Revision history and progress deadline take today's defaults. */
export const workloadRules: RuleTable = {
  ...rulesFor([APPS_BETA_1, 'apps/v1beta2'], ['StatefulSet', 'Deployment', 'ControllerRevision'], liftWorkload),
  ...rulesFor(['apps/v1beta2'], ['DaemonSet', 'ReplicaSet'], liftWorkload),
  ...rulesFor([EXTENSIONS], ['Deployment', 'DaemonSet', 'ReplicaSet'], liftWorkload),
};

function liftWorkload(object: KubeObject): Lifted {
  if (object.kind === 'ControllerRevision') return { object: { ...object, apiVersion: 'apps/v1' }, notes: [] };
  const notes: string[] = [];
  const spec = fieldsOf(object.spec);
  const selector = isFields(spec['selector']) ? spec['selector'] : templateSelector(spec);
  if (selector === undefined) return { failed: 'it has no selector, and its pod template has no labels to derive one from' };
  if (selector !== spec['selector']) notes.push('the selector was derived from the labels of the pod template, as in the old API');
  const dropped = ['rollbackTo', 'templateGeneration'].filter((name) => name in spec);
  if (dropped.length > 0) notes.push(`${dropped.join(' and ')} was removed, because the API no longer has it`);
  const strategy = oldStrategy(object, spec);
  if (Object.keys(strategy).length > 0) notes.push('the old default for updates is written out');
  const current = { ...without(spec, 'rollbackTo', 'templateGeneration'), ...strategy, selector };
  return { object: withSpec(object, 'apps/v1', current), notes };
}

function templateSelector(spec: Fields): Fields | undefined {
  const labels = fieldsOf(fieldsOf(fieldsOf(spec['template'])['metadata'])['labels']);
  return Object.keys(labels).length === 0 ? undefined : { matchLabels: labels };
}

/** The update strategy where the old default differs from that of apps/v1 and the chart did not choose. */
function oldStrategy(object: KubeObject, spec: Fields): Fields {
  const { apiVersion, kind } = object;
  const onDelete = (kind === 'StatefulSet' && apiVersion === APPS_BETA_1) || (kind === 'DaemonSet' && apiVersion === EXTENSIONS);
  if (onDelete && fieldsOf(spec['updateStrategy'])['type'] === undefined) return { updateStrategy: { type: 'OnDelete' } };
  if (kind === 'Deployment' && apiVersion === EXTENSIONS && spec['strategy'] === undefined) {
    return { strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } } };
  }
  return {};
}

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
