import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { specOf } from '../../domain/kind/kind.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { apiVersionOf, type KubeObject } from '../../domain/kubernetes/resource.ts';
import { CATALOG_SOURCE } from '../../domain/kubernetes/resource-types.ts';
import { branchFor, type Proposal, resourceOf } from '../../domain/proposal/proposal.ts';
import { targetOfSource } from '../../domain/proposal/proposal-target.ts';
import { CATALOG_SOURCE_KIND, type HistoryEntry } from '../../domain/source/catalog-source.ts';
import { type RestoredFile, restoreFiles } from '../../domain/source/restore-files.ts';
import { commitOf, type LabelledCommand, rollbackCommands } from '../../domain/source/rollback-commands.ts';
import { sourceView, type SourceOrigin } from '../../domain/source/source-view.ts';
import type { KeptFile } from '../../domain/source/kept-revisions.ts';
import { audited } from '../audit/audited.ts';
import { missingPermission } from '../instance/instance-draft.ts';
import type { Ports } from '../ports.ts';
import { PROPOSALS } from '../proposal/proposal-targets.ts';
import { findSource, requirePatch, type SourceAddress, sourceWords } from './find-source.ts';

export interface RollbackInput extends SourceAddress {
  /** As in the history of the source, or the beginning of its digest or commit, of at least seven characters. */
  readonly revision: string;
}

/** How a source returns to an earlier revision. Chandlery never writes to a folder, and to a repository only by a merge request. */
export interface SourceRollback {
  readonly name: string;
  readonly origin: SourceOrigin;
  readonly entry: HistoryEntry;
  /** Whether this is the revision that was read last. */
  readonly current: boolean;
  /** For a folder: the differences from its files as they are to those of the revision. Absent where no files of the revision are kept. */
  readonly files?: readonly RestoredFile[];
  /** Files that hold sensitive values. No copy of them is kept. */
  readonly withheld: readonly string[];
  /** All differences, for `patch -p1` and `git apply`; empty where there is none. */
  readonly patch: string;
  readonly commands: readonly LabelledCommand[];
  /** Whether the source names a forge, at which a merge request can be opened. */
  readonly proposable: boolean;
}

type Needs = Pick<Ports, 'clusters' | 'sourcePreviews'>;

/** Characters of a digest or commit that name a revision; fewer could be those of several. */
const MIN_DIGEST = 7;
/** The time to read a folder. */
const READ_MS = 60_000;

/**
 * Shows what returns a source to an earlier revision of its history. Files are read by the process that serves the pages, after the api-server has said that the actor may patch
 * the source.
 *
 * @throws AppError as `findSource`; `Forbidden` without the permission to patch the source; `NotFound` for a revision that is not in its history.
 */
export async function previewSourceRollback(ports: Needs, actor: Actor, input: RollbackInput): Promise<SourceRollback> {
  const source = await findSource(ports, actor, input);
  await requirePatch(ports, actor, { ...input, what: 'a rollback' });
  const { origin, revision } = sourceView(source);
  const entry = entryOf(source, input);
  const base = { name: input.name, origin, entry, current: entry.revision === revision, withheld: [], patch: '' };
  const proposable = targetOfSource(source) !== undefined;
  const commands = rollbackCommands(specOf(CATALOG_SOURCE_KIND, source), { name: input.name, revision: entry.revision });
  if (origin.kind !== 'Folder') return { ...base, commands, proposable };
  const kept = (await ports.sourcePreviews.keptRevisions(source)).find((one) => one.revision === entry.revision);
  if (kept === undefined) return { ...base, commands: [], proposable };
  const { files, withheld } = restoreFiles(await filesNow(ports, actor, source), kept.files);
  return { ...base, files, withheld, patch: files.map(({ patch }) => patch).join(''), commands, proposable };
}

function entryOf(source: KubeObject, { name, revision: wanted }: RollbackInput): HistoryEntry {
  const { history } = sourceView(source);
  const isMeant = ({ revision }: HistoryEntry): boolean =>
    digestIn(wanted).length >= MIN_DIGEST && (digestIn(revision).startsWith(wanted) || revision.startsWith(wanted));
  const found = history.find(({ revision }) => revision === wanted) ?? history.find(isMeant);
  if (found !== undefined) return found;
  throw new AppError('NotFound', `${sourceWords({ name })}: revision ${JSON.stringify(wanted.slice(0, 100))}: it is not in its history`);
}

function digestIn(revision: string): string {
  return revision.slice(revision.lastIndexOf(':') + 1);
}

/** A folder that is away has no files. */
async function filesNow(ports: Needs, actor: Actor, source: KubeObject): Promise<readonly KeptFile[]> {
  const signal = AbortSignal.timeout(READ_MS);
  const content = { source, spec: specOf(CATALOG_SOURCE_KIND, source), cluster: ports.clusters.asActor(actor) };
  const { read, queue } = ports.sourcePreviews;
  try {
    const folder = await queue.run(actor.user, signal, async () => await read(content, signal));
    const files = await folder.keptFiles?.();
    if (files !== undefined) return files;
    throw new AppError('TooBusy', `${sourceWords(source.metadata)}: its folder changes while it is read; try again`);
  } catch (error) {
    if (isAppError(error, 'NotFound')) return [];
    throw error;
  }
}

export interface RollbackProposal extends RollbackInput, RequestOrigin {
  /** For the reviewer; possibly empty. */
  readonly message: string;
}

/**
 * Proposes to return the folder of a repository to its content at an earlier commit: a branch with one commit on top of what is there, and a merge request.
 *
 * @throws AppError as `previewSourceRollback`; `ProposalImpossible` for a source without a forge, and where nothing differs; `ForgeUnavailable`, `EgressDenied`.
 */
export async function proposeSourceRollback(
  ports: Pick<Ports, 'clusters' | 'auditLog' | 'proposals'>,
  actor: Actor,
  input: RollbackProposal,
): Promise<Proposal> {
  const { name, via, requestId } = input;
  const event = { action: 'propose to roll back source', environment: '', target: `${name}: ${input.revision}`, via, requestId };
  return await audited(ports, actor, event, async () => {
    ports.auditLog.checkRateLimit(actor, 'install');
    const source = await findSource(ports, actor, input);
    await requirePatch(ports, actor, { ...input, what: 'a rollback' });
    const missing = await missingPermission(ports, actor, { ...PROPOSALS, verb: 'create', namespace: '' });
    if (missing !== undefined) throw new AppError('Forbidden', `${sourceWords(input)}: you may not propose a change of it`, { missing });
    return await open(ports, actor, { source, input });
  });
}

interface OpenInput {
  readonly source: KubeObject;
  readonly input: RollbackProposal;
}

async function open({ proposals }: Pick<Ports, 'proposals'>, actor: Actor, { source, input }: OpenInput): Promise<Proposal> {
  const target = targetOfSource(source);
  const commit = commitOf(entryOf(source, input).revision);
  const impossible = (why: string): AppError => new AppError('ProposalImpossible', `proposal: ${sourceWords(input)}: ${why}`);
  if (target === undefined) throw impossible('nothing says which forge its repository is at; an admin sets spec.git.forge');
  if (commit === undefined) throw impossible('the revision is no commit');
  const resource = resourceOf({ ...source, apiVersion: apiVersionOf(CATALOG_SOURCE), kind: CATALOG_SOURCE.kind });
  const { git } = target;
  const title = `Return ${git.path === '' ? input.name : git.path} to ${commit.slice(0, 12)}`;
  const {
    description: _description,
    state: _state,
    mergeCommit: _commit,
    ...opened
  } = await proposals.open(target, {
    user: actor.user,
    branch: branchFor(title, proposals.randomId()),
    title,
    resource,
    message: input.message,
    author: { name: input.person?.name ?? actor.user, email: input.person?.email ?? '' },
    edit: { kind: 'Restore', commit },
  });
  return { ...opened, source: target.name, resource, proposedBy: actor.user, status: 'Open' };
}
