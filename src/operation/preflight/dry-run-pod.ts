import { POD } from '../../domain/kubernetes/resource-types.ts';
import type { DryRunCluster } from '../../domain/kubernetes/cluster.ts';
import { AppError, type ErrorCode } from '../../domain/core/errors.ts';
import type { FindingSubject } from '../../domain/preflight/findings.ts';
import { isObject } from '../../domain/core/read.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { HELM_MANAGER } from '../operator/helm-ownership.ts';

/** What the cluster says to a Pod. `Inconclusive`: it did not come to a verdict. */
type PodVerdict =
  | { readonly kind: 'Admitted'; readonly warnings: readonly string[] }
  | { readonly kind: 'Rejected'; readonly subject: FindingSubject; readonly message: string }
  | { readonly kind: 'Forbidden'; readonly error: AppError }
  | { readonly kind: 'Inconclusive'; readonly why: string };

const AWAY: ReadonlySet<ErrorCode> = new Set(['ClusterUnavailable', 'TooManyRequests']);

/**
 * Asks by a dry run whether a Pod would be let in: the only exact answer about Pod Security, limit ranges, quota and policies. Its service account
 * may come later, and none of these looks at it, so a missing one is left out.
 *
 * @throws AppError when the cluster is away.
 */
export async function dryRunPod(cluster: Pick<DryRunCluster, 'dryRunCreate'>, pod: KubeObject, signal: AbortSignal): Promise<PodVerdict> {
  const first = await askFor(cluster, pod, signal);
  if (first.kind !== 'Inconclusive') return first;
  return await askFor(cluster, withoutAccount(pod), signal);
}

async function askFor(cluster: Pick<DryRunCluster, 'dryRunCreate'>, pod: KubeObject, signal: AbortSignal): Promise<PodVerdict> {
  try {
    const { warnings } = await cluster.dryRunCreate(POD, pod, { fieldManager: HELM_MANAGER, signal });
    return { kind: 'Admitted', warnings };
  } catch (error) {
    if (!(error instanceof AppError) || AWAY.has(error.code)) throw error;
    if (error.code === 'Forbidden') return { kind: 'Forbidden', error };
    const { message } = error;
    if (/serviceaccount .* not found|error looking up service account/i.test(message)) return { kind: 'Inconclusive', why: message };
    return { kind: 'Rejected', subject: subjectOf(error), message };
  }
}

function withoutAccount({ spec, ...pod }: KubeObject): KubeObject {
  const { serviceAccountName: _name, serviceAccount: _older, ...rest } = isObject(spec) ? spec : {};
  return { ...pod, spec: { ...rest, automountServiceAccountToken: false } };
}

function subjectOf({ code, message }: AppError): FindingSubject {
  if (message.includes('PodSecurity')) return 'PodSecurity';
  if (/(?:maximum|minimum) \S+ usage per|limit to request ratio/.test(message)) return 'LimitRange';
  if (code === 'QuotaExceeded') return 'Quota';
  if (code === 'WebhookUnavailable') return 'Webhook';
  return code === 'InvalidInput' ? 'Validation' : 'Policy';
}
