import type { TrialCluster } from '../../domain/kubernetes/cluster.ts';
import { AppError, type ErrorCode } from '../../domain/core/errors.ts';
import type { FindingSubject } from '../../domain/preflight/findings.ts';
import { isObject } from '../../domain/core/read.ts';
import type { KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';
import { HELM_MANAGER } from '../operator/helm-marks.ts';

/** What the cluster says to a Pod. `Untold`: it did not come to a verdict. */
type PodVerdict =
  | { readonly word: 'Taken'; readonly warnings: readonly string[] }
  | { readonly word: 'Refused'; readonly about: FindingSubject; readonly message: string }
  | { readonly word: 'Forbidden'; readonly error: AppError }
  | { readonly word: 'Untold'; readonly why: string };

export const PODS: ResourceType = { group: '', version: 'v1', resource: 'pods' };
const AWAY: ReadonlySet<ErrorCode> = new Set(['ClusterUnavailable', 'TooManyRequests']);

/**
 * Asks by a dry run whether a Pod would be let in: the only exact answer about Pod Security, limit ranges, quota and policies. Its service account
 * may come later, and none of these looks at it, so a missing one is left out.
 *
 * @throws AppError when the cluster is away.
 */
export async function tryPod(cluster: Pick<TrialCluster, 'dryRunCreate'>, pod: KubeObject, signal: AbortSignal): Promise<PodVerdict> {
  const first = await askFor(cluster, pod, signal);
  if (first.word !== 'Untold') return first;
  return await askFor(cluster, withoutAccount(pod), signal);
}

async function askFor(cluster: Pick<TrialCluster, 'dryRunCreate'>, pod: KubeObject, signal: AbortSignal): Promise<PodVerdict> {
  try {
    const { warnings } = await cluster.dryRunCreate(PODS, pod, { fieldManager: HELM_MANAGER, signal });
    return { word: 'Taken', warnings };
  } catch (error) {
    if (!(error instanceof AppError) || AWAY.has(error.code)) throw error;
    if (error.code === 'Forbidden') return { word: 'Forbidden', error };
    const { message } = error;
    if (/serviceaccount .* not found|error looking up service account/i.test(message)) return { word: 'Untold', why: message };
    return { word: 'Refused', about: subjectOf(error), message };
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
