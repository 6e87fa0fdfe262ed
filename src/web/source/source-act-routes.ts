import { Router } from 'express';
import { AppError } from '../../domain/core/errors.ts';
import type { SourceAction } from '../../operation/source/change-source.ts';
import { missingSentence } from '../page/message-page.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { sourcePath } from '../page/paths.ts';
import type { Crumb } from '../page/shell.ts';
import { deletesResources, sourceDeletePage } from './source-delete-page.ts';

const ROUTE = '/sources/:name';
const ACTIONS: readonly SourceAction[] = ['sync', 'suspend', 'resume'];

/** What an admin asks of a source, and its end. */
export function sourceActRoutes(deps: WebDeps): Router {
  const router = Router();
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
  await deps.operations.deleteSource(actor, { name, ...requestOrigin });
  return { redirect: `${sourcePath(name)}?asked=delete` };
}
