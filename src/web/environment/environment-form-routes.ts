import { Router } from 'express';
import { AppError, type FieldFault, isAppError } from '../../domain/core/errors.ts';
import { isSame } from '../../domain/core/merge-patch.ts';
import type { EnvironmentDetails } from '../../domain/environment/environment.ts';
import { newResource, otherFieldsPatch, ownContentOf, splitContent } from '../../domain/instance/instance-content.ts';
import { type Preflight, specVersionOf } from '../../domain/instance/instance.ts';
import { ENVIRONMENT } from '../../domain/kubernetes/resource-types.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { resourceOf } from '../../domain/proposal/proposal.ts';
import { fillRequired } from '../../form/input/fill-required.ts';
import { environmentForm } from '../../form/model/environment-form.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import type { EnvironmentChange } from '../../operation/environment/environment-change.ts';
import type { InstanceOwner } from '../../operation/proposal/show-owner.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import { carriedOn, foreignSentences } from '../instance/change-page.ts';
import { commandOf, editForm, kindOf, orCorrect, submitForm } from '../instance/form-commands.ts';
import { ownFault, sealFor, showForm } from '../instance/instance-form.ts';
import { type NewResourceDraft, receiveNewResource } from '../instance/new-resource-form.ts';
import { hiddenInputs, reviewOf } from '../instance/review.ts';
import type { ReviewYaml } from '../instance/review-yaml.ts';
import type { ForeignChange } from '../instance/three-way.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { environmentPath, NEW_ENVIRONMENT_PATH } from '../page/paths.ts';
import type { Crumb } from '../page/shell.ts';
import { changedValuesView, newValuesView } from '../page/value-changes-view.ts';
import { gitOwnerPart, proposed } from '../proposal/proposal-routes.ts';

const EDIT = '/environments/:environment/edit';
const KIND = kindOf(ENVIRONMENT);
const TRIES = 3;

/** Creating and changing Environments by the form of their definition. Everything that was typed comes back with every answer. */
export function environmentFormRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    NEW_ENVIRONMENT_PATH,
    page(deps, async (visit) => await openNew(deps, visit)),
  );
  router.post(
    NEW_ENVIRONMENT_PATH,
    page(deps, async (visit) => await receiveNew(deps, visit)),
  );
  router.get(
    EDIT,
    page(deps, async (visit) => await openEdit(deps, await startEdit(deps, visit))),
  );
  router.post(
    EDIT,
    page(deps, async (visit) => await receiveEdit(await startEdit(deps, visit), visit.body)),
  );
  return router;
}

/** Nobody fills a form in that they may neither send nor propose. */
async function openNew({ operations, seal }: WebDeps, visit: Visit): Promise<Answer> {
  const [{ create }, sources] = await Promise.all([
    operations.environmentPermissions(visit.actor),
    operations.listProposalTargets(visit.actor, resourceOf(newResource(ENVIRONMENT, '', {}))),
  ]);
  if (create !== undefined && sources.length === 0)
    throw new AppError('Forbidden', 'environment: you may not create one', { missing: create });
  const fields = await runFormJob('valuesToFields', environmentForm('create'), {});
  return await showNew({ seal }, visit, { name: visit.query.get('name') ?? '', fields, faults: [] });
}

async function receiveNew(deps: WebDeps, visit: Visit): Promise<Answer> {
  const { operations } = deps;
  const { actor, requestOrigin } = visit;
  return await receiveNewResource(visit, {
    type: ENVIRONMENT,
    model: environmentForm('create'),
    show: async (draft) => await showNew(deps, visit, draft),
    steps: (environment) => ({
      ask: async () => notAsked(),
      propose: async () => await proposed(visit, async (wish) => await operations.proposeEnvironment(actor, { environment, ...wish })),
      preflight: async () => await operations.preflightEnvironment(actor, environment),
      write: async () => environmentPath((await operations.createEnvironment(actor, { environment, ...requestOrigin })).name),
      review: async (preflight, yaml) => await reviewNew(deps, visit, { preflight, yaml }),
    }),
  });
}

/** Environments are for admins: a change request has nobody else to go to. */
function notAsked(): never {
  throw new AppError('MalformedRequest', 'environment: approval cannot be requested for it; propose the change in git, or ask an admin');
}

async function showNew({ seal }: Pick<WebDeps, 'seal'>, visit: Visit, { name, fields, faults }: NewResourceDraft): Promise<Answer> {
  const wrong = faults.length > 0;
  return {
    view: 'environments/new',
    title: `${wrong ? 'Error: ' : ''}New environment`,
    section: 'environments',
    crumbs: crumbsTo('New'),
    model: {
      ...(await showForm(environmentForm('create'), fields, { faults, base: {}, seal: sealFor({ seal }, visit) })),
      action: NEW_ENVIRONMENT_PATH,
      name,
      nameFault: ownFault(faults, 'metadata.name'),
    },
    ...(wrong ? { status: 422 } : {}),
  };
}

interface Reviewed {
  readonly preflight: Preflight;
  readonly yaml: ReviewYaml;
}

async function reviewNew(deps: WebDeps, visit: Visit, { preflight, yaml: typed }: Reviewed): Promise<Answer> {
  const { name } = preflight.object.metadata;
  const sources = await deps.operations.listProposalTargets(visit.actor, resourceOf(preflight.object));
  const changes = { ...newValuesView(preflight.changes), after: 'This environment', layered: false };
  const kept = hiddenInputs(deps, visit);
  return {
    view: 'environments/review',
    title: `Review the environment ${name}`,
    section: 'environments',
    crumbs: crumbsTo('Review'),
    model: {
      heading: `Review the environment ${name}`,
      review: reviewOf(preflight, { body: visit.body, kept, owner: { sources } }, { changes, typed }),
      action: NEW_ENVIRONMENT_PATH,
      button: 'Create the environment',
    },
  };
}

function crumbsTo(label: string, environment?: Pick<EnvironmentDetails, 'name' | 'displayName'>): Crumb[] {
  const list = { label: 'Environments', href: '/environments' };
  return environment === undefined
    ? [list, { label }]
    : [list, { label: environment.displayName, href: environmentPath(environment.name) }, { label }];
}

interface Edit {
  readonly deps: WebDeps;
  readonly visit: Visit;
  readonly environment: EnvironmentDetails;
  readonly owner: InstanceOwner;
  readonly model: FormModel;
}

async function startEdit(deps: WebDeps, visit: Visit): Promise<Edit> {
  const name = visit.param('environment');
  const [environment, owner] = await Promise.all([
    deps.operations.showEnvironment(visit.actor, name),
    deps.operations.showEnvironmentOwner(visit.actor, name),
  ]);
  return { deps, visit, environment, owner, model: environmentForm('edit') };
}

async function openEdit({ operations }: WebDeps, edit: Edit): Promise<Answer> {
  const { visit, environment, owner } = edit;
  const { update } = await operations.environmentPermissions(visit.actor, environment.name);
  if (update !== undefined && owner.sources.length === 0)
    throw new AppError('Forbidden', `environment ${JSON.stringify(environment.name)}: you may not change it`, { missing: update });
  const fields = await runFormJob('valuesToFields', edit.model, ownContentOf(environment.object));
  return await showEdit(edit, { fields, faults: [], foreign: [] });
}

async function receiveEdit(start: Edit, sent: URLSearchParams): Promise<Answer> {
  const { environment, model } = start;
  const { name } = environment;
  const [live, salt] = [ownContentOf(environment.object), saltOf(environment)];
  const body = await runFormJob('followRows', sent, { live, salt });
  const edit = { ...start, visit: { ...start.visit, body } };
  const seen = body.get('seen') ?? '';
  const asTyped = { fields: body, seen, foreign: [] };
  const whole = await runFormJob('openWhole', model, body, KIND);
  const pressed = await editForm(edit.visit, { model, resource: KIND, base: live, name });
  if (pressed !== undefined) return pressed.kind === 'File' ? pressed.file : await showEdit(edit, { ...asTyped, ...pressed.draft });
  const { values: typed, faults } = await runFormJob('formToValues', model, whole.fields, live);
  const other = whole.name !== '' && whole.name !== name;
  const elsewhere = other ? [{ field: '', message: `The YAML is for the name ${whole.name}, but this form changes ${name}` }] : [];
  const wrong = [...elsewhere, ...whole.faults, ...faults];
  if (wrong.length > 0) return await showEdit(edit, { ...asTyped, faults: wrong });
  const values = fillRequired(model, typed, live);
  if (commandOf(body) === 'write' && isSame(typed, live)) return { redirect: environmentPath(name) };
  const merge = await runFormJob('mergeChanges', seen, { mine: values, live }, salt);
  if (merge.foreign.length > 0) {
    const fresh = await runFormJob('valuesToFields', model, merge.values);
    const fields = await runFormJob('keepPlaces', fresh, body, { merged: merge.values, live });
    return await showEdit(edit, { fields, faults: [], foreign: merge.foreign, more: merge.more });
  }
  return await attempt(edit, { content: values, seen });
}

/** A status that the controller reports meanwhile is no conflict; a spec that somebody changed meanwhile is shown. */
async function attempt(edit: Edit, wanted: { readonly content: JsonObject; readonly seen: string }): Promise<Answer> {
  const { visit, deps } = edit;
  for (let tried = 1; ; tried += 1) {
    const newest = tried === 1 ? edit.environment : await deps.operations.showEnvironment(visit.actor, edit.environment.name);
    if (!isSame(ownContentOf(newest.object), ownContentOf(edit.environment.object)))
      return await receiveEdit({ ...edit, environment: newest }, visit.body);
    try {
      return await write({ ...edit, environment: newest }, wanted);
    } catch (error) {
      if (isAppError(error, 'Conflict') && tried < TRIES) continue;
      return await orCorrect(error, async (faults) => await showEdit(edit, { fields: visit.body, foreign: [], seen: wanted.seen, faults }));
    }
  }
}

async function write(edit: Edit, { content, seen }: { readonly content: JsonObject; readonly seen: string }): Promise<Answer> {
  const { deps, visit, environment } = edit;
  const { operations } = deps;
  const otherFields = otherFieldsPatch(ownContentOf(environment.object), content);
  const change: EnvironmentChange = {
    environment: environment.name,
    spec: splitContent(content).spec,
    ...(Object.keys(otherFields).length === 0 ? {} : { otherFields }),
    mode: 'Replace',
    specVersion: specVersionOf(environment.object),
  };
  return await submitForm(visit.body, {
    ask: async () => notAsked(),
    propose: async () => await proposed(visit, async (wish) => await operations.proposeEnvironmentChange(visit.actor, { change, ...wish })),
    preflight: async () => await operations.preflightEnvironmentChange(visit.actor, change),
    write: async () => environmentPath((await operations.updateEnvironment(visit.actor, { ...change, ...visit.requestOrigin })).name),
    review: async (preflight, yaml) => reviewEdit(edit, { preflight, yaml }),
    correct: async (faults) => await showEdit(edit, { fields: visit.body, foreign: [], seen, faults }),
  });
}

function reviewEdit({ deps, visit, environment, owner }: Edit, { preflight, yaml: typed }: Reviewed): Answer {
  const shown = { changes: changedValuesView(preflight.changes), typed };
  const heading = `Review the change of ${environment.displayName}`;
  return {
    view: 'environments/review',
    title: heading,
    section: 'environments',
    crumbs: crumbsTo('Review', environment),
    model: {
      heading,
      review: reviewOf(preflight, { body: visit.body, kept: hiddenInputs(deps, visit), owner }, shown),
      action: `${environmentPath(environment.name)}/edit`,
      button: 'Save the change',
    },
  };
}

interface EditDraft {
  readonly fields: URLSearchParams;
  readonly faults: readonly FieldFault[];
  readonly foreign: readonly ForeignChange[];
  readonly more?: number;
  /** The digest that the page carries on; by default that of the live values. */
  readonly seen?: string;
}

async function showEdit({ deps, visit, environment, owner, model }: Edit, draft: EditDraft): Promise<Answer> {
  const { faults, foreign, more = 0 } = draft;
  const live = ownContentOf(environment.object);
  const wrong = faults.length > 0;
  return {
    view: 'environments/edit',
    title: `${wrong ? 'Error: ' : ''}Change ${environment.displayName}`,
    section: 'environments',
    crumbs: crumbsTo('Change', environment),
    model: {
      ...(await showForm(model, draft.fields, { faults, base: live, seal: sealFor(deps, visit) })),
      ...gitOwnerPart(owner),
      displayName: environment.displayName,
      action: `${environmentPath(environment.name)}/edit`,
      backHref: environmentPath(environment.name),
      carried: await carriedOn(live, saltOf(environment), draft.seen),
      foreign: foreignSentences(model, foreign, more),
      clash: foreign.some(({ clash }) => clash),
    },
    ...(foreign.length > 0 ? { status: 409 } : wrong ? { status: 422 } : {}),
  };
}

function saltOf({ name, object }: EnvironmentDetails): string {
  return object.metadata.uid ?? name;
}
