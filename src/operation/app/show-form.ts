import type { Actor } from '../../domain/kubernetes/actor.ts';
import { contentSchema } from '../../form/model/content-schema.ts';
import { coverage, type Coverage } from '../../form/model/coverage.ts';
import type { FormModel, FormNode } from '../../form/model/form-node.ts';
import { placedForm } from '../../form/model/app-form.ts';
import { holdsSecrets } from '../../form/view/value-words.ts';
import { showEnvironment } from '../environment/show-environment.ts';
import type { Ports } from '../ports.ts';
import { showApp } from './show-app.ts';

/** The form for a new instance of an App as plain data, and how the schema's leaves are reached by it. */
export interface AppForm extends Omit<FormModel, 'sensitive'> {
  readonly app: string;
  /** The version of the kind whose schema it is. */
  readonly version: string;
  readonly coverage: Coverage;
}

/** Which form is asked for: that of an App's id, in an environment; empty: anywhere. */
export interface FormQuery {
  readonly app: string;
  readonly environment: string;
}

/** @throws AppError `NotFound` as `findApp` and `showEnvironment`. */
export async function showForm(
  ports: Pick<Ports, 'catalog' | 'chart' | 'clusters'>,
  actor: Actor,
  { app: id, environment }: FormQuery,
): Promise<AppForm> {
  const app = await showApp(ports, actor, id);
  const { sensitive, ...model } = placedForm(
    app,
    'create',
    environment === '' ? undefined : await showEnvironment(ports, actor, environment),
  );
  const root = withoutSecrets(model.root) as FormModel['root'];
  return { app: app.id, version: app.version, ...model, root, coverage: coverage(contentSchema(app.schema), { ...model, sensitive }) };
}

/** Defaults that are secrets are for new instances, not for eyes. */
function withoutSecrets(node: FormNode): FormNode {
  const { fallback, fallbackSource: _source, ...rest } = node;
  const own = (fallback !== undefined && holdsSecrets(node, fallback) ? rest : node) as FormNode;
  if (own.kind === 'group') return { ...own, children: own.children.map(withoutSecrets) };
  if (own.kind === 'list') return { ...own, item: withoutSecrets(own.item) };
  if (own.kind === 'map') return { ...own, value: withoutSecrets(own.value) };
  if (own.kind !== 'choice') return own;
  return { ...own, branches: own.branches.map((branch) => ({ ...branch, node: withoutSecrets(branch.node) as typeof branch.node })) };
}
