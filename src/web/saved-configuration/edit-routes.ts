import { Router } from 'express';
import type { App } from '../../domain/app/app.ts';
import { AppError, type FieldFault, isAppError } from '../../domain/core/errors.ts';
import { splitContent } from '../../domain/instance/instance-content.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { contentOfSavedConfiguration, type SavedConfiguration } from '../../domain/saved-configuration/saved-configuration.ts';
import { appForm } from '../../form/model/app-form.ts';
import { contentSchema } from '../../form/model/content-schema.ts';
import { differencesBetween } from '../../form/model/differences.ts';
import type { FormModel } from '../../form/model/form-node.ts';
import { unknownFields } from '../../form/model/unknown-fields.ts';
import { faultsOfTexts } from '../app/install-link.ts';
import { runFormJob } from '../form-thread/run-form-job.ts';
import { editForm, kindOf } from '../instance/form-commands.ts';
import { ownFault, sealFor, type SealInputs, showForm, type ShownForm } from '../instance/instance-form.ts';
import { type Answer, page, type PageAnswer, type Visit, type WebDeps } from '../page/page.ts';
import { installPath, savedConfigurationPath, savedConfigurationsPath } from '../page/paths.ts';
import type { Me } from '../page/shell.ts';
import {
  type OwnerChoice,
  ownerChoices,
  ownerValue,
  parseOwner,
  savedConfigurationCrumbs,
  type SaveDraft,
} from './saved-configuration-page.ts';

const ROUTE = '/apps/:app/saved-configurations/:id';

/** A view of `apps/saved-configuration`: one saved configuration that is changed. */
interface SavedConfigurationEditPage extends ShownForm {
  readonly appName: string;
  readonly action: string;
  readonly useHref: string;
  readonly compareHref: string;
  readonly backHref: string;
  /** As it is called so far. */
  readonly savedTitle: string;
  /** Not `title`, which is the page's. */
  readonly savedConfigurationTitle: string;
  readonly titleFault: string;
  readonly description: string;
  readonly descriptionFault: string;
  readonly owners: readonly OwnerChoice[];
  /** The version that the change is made on. */
  readonly version: number;
  /** Where somebody else was faster: what the form has otherwise than they, as paths; false without. */
  readonly conflict: false | { readonly paths: readonly string[]; readonly more: number };
  /** Fields that the app has no place for any more. */
  readonly unknown: readonly string[];
  readonly earlier: readonly { readonly version: number; readonly title: string; readonly updated: string; readonly href: string }[];
  /** The earlier version that stands in the form; 0: none. */
  readonly shownVersion: number;
  readonly copied: boolean;
}

interface SavedConfigurationEditDraft extends SaveDraft {
  readonly fields: URLSearchParams;
  readonly faults: readonly FieldFault[];
  readonly version: number;
  /** Paths that differ from what somebody else saved meanwhile; absent: nobody did. */
  readonly foreign?: readonly string[];
  readonly shownVersion: number;
  readonly copied: boolean;
}

interface SavedConfigurationEditInput {
  readonly app: App;
  readonly me: Me;
  readonly model: FormModel;
  readonly savedConfiguration: SavedConfiguration;
  readonly earlier: readonly SavedConfiguration[];
}

const MAX_NAMES = 12;

/** Changing a saved configuration: its words, whose it is, and its values in the form of the App. */
export function savedConfigurationEditRoutes(deps: WebDeps): Router {
  const router = Router();
  router.get(
    ROUTE,
    page(deps, async (visit) => await open(await startEdit(deps, visit))),
  );
  router.post(
    ROUTE,
    page(deps, async (visit) => await receive(await startEdit(deps, visit))),
  );
  return router;
}

interface Edit {
  readonly deps: WebDeps;
  readonly visit: Visit;
  readonly app: App;
  readonly savedConfiguration: SavedConfiguration;
  readonly earlier: readonly SavedConfiguration[];
  readonly model: FormModel;
}

async function startEdit(deps: WebDeps, visit: Visit): Promise<Edit> {
  const id = visit.param('id');
  const [app, savedConfiguration, earlier] = await Promise.all([
    deps.operations.showApp(visit.actor, visit.param('app')),
    deps.operations.showSavedConfiguration(visit.actor, id),
    deps.operations.listSavedConfigurationVersions(visit.actor, id),
  ]);
  return { deps, visit, app, savedConfiguration: ofApp(savedConfiguration, app), earlier, model: appForm(app, 'create') };
}

/** @throws AppError `NotFound` for a saved configuration of another App. */
export function ofApp(savedConfiguration: SavedConfiguration, app: App): SavedConfiguration {
  if (savedConfiguration.app === app.id) return savedConfiguration;
  throw new AppError('NotFound', `saved configuration ${JSON.stringify(savedConfiguration.id)}: it belongs to another app`);
}

/** As it is, or as an earlier version had it: saving that makes it the newest. */
async function open(edit: Edit): Promise<Answer> {
  const { visit, savedConfiguration, earlier, model } = edit;
  const wanted = Number(visit.query.get('version') ?? 0);
  const shown = earlier.find(({ version }) => version === wanted) ?? savedConfiguration;
  const { title, description, owner } = shown;
  return await show(edit, {
    title,
    description,
    owner: ownerValue(owner),
    fields: await runFormJob('valuesToFields', model, contentOfSavedConfiguration(shown)),
    faults: [],
    version: savedConfiguration.version,
    shownVersion: shown === savedConfiguration ? 0 : shown.version,
    copied: visit.query.has('copied'),
  });
}

async function receive(edit: Edit): Promise<Answer> {
  const { visit, app, savedConfiguration, model } = edit;
  const { body } = visit;
  const words = { title: body.get('title') ?? '', description: body.get('description') ?? '', owner: body.get('owner') ?? '' };
  const asTyped = { ...words, fields: body, version: versionIn(body) ?? savedConfiguration.version, shownVersion: 0, copied: false };
  const edited = await editForm(visit, { model, resource: app, base: {}, name: words.title });
  if (edited !== undefined) return edited.kind === 'File' ? edited.file : await show(edit, { ...asTyped, ...edited.draft });
  const whole = await runFormJob('openWhole', model, body, kindOf(app));
  const { values, faults } = await runFormJob('formToValues', model, whole.fields, {});
  const wrong = [...whole.faults, ...faultsOfTexts(body, faults)];
  if (wrong.length > 0) return await show(edit, { ...asTyped, faults: wrong });
  try {
    return await save(edit, { words, values, version: asTyped.version });
  } catch (error) {
    if (isAppError(error, 'Conflict')) return await showConflict(edit, asTyped, values);
    return await show(edit, { ...asTyped, faults: faultsOfRejection(error) });
  }
}

function versionIn(body: URLSearchParams): number | undefined {
  const version = Number(body.get('version') ?? '');
  return Number.isSafeInteger(version) && version > 0 ? version : undefined;
}

interface Saving {
  readonly words: SaveDraft;
  readonly values: JsonObject;
  readonly version: number;
}

async function save({ deps: { operations }, visit, app, savedConfiguration }: Edit, { words, values, version }: Saving): Promise<Answer> {
  const { actor, requestOrigin, body } = visit;
  const { spec, otherFields = {} } = splitContent(values);
  const others = Object.keys(otherFields).length === 0 && savedConfiguration.otherFields === undefined ? {} : { otherFields };
  const wanted = { ...words, owner: parseOwner(words.owner, actor.user), values: spec, ...others, ...requestOrigin };
  const saved =
    body.get('_do') === 'new'
      ? await operations.saveConfiguration(actor, { ...wanted, app: app.id })
      : await operations.changeSavedConfiguration(actor, { ...wanted, id: savedConfiguration.id, version });
  const left = saved.omittedSecrets.length === 0 ? '' : `&secrets=${saved.omittedSecrets.length}`;
  return { redirect: `${savedConfigurationsPath(app.id)}?saved=${saved.savedConfiguration.id}${left}` };
}

function faultsOfRejection(error: unknown): readonly FieldFault[] {
  if (!isAppError(error, 'InvalidInput', 'TooLarge', 'LimitReached')) throw error;
  return error.faults.length > 0 ? error.faults : [{ message: error.message }];
}

/** Sending the form again writes over what somebody else saved, which is named. */
async function showConflict(edit: Edit, asTyped: Omit<SavedConfigurationEditDraft, 'faults'>, values: JsonObject): Promise<Answer> {
  const { deps, visit, app, model, savedConfiguration } = edit;
  const newest = await deps.operations.showSavedConfiguration(visit.actor, savedConfiguration.id);
  const differing = differencesBetween(
    { schema: contentSchema(app.schema), root: model.root, sensitivePaths: model.sensitive.sensitivePaths },
    contentOfSavedConfiguration(newest),
    values,
  );
  const foreign = differing.map(({ path }) => path);
  return {
    ...(await show({ ...edit, savedConfiguration: newest }, { ...asTyped, faults: [], version: newest.version, foreign })),
    status: 409,
  };
}

async function show(edit: Edit, draft: SavedConfigurationEditDraft): Promise<PageAnswer> {
  const { app, savedConfiguration, visit } = edit;
  const wrong = draft.faults.length > 0;
  return {
    view: 'apps/saved-configuration',
    title: `${wrong ? 'Error: ' : ''}Change “${savedConfiguration.title}”`,
    section: 'catalog',
    crumbs: savedConfigurationCrumbs(app, savedConfiguration.title),
    model: await savedConfigurationEditPage({ ...edit, me: await visit.me }, { ...draft, seal: sealFor(edit.deps, visit) }),
    ...(wrong ? { status: 422 } : {}),
  };
}

async function savedConfigurationEditPage(
  { app, me, model, savedConfiguration, earlier }: SavedConfigurationEditInput,
  draft: SavedConfigurationEditDraft & { readonly seal: SealInputs },
): Promise<SavedConfigurationEditPage> {
  const { faults, foreign, seal } = draft;
  const path = savedConfigurationPath(savedConfiguration);
  return {
    ...(await showForm(model, draft.fields, { faults, base: {}, seal })),
    appName: app.displayName,
    action: path,
    useHref: `${installPath(app.id)}?saved-configuration=${savedConfiguration.id}`,
    compareHref: `${path}/compare`,
    backHref: savedConfigurationsPath(app.id),
    savedTitle: savedConfiguration.title,
    savedConfigurationTitle: draft.title,
    titleFault: ownFault(faults, 'title'),
    description: draft.description,
    descriptionFault: ownFault(faults, 'description'),
    owners: ownerChoices(me, draft.owner, 'environment' in savedConfiguration.owner ? [savedConfiguration.owner.environment] : []),
    version: draft.version,
    conflict: foreign !== undefined && { paths: foreign.slice(0, MAX_NAMES), more: Math.max(0, foreign.length - MAX_NAMES) },
    unknown: unknownFields(model, contentOfSavedConfiguration(savedConfiguration)),
    earlier: earlier.map(({ version, title, updated }) => ({ version, title, updated, href: `${path}?version=${version}` })),
    shownVersion: draft.shownVersion,
    copied: draft.copied,
  };
}
