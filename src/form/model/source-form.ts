import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import { CATALOG_SOURCE_KIND } from '../../domain/source/catalog-source.ts';
import { formRoot } from './app-form.ts';
import { cacheForm } from './cache-form.ts';
import { contentSchema, schemaOfKind } from './content-schema.ts';
import type { FormModel } from './form-node.ts';

const WHOLE = schemaOfKind(CATALOG_SOURCE_KIND);

/** The schema of what people decide about a CatalogSource. */
export const SOURCE_CONTENT: JsonObject = contentSchema(WHOLE);

/** Where a source may read its files. */
export const SOURCE_ORIGINS = ['git', 'oci', 'folder'] as const;
export type SourceFormOrigin = (typeof SOURCE_ORIGINS)[number];

/** What nearly every source sets, by where it reads its files. All other fields of the definition follow below them. */
const FIRST: Readonly<Record<SourceFormOrigin, readonly string[]>> = {
  git: ['spec.git.url', 'spec.git.ref', 'spec.git.path', 'spec.git.secretRef', 'spec.interval'],
  oci: ['spec.oci.url', 'spec.oci.ref', 'spec.oci.path', 'spec.oci.secretRef', 'spec.interval'],
  folder: ['spec.folder.path'],
};
const SCOPE = ['spec.allowedKinds', 'spec.mode', 'spec.namespaces', 'spec.prune'];

/** The form of a new CatalogSource. */
export function sourceForm(origin: SourceFormOrigin): FormModel {
  return cacheForm({ schema: SOURCE_CONTENT, ...formRoot(WHOLE), curated: [...FIRST[origin], ...SCOPE], mode: 'create' });
}
