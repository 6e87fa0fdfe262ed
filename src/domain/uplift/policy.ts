import type { KubeObject } from '../kubernetes/resource.ts';
import { rulesFor } from './conversion.ts';
import type { Lifted, RuleTable } from './conversion.ts';
import { fieldsOf, isFields, without, withSpec } from './fields.ts';

export const policyRules: RuleTable = {
  ...rulesFor(['policy/v1beta1'], ['PodDisruptionBudget'], liftBudget),
  ...rulesFor(['policy/v1beta1', 'extensions/v1beta1'], ['PodSecurityPolicy'], () => ({
    refused:
      'Kubernetes has no PodSecurityPolicy any more; turn it off in the chart’s values and label the namespace for Pod Security instead',
  })),
};

/** An empty selector chose nothing in v1beta1 and chooses everything in v1, where an absent one chooses nothing. */
function liftBudget(object: KubeObject): Lifted {
  const spec = fieldsOf(object.spec);
  const selector = spec['selector'];
  const empty = isFields(selector) && Object.keys(selector).length === 0;
  if (!empty) return { object: { ...object, apiVersion: 'policy/v1' }, notes: [] };
  return {
    object: withSpec(object, 'policy/v1', without(spec, 'selector')),
    notes: ['the empty selector was taken out, because it would now choose every pod instead of none'],
  };
}
