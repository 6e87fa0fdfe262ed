import { Router } from 'express';
import { AppError } from '../../domain/core/errors.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import { CATALOG_SOURCE } from '../../domain/kubernetes/resource-types.ts';
import { sourceCommands } from '../../domain/source/source-commands.ts';
import type { SourceDeletion } from '../../domain/source/source-deletion.ts';
import { SOURCE_ORIGINS, type SourceFormOrigin, sourceForm } from '../../form/model/source-form.ts';
import type { SourceAction } from '../../operation/source/change-source.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import { ownFault, sealFor, showForm } from '../instance/instance-form.ts';
import { type NewResourceDraft, receiveNewResource } from '../instance/new-resource-form.ts';
import type { ReviewYaml } from '../instance/review-yaml.ts';
import { hiddenInputs, reviewOf } from '../instance/review.ts';
import { missingSentence } from '../page/message-page.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { sourcePath, NEW_SOURCE_PATH } from '../page/paths.ts';
import type { Crumb } from '../page/shell.ts';
import { newValuesView } from '../page/value-changes-view.ts';
import { plural } from '../page/view-helpers.ts';

const ROUTE = '/sources/:name';
const ACTIONS: readonly SourceAction[] = ['sync', 'suspend', 'resume'];

/** Creating a source, what an admin asks of it, and its end. */
export function sourceActRoutes(deps: WebDeps): Router {
  const router = sourceFormRoutes(deps);
  for (const action of ACTIONS) {
    router.post(
      `${ROUTE}/${action}`,
      page(deps, async ({ actor, param, requestOrigin }) => {
        const input = { name: param('name'), action, at: new Date().toISOString(), ...requestOrigin };
        await deps.operations.requestSourceAction(actor, input);
        return { redirect: `${sourcePath(input.name)}?asked=${action}` };
      }),
    );
  }
  router.get(
    `${ROUTE}/delete`,
    page(deps, (visit) => confirmDelete(deps, visit, '')),
  );
  router.post(
    `${ROUTE}/delete`,
    page(deps, (visit) => doDelete(deps, visit)),
  );
  return router;
}

/** The way to a page below that of a source. */
export function sourceCrumbs(name: string, below: string): Crumb[] {
  return [{ label: 'Sources', href: '/sources' }, { label: name, href: sourcePath(name) }, { label: below }];
}

async function confirmDelete({ operations }: WebDeps, { actor, param }: Visit, fault: string): Promise<Answer> {
  const name = param('name');
  const [deletion, permissions] = await Promise.all([
    operations.previewSourceDeletion(actor, { name }),
    operations.sourcePermissions(actor, { name }),
  ]);
  if (deletion.state === 'Deleting') return { redirect: sourcePath(name) };
  const rejected = permissions.delete === undefined ? '' : missingSentence(permissions.delete);
  return {
    view: 'sources/delete',
    title: `${fault === '' ? '' : 'Error: '}Delete ${name}`,
    section: 'sources',
    crumbs: sourceCrumbs(name, 'Delete'),
    model: sourceDeletePage({ name, deletion, rejected, fault }),
    ...(fault === '' ? {} : { status: 422 }),
  };
}

async function doDelete(deps: WebDeps, visit: Visit): Promise<Answer> {
  const { actor, body, requestOrigin } = visit;
  const name = visit.param('name');
  const deletion = await deps.operations.previewSourceDeletion(actor, { name });
  if (String(deletion.prune) !== body.get('prune')) {
    throw new AppError(
      'Conflict',
      `source ${JSON.stringify(name)}: its spec.prune is ${String(deletion.prune)} now; read the deletion preview again`,
    );
  }
  if (deletesResources(deletion) && body.get('name')?.trim() !== name) {
    return await confirmDelete(deps, visit, `Type ${name} to delete it with its resources`);
  }
  const intent = deletesResources(deletion) ? { intent: 'Cascade' as const } : {};
  await deps.operations.deleteSource(actor, { name, ...intent, ...requestOrigin });
  return { redirect: `${sourcePath(name)}?asked=delete` };
}

/** A view of `sources/delete`. */
interface SourceDeletePage {
  readonly name: string;
  readonly warning: { readonly tone: string; readonly symbol: string; readonly title: string; readonly text: string };
  readonly kinds: SourceDeletion['kinds'];
  readonly resources: readonly { readonly kind: string; readonly name: string; readonly place: string; readonly file: string }[];
  /** How many more there are than are named; empty when none. */
  readonly more: string;
  readonly prune: boolean;
  /** With resources that are deleted, the name must be typed. */
  readonly typeName: boolean;
  readonly fault: string;
  readonly faults: readonly { readonly message: string; readonly href: string }[];
  /** Why it may not be deleted; empty when it may. */
  readonly rejected: string;
  readonly action: string;
  readonly backHref: string;
  readonly command: string;
}

interface DeleteInput {
  readonly name: string;
  readonly deletion: SourceDeletion;
  readonly rejected: string;
  /** What is wrong with what was sent; empty when nothing is. */
  readonly fault: string;
}

function sourceDeletePage({ name, deletion, rejected, fault }: DeleteInput): SourceDeletePage {
  const { prune, total, kinds, resources } = deletion;
  return {
    name,
    warning: warningOf(deletion),
    kinds,
    resources: resources.map(({ kind, name: own, namespace = '', file }) => ({ kind, name: own, place: namespace, file })),
    more: total > resources.length ? `and ${plural(total - resources.length, 'more resource', 'more resources')}` : '',
    prune,
    typeName: deletesResources(deletion),
    fault,
    faults: fault === '' ? [] : [{ message: fault, href: '#name' }],
    rejected,
    action: sourcePath(name, 'delete'),
    backHref: sourcePath(name),
    command: sourceCommands(name).delete(deletesResources(deletion) ? 'Deleted' : 'Kept'),
  };
}

function deletesResources({ prune, total }: SourceDeletion): boolean {
  return prune && total > 0;
}

function warningOf({ prune, total }: SourceDeletion): SourceDeletePage['warning'] {
  if (total === 0) return { tone: 'idle', symbol: 'info', title: 'The source owns nothing', text: 'Nothing is deleted with it.' };
  const many = plural(total, 'resource', 'resources');
  if (prune) {
    const text = `${many} ${total === 1 ? 'is' : 'are'} deleted with it. A resource that another source has a document of goes to that source instead.`;
    return { tone: 'bad', symbol: 'warn', title: 'This cannot be undone', text };
  }
  const text = `${many} ${total === 1 ? 'stays' : 'stay'} in the cluster, because spec.prune is false. Another source that has documents of them takes them over.`;
  return { tone: 'warn', symbol: 'warn', title: 'The resources stay', text };
}

const crumbs = (label: string) => [{ label: 'Sources', href: '/sources' }, { label }];

/** Creating a CatalogSource by the form of its definition. Everything that was typed comes back with every answer. */
function sourceFormRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    NEW_SOURCE_PATH,
    page(deps, async (visit) => await open(deps, visit)),
  );
  router.post(
    NEW_SOURCE_PATH,
    page(deps, async (visit) => await receive(deps, visit)),
  );
  return router;
}

/** Nobody fills a form in that they may not send. */
async function requirePermission({ operations }: WebDeps, { actor }: Visit): Promise<void> {
  const missing = await operations.missingForNewSource(actor);
  if (missing !== undefined) throw new AppError('Forbidden', 'source: you may not create one', { missing });
}

async function open(deps: WebDeps, visit: Visit): Promise<Answer> {
  await requirePermission(deps, visit);
  const fields = await runFormJob('valuesToFields', sourceForm(originOf(visit)), {});
  return await show(deps, visit, { name: '', fields, faults: [] });
}

function originOf({ body, query }: Pick<Visit, 'body' | 'query'>): SourceFormOrigin {
  const wanted = body.get('origin') ?? query.get('origin');
  return SOURCE_ORIGINS.find((origin) => origin === wanted) ?? 'git';
}

async function receive(deps: WebDeps, visit: Visit): Promise<Answer> {
  await requirePermission(deps, visit);
  const { operations } = deps;
  const { actor, requestOrigin } = visit;
  return await receiveNewResource(visit, {
    type: CATALOG_SOURCE,
    model: sourceForm(originOf(visit)),
    show: async (draft) => await show(deps, visit, draft),
    steps: (source) => ({
      ask: async () => notOffered(),
      propose: async () => notOffered(),
      preflight: async () => await operations.preflightSource(actor, source),
      write: async () => sourcePath((await operations.createSource(actor, { source, ...requestOrigin })).name),
      review: async (preflight, yaml) => review(deps, visit, { preflight, yaml }),
    }),
  });
}

/** Sources are for admins, and decide which repositories count. */
function notOffered(): never {
  throw new AppError('MalformedRequest', 'source: it can only be created; download its file to keep it in git');
}

const ORIGINS: Readonly<Record<SourceFormOrigin, string>> = { git: 'Git repository', oci: 'OCI artifact', folder: 'Folder' };

async function show(deps: WebDeps, visit: Visit, { name, fields, faults }: NewResourceDraft): Promise<Answer> {
  const origin = originOf(visit);
  const wrong = faults.length > 0;
  return {
    view: 'sources/new',
    title: `${wrong ? 'Error: ' : ''}New source`,
    section: 'sources',
    crumbs: crumbs('New'),
    model: {
      ...(await showForm(sourceForm(origin), fields, { faults, base: {}, seal: sealFor(deps, visit) })),
      action: NEW_SOURCE_PATH,
      origin,
      tabs: SOURCE_ORIGINS.map((one) => ({ label: ORIGINS[one], href: `${NEW_SOURCE_PATH}?origin=${one}`, current: one === origin })),
      name,
      nameFault: ownFault(faults, 'metadata.name'),
    },
    ...(wrong ? { status: 422 } : {}),
  };
}

function review(
  deps: WebDeps,
  visit: Visit,
  { preflight, yaml: typed }: { readonly preflight: Preflight; readonly yaml: ReviewYaml },
): Answer {
  const heading = `Review the source ${preflight.object.metadata.name}`;
  const changes = { ...newValuesView(preflight.changes), after: 'This source', layered: false };
  return {
    view: 'sources/review',
    title: heading,
    section: 'sources',
    crumbs: crumbs('Review'),
    model: {
      heading,
      review: reviewOf(preflight, { body: visit.body, kept: hiddenInputs(deps, visit) }, { changes, typed }),
      action: NEW_SOURCE_PATH,
    },
  };
}
