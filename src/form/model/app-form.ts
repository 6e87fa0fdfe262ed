import type { App } from '../../domain/app/app.ts';
import type { ReferableKind } from '../../domain/catalog/app-references.ts';
import { objectAt } from '../../domain/core/read.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { curatedFromExample } from './curated.ts';
import { frozenPaths, pathsBelow } from '../../schema/immutable.ts';
import type { FormMode, FormModel, ReferenceTarget } from './form-node.ts';
import { rememberForm } from './remember-form.ts';

/** The schema of an App's `spec`, from the schema of the whole object. */
export function specSchema(app: Pick<App, 'schema'>): JsonObject {
  return objectAt(app.schema, 'properties', 'spec') as JsonObject;
}

/** What the form of an App is made of. */
type FormParts = Pick<
  App,
  'schema' | 'sensitive' | 'fields' | 'example' | 'defaults' | 'group' | 'plural' | 'kind' | 'siblings' | 'references' | 'others'
>;

/**
 * The form of an App's `spec`. What the catalogue picked comes first; without a pick, what the example sets. What the catalogue starts
 * instances with is a default for new ones alone. Fields may refer to instances of the
 * App itself, of the other kinds of its Operator, of other Apps whose kinds have names of several words, and of what the catalogue says.
 */
export function appForm(app: FormParts, mode: FormMode): FormModel {
  const curated = app.fields.length > 0 ? app.fields : curatedFromExample(app.example?.spec, 'spec');
  const defaults = mode === 'create' ? (objectAt(app.defaults, 'spec') as JsonObject) : {};
  const others = (app.others ?? []).filter(({ kind }) => /[a-z0-9][A-Z]/.test(kind));
  const kinds = [app, ...app.siblings, ...others].map(targetOf);
  const references = (app.references ?? []).map((reference) => ({ path: reference.path, to: targetOf(reference) }));
  const frozen = pathsBelow(frozenPaths(app.schema), 'spec');
  return rememberForm({
    schema: specSchema(app),
    root: 'spec',
    curated,
    defaults,
    defaultsFrom: 'operator',
    mode,
    frozen,
    kinds,
    references,
    sensitive: app.sensitive ?? [],
  });
}

function targetOf({ group, plural, kind }: ReferableKind): ReferenceTarget {
  return { group, resource: plural, kind };
}
