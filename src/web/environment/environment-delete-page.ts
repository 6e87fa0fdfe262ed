import { listInShort } from '../../domain/core/name-words.ts';
import { Router } from 'express';
import { AppError } from '../../domain/core/errors.ts';
import type { EnvironmentDetails } from '../../domain/environment/environment.ts';
import { deletionCommand, type DeletionIntent } from '../../domain/kubernetes/deletion-intent.ts';
import { keepCommand } from '../../domain/kubernetes/kept-object.ts';
import { ENVIRONMENT } from '../../domain/kubernetes/resource-types.ts';
import type { EnvironmentDeletion } from '../../operation/environment/preview-environment-deletion.ts';
import type { InstanceOwner } from '../../operation/proposal/show-owner.ts';
import { missingSentence } from '../page/message-page.ts';
import { keepButton } from '../page/keep-routes.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { environmentPath } from '../page/paths.ts';
import { plural } from '../page/view-helpers.ts';
import { gitOwnerPart, type GitOwnerPart } from '../proposal/proposal-routes.ts';

const ROUTE = '/environments/:environment/delete';

/** A view of `environments/delete`. */
export interface EnvironmentDeletePage {
  readonly name: string;
  readonly displayName: string;
  readonly namespace: string;
  readonly reclaim: EnvironmentDeletion['reclaim'];
  readonly deleting: boolean;
  /** What the deletion waits for; empty while it is not being deleted. */
  readonly why: string;
  /** Cancels the deletion; absent without the permission, or while it is not being deleted. */
  readonly keep?: ReturnType<typeof keepButton>;
  readonly warning: { readonly tone: string; readonly symbol: string; readonly title: string; readonly text: string };
  readonly goes: readonly string[];
  readonly stays: readonly string[];
  /** Who loses access. */
  readonly members: readonly { readonly kind: string; readonly name: string; readonly role: string }[];
  /** What is in the namespace, by kind. */
  readonly counts: readonly { readonly kind: string; readonly count: number; readonly names: string }[];
  readonly missing: readonly string[];
  readonly unavailable: EnvironmentDeletion['unavailable'];
  readonly owner?: GitOwnerPart;
  readonly fault: string;
  readonly faults: readonly { readonly message: string; readonly href: string }[];
  /** Why it may not be deleted; empty when it may. */
  readonly rejected: string;
  readonly action: string;
  readonly backHref: string;
  readonly commands: readonly { readonly label: string; readonly text: string }[];
}

/** Deleting an Environment: what goes and what stays, and its name typed, so that a slip of the hand deletes nobody's data. */
export function environmentDeleteRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    ROUTE,
    page(deps, async (visit) => await confirm(deps, visit)),
  );
  router.post(
    ROUTE,
    page(deps, async (visit) => await remove(deps, visit)),
  );
  return router;
}

async function confirm({ operations, publicUrl }: WebDeps, { actor, param }: Visit, fault = ''): Promise<Answer> {
  const name = param('environment');
  const [environment, deletion, owner, permissions] = await Promise.all([
    operations.showEnvironment(actor, name),
    operations.previewEnvironmentDeletion(actor, { environment: name }),
    operations.showEnvironmentOwner(actor, name),
    operations.environmentPermissions(actor, name),
  ]);
  const rejected = permissions.delete === undefined ? '' : missingSentence(permissions.delete);
  const { displayName } = environment;
  return {
    view: 'environments/delete',
    title: `${fault === '' ? '' : 'Error: '}Delete ${displayName}`,
    section: 'environments',
    crumbs: [{ label: 'Environments', href: '/environments' }, { label: displayName, href: environmentPath(name) }, { label: 'Delete' }],
    model: deletePage({ environment, deletion, owner, rejected, mayKeep: permissions.update === undefined, fault, publicUrl }),
    ...(fault === '' ? {} : { status: 422 }),
  };
}

async function remove(deps: WebDeps, visit: Visit): Promise<Answer> {
  const { actor, body, param, requestOrigin } = visit;
  const environment = param('environment');
  const { reclaim } = await deps.operations.previewEnvironmentDeletion(actor, { environment });
  if (reclaim !== body.get('reclaim')) {
    throw new AppError(
      'Conflict',
      `environment ${JSON.stringify(environment)}: its reclaim is ${reclaim} now; read the deletion preview again`,
    );
  }
  if (body.get('name')?.trim() !== environment) return await confirm(deps, visit, `Type ${environment} to delete it`);
  await deps.operations.deleteEnvironment(actor, { environment, intent: intentOf(reclaim), ...requestOrigin });
  return { redirect: `/environments?deleted=${encodeURIComponent(environment)}` };
}

function intentOf(reclaim: EnvironmentDeletion['reclaim']): DeletionIntent {
  return reclaim === 'Delete' ? 'Cascade' : 'Orphan';
}

interface DeletePageInput {
  readonly environment: EnvironmentDetails;
  readonly deletion: EnvironmentDeletion;
  readonly owner: InstanceOwner;
  readonly rejected: string;
  /** Whether the reader may update it. */
  readonly mayKeep: boolean;
  readonly fault: string;
  readonly publicUrl: string;
}

function deletePage({ environment, deletion, owner, rejected, mayKeep, fault, publicUrl }: DeletePageInput): EnvironmentDeletePage {
  const { name, displayName } = environment;
  const { namespace, reclaim, state, goes, stays, members, instances, volumeClaims, missing, unavailable } = deletion;
  const counts = [...instances, ...(volumeClaims === undefined || volumeClaims.count === 0 ? [] : [volumeClaims])];
  return {
    name,
    displayName,
    namespace,
    reclaim,
    deleting: state === 'Deleting',
    why: state === 'Deleting' ? environment.message : '',
    ...(state === 'Deleting' && mayKeep ? { keep: keepButton(environmentPath(name)) } : {}),
    warning: warningOf(deletion),
    goes,
    stays,
    members: members.map(({ kind, name: member, namespace: of, role }) => ({
      kind,
      name: of === undefined ? member : `${of}/${member}`,
      role,
    })),
    counts: counts.map(({ kind, count, names }) => ({ kind, count, names: listInShort(names, names.length, count) })),
    missing: missing.map(missingSentence),
    unavailable,
    ...gitOwnerPart(owner),
    fault,
    faults: fault === '' ? [] : [{ message: fault, href: '#name' }],
    rejected,
    action: `${environmentPath(name)}/delete`,
    backHref: environmentPath(name),
    commands: commandsOf(environment, deletion, `${publicUrl}/api/v1/environments/${name}`),
  };
}

/** What the button of the page does. */
function commandsOf(
  { object }: EnvironmentDetails,
  { state, reclaim }: EnvironmentDeletion,
  url: string,
): EnvironmentDeletePage['commands'] {
  const target = `${ENVIRONMENT.resource}.${ENVIRONMENT.group} ${object.metadata.name}`;
  const call = (request: string): string => `curl --fail-with-body -X ${request} \\\n  -H "Authorization: Bearer $TOKEN"`;
  const [kubectl, curl] =
    state === 'Deleting'
      ? [keepCommand(ENVIRONMENT, object), call(`POST ${url}/keep`)]
      : [deletionCommand(target, intentOf(reclaim)), call(`DELETE '${url}?intent=${intentOf(reclaim)}'`)];
  return [
    { label: 'With kubectl', text: kubectl },
    { label: 'With curl', text: curl },
  ];
}

function warningOf({ reclaim, reserved, instances, volumeClaims, missing }: EnvironmentDeletion): EnvironmentDeletePage['warning'] {
  const total = instances.reduce((sum, { count }) => sum + count, 0);
  const claims = volumeClaims?.count ?? 0;
  const inIt = `${missing.length === 0 ? '' : 'at least '}${plural(total, 'instance', 'instances')}${claims === 0 ? '' : ` and ${plural(claims, 'volume claim', 'volume claims')}`}`;
  if (reserved && reclaim === 'Delete') {
    const text = `The namespace is deleted with ${inIt}, and all data is lost. Make backups first, or set reclaim to Retain.`;
    return { tone: 'bad', symbol: 'warn', title: 'This cannot be undone', text };
  }
  const text = reserved ? `The namespace stays with ${inIt}. Its members lose access.` : 'The namespace is not touched.';
  return { tone: 'warn', symbol: 'warn', title: 'The namespace stays', text };
}
