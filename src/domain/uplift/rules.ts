import type { KubeObject } from '../kubernetes/resource.ts';
import { autoscalingRules } from './autoscaling.ts';
import { rulesFor, type Lifted, type RuleTable } from './conversion.ts';
import { crdRules } from './custom-resource-definition.ts';
import { endpointSliceRules } from './endpoint-slice.ts';
import { compact, fieldsOf, isFields, without, withSpec } from './fields.ts';
import { ingressRules } from './ingress.ts';
import { rbacRules } from './rbac.ts';
import { renameRules } from './rename.ts';
import { webhookRules } from './webhook.ts';
import { workloadRules } from './workload.ts';

const CURRENT = 'flowcontrol.apiserver.k8s.io/v1';
const LEGACY = ['v1alpha1', 'v1beta1', 'v1beta2', 'v1beta3'].map((version) => `flowcontrol.apiserver.k8s.io/${version}`);

const flowControlRules: RuleTable = {
  ...rulesFor(LEGACY, ['FlowSchema'], (object) => ({ object: { ...object, apiVersion: CURRENT }, notes: [] })),
  ...rulesFor(LEGACY, ['PriorityLevelConfiguration'], liftPriorityLevel),
};

const policyRules: RuleTable = {
  ...rulesFor(['policy/v1beta1'], ['PodDisruptionBudget'], liftBudget),
  ...rulesFor(['policy/v1beta1', 'extensions/v1beta1'], ['PodSecurityPolicy'], () => ({
    failed:
      'Kubernetes has no PodSecurityPolicy any more; disable it in the chart’s values, and label the namespace for Pod Security instead',
  })),
};

const certificateRules: RuleTable = rulesFor(['certificates.k8s.io/v1beta1'], ['CertificateSigningRequest'], liftRequest);

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

/** v1 asks who is to sign, and for what: both could be left open before. */
function liftRequest(object: KubeObject): Lifted {
  const { signerName, usages } = fieldsOf(object.spec);
  if (typeof signerName !== 'string' || signerName === 'kubernetes.io/legacy-unknown') {
    return { failed: 'it names no signer, and the old default signer no longer exists; name one in spec.signerName' };
  }
  if (!Array.isArray(usages) || usages.length === 0) return { failed: 'it has no usages; set spec.usages' };
  return { object: { ...object, apiVersion: 'certificates.k8s.io/v1' }, notes: [] };
}

/** An empty selector chose nothing in v1beta1 and chooses everything in v1, where an absent one chooses nothing. */
function liftBudget(object: KubeObject): Lifted {
  const spec = fieldsOf(object.spec);
  const selector = spec['selector'];
  const empty = isFields(selector) && Object.keys(selector).length === 0;
  if (!empty) return { object: { ...object, apiVersion: 'policy/v1' }, notes: [] };
  return {
    object: withSpec(object, 'policy/v1', without(spec, 'selector')),
    notes: ['the empty selector was removed, because it would now select every pod instead of none'],
  };
}

/** Shares were called assured, and zero of them meant the default of 30; v1 takes zero at its word. */
function liftPriorityLevel(object: KubeObject): Lifted {
  const spec = fieldsOf(object.spec);
  if (!isFields(spec['limited'])) return { object: { ...object, apiVersion: CURRENT }, notes: [] };
  const limited = spec['limited'];
  const shares = limited['nominalConcurrencyShares'] ?? limited['assuredConcurrencyShares'];
  const nominal = shares === 0 ? undefined : shares;
  const current = compact({ ...without(limited, 'assuredConcurrencyShares'), nominalConcurrencyShares: nominal });
  const notes = [
    ...(limited['assuredConcurrencyShares'] === undefined ? [] : ['the shares have their current name']),
    ...(shares === 0 ? ['zero shares, which meant the default, were removed'] : []),
  ];
  return { object: withSpec(object, CURRENT, { ...spec, limited: current }), notes };
}
