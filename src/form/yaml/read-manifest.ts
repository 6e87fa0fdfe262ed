import { contentOf } from '../../domain/instance/instance-content.ts';
import { isObject, objectAt, textAt } from '../../domain/core/read.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
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
  /** What people decide about it; see `contentOf`. */
  readonly content: JsonObject;
  /** `metadata.name`; empty without one. */
  readonly name: string;
  /** `metadata.namespace`; empty without one. */
  readonly namespace: string;
  /** What the metadata of the resource says and what is not taken over: `metadata.ownerReferences`. Sorted. */
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
const TAKEN = new Set(['name', 'namespace', 'labels', 'annotations', 'finalizers']);
/** What every resource can have. */
const KNOWN = ['apiVersion', 'kind', 'metadata', 'status'];

/**
 * Reads a text as a whole resource, when it is one: something with `apiVersion` and `kind`. A text that is not, or that cannot be read, has no
 * manifest and no fault; another kind or version than the one that is wanted is a fault.
 *
 * @param members what the kind has beside `metadata` and `status`; absent: anything.
 */
export function readManifest(text: string, wanted: ResourceKind, members?: readonly string[]): ManifestRead {
  const { value } = readYaml(text);
  if (!isObject(value)) return {};
  const [apiVersion, kind] = [textAt(value, 'apiVersion'), textAt(value, 'kind')];
  if (apiVersion === undefined || kind === undefined) return {};
  const reject = (key: string, fault: string): ManifestRead => ({ fault, ...(placesInYaml(text)(`.${key}`) ?? { line: 1, column: 1 }) });
  const slash = apiVersion.lastIndexOf('/');
  const [group, version] = [slash < 0 ? '' : apiVersion.slice(0, slash), apiVersion.slice(slash + 1)];
  if (kind !== wanted.kind) return reject('kind', `This is a ${kind}, but this form is for a ${wanted.kind}`);
  if (group !== wanted.group) return reject('apiVersion', `This is a ${kind} of "${apiVersion}"; the one here is of "${wanted.group}"`);
  if (version !== wanted.version) {
    return reject('apiVersion', `This is written for the version ${version}; the fields here are those of ${wanted.version}`);
  }
  const other = members && Object.keys(value).find((key) => !KNOWN.includes(key) && !members.includes(key));
  if (other !== undefined) return reject(other, `A ${kind} has no "${other}"`);
  const { metadata } = value;
  const [name, namespace] = [textAt(metadata, 'name') ?? '', textAt(metadata, 'namespace') ?? ''];
  return { manifest: { content: contentOf(value), name, namespace, leftOut: leftOutOf(metadata) } };
}

/** Whether a text has the head of a whole resource, of whatever kind. */
export function isWhole(text: string): boolean {
  return isResource(readYaml(text).value);
}

/** Whether a value has the head of a resource. */
export function isResource(value: unknown): value is JsonObject {
  return textAt(value, 'apiVersion') !== undefined && textAt(value, 'kind') !== undefined;
}

/** What a whole resource says and what is not taken over; nothing for other texts. */
export function leftOutIn(text: string): readonly string[] {
  return isWhole(text) ? leftOutOf(objectAt(readYaml(text).value, 'metadata')) : [];
}

function leftOutOf(metadata: unknown): string[] {
  const members = isObject(metadata) ? Object.keys(metadata) : [];
  return members
    .filter((key) => !TAKEN.has(key) && !OF_THE_CLUSTER.has(key))
    .map((key) => `metadata.${key}`)
    .toSorted();
}
