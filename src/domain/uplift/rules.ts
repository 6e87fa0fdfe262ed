import type { RuleTable } from './conversion.ts';
import { autoscalingRules } from './autoscaling.ts';
import { certificateRules } from './certificate.ts';
import { crdRules } from './custom-resource-definition.ts';
import { endpointSliceRules } from './endpoint-slice.ts';
import { flowControlRules } from './flow-control.ts';
import { ingressRules } from './ingress.ts';
import { policyRules } from './policy.ts';
import { rbacRules } from './rbac.ts';
import { renameRules } from './rename.ts';
import { webhookRules } from './webhook.ts';
import { workloadRules } from './workload.ts';

/** How objects of legacy APIs are carried over, by `<apiVersion> <kind>`. */
export const RULES: RuleTable = {
  ...renameRules,
  ...autoscalingRules,
  ...certificateRules,
  ...crdRules,
  ...endpointSliceRules,
  ...flowControlRules,
  ...ingressRules,
  ...policyRules,
  ...rbacRules,
  ...webhookRules,
  ...workloadRules,
};
