import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { cacheForm } from './cache-form.ts';
import { contentSchema, schemaOfKind } from './content-schema.ts';
import type { FormMode, FormModel } from './form-node.ts';
import { freezeNodes, formRoot } from './app-form.ts';

const WHOLE = schemaOfKind(ENVIRONMENT_KIND);

/** The schema of what people decide about an Environment. */
export const ENVIRONMENT_CONTENT: JsonObject = contentSchema(WHOLE);

/** What nearly every Environment sets. All other fields of the definition follow below them, in its order. */
const FIRST = [
  'spec.displayName',
  'spec.tier',
  'spec.groups',
  'spec.owner',
  'spec.contact',
  'spec.quota',
  'spec.podSecurity.enforce',
  'spec.expires',
  'spec.reclaim',
];

/** The form of an Environment. The namespace is chosen once. */
export function environmentForm(mode: FormMode): FormModel {
  const model = cacheForm({ schema: ENVIRONMENT_CONTENT, ...formRoot(WHOLE), curated: FIRST, mode });
  return mode === 'edit' ? freezeNodes(model, ['spec.namespace']) : model;
}
