import { isObject, textAt } from '../core/read.ts';
import { apiVersionOf, type JsonObject } from '../kubernetes/resource.ts';
import { OPERATOR } from '../kubernetes/resource-types.ts';
import type { ReleaseComponent } from './catalog-release.ts';
import type { LayerFiles, ReleaseFolder } from './release-repository.ts';
import { resourceIdOf } from './release-yaml.ts';
import { strategicMerge } from './strategic-merge.ts';

/** What one layer of a release says of a resource. */
export interface ReleaseLayer {
  /** `release v21.0.0 base`, `release v21.0.0 components` or `release v21.0.0 overlay`. */
  readonly origin: string;
  readonly patch: JsonObject;
}

/** A resource of a file in base. */
export interface BaseResource {
  /** In base/. */
  readonly file: string;
  readonly content: JsonObject;
  /** How many documents the file has. */
  readonly siblings: number;
}

/** The layers of a release for a resource, the lowest first: each lies over the file of the same name. */
export function layersFor(release: ReleaseFolder, resource: BaseResource): ReleaseLayer[] {
  const component = release.spec.components.find(({ name }) => isOperatorOf(resource.content, name));
  const layers = [
    ...patchesIn(release.base, resource).map((patch) => ({ origin: `release ${release.name} base`, patch })),
    ...(component === undefined ? [] : [{ origin: `release ${release.name} components`, patch: componentPatch(component) }]),
    ...patchesIn(release.overlay, resource).map((patch) => ({ origin: `release ${release.name} overlay`, patch })),
  ];
  return layers;
}

/** A resource with the layers of a release over it; what they do not mention stays. */
export function applyLayers(content: JsonObject, layers: readonly ReleaseLayer[]): JsonObject {
  return layers.reduce((lower, { patch }) => strategicMerge(lower, patch), content);
}

/** A resource that a release brings whole, into the file of the same name: a default app. */
export interface DefaultApp {
  readonly file: string;
  readonly id: string;
  readonly content: JsonObject;
}

/** The default apps of a release, with all its layers. */
export function defaultAppsOf(release: ReleaseFolder): DefaultApp[] {
  return [...release.base].flatMap(([file, { documents }]) =>
    documents.flatMap(({ content }): DefaultApp[] => {
      const id = wrappedPatch(content) === undefined ? resourceIdOf(content) : undefined;
      if (id === undefined || textAt(content, 'apiVersion') === undefined) return [];
      const layers = layersFor(release, { file, content, siblings: documents.length });
      return [{ file, id, content: applyLayers({}, layers) }];
    }),
  );
}

/** Whether a resource belongs to a component: it is its Operator, or stands in a file of its name. */
export function isOfComponent({ file, content }: Pick<BaseResource, 'file' | 'content'>, component: string): boolean {
  return file.replace(/\.ya?ml$/, '') === component || isOperatorOf(content, component);
}

function isOperatorOf(content: JsonObject, name: string): boolean {
  const isOperator = textAt(content, 'kind') === OPERATOR.kind && textAt(content, 'apiVersion') === apiVersionOf(OPERATOR);
  return isOperator && textAt(content, 'metadata', 'name') === name && textAt(content, 'spec', 'chartURL') === undefined;
}

/** A digest that the release does not name would be that of the chart before. */
function componentPatch({ version, digest, values }: ReleaseComponent): JsonObject {
  return { spec: { chart: { version, digest: digest ?? null }, ...(values === undefined ? {} : { values }) } };
}

function patchesIn(layer: LayerFiles, { file, content, siblings }: BaseResource): JsonObject[] {
  return (layer.get(file)?.documents ?? []).flatMap((document): JsonObject[] => {
    const wrapped = wrappedPatch(document.content);
    const patch = wrapped ?? document.content;
    if (wrapped === undefined && textAt(patch, 'kind') !== undefined) return isSameResource(patch, content) ? [patch] : [];
    return siblings === 1 ? [patch] : [];
  });
}

/** The patch under `data` of a ConfigMap whose members are no texts, and so none of a ConfigMap. */
export function wrappedPatch(content: JsonObject): JsonObject | undefined {
  const data = content['data'];
  if (textAt(content, 'kind') !== 'ConfigMap' || !isObject(data)) return undefined;
  return Object.values(data).some((member) => typeof member !== 'string') ? data : undefined;
}

/** Whether a patch is for a resource: kind and name are the same, and the namespace where it names one. */
export function isSameResource(patch: JsonObject, content: JsonObject): boolean {
  const namespace = textAt(patch, 'metadata', 'namespace');
  return (
    textAt(patch, 'kind') === textAt(content, 'kind') &&
    textAt(patch, 'metadata', 'name') === textAt(content, 'metadata', 'name') &&
    (textAt(patch, 'apiVersion') === undefined || groupOf(patch) === groupOf(content)) &&
    (namespace === undefined || namespace === textAt(content, 'metadata', 'namespace'))
  );
}

/** Versions of one kind are one resource. */
function groupOf(content: JsonObject): string {
  const apiVersion = textAt(content, 'apiVersion') ?? '';
  return apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : '';
}
