import type { App } from '../../domain/app/app.ts';
import type { ReferableKind } from '../../domain/catalog/app-references.ts';
import { contentOf } from '../../domain/instance/instance-content.ts';
import { at, objectAt } from '../../domain/core/read.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { contentSchema, hasSpec } from './content-schema.ts';
import { curatedFromExample } from './curated.ts';
import type { FormMode, FormModel } from './form-node.ts';
import type { ReferenceTarget } from '../references/reference-targets.ts';
import { cacheForm } from './cache-form.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { instanceLayers, type LayeredApp } from '../../domain/values/instance-layers.ts';
import { layEnvironment } from './lay-environment.ts';

/** The schema of an App's `spec`, from the schema of the whole object. */
export function specSchema(app: Pick<App, 'schema'>): JsonObject {
  return objectAt(app.schema, 'properties', 'spec') as JsonObject;
}

/** What the form of an App is made of. */
type FormParts = Pick<
  App,
  'schema' | 'sensitive' | 'fields' | 'example' | 'defaults' | 'group' | 'plural' | 'kind' | 'relatedApps' | 'references' | 'otherKinds'
> &
  Partial<Pick<App, 'presets' | 'suggestedFields'>>;

/**
 * The form of an App: of its `spec`, of the members beside it, and of labels and annotations. What the catalogue picked comes first; without a pick, what the example sets, or
 * what the kind and its chart suggest. What the catalogue starts
 * instances with is a default for new ones alone. Fields may refer to instances of the
 * App itself, of the other kinds of its Operator, of other Apps whose kinds have names of several words, and of what the catalogue says.
 */
export function appForm(app: FormParts, mode: FormMode): FormModel {
  const curated = app.fields.length > 0 ? app.fields : curatedFromExample(contentOf(app.example));
  const defaults = mode === 'create' ? contentOf(app.defaults) : {};
  const otherKinds = (app.otherKinds ?? []).filter(({ kind }) => /[a-z0-9][A-Z]/.test(kind));
  const kinds = [app, ...app.relatedApps, ...otherKinds].map(targetOf);
  const references = (app.references ?? []).map((reference) => ({ path: reference.path, to: targetOf(reference) }));
  return cacheForm({
    schema: contentSchema(app.schema, mode === 'create' && wantsFinalizers(app) ? 'finalizers' : 'no finalizers'),
    ...formRoot(app.schema),
    curated,
    suggested: app.suggestedFields ?? [],
    defaults,
    defaultsFrom: 'operator',
    mode,
    kinds,
    references,
    sensitive: app.sensitive ?? [],
  });
}

/** Where a form of `contentSchema` begins. */
export function formRoot(schema: JsonObject): { readonly root: ''; readonly hoisted?: 'spec' } {
  return hasSpec(schema) ? { root: '', hoisted: 'spec' } : { root: '' };
}

/** Finalizers are for kinds whose catalogue entry speaks of them; elsewhere they only keep objects from being deleted. */
function wantsFinalizers({ fields, example, defaults, presets = [] }: FormParts): boolean {
  const said = [example, defaults, ...presets.map(({ values }) => values)];
  return fields.includes('metadata.finalizers') || said.some((one) => at(one, 'metadata', 'finalizers') !== undefined);
}

function targetOf({ group, plural, kind }: ReferableKind): ReferenceTarget {
  return { group, resource: plural, kind };
}

/** What is needed of an App. */
type PlacedApp = LayeredApp & Parameters<typeof appForm>[0];

/** The form of an App where its instance would be, or is. Only new instances start with values of the environment; its locks hold for all. */
export function placedForm(app: PlacedApp, mode: FormMode, environment?: Pick<EnvironmentView, 'name' | 'overlay'>): FormModel {
  const { lower, locks } = instanceLayers(app, environment);
  return layEnvironment(appForm(app, mode), { lower: mode === 'create' ? lower : { operator: {}, environment: {} }, locks });
}
