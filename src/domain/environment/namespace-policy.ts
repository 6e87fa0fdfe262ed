import { choice, list, map, object, optional, orEmpty, quantity, text, type ValueOf } from '../kind/field.ts';
import { POD_SECURITY_LEVELS } from '../kubernetes/pod-security-labels.ts';
import { networkPolicyField } from './network-policy.ts';

const quantities = optional(
  map(quantity(), { description: 'The quantity of each resource, for example cpu or memory.', maxProperties: 16 }),
);

const limit = object(
  {
    type: choice(['Container', 'Pod', 'PersistentVolumeClaim'], { description: 'What the limits are about.' }),
    default: quantities,
    defaultRequest: quantities,
    max: quantities,
    min: quantities,
    maxLimitRequestRatio: quantities,
  },
  {},
);

const hard = (most: string) =>
  map(quantity(), {
    description: `${most}, as the hard limits of a ResourceQuota, for example requests.cpu or count/pods.`,
    maxProperties: 64,
  });

const limits = list(limit, {
  description: 'Defaults and bounds for single containers, pods and volume claims, as the limits of a LimitRange.',
  maxItems: 8,
  merge: 'atomic',
});

/** The hard limits of a ResourceQuota. @param most what they are the most of: `The most that the environment may hold in all`. */
export const quotaField = (most: string) => orEmpty(hard(most));

/** The limits of a LimitRange. */
export const limitRangeField = orEmpty(limits);

/** What Pod Security admission asks of the pods of a namespace. */
export const podSecurityMembers = {
  enforce: choice(POD_SECURITY_LEVELS, { description: 'Pods that violate this level are rejected.', default: 'baseline' }),
  audit: choice(POD_SECURITY_LEVELS, {
    description: 'Pods that violate this level are noted in the audit log of the api-server.',
    default: 'restricted',
  }),
  warn: choice(POD_SECURITY_LEVELS, {
    description: 'Creating a pod or a workload that violates this level returns a warning.',
    default: 'restricted',
  }),
  version: text({
    description: 'The version of Kubernetes whose standards count, for example v1.36, or latest.',
    default: 'latest',
    maxLength: 16,
    pattern: String.raw`^(latest|v1\.(0|[1-9][0-9]*))$`,
  }),
};

/** The policy of the namespaces that AppDefinitions dedicate to instances. What is absent is as in the Environment. */
export const namespacePolicyMembers = {
  quota: optional(hard('The most that a namespace may hold in all')),
  limitRange: optional(limits),
  networkPolicy: optional(networkPolicyField),
  podSecurity: optional(
    object(podSecurityMembers, {
      description:
        'The Pod Security Standards that pods of the instance have to meet, also where they are lower than those of the Environment.',
    }),
  ),
};

export type NamespacePolicy = { readonly [Name in keyof typeof namespacePolicyMembers]?: ValueOf<(typeof namespacePolicyMembers)[Name]> };
