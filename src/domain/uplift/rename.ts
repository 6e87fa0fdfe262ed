import { rulesFor } from './conversion.ts';
import type { Rule, RuleTable } from './conversion.ts';

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
  ...rulesFor(['autoscaling/v2beta2'], ['HorizontalPodAutoscaler'], rename('autoscaling/v2')),
  ...rulesFor(
    ['admissionregistration.k8s.io/v1beta1'],
    ['ValidatingAdmissionPolicy', 'ValidatingAdmissionPolicyBinding'],
    rename('admissionregistration.k8s.io/v1'),
  ),
  ...rulesFor(
    ['flowcontrol.apiserver.k8s.io/v1beta3'],
    ['FlowSchema', 'PriorityLevelConfiguration'],
    rename('flowcontrol.apiserver.k8s.io/v1'),
  ),
};

function rename(apiVersion: string): Rule {
  return (object) => ({ object: { ...object, apiVersion }, notes: [] });
}
