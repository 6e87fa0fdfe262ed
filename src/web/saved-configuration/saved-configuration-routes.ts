import { Router } from 'express';
import type { App } from '../../domain/app/app.ts';
import { isAppError, type FieldFault } from '../../domain/core/errors.ts';
import { splitContent } from '../../domain/instance/instance-content.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { appForm } from '../../form/model/app-form.ts';
import { sensitivePaths } from '../../schema/sensitive/sensitive-values.ts';
import { contentOfInstance } from '../instance/change-page.ts';
import { addressOf } from '../instance/instance-routes.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { instancePath, savedConfigurationPath, savedConfigurationsPath } from '../page/paths.ts';
import {
  parseOwner,
  savedConfigurationCrumbs,
  savedConfigurationsCrumbs,
  savedConfigurationsPage,
  savePage,
} from './saved-configuration-page.ts';

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
  const savedConfigurations = await operations.listSavedConfigurations(actor, { app: app.id, search: query.get('q') ?? '' });
  const title = `Saved configurations of ${app.displayName}`;
  const model = savedConfigurationsPage(app, savedConfigurations, visit);
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
  const { app, title, description, values, beside, owner } = await operations.showSavedConfiguration(actor, param('id'));
  const content = { values, ...(beside === undefined ? {} : { beside }) };
  const draft = { app, title: `Copy of ${title}`.slice(0, 100), description, ...content, owner };
  const { savedConfiguration } = await operations.saveConfiguration(actor, { ...draft, ...requestOrigin });
  return { redirect: `${savedConfigurationPath(savedConfiguration)}?copied` };
}

async function saveInstance(deps: WebDeps, visit: Visit, when?: 'now'): Promise<Answer> {
  const { operations } = deps;
  const address = addressOf(visit);
  const [app, instance] = await Promise.all([operations.showApp(visit.actor, address.app), operations.showInstance(visit.actor, address)]);
  const place = { action: `${instancePath(address)}/save`, backHref: instancePath(address), kept: [] };
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
      const { spec, ...beside } = splitContent(values);
      const { savedConfiguration } = await operations.saveConfiguration(actor, {
        ...draft,
        app: app.id,
        values: spec,
        ...beside,
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
    model: savePage({ ...wanted, me, draft, stripped, faults }),
    ...(faults.length > 0 ? { status: 422 } : {}),
  };
}
