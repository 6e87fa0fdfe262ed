import { Router } from 'express';
import type { App } from '../../domain/app/app.ts';
import { type FieldFault, isAppError } from '../../domain/core/errors.ts';
import { isObject } from '../../domain/core/read.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { splitContent } from '../../domain/instance/instance-content.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { contentOfSavedConfiguration, type SavedConfiguration } from '../../domain/saved-configuration/saved-configuration.ts';
import { layOwnValues } from '../../domain/values/own-values.ts';
import { sealSecrets } from '../../form/input/sealed-secrets.ts';
import { nodeToFields } from '../../form/input/values-to-fields.ts';
import { appForm, placedForm } from '../../form/model/app-form.ts';
import { contentSchema } from '../../form/model/content-schema.ts';
import type { ComparableInstance } from '../../operation/saved-configuration/compare-saved-configuration.ts';
import { sensitivePaths } from '../../schema/sensitive/sensitive-values.ts';
import { contentOfInstance, saltOf } from '../instance/change-page.ts';
import { addressOf } from '../instance/instance-routes.ts';
import { formatSeen, seenOf } from '../instance/three-way.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { instancePath, savedConfigurationPath, savedConfigurationsPath } from '../page/paths.ts';
import { appliedValuesView, savedConfigurationValuesView, type ValueChangesView } from '../page/value-changes-view.ts';
import { ofApp } from './edit-routes.ts';
import {
  parseOwner,
  savedConfigurationCrumbs,
  savedConfigurationsCrumbs,
  savedConfigurationsPage,
  savePage,
} from './saved-configuration-page.ts';
import type { SelectOption } from '../page/facets.ts';

/** Saved configurations: those of an App, and saving that of an Instance. Saving that of a form is part of `install-routes.ts`. */
export function savedConfigurationRoutes(deps: WebDeps): Router {
  const router = Router();
  const instance = '/environments/:environment/instances/:app/:name/save';
  router.get(
    '/apps/:app/saved-configurations',
    page(deps, async (visit) => await list(deps, visit)),
  );
  router.post(
    '/apps/:app/saved-configurations/:id/delete',
    page(deps, async (visit) => await remove(deps, visit)),
  );
  router.post(
    '/apps/:app/saved-configurations/:id/copy',
    page(deps, async (visit) => await copy(deps, visit)),
  );
  router.get(
    instance,
    page(deps, async (visit) => await saveInstance(deps, visit)),
  );
  router.post(
    instance,
    page(deps, async (visit) => await saveInstance(deps, visit, 'now')),
  );
  return router;
}

async function list({ operations }: WebDeps, visit: Visit): Promise<Answer> {
  const { actor, param, query } = visit;
  const app = await operations.showApp(actor, param('app'));
  const savedConfigurations = await operations.listSavedConfigurations(actor, { app: '', search: query.get('q') ?? '' });
  const environments = savedConfigurations.flatMap(({ owner }) => ('environment' in owner ? [owner.environment] : []));
  const changeable = await operations.listChangeableEnvironments(actor, environments);
  const title = `Saved configurations of ${app.displayName}`;
  const model = savedConfigurationsPage(app, { savedConfigurations, changeable }, { query, me: await visit.me });
  return {
    view: 'apps/saved-configurations',
    title,
    section: 'catalog',
    crumbs: savedConfigurationsCrumbs(app, 'Saved configurations'),
    model,
  };
}

async function remove({ operations }: WebDeps, { actor, param, body, requestOrigin }: Visit): Promise<Answer> {
  const version = Number(body.get('version') ?? '');
  await operations.deleteSavedConfiguration(actor, {
    id: param('id'),
    ...requestOrigin,
    ...(Number.isSafeInteger(version) && version > 0 ? { version } : {}),
  });
  return { redirect: `${savedConfigurationsPath(param('app'))}?deleted` };
}

/** The copy is opened at once: it wants a title of its own. */
async function copy({ operations }: WebDeps, { actor, param, requestOrigin }: Visit): Promise<Answer> {
  const { app, title, description, values, otherFields, owner } = await operations.showSavedConfiguration(actor, param('id'));
  const content = { values, ...(otherFields === undefined ? {} : { otherFields }) };
  const draft = { app, title: `Copy of ${title}`.slice(0, 100), description, ...content, owner };
  const { savedConfiguration } = await operations.saveConfiguration(actor, { ...draft, ...requestOrigin });
  return { redirect: `${savedConfigurationPath(savedConfiguration)}?copied` };
}

async function saveInstance(deps: WebDeps, visit: Visit, when?: 'now'): Promise<Answer> {
  const { operations } = deps;
  const address = addressOf(visit);
  const [app, instance] = await Promise.all([operations.showApp(visit.actor, address.app), operations.showInstance(visit.actor, address)]);
  const place = {
    action: `${instancePath(address)}/save`,
    backHref: instancePath(address),
    kept: [],
    environments: [address.environment],
  };
  return await saveValues(deps, visit, { app, values: contentOfInstance(instance), when: when ?? 'later', ...place });
}

/** What is to be saved, and the page that asks under which name. */
export interface ValuesToSave {
  readonly app: App;
  /** Laid out like the resource. */
  readonly values: JsonObject;
  readonly action: string;
  /** Empty where the form itself is carried along. */
  readonly backHref: string;
  readonly kept: readonly { readonly name: string; readonly value: string }[];
  /** Names of those that it can be saved for. */
  readonly environments: readonly string[];
  readonly when: 'now' | 'later';
}

/** Asks for a title and an owner, or saves under them. What is a secret is named before it is left out. */
export async function saveValues({ operations }: WebDeps, visit: Visit, wanted: ValuesToSave): Promise<Answer> {
  const { actor, me, body, requestOrigin } = visit;
  const { app, values, when } = wanted;
  const draft = { title: body.get('_title') ?? '', description: body.get('_description') ?? '', owner: body.get('_owner') ?? 'user' };
  let faults: readonly FieldFault[] = [];
  if (when === 'now') {
    try {
      const owner = parseOwner(draft.owner, actor.user);
      const { spec, ...otherFields } = splitContent(values);
      const { savedConfiguration } = await operations.saveConfiguration(actor, {
        ...draft,
        app: app.id,
        values: spec,
        ...otherFields,
        owner,
        ...requestOrigin,
      });
      return { redirect: `${savedConfigurationsPath(app.id)}?saved=${savedConfiguration.id}` };
    } catch (error) {
      if (!isAppError(error, 'InvalidInput', 'TooLarge', 'LimitReached')) throw error;
      faults = error.faults.length > 0 ? error.faults : [{ message: error.message }];
    }
  }
  const stripped = sensitivePaths(appForm(app, 'create'), values);
  return {
    view: 'apps/save',
    title: `${faults.length > 0 ? 'Error: ' : ''}Save a configuration of ${app.displayName}`,
    section: 'catalog',
    crumbs: savedConfigurationCrumbs(app, 'Save'),
    model: savePage({ ...wanted, me: await me, draft, stripped, faults }),
    ...(faults.length > 0 ? { status: 422 } : {}),
  };
}

/** A view of `apps/compare`: a saved configuration beside today's defaults or an instance. */
interface ComparePage {
  readonly savedConfigurationTitle: string;
  readonly action: string;
  readonly backHref: string;
  readonly options: readonly SelectOption[];
  readonly changes: ValueChangesView;
  /** The change of the instance, ready to be reviewed; false where there is none. */
  readonly apply: false | Applied;
}

interface Applied {
  readonly name: string;
  readonly action: string;
  readonly kept: readonly { readonly name: string; readonly value: string }[];
}

/** What a saved configuration sets, and the way to bring an instance to it: through the review of a change, like any other. */
export function savedConfigurationCompareRoutes(deps: WebDeps): Router {
  return Router().get(
    '/apps/:app/saved-configurations/:id/compare',
    page(deps, async (visit) => await compare(deps, visit)),
  );
}

async function compare({ operations }: WebDeps, { actor, param, query }: Visit): Promise<Answer> {
  const id = param('id');
  const app = await operations.showApp(actor, param('app'));
  const instance = instanceIn(query.get('with') ?? '');
  const [{ savedConfiguration, changes }, instances] = await Promise.all([
    operations.compareSavedConfiguration(actor, instance === undefined ? { id } : { id, instance }),
    operations.listComparableInstances(actor, app.id),
  ]);
  ofApp(savedConfiguration, app);
  const wanted = changes.length > 0 ? instance : undefined;
  const target = wanted && (await targetOf(operations, { actor, app, wanted }));
  const model: ComparePage = {
    savedConfigurationTitle: savedConfiguration.title,
    action: `${savedConfigurationPath(savedConfiguration)}/compare`,
    backHref: savedConfigurationPath(savedConfiguration),
    options: optionsOf(instances, instance),
    changes: instance === undefined ? savedConfigurationValuesView(changes) : appliedValuesView(changes, instance.name),
    apply: target !== undefined && applied(app, savedConfiguration, target),
  };
  return {
    view: 'apps/compare',
    title: `Compare “${savedConfiguration.title}”`,
    section: 'catalog',
    crumbs: savedConfigurationCrumbs(app, 'Compare'),
    model,
  };
}

interface Target {
  readonly instance: InstanceView;
  readonly environment: EnvironmentView;
}

interface Wanted {
  readonly actor: Visit['actor'];
  readonly app: App;
  readonly wanted: ComparableInstance;
}

async function targetOf(operations: WebDeps['operations'], { actor, app, wanted }: Wanted): Promise<Target> {
  const [instance, environment] = await Promise.all([
    operations.showInstance(actor, { ...wanted, app: app.id }),
    operations.showEnvironment(actor, wanted.environment),
  ]);
  return { instance, environment };
}

/** `team-a/orders`; anything else stands for the defaults. */
function instanceIn(text: string): ComparableInstance | undefined {
  const [environment = '', name = '', ...more] = text.split('/');
  return environment === '' || name === '' || more.length > 0 ? undefined : { environment, name };
}

function optionsOf(instances: readonly ComparableInstance[], chosen: ComparableInstance | undefined): ComparePage['options'] {
  const value = (one: ComparableInstance): string => `${one.environment}/${one.name}`;
  const known = chosen === undefined || instances.some((one) => value(one) === value(chosen));
  const all = known ? instances : [...instances, chosen];
  return [
    { value: '', label: 'The defaults of a new instance', selected: chosen === undefined },
    ...all.map((one) => ({
      value: value(one),
      label: `${one.name} in ${one.environment}`,
      selected: chosen !== undefined && value(one) === value(chosen),
    })),
  ];
}

/** The form of the change as it would be filled in. Live secrets stay where they are: texts stand for them. */
function applied(app: App, savedConfiguration: SavedConfiguration, { instance, environment }: Target): Applied {
  const model = placedForm(app, 'edit', environment);
  const live = contentOfInstance(instance);
  const { path } = model.root;
  const sealed = sealSecrets(model.root, live, path);
  const value = layOwnValues(isObject(sealed) ? sealed : {}, contentOfSavedConfiguration(savedConfiguration), contentSchema(app.schema));
  const fields = nodeToFields(model, { node: model.root, path, value, origins: 'none' });
  fields.set('seen', formatSeen(seenOf(live, saltOf(instance))));
  return {
    name: instance.name,
    action: `${instancePath(instance)}/edit`,
    kept: [...fields].map(([name, text]) => ({ name, value: text })),
  };
}
