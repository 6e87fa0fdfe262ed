import { createHash } from 'node:crypto';
import { AppError } from '../core/errors.ts';
import { textAt } from '../core/read.ts';
import { OURS } from '../kubernetes/names.ts';
import type { KnownType } from '../kubernetes/resource-types.ts';
import { type KubeObject, type ObjectMeta, parseApiVersion } from '../kubernetes/resource.ts';
import { instanceSpec, type InstanceSpec, instanceStatus, type InstanceStatus } from './instance-kind.ts';

/** A kind that an AppDefinition generated. */
export interface GeneratedKind extends KnownType {
  /** The name of the AppDefinition. */
  readonly definition: string;
  readonly singular: string;
}

/** The annotation by which a person asks for the tests of the chart once. Any new value counts. */
export const TEST_AT = 'chandlery.dev/test-at';

/**
 * The annotation by which a person asks to delete changed release records, and to release the spec anew. Any new value counts, once, and without changed
 * records it does nothing.
 */
export const REINSTALL_AT = 'chandlery.dev/reinstall-at';
/** Annotation: `"true"` lets the deletion of an instance with changed release records delete these, and leave the objects of the release. */
export const FORGET_RELEASE = 'chandlery.dev/forget-release';

/** Whether an AppDefinition generated the kind of an object, so that the object is an instance of a chart. */
export function isAppInstance({ apiVersion }: Pick<KubeObject, 'apiVersion'>): boolean {
  return parseApiVersion(apiVersion).group === OURS.appsGroup;
}

/** The kind that a CustomResourceDefinition defines; undefined when no AppDefinition generated it. */
export function generatedKind({ metadata, spec }: KubeObject): GeneratedKind | undefined {
  const definition = metadata.labels?.[OURS.appDefinitionLabel];
  const group = textAt(spec, 'group');
  const [resource, kind] = [textAt(spec, 'names', 'plural'), textAt(spec, 'names', 'kind')];
  if (definition === undefined || group !== OURS.appsGroup || resource === undefined || kind === undefined) return undefined;
  const singular = textAt(spec, 'names', 'singular') ?? kind.toLowerCase();
  return { group, version: OURS.appsVersion, resource, kind, namespaced: true, definition, singular };
}

/** The spec of an instance. @throws AppError `InvalidInput` when it is not of the schema, although the api-server should have rejected it. */
export function parseInstanceSpec(instance: KubeObject): InstanceSpec {
  return instanceSpec.read(instance.spec ?? {}) ?? reject(instance, 'spec');
}

/** The status of an instance. */
export function parseInstanceStatus(instance: KubeObject): InstanceStatus {
  const status = instanceStatus.read(instance.status ?? {}) ?? reject(instance, 'status');
  return { ...status, failures: status.failures ?? 0 };
}

const MAX_RELEASE_NAME = 53;
const MAX_LABEL = 63;

/** The name of the release of an instance: `<singular>-<name>`, or, where Helm allows no name of this length, its beginning and a hash. */
export function releaseNameOf({ singular }: Pick<GeneratedKind, 'singular'>, instance: string): string {
  return shortened(`${singular}-${instance}`, MAX_RELEASE_NAME);
}

/** The value of the label `chandlery.dev/app-instance` on release records: `<plural>.<name>`, or its beginning and a hash. Compare it, do not take it apart. */
export function instanceLabelValue({ resource }: Pick<GeneratedKind, 'resource'>, instance: string): string {
  return shortened(`${resource}.${instance}`, MAX_LABEL);
}

/** Longer ones are cut. A digest that nobody can aim at follows: two instances have one namespace only if 64 bits of SHA-256 agree. */
const READABLE = 46;
const DIGEST_LENGTH = 16;

/** The namespace that is dedicated to an instance: `<namespace>-<name>-<digest>`, at most 63 characters, from its kind, namespace and name alone. */
export function dedicatedNamespaceName({ resource }: Pick<GeneratedKind, 'resource'>, { namespace = '', name }: ObjectMeta): string {
  const digest = createHash('sha256').update(`${resource}.${OURS.appsGroup}/${namespace}/${name}`).digest('hex').slice(0, DIGEST_LENGTH);
  return `${readablePart({ namespace, name })}-${digest}`;
}

/** Whether a namespace is that of an instance, by as little work as possible: mostly it is not. */
export function isDedicatedTo(namespace: string, kind: Pick<GeneratedKind, 'resource'>, metadata: ObjectMeta): boolean {
  return namespace.startsWith(`${readablePart(metadata)}-`) && namespace === dedicatedNamespaceName(kind, metadata);
}

function readablePart({ namespace = '', name }: ObjectMeta): string {
  return `${namespace}-${name}`.replaceAll('.', '-').slice(0, READABLE).replace(/-+$/, '');
}

/** The namespace that Chandlery has reserved for an instance alone, by its status; undefined where there is none. */
export function dedicatedNamespaceOf(instance: KubeObject): string | undefined {
  return isAppInstance(instance) ? textAt(instance.status, 'namespace') : undefined;
}

/** The namespace that the release of an instance is in: its own, unless its status names another one. */
export function releaseNamespaceOf(instance: KubeObject): string {
  const own = instance.metadata.namespace ?? '';
  return isAppInstance(instance) ? (textAt(instance.status, 'release', 'namespace') ?? own) : own;
}

const HASH_LENGTH = 10;

function shortened(plain: string, longest: number): string {
  if (plain.length <= longest) return plain;
  const hash = createHash('sha256').update(plain).digest('hex').slice(0, HASH_LENGTH);
  return `${plain.slice(0, longest - HASH_LENGTH - 1).replace(/[^a-z0-9]+$/, '')}-${hash}`;
}

function reject({ kind, metadata }: KubeObject, part: string): never {
  throw new AppError('InvalidInput', `${kind} ${metadata.namespace ?? ''}/${metadata.name}: ${part} is not of the schema of its CRD`);
}
