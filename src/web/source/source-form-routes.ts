import { Router } from 'express';
import { AppError } from '../../domain/core/errors.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import { CATALOG_SOURCE } from '../../domain/kubernetes/resource-types.ts';
import { SOURCE_ORIGINS, type SourceFormOrigin, sourceForm } from '../../form/model/source-form.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import { ownFault, sealFor, showForm } from '../instance/instance-form.ts';
import { type NewResourceDraft, receiveNewResource } from '../instance/new-resource-form.ts';
import { hiddenInputs, reviewOf } from '../instance/review.ts';
import type { ReviewYaml } from '../instance/review-yaml.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { NEW_SOURCE_PATH, sourcePath } from '../page/paths.ts';
import { newValuesView } from '../page/value-changes-view.ts';

const crumbs = (label: string) => [{ label: 'Sources', href: '/sources' }, { label }];

/** Creating a CatalogSource by the form of its definition. Everything that was typed comes back with every answer. */
export function sourceFormRoutes(deps: WebDeps): Router {
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
