import type { KubeObject } from '../kubernetes/resource.ts';
import { rulesFor } from './conversion.ts';
import type { Lifted, RuleTable } from './conversion.ts';
import { fieldsOf, isFields, without, withSpec } from './fields.ts';
import type { Fields } from './fields.ts';

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
