import { Router } from 'express';
import { isAppError } from '../../domain/core/errors.ts';
import { sourceCommands } from '../../domain/source/source-commands.ts';
import type { SourceView } from '../../domain/source/source-view.ts';
import type { RemovedResource, SourcePreview } from '../../operation/source/preview-source.ts';
import type { Badge } from '../page/badges.ts';
import { createLongWork, type WorkWords } from '../page/long-work.ts';
import { missingSentence } from '../page/message-page.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { hrefWith, sourcePath } from '../page/paths.ts';
import { plural } from '../page/view-helpers.ts';
import { type DiffRow, diffRow } from '../page/objects-view.ts';
import { sourceRollbackRoutes } from './rollback-routes.ts';
import { sourceCrumbs } from './source-act-routes.ts';
import { faultRow, type FaultRow, permissionWords } from './source-page.ts';
import { shortRevision } from './sources-page.ts';

const ROUTE = '/sources/:name/preview';

/** Faults that a person corrects, here or in the source; shown beside the form. */
const SHOWN = [
  'ArtifactUnavailable',
  'ChartSecretInvalid',
  'EgressDenied',
  'GitUnavailable',
  'InvalidInput',
  'NotFound',
  'VerificationFailed',
] as const;

/** What a revision of a source would change, the approval of its deletions, and the return to an earlier one. */
export function sourcePreviewRoutes(deps: WebDeps): Router {
  const router = Router();
  const work = createLongWork();
  router.use(sourceRollbackRoutes(deps));
  router.get(
    ROUTE,
    page(deps, async (visit) => {
      const name = visit.param('name');
      const ref = refOf(visit);
      const address = hrefWith(sourcePath(name, 'preview'), { ref });
      return await work.join(visit, address, { words: wordsFor(name), run: async () => await showPreview(deps, visit) });
    }),
  );
  return decisionRoutes(router, deps);
}

/** What an admin decides about a source: its removals, and its origin. */
function decisionRoutes(router: Router, deps: WebDeps): Router {
  router.post(
    '/sources/:name/approve',
    page(deps, async ({ actor, param, body, requestOrigin }) => {
      const name = param('name');
      await deps.operations.approvePrune(actor, { name, revision: body.get('revision') ?? '', ...requestOrigin });
      return { redirect: `${sourcePath(name)}?asked=approve` };
    }),
  );
  router.post(
    '/sources/:name/confirm',
    page(deps, async ({ actor, param, body, requestOrigin }) => {
      const name = param('name');
      await deps.operations.confirmOrigin(actor, { name, origin: body.get('origin') ?? '', ...requestOrigin });
      return { redirect: `${sourcePath(name)}?asked=confirm` };
    }),
  );
  router.post(
    '/sources/:name/keep',
    page(deps, async ({ actor, param, body, requestOrigin }) => {
      const name = param('name');
      await deps.operations.keepResource(actor, {
        name,
        resource: body.get('resource') ?? '',
        at: new Date().toISOString(),
        ...requestOrigin,
      });
      return { redirect: `${sourcePath(name)}?asked=keep` };
    }),
  );
  return router;
}

function refOf({ query }: Visit): string {
  return (query.get('ref') ?? '').trim().slice(0, 300);
}

function wordsFor(name: string): WorkWords {
  return {
    title: `Preview of ${name}`,
    text: 'Chandlery fetches the revision, checks each document, and compares it with the cluster.',
    crumbs: sourceCrumbs(name, 'Preview'),
    section: 'sources',
  };
}

async function showPreview({ operations }: WebDeps, visit: Visit): Promise<Answer> {
  const { actor } = visit;
  const [name, ref] = [visit.param('name'), refOf(visit)];
  const [source, permissions] = await Promise.all([operations.showSource(actor, { name }), operations.sourcePermissions(actor, { name })]);
  const input = { source, ref, mayPatch: permissions.patch === undefined };
  const answer = (model: object, status?: number): Answer => ({
    view: 'sources/preview',
    title: `${status === undefined ? '' : 'Error: '}Preview of ${name}`,
    section: 'sources',
    crumbs: sourceCrumbs(name, 'Preview'),
    model,
    ...(status === undefined ? {} : { status }),
  });
  try {
    return answer(previewPage(await operations.previewSource(actor, { name, ...(ref === '' ? {} : { ref }) }), input));
  } catch (error) {
    const secret = unreadSecret(error);
    if (secret !== undefined) return answer(previewPage(secret, input), 403);
    if (!isAppError(error, ...SHOWN)) throw error;
    return answer(previewPage(error.message, input), 422);
  }
}

/** What to do when only the credentials of the source are out of the reader's reach. */
function unreadSecret(error: unknown): string | undefined {
  if (!isAppError(error, 'Forbidden') || error.missing?.resource !== 'secrets') return undefined;
  return `${missingSentence(error.missing)} A preview fetches the source with its credentials, and reads them as you. Ask an administrator of the cluster for this permission.`;
}

/** A view of `sources/preview`. */
interface PreviewPage {
  readonly name: string;
  readonly action: string;
  /** A folder has no refs. */
  readonly hasRefs: boolean;
  /** The ref that was asked for; empty for that of the source. */
  readonly ref: string;
  /** Why there is no preview; empty when there is one. */
  readonly fault: string;
  readonly faults: readonly { readonly message: string; readonly href: string }[];
  readonly preview?: PreviewedRevision;
  readonly backHref: string;
}

interface PreviewedRevision {
  readonly revision: string;
  readonly commit?: { readonly author: string; readonly message: string; readonly time: string };
  readonly summary: { readonly tone: string; readonly symbol: string; readonly title: string; readonly text: string };
  readonly faults: readonly FaultRow[];
  readonly changes: readonly DiffRow[];
  readonly omitted: string;
  readonly sentence: string;
  /** With whose permissions the dry runs ran, and the sync will. */
  readonly permissions: string;
  readonly removed: readonly {
    readonly kind: string;
    readonly name: string;
    readonly place: string;
    readonly file: string;
    readonly badge: Badge;
  }[];
  readonly missing: readonly string[];
  /** Absent where nothing waits for an approval, or the permission is missing. */
  readonly approve?: { readonly action: string; readonly revision: string; readonly label: string; readonly command: string };
}

interface PageInput {
  readonly source: SourceView;
  readonly ref: string;
  readonly mayPatch: boolean;
}

/** @param found the preview, or why there is none. */
function previewPage(found: SourcePreview | string, { source, ref, mayPatch }: PageInput): PreviewPage {
  const { name, origin } = source;
  const fault = typeof found === 'string' ? found : '';
  return {
    name,
    action: sourcePath(name, 'preview'),
    hasRefs: origin.kind !== 'Folder',
    ref,
    fault,
    faults: fault === '' ? [] : [{ message: fault, href: origin.kind === 'Folder' ? '#main' : '#ref' }],
    ...(typeof found === 'string' ? {} : { preview: previewedRevision(found, { source, mayPatch }) }),
    backHref: sourcePath(name),
  };
}

function previewedRevision(preview: SourcePreview, input: Pick<PageInput, 'source' | 'mayPatch'>): PreviewedRevision {
  const { revision, commit, changes, omitted, faults, missing, removed } = preview;
  return {
    revision: shortRevision(revision),
    ...(commit === undefined ? {} : { commit }),
    summary: summaryOf(preview, input.source),
    faults: faults.map(faultRow),
    changes: changes.map(diffRow),
    omitted: omitted === 0 ? '' : `${plural(omitted, 'more resource is', 'more resources are')} not listed.`,
    sentence: countSentence(preview),
    permissions: `The dry runs used your permissions (${preview.runsAs}). The sync uses ${permissionWords(preview.serviceAccount)}.`,
    removed: removed.map(({ kind, name, namespace = '', file, outcome }) => ({
      kind,
      name,
      place: namespace,
      file,
      badge: OUTCOMES[outcome],
    })),
    missing: missing.map(missingSentence),
    ...(preview.awaitsApproval && input.mayPatch ? { approve: approvalOf(preview) } : {}),
  };
}

const OUTCOMES: Readonly<Record<RemovedResource['outcome'], Badge>> = {
  Deleted: { label: 'deleted', tone: 'bad', symbol: 'trash' },
  HandedOver: { label: 'goes to another source', tone: 'busy', symbol: 'link' },
  Kept: { label: 'stays', tone: 'idle', symbol: 'lock' },
};

function approvalOf({ name, revision, removed }: SourcePreview): NonNullable<PreviewedRevision['approve']> {
  const deleted = removed.filter(({ outcome }) => outcome === 'Deleted').length;
  const label = `Remove ${plural(deleted, 'resource', 'resources')} now`;
  return { action: sourcePath(name, 'approve'), revision, label, command: sourceCommands(name).approve(revision) };
}

function summaryOf(preview: SourcePreview, { lastAppliedRevision, origin }: SourceView): PreviewedRevision['summary'] {
  const { faults, missing, changes, removed, awaitsApproval, revision } = preview;
  if (faults.length > 0) {
    const text = origin.kind === 'Folder' ? 'Everything without a fault would be applied.' : 'Nothing of this revision would be applied.';
    return { tone: 'bad', symbol: 'bad', title: plural(faults.length, 'fault', 'faults'), text };
  }
  if (awaitsApproval) {
    return {
      tone: 'warn',
      symbol: 'warn',
      title: 'Removals pending',
      text: 'The rest of the revision is applied. Resources without a document stay until they are removed or you approve it.',
    };
  }
  if (missing.length > 0) {
    return {
      tone: 'warn',
      symbol: 'lock',
      title: 'Some resources are not compared',
      text: 'You do not have all the permissions that this preview needs.',
    };
  }
  if (changes.length === 0 && removed.length === 0) {
    const text =
      revision === lastAppliedRevision ? 'The cluster is as this revision has it.' : 'Applying this revision would change nothing.';
    return { tone: 'good', symbol: 'check', title: 'No changes', text };
  }
  return {
    tone: 'busy',
    symbol: 'info',
    title: 'This revision has no faults',
    text: 'Each document passed a server-side dry run with your permissions.',
  };
}

function countSentence({ changes, omitted, unchanged, removed }: SourcePreview): string {
  const count = (change: string): number => changes.filter((one) => one.change === change).length;
  const parts = [
    `${count('added')} new`,
    `${count('changed')} changed`,
    `${unchanged} unchanged`,
    `${removed.length} without a document`,
    ...(omitted === 0 ? [] : [`${omitted} more`]),
  ];
  return `Resources: ${parts.join(', ')}.`;
}
