import type { Actor } from '../domain/actor.ts';
import { appForm, specSchema } from '../schema/app-form.ts';
import { coverage, type Coverage } from '../schema/coverage.ts';
import type { FormModel } from '../schema/form-node.ts';
import type { Ports } from './ports.ts';
import { showApp } from './show-app.ts';

/** The form for a new instance of an App as plain data, and how the schema's leaves are reached by it. */
export interface AppForm extends FormModel {
  readonly app: string;
  /** The version of the kind whose schema it is. */
  readonly version: string;
  readonly coverage: Coverage;
}

/** @throws AppError `NotFound` as `findApp`. */
export async function showForm(ports: Pick<Ports, 'catalog' | 'chart'>, actor: Actor, id: string): Promise<AppForm> {
  const app = await showApp(ports, actor, id);
  const model = appForm(app, 'create');
  return { app: app.id, version: app.version, ...model, coverage: coverage(specSchema(app), model) };
}
