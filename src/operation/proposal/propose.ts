import { mergePatchBetween } from '../../domain/core/merge-patch.ts';
import { isObject } from '../../domain/core/read.ts';
import { contentOf, ownContentOf } from '../../domain/instance/instance-content.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { AuditEvent, RequestOrigin } from '../../domain/audit/audit-log.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import { ENVIRONMENT, OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { type ProposedEdit, targetOf } from '../../domain/proposal/edit-repository.ts';
import { branchFor, type Proposal, resourceOf } from '../../domain/proposal/proposal.ts';
import { defaultNamespaceOf, fileInInventory, type ProposalTarget } from '../../domain/proposal/proposal-target.ts';
import { audited, instanceEvent, operatorEvent } from '../audit/audited.ts';
import { candidateAsSeen, closeProposed, rejectNoApprover } from '../change-request/decide-change-request.ts';
import { findChangeRequest } from '../change-request/request-access.ts';
import { type EnvironmentChange, environmentToCreate, prepareEnvironmentChange } from '../environment/environment-change.ts';
import { environmentEvent } from '../environment/write-environment.ts';
import { type InstanceChange, prepareChange } from '../instance/instance-change.ts';
import { type InstanceDraft, missingPermission, prepareDraft, rejectDraft } from '../instance/instance-draft.ts';
import { layersOf, rejectLocked } from '../instance/instance-layers.ts';
import { markedOf, secretsOf } from '../instance/instance-masking.ts';
import type { EnvironmentPorts } from '../environment/read-environment.ts';
import type { Ports } from '../ports.ts';
import { preflightChange } from '../preflight/preflight-change.ts';
import { preflightEnvironment, preflightEnvironmentChange } from '../preflight/preflight-environment.ts';
import { preflightInstance } from '../preflight/preflight-instance.ts';
import { type OperatorPorts, operatorToCreate, preflightOperator } from '../preflight/preflight-operator.ts';
import { findTarget, PROPOSALS } from './proposal-targets.ts';
import { type ApprovalInput, approvalPatch } from '../upgrade/approve-upgrade.ts';
import { sensitiveIn } from '../../schema/sensitive/mask.ts';
import { BY_NAMES, type Marked } from '../../schema/sensitive/sensitive-values.ts';

/** What somebody wants to be proposed instead of written. */
export interface ProposalWish extends RequestOrigin {
  /** The CatalogSource whose repository is to change. */
  readonly source: string;
  /** For whoever reviews it; absent or empty: nothing. */
  readonly message?: string;
}

/** A change that is ready to be proposed. */
interface PreparedProposal {
  /** The title of the merge request: `Install orders`. */
  readonly title: string;
  readonly object: KubeObject;
  readonly edit:
    | { readonly kind: 'Add'; readonly plural: string }
    | { readonly kind: 'Patch'; readonly patch: Extract<ProposedEdit, { kind: 'Patch' }>['patch'] };
  /** The same as before the write itself; absent where that has none. */
  readonly preflight?: () => Promise<Preflight>;
}

type Needs = Pick<Ports, 'clusters' | 'catalog' | 'auditLog' | 'proposals'>;

interface ProposeInput {
  readonly wish: ProposalWish;
  readonly event: AuditEvent;
  readonly prepare: () => Promise<PreparedProposal>;
}

/**
 * Proposes a change: a branch in the repository of a source, and a merge request.
 *
 * @throws AppError `Forbidden` without the permission to create `proposals.chandlery.dev` in the namespace, `InvalidInput` with the faults of the preflight,
 *   `ProposalImpossible` where the repository cannot hold the change, `ForgeUnavailable`, `EgressDenied`.
 */
async function propose(ports: Needs, actor: Actor, { wish, event, prepare }: ProposeInput): Promise<Proposal> {
  const target = `${wish.source}: ${event.target}`;
  return await audited(ports, actor, { ...event, action: `propose to ${event.action}`, target }, async () => {
    ports.auditLog.checkRateLimit(actor, 'install');
    const prepared = await prepare();
    await checkPermission(ports, actor, prepared.object);
    const source = findTarget(ports, wish.source, prepared.object);
    await checkPreflight(prepared);
    return await open(ports, actor, { wish, prepared, source });
  });
}

async function checkPermission(ports: Needs, actor: Actor, { kind, metadata: { name, namespace = '' } }: KubeObject): Promise<void> {
  const missing = await missingPermission(ports, actor, { ...PROPOSALS, verb: 'create', namespace });
  if (missing === undefined) return;
  throw new AppError('Forbidden', `proposal: you may not propose a change of ${kind} ${name}`, { missing });
}

/** Whoever merges the change has the permission, so that only what else is wrong stands against it. */
async function checkPreflight({ preflight }: PreparedProposal): Promise<void> {
  const found = await preflight?.();
  if (found === undefined || found.missing.length > 0 || found.faults.length === 0) return;
  throw new AppError('InvalidInput', `proposal: ${found.faults[0]?.message ?? ''}`, { faults: found.faults });
}

interface OpenInput {
  readonly wish: ProposalWish;
  readonly prepared: PreparedProposal;
  readonly source: ProposalTarget;
}

async function open(ports: Needs, actor: Actor, { wish, prepared, source }: OpenInput): Promise<Proposal> {
  const { title, object } = prepared;
  const resource = resourceOf(object);
  const {
    description: _description,
    state: _state,
    mergeCommit: _commit,
    ...opened
  } = await ports.proposals.open(source, {
    user: actor.user,
    branch: branchFor(title, ports.proposals.randomId()),
    title,
    resource,
    message: wish.message ?? '',
    author: { name: wish.person?.name ?? actor.user, email: wish.person?.email ?? '' },
    edit: editOf(prepared, source),
  });
  return { ...opened, source: source.name, resource, proposedBy: actor.user, status: 'Open' };
}

function editOf({ edit, object }: PreparedProposal, { source }: ProposalTarget): ProposedEdit {
  if (edit.kind === 'Add') return { ...edit, object };
  const file = fileInInventory(source, object);
  return { ...edit, target: { ...targetOf(object), ...defaultNamespaceOf(source) }, ...(file === undefined ? {} : { file }) };
}

type InstanceNeeds = Pick<Ports, 'clusters' | 'catalog' | 'discovery' | 'publicUrl' | 'auditLog' | 'proposals'>;

/** Proposes to install an App: the whole Instance becomes a new file. Throws as `propose` and `prepareDraft`. */
export async function proposeInstall(
  ports: InstanceNeeds,
  actor: Actor,
  { draft, ...wish }: ProposalWish & { draft: InstanceDraft },
): Promise<Proposal> {
  const event = instanceEvent('create instance', draft, wish);
  return await propose(ports, actor, { wish, event, prepare: async () => await preparedInstall(ports, actor, draft) });
}

/** Proposes to change an Instance: what differs from the live one is laid over its document. Throws as `propose` and `prepareChange`. */
export async function proposeChange(
  ports: InstanceNeeds,
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
  ports: InstanceNeeds & EnvironmentPorts & Pick<Ports, 'changeRequests'>,
  actor: Actor,
  { id, digest, ...wish }: ProposalWish & { readonly id: string; readonly digest: string },
): Promise<Proposal> {
  const found = await findChangeRequest(ports, actor, id);
  const { changeRequest } = found;
  const prepare = async (): Promise<PreparedProposal> => {
    await rejectNoApprover(ports, actor, found);
    const { wanted } = await candidateAsSeen(ports, actor, { changeRequest, digest });
    return wanted.kind === 'Install'
      ? await preparedInstall(ports, actor, wanted.draft)
      : await preparedChange(ports, actor, wanted.change);
  };
  const event = instanceEvent('approve change request', changeRequest, wish);
  const proposal = await propose(ports, actor, { wish, event: { ...event, target: `${changeRequest.id} ${event.target}` }, prepare });
  await closeProposed(ports, actor, { found, message: `Proposed in git: ${proposal.url}` });
  return proposal;
}

async function preparedInstall(ports: InstanceNeeds, actor: Actor, draft: InstanceDraft): Promise<PreparedProposal> {
  const prepared = await prepareDraft(ports, actor, draft);
  rejectDraft(prepared);
  const { entry, object, type } = prepared;
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

async function preparedChange(ports: InstanceNeeds, actor: Actor, change: InstanceChange): Promise<PreparedProposal> {
  const { entry, environment, object: live, changed, ref } = await prepareChange(ports, actor, change);
  rejectLocked(layersOf(entry, environment), { wanted: contentOf(changed), live: contentOf(live) });
  const patch = mergePatchBetween(ownContentOf(live), ownContentOf(changed)) as JsonObject;
  if (Object.keys(patch).length === 0) throw impossible(`${live.kind} ${live.metadata.name} is already as requested`);
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

type OperatorNeeds = OperatorPorts & Pick<Ports, 'auditLog' | 'proposals'>;

/** Proposes a new Operator as a new file. Throws as `propose`. */
export async function proposeOperator(
  ports: OperatorNeeds,
  actor: Actor,
  { operator, ...wish }: ProposalWish & { operator: KubeObject },
): Promise<Proposal> {
  const { name, namespace = '' } = operator.metadata;
  const prepare = async () => {
    const object = operatorToCreate(operator);
    if (sensitiveIn(BY_NAMES, object).length > 0)
      throw new AppError(
        'ProposalImpossible',
        'proposal: its values hold a password or token, and git would keep it for ever; use spec.valuesFrom',
      );
    return {
      title: `Add the operator ${name}`,
      object,
      edit: { kind: 'Add', plural: OPERATOR.resource } as const,
      preflight: async () => await preflightOperator(ports, actor, operator),
    };
  };
  return await propose(ports, actor, { wish, event: operatorEvent('create operator', { name, namespace }, wish), prepare });
}

/** Proposes to approve a newer version of an Operator: its approval becomes an annotation in the file. Throws as `propose` and `approveUpgrade`. */
export async function proposeUpgrade(
  ports: OperatorNeeds,
  actor: Actor,
  { approval, ...wish }: ProposalWish & { approval: ApprovalInput },
): Promise<Proposal> {
  const { name, version } = approval;
  const prepare = async () => {
    const { operator, patch } = await approvalPatch(ports, actor, approval);
    return { title: `Upgrade ${name} to ${version}`, object: operator, edit: { kind: 'Patch', patch } as const };
  };
  return await propose(ports, actor, { wish, event: operatorEvent('approve upgrade', approval, wish), prepare });
}

type EnvironmentNeeds = Pick<Ports, 'clusters' | 'catalog' | 'publicUrl' | 'auditLog' | 'proposals'>;

/** Proposes a new Environment as a new file. Throws as `propose`. */
export async function proposeEnvironment(
  ports: EnvironmentNeeds,
  actor: Actor,
  { environment, ...wish }: ProposalWish & { environment: KubeObject },
): Promise<Proposal> {
  const { name } = environment.metadata;
  const prepare = async (): Promise<PreparedProposal> => {
    const object = environmentToCreate(ports, environment);
    rejectSecrets(BY_NAMES, object, [object]);
    return {
      title: `Add the environment ${name}`,
      object,
      edit: { kind: 'Add', plural: ENVIRONMENT.resource },
      preflight: async () => await preflightEnvironment(ports, actor, environment),
    };
  };
  return await propose(ports, actor, { wish, event: environmentEvent('create environment', name, wish), prepare });
}

/** Proposes to change an Environment: what differs from the live one is laid over its document. Throws as `propose` and `prepareEnvironmentChange`. */
export async function proposeEnvironmentChange(
  ports: EnvironmentNeeds,
  actor: Actor,
  { change, ...wish }: ProposalWish & { change: EnvironmentChange },
): Promise<Proposal> {
  const prepare = async (): Promise<PreparedProposal> => {
    const { live, changed } = await prepareEnvironmentChange(ports, actor, change);
    const patch = mergePatchBetween(ownContentOf(live), ownContentOf(changed)) as JsonObject;
    if (Object.keys(patch).length === 0) throw impossible(`Environment ${live.metadata.name} is already as requested`);
    rejectSecrets(BY_NAMES, patch, [live, changed]);
    return {
      title: `Change the environment ${live.metadata.name}`,
      object: live,
      edit: { kind: 'Patch', patch },
      preflight: async () => await preflightEnvironmentChange(ports, actor, change),
    };
  };
  return await propose(ports, actor, { wish, event: environmentEvent('update environment', change.environment, wish), prepare });
}
