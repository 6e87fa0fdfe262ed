import { isSame } from '../core/merge-patch.ts';
import { at, isObject, objectAt, textAt } from '../core/read.ts';
import { ENVIRONMENT_KIND } from '../environment/environment-kind.ts';
import { CRD } from '../kubernetes/resource-types.ts';
import { apiVersionOf, type Json, type JsonObject } from '../kubernetes/resource.ts';
import { OPERATOR_KIND } from '../operator/kind/operator-kind.ts';
import { CATALOG_SOURCE_KIND } from '../source/catalog-source.ts';
import { isOfComponent, isSameResource, layersFor } from './apply-release.ts';
import { leaves } from './base-edits.ts';
import type { ReleaseFolder, ReleaseRepository, TargetFolder } from './release-repository.ts';
import { type ReleaseDocument, type ReleaseFault, resourceIdOf } from './release-yaml.ts';
import { isDeletion, strategicMerge } from './strategic-merge.ts';

/** A value that reaches the cluster, and the layer that set it: `base`, `release v21.0.0 base`, …, or `overlay`. A list is one value. */
export interface EffectiveValue {
  readonly path: string;
  readonly value: Json | undefined;
  readonly origin: string;
}

export interface EffectiveResource {
  /** In base/ or overlay/. */
  readonly file: string;
  /** `Kind namespace/name`. */
  readonly resource: string;
  readonly values: readonly EffectiveValue[];
}

/**
 * A key of an overlay that changes nothing, or may: `Dead` is neither in base nor in the schema of the kind, `Unknown` is not in base and there is no schema,
 * `Redundant` has the value of base.
 */
export interface OverlayKey extends ReleaseFault {
  readonly kind: 'Dead' | 'Unknown' | 'Redundant';
  readonly path: string;
}

export interface EffectiveTarget {
  readonly resources: readonly EffectiveResource[];
  readonly keys: readonly OverlayKey[];
}

/** What stands where a value of a Secret would. */
const HIDDEN = '[secret]';

/** What a target runs, value by value, and the keys of its overlay that do nothing. */
export function effectiveTarget(repository: ReleaseRepository, target: TargetFolder): EffectiveTarget {
  const patches = [...target.overlay.values()].flatMap(({ documents }) => documents);
  const bases = [...target.base].flatMap(([file, { documents }]) =>
    documents.map(({ content }) => ({ file, content, siblings: documents.length })),
  );
  const own = patches.filter(({ content }) => !bases.some((base) => isSameResource(content, base.content)));
  const schemas = schemasIn([...bases.map(({ content }) => content), ...own.map(({ content }) => content)]);
  const found = bases.map((base) => {
    const overlays = patches.filter(({ content }) => isSameResource(content, base.content));
    const release = releaseOf(repository, target, base);
    const layers = release === undefined ? [] : layersFor(release, base);
    return {
      resource: effectiveResource(base, { layers, overlays }),
      keys: overlays.flatMap((overlay) => idleKeys(overlay, { base: base.content, schemas })),
    };
  });
  const apps = own.map((document) => ({
    file: document.file.slice(`${target.folder}/overlay/`.length),
    resource: resourceIdOf(document.content) ?? document.file,
    values: valuesOf(document.content, () => 'overlay'),
  }));
  return {
    resources: [...found.flatMap(({ resource }) => (resource === undefined ? [] : [resource])), ...apps],
    keys: found.flatMap(({ keys }) => keys),
  };
}

/** The release that a resource of base comes from: that of its component, where it was upgraded on its own. */
function releaseOf({ releases }: ReleaseRepository, { release }: TargetFolder, base: BaseContent): ReleaseFolder | undefined {
  const own = [...(release?.components ?? [])].find(([component]) => isOfComponent(base, component));
  return releases.find(({ name }) => name === (own?.[1] ?? release?.name));
}

interface BaseContent {
  readonly file: string;
  readonly content: JsonObject;
}

interface Layers {
  readonly layers: ReturnType<typeof layersFor>;
  readonly overlays: readonly ReleaseDocument[];
}

function effectiveResource({ file, content }: BaseContent, { layers, overlays }: Layers): EffectiveResource | undefined {
  if (overlays.some((overlay) => isDeletion(overlay.content))) return undefined;
  const effective = overlays.reduce((lower, overlay) => strategicMerge(lower, overlay.content), content);
  const set = overlays.flatMap((overlay) => leaves(overlay.content, []).map(({ names }) => names));
  const originOf = (names: readonly string[], value: Json | undefined): string => {
    if (set.some((other) => isPrefix(other, names) && !isAddress(other))) return 'overlay';
    return layers.findLast(({ patch }) => isSame(at(patch, ...names), value))?.origin ?? 'base';
  };
  return { file, resource: resourceIdOf(content) ?? file, values: valuesOf(effective, originOf) };
}

function valuesOf(content: JsonObject, originOf: (names: readonly string[], value: Json | undefined) => string): EffectiveValue[] {
  const isSecret = textAt(content, 'kind') === 'Secret';
  return leaves(content, [])
    .filter(({ names }) => !isAddress(names))
    .map(({ names, value }) => {
      const hides = isSecret && (names[0] === 'data' || names[0] === 'stringData');
      return { path: names.join('.'), value: hides ? HIDDEN : value, origin: originOf(names, value) };
    });
}

function isPrefix(names: readonly string[], of: readonly string[]): boolean {
  return names.every((name, index) => of[index] === name);
}

/** What finds a resource is no value of it. */
function isAddress([first, second]: readonly string[]): boolean {
  return first === 'apiVersion' || first === 'kind' || (first === 'metadata' && (second === 'name' || second === 'namespace'));
}

interface KeyInput {
  readonly base: JsonObject;
  readonly schemas: ReadonlyMap<string, unknown>;
}

function idleKeys({ content, fault }: ReleaseDocument, { base, schemas }: KeyInput): OverlayKey[] {
  const schema = schemas.get(kindOf(base));
  return leaves(content, []).flatMap(({ names, value }): OverlayKey[] => {
    if (isAddress(names) || names.at(-1) === '$patch') return [];
    const path = names.join('.');
    const key = (kind: OverlayKey['kind'], message: string): OverlayKey[] => [{ ...fault(names, `${path}: ${message}`), kind, path }];
    const below = at(base, ...names);
    if (below !== undefined) return isSame(below, value) ? key('Redundant', 'base has the same value; remove the key') : [];
    if (value === null) return key('Dead', 'base has nothing to remove here; remove the key');
    if (isObjectMeta(names)) return [];
    if (schema === undefined) return key('Unknown', 'it is not in base, and the schema of the kind is not in the tree');
    return isInSchema(schema, names) ? [] : key('Dead', 'it is neither in base nor in the schema of the kind; correct or remove the key');
  });
}

function isObjectMeta([first, second]: readonly string[]): boolean {
  return first === 'metadata' && (second === 'labels' || second === 'annotations');
}

/** The schemas of our own kinds, and of the CRDs in the tree, by `group/Kind`. */
function schemasIn(resources: readonly JsonObject[]): Map<string, unknown> {
  const own = [OPERATOR_KIND, ENVIRONMENT_KIND, CATALOG_SOURCE_KIND].map(({ type, spec }): [string, unknown] => [
    `${type.group}/${type.kind}`,
    { type: 'object', properties: { spec: spec.schema } },
  ]);
  const found = resources.flatMap((content): [string, unknown][] => {
    if (kindOf(content) !== `${CRD.group}/${CRD.kind}`) return [];
    const key = `${textAt(content, 'spec', 'group') ?? ''}/${textAt(content, 'spec', 'names', 'kind') ?? ''}`;
    const versions = at(content, 'spec', 'versions');
    const schema = Array.isArray(versions) ? at(versions.at(-1), 'schema', 'openAPIV3Schema') : undefined;
    return schema === undefined ? [] : [[key, schema]];
  });
  return new Map([...own, ...found]);
}

function kindOf(content: JsonObject): string {
  const apiVersion = textAt(content, 'apiVersion') ?? apiVersionOf({ group: '', version: '' });
  return `${apiVersion.includes('/') ? (apiVersion.split('/')[0] ?? '') : ''}/${textAt(content, 'kind') ?? ''}`;
}

function isInSchema(schema: unknown, [name, ...rest]: readonly string[]): boolean {
  if (name === undefined) return true;
  if (at(schema, 'x-kubernetes-preserve-unknown-fields') === true) return true;
  const properties = objectAt(schema, 'properties');
  const next = Object.hasOwn(properties, name) ? properties[name] : at(schema, 'additionalProperties');
  return next === true || (isObject(next) && isInSchema(next, rest));
}
