import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';
import { mergePatchBetween } from '../../domain/core/merge-patch.ts';
import { isObject } from '../../domain/core/read.ts';
import { contentOf, ownContentOf } from '../../domain/instance/instance-content.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import type { Proposal } from '../../domain/proposal/proposal.ts';
import type { Marked } from '../../schema/sensitive/sensitive-values.ts';
import { candidateAsSeen, closeApproved } from '../change-request/decide-change-request.ts';
import { findChangeRequest } from '../change-request/request-access.ts';
import { instanceEvent } from '../audit/audited.ts';
import { prepareChange, type InstanceChange } from '../instance/instance-change.ts';
import { prepareDraft, rejectDeleting, type InstanceDraft } from '../instance/instance-draft.ts';
import { layersOf, rejectLocked } from '../instance/instance-layers.ts';
import { markedOf, secretsOf } from '../instance/instance-masking.ts';
import { preflightChange } from '../preflight/preflight-change.ts';
import { preflightInstance } from '../preflight/preflight-instance.ts';
import type { Ports } from '../ports.ts';
import { type PreparedProposal, type ProposalWish, propose } from './propose.ts';

type Needs = Pick<Ports, 'clusters' | 'catalog' | 'discovery' | 'publicUrl' | 'auditLog' | 'proposals'>;

/** Proposes to install an App: the whole Instance becomes a new file. Throws as `propose` and `prepareDraft`. */
export async function proposeInstall(
  ports: Needs,
  actor: Actor,
  { draft, ...wish }: ProposalWish & { draft: InstanceDraft },
): Promise<Proposal> {
  const event = instanceEvent('create instance', draft, wish);
  return await propose(ports, actor, { wish, event, prepare: async () => await preparedInstall(ports, actor, draft) });
}

/** Proposes to change an Instance: what differs from the live one is laid over its document. Throws as `propose` and `prepareChange`. */
export async function proposeChange(
  ports: Needs,
  actor: Actor,
  { change, ...wish }: ProposalWish & { change: InstanceChange },
): Promise<Proposal> {
  const event = instanceEvent('update instance', change, wish);
  return await propose(ports, actor, { wish, event, prepare: async () => await preparedChange(ports, actor, change) });
}

/**
 * Approves a change request by a proposal, in place of writing what it asks for. Throws as `propose` and `approveChangeRequest`.
 *
 * @param digest that of `showChangeRequest`.
 */
export async function proposeRequest(
  ports: Needs & Pick<Ports, 'changeRequests' | 'health'>,
  actor: Actor,
  { id, digest, ...wish }: ProposalWish & { readonly id: string; readonly digest: string },
): Promise<Proposal> {
  const { changeRequest } = await findChangeRequest(ports, actor, id);
  const prepare = async (): Promise<PreparedProposal> => {
    const { wanted } = await candidateAsSeen(ports, actor, { changeRequest, digest });
    return wanted.kind === 'Install'
      ? await preparedInstall(ports, actor, wanted.draft)
      : await preparedChange(ports, actor, wanted.change);
  };
  const event = instanceEvent('approve change request', changeRequest, wish);
  const proposal = await propose(ports, actor, { wish, event: { ...event, target: `${changeRequest.id} ${event.target}` }, prepare });
  await closeApproved(ports, actor, { changeRequest, decisionMessage: `Proposed in git: ${proposal.url}` });
  return proposal;
}

async function preparedInstall(ports: Needs, actor: Actor, draft: InstanceDraft): Promise<PreparedProposal> {
  const { entry, layers, object, type } = await prepareDraft(ports, actor, draft);
  rejectDeleting(entry);
  rejectLocked(layers, { wanted: contentOf(object) });
  if ((draft.secrets ?? []).length > 0)
    throw impossible('it would create a Secret, and Secrets do not belong into git; reference an existing Secret');
  rejectSecrets(markedOf(entry), object, [object]);
  return {
    title: `Install ${object.metadata.name}`,
    object,
    edit: { kind: 'Add', plural: type.resource },
    preflight: async () => await preflightInstance(ports, actor, draft),
  };
}

async function preparedChange(ports: Needs, actor: Actor, change: InstanceChange): Promise<PreparedProposal> {
  const { entry, environment, object: live, changed, ref } = await prepareChange(ports, actor, change);
  rejectLocked(layersOf(entry, environment), { wanted: contentOf(changed), live: contentOf(live) });
  const patch = mergePatchBetween(ownContentOf(live), ownContentOf(changed)) as JsonObject;
  if (Object.keys(patch).length === 0) throw impossible(`${live.kind} ${live.metadata.name} is as you want it already`);
  rejectSecrets(markedOf(entry, ref.version), patch, [live, changed]);
  return {
    title: `Change ${live.metadata.name}`,
    object: live,
    edit: { kind: 'Patch', patch },
    preflight: async () => await preflightChange(ports, actor, change),
  };
}

/** What is in git once stays there. */
function rejectSecrets(marked: Marked, content: unknown, objects: readonly KubeObject[]): void {
  const secrets = new Set(secretsOf(marked, ...objects));
  if (secrets.size === 0 || !textsIn(content).some((text) => secrets.has(text))) return;
  throw impossible('it holds a sensitive value, such as a password, and git would keep it for ever; reference a Secret');
}

function textsIn(value: unknown): readonly string[] {
  if (Array.isArray(value)) return value.flatMap(textsIn);
  if (isObject(value)) return Object.values(value).flatMap(textsIn);
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'bigint' ? [String(value)] : [];
}

function impossible(why: string): AppError {
  return new AppError('ProposalImpossible', `proposal: ${why}`);
}
