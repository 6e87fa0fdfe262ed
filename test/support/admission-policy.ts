import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';

const ADMISSION = 'admissionregistration.k8s.io';

export interface PolicyInput {
  readonly name: string;
  readonly validationActions: readonly string[];
  /** What it is about. */
  readonly group: string;
  readonly resource: string;
  /** CEL that holds for what is let in, and what is said otherwise. */
  readonly expression: string;
  readonly message: string;
}

/** A ValidatingAdmissionPolicy on writes of one resource, and what binds it, by the plural of their kinds. */
export function admissionPolicy({
  name,
  validationActions,
  group,
  resource,
  expression,
  message,
}: PolicyInput): Record<string, KubeObject> {
  const matchConstraints = {
    resourceRules: [{ apiGroups: [group], apiVersions: ['*'], operations: ['CREATE', 'UPDATE'], resources: [resource] }],
  };
  const object = (kind: string, spec: object): KubeObject => ({ apiVersion: `${ADMISSION}/v1`, kind, metadata: { name }, spec });
  return {
    validatingadmissionpolicies: object('ValidatingAdmissionPolicy', { matchConstraints, validations: [{ expression, message }] }),
    validatingadmissionpolicybindings: object('ValidatingAdmissionPolicyBinding', { policyName: name, validationActions }),
  };
}
