import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { instanceLayers, type LayeredApp } from '../../domain/values/instance-layers.ts';
import { appForm } from './app-form.ts';
import type { FormMode, FormModel } from './form-node.ts';
import { layEnvironment } from './lay-environment.ts';

/** What is needed of an App. */
type PlacedApp = LayeredApp & Parameters<typeof appForm>[0];

/** The form of an App where its instance would be, or is. Only new instances start with values of the environment; its locks hold for all. */
export function placedForm(app: PlacedApp, mode: FormMode, environment?: Pick<EnvironmentView, 'name' | 'overlay'>): FormModel {
  const { lower, locks } = instanceLayers(app, environment);
  return layEnvironment(appForm(app, mode), { lower: mode === 'create' ? lower : { operator: {}, environment: {} }, locks });
}
