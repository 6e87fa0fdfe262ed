import type { ChangeRequestSpec } from '../../domain/change-request/change-request-kind.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { ChangeRequest } from '../../domain/change-request/change-request.ts';
import { AppError } from '../../domain/core/errors.ts';
import { applyMergePatch, isSame } from '../../domain/core/merge-patch.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { formatPath } from '../../schema/form-path.ts';
import { sensitiveIn } from '../../schema/sensitive/mask.ts';
import { BY_NAMES } from '../../schema/sensitive/sensitive-values.ts';
import { catalogEntries } from '../app/find-app.ts';
import { audited, instanceEvent } from '../audit/audited.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import { missingPermission } from '../instance/instance-draft.ts';
import { markedOf } from '../instance/instance-masking.ts';
import { showInstance } from '../instance/show-instance.ts';
import type { EnvironmentPorts } from '../environment/read-environment.ts';
import type { Ports } from '../ports.ts';
import { approvalIn } from './request-access.ts';
import { candidateOf } from './request-candidate.ts';

type Needs = EnvironmentPorts & Pick<Ports, 'publicUrl' | 'auditLog' | 'changeRequests'>;

interface Approved {
  readonly changeRequest: ChangeRequest;
  /** Of the effect that the approver has reviewed; absent: they take whatever it is now. */
  readonly digest: string | undefined;
}

/**
 * Writes what an approved change request asks for, as the approver. What is written already stays as it is.
 *
 * @throws AppError `Forbidden` for an approver who may not approve any more; `Conflict` when the effect is another one than they have reviewed; else as the write.
 */
export async function applyChangeRequest(ports: Needs, approver: Actor, { changeRequest, digest }: Approved): Promise<void> {
  const event = instanceEvent('apply change request', changeRequest, { via: 'controller', requestId: '' });
  const applied = { ...event, target: `${changeRequest.id} ${event.target}`, changeOf: (change: string | undefined) => change };
  await audited(ports, approver, applied, async () => {
    const { namespace } = await findEnvironment(ports.clusters, approver, changeRequest.environment);
    const missing = await missingPermission(ports, approver, approvalIn(namespace));
    if (missing !== undefined) throw new AppError('Forbidden', 'the approver may not approve change requests there', { missing });
    if (await isApplied(ports, approver, changeRequest)) return undefined;
    const candidate = await candidateOf(ports, approver, changeRequest);
    if (digest !== undefined && digest !== candidate.digest)
      throw new AppError('Conflict', 'its effect has changed since it was approved: create a new request');
    return (await candidate.write()).change;
  });
}

/** Whether the Instance carries both names and all that was asked for: so it was written before, and only the status was not. */
async function isApplied(ports: Needs, approver: Actor, { content, requester, ...address }: ChangeRequest): Promise<boolean> {
  const live = await ifFound(showInstance(ports, approver, address));
  if (live === undefined) return false;
  const { metadata, spec = {} } = live.object;
  const { [OURS.requestedBy]: requestedBy, [OURS.approvedBy]: approvedBy } = metadata.annotations ?? {};
  return requestedBy === requester.user && approvedBy === approver.user && isSame(applyMergePatch(spec, content), spec);
}

/**
 * The paths of secrets in a change request that did not come through Chandlery, which would have rejected it: everybody in the environment can read them.
 * An App that there is not is known by names alone.
 */
export function secretsInRequest(
  ports: Pick<Ports, 'catalog'>,
  { app, content, otherFields = {} }: Pick<ChangeRequestSpec, 'app' | 'content' | 'otherFields'>,
): readonly string[] {
  const entry = catalogEntries(ports).find(({ summary }) => summary.id === app);
  const object: KubeObject = { apiVersion: '', kind: '', metadata: { name: '' }, ...otherFields, spec: content };
  return sensitiveIn(entry === undefined ? BY_NAMES : markedOf(entry), object).map(({ path }) => formatPath(path));
}
