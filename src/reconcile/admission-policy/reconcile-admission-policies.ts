import { isDeepStrictEqual } from 'node:util';
import { type Cluster, ifFound } from '../../domain/kubernetes/cluster.ts';
import { ADMISSION_POLICY, ADMISSION_POLICY_BINDING } from '../../domain/kubernetes/resource-types.ts';
import type { Reconcile } from '../../controller/controller.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';
import type { Log } from '../../observe/log.ts';

/** The types of our policies by their kind. */
export const POLICY_TYPES = {
  ValidatingAdmissionPolicy: ADMISSION_POLICY,
  ValidatingAdmissionPolicyBinding: ADMISSION_POLICY_BINDING,
} as const satisfies Record<string, ResourceType>;

export interface AdmissionPolicyPorts {
  /** As the controller's own account. */
  readonly cluster: Pick<Cluster, 'get' | 'create' | 'replace' | 'delete'>;
  /** All policies and bindings that we ship, every field spelled out as the api-server stores it. */
  readonly policies: readonly KubeObject[];
  readonly log: Log;
}

/** Policies of earlier versions. Their binding goes first, so that no policy is missed by it. */
const RETIRED = ['chandlery-environment-job-pods'];

/**
 * Makes the function that keeps the admission policies of Environments in force. Its key is the name that a policy and its binding share. What differs is
 * replaced, not applied: a field that somebody added, such as an exemption, would survive an apply.
 */
export function createAdmissionPolicyReconciler({ cluster, policies, log }: AdmissionPolicyPorts): Reconcile {
  return async (name, signal) => {
    if (RETIRED.includes(name)) {
      for (const type of [ADMISSION_POLICY_BINDING, ADMISSION_POLICY]) await ifFound(cluster.delete({ ...type, name }, { signal }));
      return {};
    }
    for (const policy of policies.filter(({ metadata }) => metadata.name === name)) {
      const type = typeOf(policy);
      const live = await ifFound(cluster.get({ ...type, name }, { signal }));
      if (live !== undefined && isInForce(live, policy)) continue;
      const { resourceVersion } = live?.metadata ?? {};
      if (resourceVersion === undefined) await cluster.create(type, policy, { fieldManager: OURS.fieldManager, signal });
      else {
        const wanted = { ...policy, metadata: { ...policy.metadata, resourceVersion } };
        await cluster.replace(type, wanted, { fieldManager: OURS.fieldManager, signal });
      }
      log.warn('An admission policy was changed or deleted; it is restored', { kind: policy.kind, name });
    }
    return {};
  };
}

/** Whether a policy and its binding are live as we ship them. */
export async function isPolicyInForce(
  { cluster, policies }: Pick<AdmissionPolicyPorts, 'policies'> & { readonly cluster: Pick<Cluster, 'get'> },
  name: string,
  signal: AbortSignal,
): Promise<boolean> {
  for (const policy of policies.filter(({ metadata }) => metadata.name === name)) {
    const live = await ifFound(cluster.get({ ...typeOf(policy), name }, { signal }));
    if (live === undefined || !isInForce(live, policy)) return false;
  }
  return true;
}

/** @throws Error for a kind that is no policy, which is a mistake in the files that we ship. */
function typeOf({ kind }: KubeObject): ResourceType {
  if (kind === 'ValidatingAdmissionPolicy' || kind === 'ValidatingAdmissionPolicyBinding') return POLICY_TYPES[kind];
  throw new Error(`admission policies: ${kind} is no kind of a policy`);
}

function isInForce({ metadata, spec }: KubeObject, policy: KubeObject): boolean {
  const labels = Object.entries(policy.metadata.labels ?? {});
  return (
    metadata.deletionTimestamp === undefined &&
    isDeepStrictEqual(spec, policy.spec) &&
    labels.every(([key, value]) => metadata.labels?.[key] === value)
  );
}
