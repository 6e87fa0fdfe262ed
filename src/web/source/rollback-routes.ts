import { Router } from 'express';
import { isAppError } from '../../domain/core/errors.ts';
import { artifactDigestOf, commitOf } from '../../domain/source/rollback-commands.ts';
import type { RestoredFile } from '../../domain/source/restore-files.ts';
import type { SourceRollback } from '../../operation/source/roll-back-source.ts';
import type { Badge } from '../page/badges.ts';
import type { DiffRow } from '../page/objects-view.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { hrefWith, sourcePath } from '../page/paths.ts';
import { plural } from '../page/view-helpers.ts';
import { PROPOSAL_FAULTS, PROPOSALS_PATH } from '../proposal/proposal-routes.ts';
import { sourceCrumbs } from './source-act-routes.ts';
import { authorName, OUTCOMES, revisionChanges, type RevisionChangesView, rollbackPath } from './source-history.ts';
import { shortRevision } from './sources-page.ts';

const ROUTE = '/sources/:name/rollback';

/** An earlier revision of a source, and how to return to it. */
export function sourceRollbackRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    ROUTE,
    page(deps, (visit) => showRollback(deps, visit)),
  );
  router.get(
    `${ROUTE}/patch`,
    page(deps, async ({ actor, param, query }) => {
      const input = { name: param('name'), revision: query.get('revision') ?? '' };
      const { entry, patch } = await deps.operations.previewSourceRollback(actor, input);
      const fileName = `${input.name}-${shortRevision(entry.revision).replaceAll(/[^A-Za-z0-9]+/g, '-')}.patch`;
      return { fileName, type: 'text/plain', text: patch };
    }),
  );
  router.post(
    ROUTE,
    page(deps, (visit) => propose(deps, visit)),
  );
  return router;
}

interface Fault {
  readonly message: string;
  readonly status: number;
}

async function showRollback({ operations }: WebDeps, { actor, param, query, body }: Visit, fault?: Fault): Promise<Answer> {
  const name = param('name');
  const revision = query.get('revision') ?? '';
  const rollback = await operations.previewSourceRollback(actor, { name, revision });
  const short = shortRevision(rollback.entry.revision);
  return {
    view: 'sources/rollback',
    title: `${fault === undefined ? '' : 'Error: '}Return ${name} to ${short}`,
    section: 'sources',
    crumbs: sourceCrumbs(name, short),
    model: {
      ...rollbackPage(rollback, body.get('message') ?? ''),
      faults: fault === undefined ? [] : [{ message: fault.message, href: '#propose' }],
    },
    ...(fault === undefined ? {} : { status: fault.status }),
  };
}

async function propose(deps: WebDeps, visit: Visit): Promise<Answer> {
  const { actor, param, query, body, requestOrigin } = visit;
  const input = { name: param('name'), revision: query.get('revision') ?? '', message: (body.get('message') ?? '').slice(0, 1_000) };
  try {
    await deps.operations.proposeSourceRollback(actor, { ...input, ...requestOrigin });
    return { redirect: PROPOSALS_PATH };
  } catch (error) {
    if (!isAppError(error, ...PROPOSAL_FAULTS)) throw error;
    return await showRollback(deps, visit, error);
  }
}

/** A view of `sources/rollback`. */
interface RollbackPage extends RevisionChangesView {
  readonly name: string;
  readonly revision: string;
  readonly outcome: Badge;
  readonly time: string;
  readonly subject: string;
  readonly author: string;
  readonly backHref: string;
  /** Why there is nothing to do, or nothing that can be done; empty otherwise. */
  readonly notice: string;
  /** For a folder: the files to restore. */
  readonly restore?: RestoreView;
  /** For a repository or artifact: the preview of what the revision would change in the cluster; empty for a folder. */
  readonly previewHref: string;
  /** Absent where no merge request can be opened. */
  readonly propose?: { readonly action: string; readonly message: string };
  readonly commands: SourceRollback['commands'];
}

interface RestoreView {
  readonly sentence: string;
  readonly files: readonly DiffRow[];
  readonly omitted: string;
  readonly patchHref: string;
  /** Files that hold sensitive values. */
  readonly withheld: readonly string[];
}

function rollbackPage(rollback: SourceRollback, message: string): RollbackPage {
  const { name, entry, origin, files, withheld, current, proposable } = rollback;
  const { revision, outcome, time, subject = '', author = '' } = entry;
  const ref = commitOf(revision) ?? artifactDigestOf(revision) ?? '';
  const isGit = origin.kind === 'Git';
  const hasNothingToDo = current && (files ?? []).length === 0;
  return {
    name,
    revision: shortRevision(revision),
    outcome: OUTCOMES[outcome],
    time,
    subject,
    author: authorName(author),
    backHref: sourcePath(name),
    notice: noticeOf(rollback),
    ...(files === undefined || (files.length === 0 && withheld.length === 0) ? {} : { restore: restoreView(rollback, files) }),
    previewHref: origin.kind === 'Folder' ? '' : hrefWith(sourcePath(name, 'preview'), { ref }),
    ...(isGit && proposable && !current ? { propose: { action: rollbackPath(name, revision), message } } : {}),
    commands: hasNothingToDo || (files !== undefined && files.length === 0) ? [] : rollback.commands,
    ...revisionChanges(entry),
  };
}

function noticeOf({ origin, files, withheld, current }: SourceRollback): string {
  if (origin.kind === 'Folder' && files === undefined)
    return 'Chandlery keeps no files of this revision: it was applied before they were kept, or is too large. Restore the files from a backup.';
  if (files?.length === 0 && withheld.length === 0) return 'The files in the folder are those of this revision.';
  return current && origin.kind !== 'Folder' ? 'The source is at this revision.' : '';
}

const MAX_LINES = 300;
const MAX_FILES = 100;

function restoreView({ name, entry, withheld }: SourceRollback, files: readonly RestoredFile[]): RestoreView {
  const differ =
    files.length === 0 ? 'No other file differs.' : `${plural(files.length, 'file differs', 'files differ')} from this revision.`;
  return {
    sentence: `${differ} Chandlery never writes to the folder: apply the patch on the machine that has it. The source then applies the files within seconds.`,
    files: files.slice(0, MAX_FILES).map(fileRow),
    omitted: files.length > MAX_FILES ? `${plural(files.length - MAX_FILES, 'more file is', 'more files are')} in the patch.` : '',
    patchHref: files.length === 0 ? '' : hrefWith(sourcePath(name, 'rollback/patch'), { revision: entry.revision }),
    withheld,
  };
}

const CHANGES: Readonly<Record<RestoredFile['change'], Badge>> = {
  Added: { label: 'restored', tone: 'good', symbol: 'plus' },
  Changed: { label: 'changed', tone: 'busy', symbol: 'edit' },
  Removed: { label: 'deleted', tone: 'warn', symbol: 'trash' },
};

function fileRow({ file, change, patch }: RestoredFile): DiffRow {
  const lines = patch.split('\n');
  const hunks = lines.slice(
    lines.findIndex((line) => line.startsWith('@@')),
    -1,
  );
  const markOf = (line: string): 'new' | 'gone' | 'gap' | '' =>
    line.startsWith('@@') ? 'gap' : line.startsWith('+') ? 'new' : line.startsWith('-') ? 'gone' : '';
  const cut = hunks.length - MAX_LINES;
  return {
    badge: CHANGES[change],
    kind: 'File',
    place: file,
    note: '',
    lines: hunks.slice(0, MAX_LINES).map((text) => ({ text, mark: markOf(text) })),
    cut: cut > 0 ? `${plural(cut, 'more line is', 'more lines are')} in the patch` : '',
  };
}
