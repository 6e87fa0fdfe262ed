import { Router } from 'express';
import type { App } from '../../domain/app/app.ts';
import { AppError, isAppError, type FieldFault } from '../../domain/core/errors.ts';
import { applyMergePatch, isSame } from '../../domain/core/merge-patch.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { otherFieldsPatch, splitContent } from '../../domain/instance/instance-content.ts';
import { specVersionOf, type InstanceView, type Preflight } from '../../domain/instance/instance.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { remedyFor } from '../../domain/preflight/remedy.ts';
import { fillRequired } from '../../form/input/fill-required.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { isAppInstance } from '../../domain/app-instance/instance.ts';
import { freezeNodes, offeredVersions, placedForm, withVersionChoice } from '../../form/model/app-form.ts';
import { applyPicks } from '../../form/references/apply-picks.ts';
import { keepYaml, type WholeForm } from '../../form/yaml/whole-yaml.ts';
import { isSmall } from '../../schema/values/check-values.ts';
import { readShownChoices } from '../app/form-choices.ts';
import { gitOwnerPart, proposed } from '../proposal/proposal-routes.ts';
import type { InstanceOwner } from '../../operation/proposal/show-owner.ts';
import { requestApproval } from '../change-request/change-request-routes.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import { changePage, contentOfInstance, saltOf, type ChangeDraft } from './change-page.ts';
import { contentForPromotion } from '../../operation/instance/copy-instance.ts';
import { copiedInstance } from './copied-instance.ts';
import { commandOf, editForm, kindOf, orCorrect, submitForm } from './form-commands.ts';
import type { ReviewYaml } from './review-yaml.ts';
import { addressOf, instanceCrumbs, revisionIn } from './instance-routes.ts';
import { sealFor } from './instance-form.ts';
import { hiddenInputs, reviewOf } from './review.ts';
import { versionMoves } from './version-moves.ts';
import { missingSentence } from '../page/message-page.ts';
import { page, type Answer, type Visit, type WebDeps } from '../page/page.ts';
import { instancePath } from '../page/paths.ts';
import { changedValuesView } from '../page/value-changes-view.ts';
import { yamlText } from '../page/yaml-text.ts';
import type { InstanceChange } from '../../operation/instance/instance-change.ts';

const ROUTE = '/environments/:environment/instances/:app/:name/edit';
const TRIES = 3;
const LARGE = 'its spec has more than 100,000 values, too many for a form. Change it with kubectl or the REST API';

/** A view of `environments/instances/read-only`: why somebody may not change an Instance, and what it is. */
interface ReadOnlyPage {
  readonly name: string;
  readonly missing: string;
  /** A RoleBinding that would help. */
  readonly grant: string;
  readonly yaml: string;
  readonly backHref: string;
  /** The form all the same, to ask somebody else for the change. */
  readonly askHref: string;
}

interface ReadOnlyInput {
  readonly instance: InstanceView;
  readonly environment: EnvironmentView;
  readonly app: App;
  readonly user: string;
}

/** Changing an Instance: the form with the live values, what would happen, and doing it on top of what others changed meanwhile. */
export function changeRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    ROUTE,
    page(deps, async (visit) => await openForm(deps, await startChange(deps, visit))),
  );
  router.post(
    ROUTE,
    page(deps, async (visit) => {
      const change = await startChange(deps, visit);
      const body = applyPicks(change.model, visit.body);
      return await receive(deps, { ...change, visit: { ...visit, body } }, body);
    }),
  );
  return router;
}

interface Change {
  readonly deps: WebDeps;
  readonly visit: Visit;
  readonly instance: InstanceView;
  readonly environment: EnvironmentView;
  readonly app: App;
  readonly model: FormModel;
  readonly owner: InstanceOwner;
}

async function startChange(deps: WebDeps, visit: Visit): Promise<Change> {
  const { operations } = deps;
  const address = addressOf(visit);
  const [app, instance, environment] = await Promise.all([
    operations.showApp(visit.actor, address.app),
    operations.showInstance(visit.actor, address),
    operations.showEnvironment(visit.actor, address.environment),
  ]);
  const owner = await operations.showOwner(visit.actor, { ...address, instance });
  if (!isSmall(contentOfInstance(instance))) throw new AppError('TooLarge', `instance ${JSON.stringify(instance.name)}: ${LARGE}`);
  const model = freezeNodes(placedForm(withVersionChoice(app, instance.object), 'edit', environment), visit.body.getAll('frozen'));
  return { deps, visit, instance, environment, app, model, owner };
}

/** Nobody fills a form in that they may not send. */
async function openForm({ operations }: WebDeps, change: Change): Promise<Answer> {
  const { visit, instance, environment } = change;
  const permissions = await operations.instancePermissions(visit.actor, addressOf(visit));
  if (!permissions.update && !visit.query.has('ask')) {
    return {
      view: 'environments/instances/read-only',
      title: `You may not change ${instance.name}`,
      section: 'environments',
      crumbs: instanceCrumbs(instance, environment, 'Change'),
      model: readOnlyPage({ ...change, user: visit.actor.user }),
      status: 403,
    };
  }
  const { content, ...begun } = await beginning(operations, change);
  const fields = await runFormJob('valuesToFields', change.model, content);
  return await showDraft(change, { fields, faults: [], foreign: [], ...begun });
}

/** What the form starts from: the live values, or what the link asks for: `?revision=2`, `?version=1.2.0`, `?expires=2026-12-31T00:00:00Z`, or `?from=staging/shop`. */
async function beginning(
  operations: WebDeps['operations'],
  change: Change,
): Promise<{ readonly content: JsonObject } & Pick<ChangeDraft, 'revision' | 'promoted'>> {
  const { visit, instance } = change;
  const revision = revisionIn(visit, 'revision');
  if (revision !== undefined) return { content: await revisedContentOf(operations, change, revision), revision };
  const source = await copiedInstance(operations, visit, instance.app);
  if (source !== undefined) {
    return { content: contentForPromotion(instance, source), promoted: `${source.name} in ${source.environment}` };
  }
  const live = contentOfInstance(instance);
  const [version, expires] = [visit.query.get('version') ?? '', visit.query.get('expires') ?? ''];
  const spec = {
    ...(offeredVersions(instance.object).includes(version) ? { version } : {}),
    ...(isAppInstance(instance.object) && !Number.isNaN(Date.parse(expires)) ? { expires } : {}),
  };
  return { content: Object.keys(spec).length === 0 ? live : (applyMergePatch(live, { spec }) as JsonObject) };
}

/** The live content with the spec and the other members of an earlier revision. */
async function revisedContentOf(operations: WebDeps['operations'], { visit, instance }: Change, revision: number): Promise<JsonObject> {
  const { spec, otherFields = {} } = await operations.rollbackOf(visit.actor, { ...addressOf(visit), revision });
  return { ...(applyMergePatch(contentOfInstance(instance), otherFields) as JsonObject), spec };
}

async function receive(deps: WebDeps, start: Change, sent: URLSearchParams): Promise<Answer> {
  const { instance, model } = start;
  const live = contentOfInstance(instance);
  const body = await runFormJob('followRows', sent, { live, salt: saltOf(instance) });
  const change = { ...start, visit: { ...start.visit, body } };
  const seenText = body.get('seen') ?? '';
  const asTyped = { fields: body, seen: seenText, foreign: [] };
  const resource = kindOf(change.app);
  const whole = await runFormJob('openWhole', model, body, resource);
  const edit = await editForm(change.visit, { model, resource, base: live, name: instance.name });
  if (edit !== undefined) return edit.kind === 'File' ? edit.file : await showDraft(change, { ...asTyped, ...edit.draft });
  const { values: typed, faults } = await runFormJob('formToValues', model, whole.fields, live);
  const values = fillRequired(model, typed, live);
  const wrong = [...wholeFaults(whole, change), ...faults];
  if (wrong.length > 0) return await showDraft(change, { ...asTyped, faults: wrong });
  if (commandOf(body) === 'write' && isSame(typed, live)) return { redirect: instancePath(instance) };
  const merge = await runFormJob('mergeChanges', seenText, { mine: values, live }, saltOf(instance));
  if (merge.foreign.length > 0) {
    if (commandOf(body) === 'write' && isSame(merge.values, live)) return { redirect: instancePath(instance) };
    const fresh = await runFormJob('valuesToFields', model, merge.values);
    const merged = await runFormJob('keepPlaces', fresh, body, { merged: merge.values, live });
    return await showDraft(change, { fields: keepYaml(model, merged, body), faults: [], foreign: merge.foreign, more: merge.more });
  }
  return await attempt(deps, change, { content: values, seen: seenText });
}

/** A whole resource in the YAML must be the one that is changed. */
function wholeFaults({ faults, name, namespace }: WholeForm, { instance, environment }: Change): readonly FieldFault[] {
  const other = (what: string, theirs: string, ours: string): FieldFault[] =>
    theirs === '' || theirs === ours
      ? []
      : [{ field: '', message: `The YAML is for the ${what} ${theirs}, but this form changes ${ours}` }];
  return [...faults, ...other('name', name, instance.name), ...other('namespace', namespace, environment.namespace)];
}

/**
 * The newest version of the object is what we write on, as far as its `spec` is what the person saw: a controller that only reports status
 * meanwhile is no conflict.
 */
async function attempt(deps: WebDeps, change: Change, wanted: { readonly content: JsonObject; readonly seen: string }): Promise<Answer> {
  const { visit, instance } = change;
  for (let tried = 1; ; tried += 1) {
    const newest = tried === 1 ? instance : await deps.operations.showInstance(visit.actor, addressOf(visit));
    if (newest !== instance && !isSame(contentOfInstance(newest), contentOfInstance(instance))) {
      return await receive(deps, { ...change, instance: newest }, visit.body);
    }
    try {
      return await write(deps, { ...change, instance: newest }, wanted.content);
    } catch (error) {
      if (isAppError(error, 'Conflict') && tried < TRIES) continue;
      const asTyped = { fields: visit.body, foreign: [], seen: wanted.seen };
      return await orCorrect(error, async (faults) => await showDraft(change, { ...asTyped, faults }));
    }
  }
}

/** Submits values on the newest version of the object. */
async function write({ operations }: WebDeps, change: Change, content: JsonObject): Promise<Answer> {
  const { visit, instance } = change;
  const otherFields = otherFieldsPatch(contentOfInstance(instance), content);
  const wanted: InstanceChange = {
    ...addressOf(visit),
    spec: splitContent(content).spec,
    ...(Object.keys(otherFields).length === 0 ? {} : { otherFields }),
    specVersion: specVersionOf(instance.object),
  };
  return await submitForm(visit.body, {
    ask: async () => await requestApproval(change.deps, visit, { ...wanted, action: 'change' }),
    propose: async () => await proposed(visit, async (wish) => await operations.proposeChange(visit.actor, { change: wanted, ...wish })),
    preflight: async () => await operations.preflightChange(visit.actor, wanted),
    write: async () => instancePath(await operations.updateInstance(visit.actor, { ...wanted, ...visit.requestOrigin })),
    review: async (preflight, typed) => await showReview(change, { preflight, typed }),
    correct: async (faults) => await showDraft(...(await rejected(change, faults))),
  });
}

async function showReview(
  change: Change,
  { preflight, typed }: { readonly preflight: Preflight; readonly typed: ReviewYaml },
): Promise<Answer> {
  const { visit, instance, owner } = change;
  const model = {
    review: reviewOf(
      preflight,
      { body: visit.body, kept: hiddenInputs(change.deps, visit), owner },
      { changes: changedValuesView(preflight.changes), typed },
    ),
    ...(await changePage(instance, change.model, { fields: visit.body, faults: [], foreign: [], seal: sealFor(change.deps, visit) })),
  };
  return {
    view: 'environments/instances/review',
    title: `Review the change of ${instance.name}`,
    section: 'environments',
    crumbs: instanceCrumbs(instance, change.environment, 'Review'),
    model,
  };
}

/** What the cluster says cannot be changed shows its live value again, and says why. */
async function rejected(change: Change, wrong: readonly FieldFault[]): Promise<[Change, ChangeDraft]> {
  const { visit } = change;
  const { frozen, faults } = await runFormJob('frozenFaults', change.model, visit.body, wrong);
  const model = freezeNodes(change.model, frozen);
  const known = [...new Set([...visit.body.getAll('frozen'), ...frozen])];
  return [
    { ...change, model },
    { fields: visit.body, faults, foreign: [], seen: visit.body.get('seen') ?? '', frozen: known },
  ];
}

async function showDraft(change: Change, draft: ChangeDraft): Promise<Answer> {
  const { deps, visit, instance, environment, model } = change;
  const wanted = { model, fields: draft.fields, base: contentOfInstance(instance), environment };
  const choices = await readShownChoices(deps.operations, visit.actor, wanted);
  const wrong = draft.faults.length > 0;
  const moves = await versionMoves(deps.operations, visit.actor, change);
  return {
    view: 'environments/instances/edit',
    title: `${wrong ? 'Error: ' : ''}Change ${instance.name}`,
    section: 'environments',
    crumbs: instanceCrumbs(instance, environment, 'Change'),
    model: {
      ...(await changePage(instance, model, { ...draft, choices, seal: sealFor(deps, visit) })),
      ...moves,
      ...(draft.revision === undefined ? {} : { revision: draft.revision }),
      ...(draft.promoted === undefined ? {} : { promoted: draft.promoted }),
      ...gitOwnerPart(change.owner),
    },
    ...statusOf(wrong, draft),
  };
}

function statusOf(wrong: boolean, { foreign }: ChangeDraft): { status: number } | undefined {
  if (foreign.length > 0) return { status: 409 };
  return wrong ? { status: 422 } : undefined;
}

function readOnlyPage({ instance, environment, app, user }: ReadOnlyInput): ReadOnlyPage {
  const permission = { verb: 'update', group: app.group, resource: app.plural, namespace: environment.namespace };
  return {
    name: instance.name,
    missing: missingSentence(permission),
    grant: remedyFor({ user, permission, apps: new Set([app.id]) }).yaml,
    yaml: yamlText(withoutStatus(instance.object)),
    backHref: instancePath(instance),
    askHref: `${instancePath(instance)}/edit?ask`,
  };
}

function withoutStatus({ status: _status, ...rest }: KubeObject): object {
  return rest;
}
