import { createHash } from 'node:crypto';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { specVersionOf, type Preflight } from '../../domain/instance/instance.ts';
import { applyMergePatch } from '../../domain/core/merge-patch.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import type { ChangeRequest } from '../../domain/change-request/change-request.ts';
import type { InstanceChange } from '../instance/instance-change.ts';
import { makeInstance, replaceInstance, type WrittenInstance } from '../instance/write-instance.ts';
import { prepareDraft, type InstanceDraft } from '../instance/instance-draft.ts';
import type { EnvironmentPorts } from '../environment/read-environment.ts';
import type { Ports } from '../ports.ts';
import { preflightChange } from '../preflight/preflight-change.ts';
import { preflightInstance } from '../preflight/preflight-instance.ts';
import { showInstance } from '../instance/show-instance.ts';

/** What approving a change request would do now, in the approver's name. */
export interface Candidate {
  /** Stands for everything that would be written and for what it would be written on. */
  readonly digest: string;
  /** Whether the Instance is no longer what the change was made on. */
  readonly instanceChanged: boolean;
  readonly wanted:
    { readonly kind: 'Install'; readonly draft: InstanceDraft } | { readonly kind: 'Change'; readonly change: InstanceChange };
  readonly preflight: () => Promise<Preflight>;
  readonly write: () => Promise<WrittenInstance>;
}

type Needs = EnvironmentPorts & Pick<Ports, 'publicUrl' | 'auditLog' | 'changeRequests'>;

/**
 * Makes what a change request asks for on what is there now, as the actor may read it.
 *
 * @throws AppError `NotFound` for an environment, App or Instance that is gone or may not be known of; `Forbidden` for an Instance that may not
 *   be read.
 */
export async function candidateOf(ports: Needs, actor: Actor, changeRequest: ChangeRequest): Promise<Candidate> {
  return changeRequest.action === 'install' ? await installation(ports, actor, changeRequest) : await change(ports, actor, changeRequest);
}

async function installation(ports: Needs, actor: Actor, changeRequest: ChangeRequest): Promise<Candidate> {
  const draft = {
    ...addressOf(changeRequest),
    spec: changeRequest.content,
    ...otherFieldsOf(changeRequest),
    defaults: 'in spec' as const,
    // As it will be written: what is shown is what comes of it.
    annotations: { ...signatures(changeRequest, actor), [OURS.createdBy]: actor.user },
  };
  const { object } = await prepareDraft(ports, actor, draft);
  return {
    digest: digestOf(changeRequest, object, ''),
    instanceChanged: false,
    wanted: { kind: 'Install', draft },
    preflight: async () => await preflightInstance(ports, actor, draft),
    write: async () => await makeInstance(ports, actor, draft),
  };
}

async function change(ports: Needs, actor: Actor, changeRequest: ChangeRequest): Promise<Candidate> {
  const { object: live } = await showInstance(ports, actor, addressOf(changeRequest));
  const spec = applyMergePatch(live.spec ?? {}, changeRequest.content) as JsonObject;
  const specVersion = specVersionOf(live);
  const wanted = {
    ...addressOf(changeRequest),
    spec,
    ...otherFieldsOf(changeRequest),
    specVersion,
    annotations: signatures(changeRequest, actor),
  };
  return {
    digest: digestOf(
      changeRequest,
      {
        ...live,
        metadata: { name: changeRequest.name, annotations: wanted.annotations, otherFields: changeRequest.otherFields },
        spec,
        status: undefined,
      },
      specVersion,
    ),
    instanceChanged: changeRequest.base !== '' && specVersion !== changeRequest.base,
    wanted: { kind: 'Change', change: wanted },
    preflight: async () => await preflightChange(ports, actor, wanted),
    write: async () => await replaceInstance(ports, actor, wanted),
  };
}

function otherFieldsOf({ otherFields }: ChangeRequest): Pick<InstanceDraft, 'otherFields'> {
  return otherFields === undefined ? {} : { otherFields };
}

function addressOf({ environment, app, name }: ChangeRequest): Pick<ChangeRequest, 'environment' | 'app' | 'name'> {
  return { environment, app, name };
}

/** Who asked and who let it be done stay with the object. */
function signatures({ requester }: ChangeRequest, actor: Actor): Readonly<Record<string, string>> {
  return { [OURS.requestedBy]: requester.user, [OURS.approvedBy]: actor.user };
}

function digestOf(changeRequest: ChangeRequest, object: KubeObject, base: string): string {
  return createHash('sha256')
    .update(stringifyJson([changeRequest.id, base, object]))
    .digest('hex');
}
