import type { KubeObject } from '../kubernetes/resource.ts';
import { rulesFor } from './conversion.ts';
import type { Lifted, Rule, RuleTable } from './conversion.ts';
import { fieldsOf } from './fields.ts';

/** Families whose shape and defaults did not change between the legacy version and the current one. */
export const renameRules: RuleTable = {
  ...rulesFor(['batch/v1beta1', 'batch/v2alpha1'], ['CronJob'], rename('batch/v1')),
  ...rulesFor(['scheduling.k8s.io/v1beta1', 'scheduling.k8s.io/v1alpha1'], ['PriorityClass'], rename('scheduling.k8s.io/v1')),
  ...rulesFor(
    ['storage.k8s.io/v1beta1'],
    ['StorageClass', 'VolumeAttachment', 'CSIDriver', 'CSINode', 'CSIStorageCapacity'],
    rename('storage.k8s.io/v1'),
  ),
  ...rulesFor(['extensions/v1beta1'], ['NetworkPolicy'], rename('networking.k8s.io/v1')),
  ...rulesFor(['networking.k8s.io/v1beta1'], ['IngressClass'], rename('networking.k8s.io/v1')),
  ...rulesFor(['coordination.k8s.io/v1beta1'], ['Lease'], rename('coordination.k8s.io/v1')),
  ...rulesFor(['apiregistration.k8s.io/v1beta1'], ['APIService'], rename('apiregistration.k8s.io/v1')),
  ...rulesFor(['node.k8s.io/v1beta1'], ['RuntimeClass'], rename('node.k8s.io/v1')),
  ...rulesFor(['node.k8s.io/v1alpha1'], ['RuntimeClass'], liftRuntimeClass),
  ...rulesFor(['events.k8s.io/v1beta1'], ['Event'], liftEvent),
  ...rulesFor(['autoscaling/v2beta2'], ['HorizontalPodAutoscaler'], rename('autoscaling/v2')),
  ...rulesFor(
    ['admissionregistration.k8s.io/v1beta1'],
    ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
    rename('admissionregistration.k8s.io/v1'),
  ),
};

/** The first version kept the handler in a spec of its own. */
function liftRuntimeClass(object: KubeObject): Lifted {
  const { spec: old, ...rest } = object;
  const { runtimeHandler, ...others } = fieldsOf(old);
  if (typeof runtimeHandler !== 'string') return { failed: 'it names no handler' };
  return {
    object: { ...rest, apiVersion: 'node.k8s.io/v1', handler: runtimeHandler, ...others },
    notes: ['the handler has its current place'],
  };
}

const OF_AN_EVENT = ['eventTime', 'type', 'reason', 'action', 'reportingController', 'reportingInstance'];

/** v1 asks for what could be left out before. */
function liftEvent(object: KubeObject): Lifted {
  const missing = OF_AN_EVENT.filter((name) => object[name] === undefined);
  if (missing.length > 0) return { failed: `it has no ${missing.join(', ')}; the current API requires it` };
  return { object: { ...object, apiVersion: 'events.k8s.io/v1' }, notes: [] };
}

function rename(apiVersion: string): Rule {
  return (object) => ({ object: { ...object, apiVersion }, notes: [] });
}
