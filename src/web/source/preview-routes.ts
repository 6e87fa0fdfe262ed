import { Router } from 'express';
import { isAppError } from '../../domain/core/errors.ts';
import { createLongWork, type WorkWords } from '../page/long-work.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { sourcePath } from '../page/paths.ts';
import { previewPage } from './preview-page.ts';
import { sourceCrumbs } from './source-act-routes.ts';

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

/** What a revision of a source would change, and the approval of its deletions. */
export function sourcePreviewRoutes(deps: WebDeps): Router {
  const router = Router();
  const work = createLongWork();
  router.get(
    ROUTE,
    page(deps, async (visit) => {
      const name = visit.param('name');
      const ref = refOf(visit);
      const address =
        ref === '' ? sourcePath(name, 'preview') : `${sourcePath(name, 'preview')}?${new URLSearchParams({ ref }).toString()}`;
      return await work.join(visit, address, { words: wordsFor(name), run: async () => await showPreview(deps, visit) });
    }),
  );
  router.post(
    '/sources/:name/approve',
    page(deps, async ({ actor, param, body, requestOrigin }) => {
      const name = param('name');
      await deps.operations.approvePrune(actor, { name, revision: body.get('revision') ?? '', ...requestOrigin });
      return { redirect: `${sourcePath(name)}?asked=approve` };
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
    if (!isAppError(error, ...SHOWN)) throw error;
    return answer(previewPage(error.message, input), 422);
  }
}
