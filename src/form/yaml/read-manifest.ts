import { isObject, objectAt, textAt } from '../../domain/core/read.ts';
import type { Json } from '../../domain/kubernetes/resource.ts';
import { readYaml } from '../../schema/yaml-text.ts';
import { placesInYaml } from './place-in-yaml.ts';

/** What a whole resource must be to be taken for the values of a form. */
export interface ResourceKind {
  readonly group: string;
  readonly version: string;
  readonly kind: string;
}

/** A text with a whole resource in it. */
export interface Manifest {
  /** The value of its `spec`; `{}` without one. */
  readonly spec: Json;
  /** `metadata.name`; empty without one. */
  readonly name: string;
  /** `metadata.namespace`; empty without one. */
  readonly namespace: string;
  /** What the resource says besides name, namespace and spec, and what is not taken over: `metadata.labels`. Sorted. */
  readonly leftOut: readonly string[];
}

export type ManifestRead =
  | { readonly manifest?: Manifest; readonly fault?: undefined }
  | { readonly manifest?: undefined; readonly fault: string; readonly line: number; readonly column: number };

/** Written by the cluster itself, nobody misses it. */
const OF_THE_CLUSTER = new Set([
  'creationTimestamp',
  'deletionTimestamp',
  'generation',
  'managedFields',
  'resourceVersion',
  'selfLink',
  'uid',
]);
const KNOWN = new Set(['apiVersion', 'kind', 'metadata', 'spec', 'status']);

/**
 * Reads a text as a whole resource, when it is one: something with `apiVersion` and `kind`. A text that is not, or that cannot be read, has no
 * manifest and no fault; another kind or version than the one that is wanted is a fault.
 */
export function readManifest(text: string, wanted: ResourceKind): ManifestRead {
  const { value } = readYaml(text);
  if (!isObject(value)) return {};
  const [apiVersion, kind] = [textAt(value, 'apiVersion'), textAt(value, 'kind')];
  if (apiVersion === undefined || kind === undefined) return {};
  const refuse = (key: string, fault: string): ManifestRead => ({ fault, ...(placesInYaml(text)(`.${key}`) ?? { line: 1, column: 1 }) });
  const slash = apiVersion.lastIndexOf('/');
  const [group, version] = [slash < 0 ? '' : apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  if (kind !== wanted.kind) return refuse('kind', `This is a ${kind}; what is filled in here is a ${wanted.kind}`);
  if (group !== wanted.group) return refuse('apiVersion', `This is a ${kind} of "${apiVersion}"; the one here is of "${wanted.group}"`);
  if (version !== wanted.version) {
    return refuse('apiVersion', `This is written for the version ${version}; the fields here are those of ${wanted.version}`);
  }
  const other = Object.keys(value).find((key) => !KNOWN.has(key));
  if (other !== undefined) return refuse(other, `A ${kind} has no "${other}" beside its spec`);
  const { metadata } = value;
  const [name, namespace] = [textAt(metadata, 'name') ?? '', textAt(metadata, 'namespace') ?? ''];
  return { manifest: { spec: value['spec'] ?? {}, name, namespace, leftOut: leftOutOf(metadata) } };
}

/** Whether a text has the head of a whole resource, of whatever kind. */
export function isWhole(text: string): boolean {
  const { value } = readYaml(text);
  return textAt(value, 'apiVersion') !== undefined && textAt(value, 'kind') !== undefined;
}

/** What a whole resource says and what is not taken over; nothing for other texts. */
export function leftOutIn(text: string): readonly string[] {
  return isWhole(text) ? leftOutOf(objectAt(readYaml(text).value, 'metadata')) : [];
}

function leftOutOf(metadata: unknown): string[] {
  const members = isObject(metadata) ? Object.keys(metadata) : [];
  return members
    .filter((key) => key !== 'name' && key !== 'namespace' && !OF_THE_CLUSTER.has(key))
    .map((key) => `metadata.${key}`)
    .toSorted();
}
