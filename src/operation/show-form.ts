import type { Actor } from '../domain/actor.ts';
import { specSchema } from '../schema/app-form.ts';
import { coverage, type Coverage } from '../schema/coverage.ts';
import type { FormModel } from '../schema/form-node.ts';
import { placedForm } from '../schema/placed-form.ts';
import { findEnvironment } from './find-environment.ts';
import type { Ports } from './ports.ts';
import { showApp } from './show-app.ts';

/** The form for a new instance of an App as plain data, and how the schema's leaves are reached by it. */
export interface AppForm extends FormModel {
  readonly app: string;
  /** The version of the kind whose schema it is. */
  readonly version: string;
  readonly coverage: Coverage;
}

/** Which form is asked for: that of an App's id, in an environment; empty: anywhere. */
export interface FormQuestion {
  readonly app: string;
  readonly environment: string;
}

/** @throws AppError `NotFound` as `findApp` and `findEnvironment`. */
export async function showForm(
  ports: Pick<Ports, 'catalog' | 'chart' | 'clusters'>,
  actor: Actor,
  { app: id, environment }: FormQuestion,
): Promise<AppForm> {
  const app = await showApp(ports, actor, id);
  const model = placedForm(app, 'create', environment === '' ? undefined : await findEnvironment(ports.clusters, actor, environment));
  return { app: app.id, version: app.version, ...model, coverage: coverage(specSchema(app), model) };
}
