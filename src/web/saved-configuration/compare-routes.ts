import { Router } from 'express';
import type { App } from '../../domain/app/app.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import { isObject } from '../../domain/core/read.ts';
import { contentOfSavedConfiguration, type SavedConfiguration } from '../../domain/saved-configuration/saved-configuration.ts';
import { layOwnValues } from '../../domain/values/own-values.ts';
import { contentSchema } from '../../form/model/content-schema.ts';
import { placedForm } from '../../form/model/app-form.ts';
import { contentOfInstance, saltOf } from '../instance/change-page.ts';
import { sealSecrets } from '../../form/input/kept-secret.ts';
import { nodeToFields } from '../../form/input/values-to-fields.ts';
import { type Answer, page, type Visit, type WebDeps } from '../page/page.ts';
import { instancePath, savedConfigurationPath } from '../page/paths.ts';
import { ofApp } from './edit-routes.ts';
import { savedConfigurationCrumbs } from './saved-configuration-page.ts';
import type { ComparableInstance } from '../../operation/saved-configuration/compare-saved-configuration.ts';
import { formatSeen, seenOf } from '../instance/three-way.ts';
import { appliedValuesView, savedConfigurationValuesView, type ValueChangesView } from '../page/value-changes-view.ts';

/** A view of `apps/compare`: a saved configuration beside today's defaults or an instance. */
interface ComparePage {
  readonly savedConfigurationTitle: string;
  readonly action: string;
  readonly backHref: string;
  readonly options: readonly { readonly value: string; readonly label: string; readonly selected: boolean }[];
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
