import type { Actor } from '../../domain/kubernetes/actor.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { AuditEvent, RequestOrigin } from '../../domain/audit/audit-log.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { type ProposedEdit, targetOf } from '../../domain/proposal/edit-repository.ts';
import { branchFor, describeProposal, type Proposal, resourceOf } from '../../domain/proposal/proposal.ts';
import { defaultNamespaceOf, fileInInventory, type ProposalTarget } from '../../domain/proposal/proposal-target.ts';
import { audited } from '../audit/audited.ts';
import { missingPermission } from '../instance/instance-draft.ts';
import type { Ports } from '../ports.ts';
import { findTarget, PROPOSALS } from './proposal-targets.ts';

/** What somebody wants to be proposed instead of written. */
export interface ProposalWish extends RequestOrigin {
  /** The CatalogSource whose repository is to change. */
  readonly source: string;
  /** For whoever reviews it; absent or empty: nothing. */
  readonly message?: string;
}

/** A change that is ready to be proposed. */
export interface PreparedProposal {
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
export async function propose(ports: Needs, actor: Actor, { wish, event, prepare }: ProposeInput): Promise<Proposal> {
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
  const description = describeProposal(wish.message ?? '', { resource, proposedBy: actor.user });
  const {
    description: _description,
    state: _state,
    mergeCommit: _commit,
    ...opened
  } = await ports.proposals.open(source, {
    user: actor.user,
    branch: branchFor(title, ports.proposals.randomId()),
    title,
    description,
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
