import type { App } from '../domain/app.ts';
import { objectAt } from '../domain/read.ts';
import type { JsonObject } from '../domain/resource.ts';
import { curatedFromExample } from './curated.ts';
import { buildForm } from './form-model.ts';
import type { FormMode, FormModel } from './form-node.ts';

/** The schema of an App's `spec`, from the schema of the whole object. */
export function specSchema(app: Pick<App, 'schema'>): JsonObject {
  return objectAt(app.schema, 'properties', 'spec') as JsonObject;
}

/** The form of an App's `spec`. What the catalogue picked comes first; without a pick, what the example sets. */
export function appForm(app: Pick<App, 'schema' | 'fields' | 'example' | 'defaults'>, mode: FormMode): FormModel {
  const curated = app.fields.length > 0 ? app.fields : curatedFromExample(app.example?.spec, 'spec');
  const defaults = objectAt(app.defaults, 'spec') as JsonObject;
  return buildForm({ schema: specSchema(app), root: 'spec', curated, defaults, defaultsFrom: 'operator', mode });
}
