import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type Preconditions, writeChecked } from '../../domain/kubernetes/etag.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { CATALOG_SOURCE } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { sourceDeletion, type SourceDeletion } from '../../domain/source/source-deletion.ts';
import { sourceView, type SourceView } from '../../domain/source/source-view.ts';
import { audited } from '../audit/audited.ts';
import type { Ports } from '../ports.ts';
import { findSource, type SourceAddress, sourceWords } from './find-source.ts';

/** What an admin can ask of a source. */
export type SourceAction = 'sync' | 'suspend' | 'resume';

interface Checked extends SourceAddress {
  readonly preconditions?: Preconditions;
}

export interface SourceActionInput extends Checked {
  readonly action: SourceAction;
  /** RFC 3339, with fractions of a second: any new value asks anew. */
  readonly at: string;
}

type Needs = Pick<Ports, 'clusters' | 'auditLog'>;

/**
 * Asks for a sync now, or suspends or resumes a source, as the actor. The controller does the rest in its own time.
 *
 * @throws AppError as `findSource`, and `Forbidden` without the permission to patch it.
 */
export async function requestSourceAction(ports: Needs, actor: Actor, input: SourceActionInput & RequestOrigin): Promise<SourceView> {
  const { action, at } = input;
  return await auditedChange(ports, actor, { ...input, what: `${action} source` }, async (found) => {
    const body = action === 'sync' ? annotation(OURS.reconcileAt, at) : { spec: { suspend: action === 'suspend' } };
    return await patch(ports, actor, { ...input, found, body });
  });
}

export interface PruneApproval extends Checked {
  /** The revision as the person has read what it deletes. */
  readonly revision: string;
}

/**
 * Lets exactly one revision delete more resources than is usual.
 *
 * @throws AppError `Conflict` when another revision waits by now, or none.
 */
export async function approvePrune(ports: Needs, actor: Actor, input: PruneApproval & RequestOrigin): Promise<SourceView> {
  const { revision } = input;
  return await auditedChange(ports, actor, { ...input, what: 'approve prune' }, async (found) => {
    const { awaitsApproval } = sourceView(found);
    if (awaitsApproval !== revision) {
      const now = awaitsApproval === undefined ? 'no revision waits for an approval' : `${awaitsApproval} waits for an approval now`;
      throw new AppError('Conflict', `${sourceWords(input)}: ${now}; read its preview again`);
    }
    return await patch(ports, actor, { ...input, found, body: annotation(OURS.approvedPrune, revision) });
  });
}

/** What deleting a source would do now, or does. Throws as `findSource`. */
export async function previewSourceDeletion(ports: Pick<Ports, 'clusters'>, actor: Actor, address: SourceAddress): Promise<SourceDeletion> {
  return sourceDeletion(await findSource(ports, actor, address));
}

/** Asks for the deletion of exactly the source that stands there now. Resolves once the api-server has accepted. */
export async function deleteSource(ports: Needs, actor: Actor, input: Checked & RequestOrigin): Promise<void> {
  const { name } = input;
  await auditedChange(ports, actor, { ...input, what: 'delete source' }, async (object) => {
    const { uid } = object.metadata;
    await writeChecked({ ...input, what: sourceWords(input), object }, async (only) => {
      await ports.clusters.asActor(actor).delete({ ...CATALOG_SOURCE, name }, { ...(uid === undefined ? {} : { uid }), ...only });
    });
  });
}

type AuditedInput = SourceAddress & RequestOrigin & { readonly what: string };

async function auditedChange<T>(ports: Needs, actor: Actor, input: AuditedInput, change: (source: KubeObject) => Promise<T>): Promise<T> {
  const { name: target, what: action, via, requestId } = input;
  return await audited(ports, actor, { action, environment: '', target, via, requestId }, async () =>
    change(await findSource(ports, actor, input)),
  );
}

interface PatchInput extends Checked {
  readonly found: KubeObject;
  readonly body: { readonly metadata?: object; readonly spec?: object };
}

async function patch(ports: Pick<Ports, 'clusters'>, actor: Actor, { found, body, ...input }: PatchInput): Promise<SourceView> {
  return await writeChecked({ ...input, what: sourceWords(input), object: found }, async (only) => {
    const whole = { ...body, metadata: { ...body.metadata, ...only } };
    const ref = { ...CATALOG_SOURCE, name: input.name };
    const { object } = await ports.clusters
      .asActor(actor)
      .patch(ref, { type: 'merge', body: whole }, { fieldManager: OURS.userFieldManager });
    return sourceView(object);
  });
}

function annotation(name: string, value: string): { readonly metadata: object } {
  return { metadata: { annotations: { [name]: value } } };
}
