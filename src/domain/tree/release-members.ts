import { isObject, textAt } from '../core/read.ts';
import { type KubeObject, parseApiVersion } from '../kubernetes/resource.ts';
import type { Edge } from './find-edges.ts';
import { kindKey, labelsOf, nameOf, namespaceOf, uidOf } from './object-index.ts';

/** A Helm release by its name. */
export interface ReleaseName {
  readonly namespace: string;
  readonly name: string;
}

/** The objects of the release of a root, and the field by which each is known to be one. */
export type ReleaseMembers = ReadonlyMap<KubeObject, MemberField>;

export type MemberField =
  | { readonly kind: 'Manifest' }
  | { readonly kind: 'Annotation' }
  /** A label of ours on what Helm has no part in. */
  | { readonly kind: 'Label'; readonly key: string };

/** What an object of a release is known by: `group/Kind namespace/name`. */
export function memberKey(object: KubeObject): string {
  return `${kindKey(object)} ${object.metadata.namespace ?? ''}/${object.metadata.name}`;
}

const RELEASE_NAME = 'meta.helm.sh/release-name';
const RELEASE_NAMESPACE = 'meta.helm.sh/release-namespace';

/** Whether the annotations that Helm puts on the objects of a release name this one. */
export function isOfRelease({ metadata: { annotations = {} } }: KubeObject, release: ReleaseName): boolean {
  return annotations[RELEASE_NAME] === release.name && annotations[RELEASE_NAMESPACE] === release.namespace;
}

/** The annotations of an object of a release. */
export function releaseAnnotations({ name, namespace }: ReleaseName): Readonly<Record<string, string>> {
  return { [RELEASE_NAME]: name, [RELEASE_NAMESPACE]: namespace };
}

/** By which field an object is known to be of a release: its manifest, given as the names in it, or the annotations of Helm. */
export function releaseField(
  object: KubeObject,
  { release, named }: { readonly release: ReleaseName; readonly named: ReadonlySet<string> },
): MemberField | undefined {
  if (named.has(memberKey(object))) return { kind: 'Manifest' };
  return isOfRelease(object, release) ? { kind: 'Annotation' } : undefined;
}

/**
 * Those objects of which the field is known, but for what an owner among them has made: controllers hand the annotations of a Deployment down to its
 * ReplicaSets.
 */
export function releaseMembers(
  objects: readonly KubeObject[],
  fieldOf: (object: KubeObject) => MemberField | undefined,
  root?: KubeObject,
): ReleaseMembers {
  const known = new Set([...objects, ...(root === undefined ? [] : [root])].map(uidOf));
  const isOwned = ({ metadata }: KubeObject): boolean => (metadata.ownerReferences ?? []).some(({ uid }) => known.has(uid));
  const members = new Map<KubeObject, MemberField>();
  for (const object of objects) {
    const field = object === root || isOwned(object) ? undefined : fieldOf(object);
    if (field !== undefined) members.set(object, field);
  }
  return members;
}

/** Instances of these kinds are releases themselves, and their status names them. */
const RELEASE_KINDS = 'apps.chandlery.dev';

/**
 * The Helm release of a custom resource: the one that its status names, where its kind stands for releases; else the deployed one whose record it owns, which is how
 * operators made of charts mark theirs.
 */
export function releaseOfInstance(root: KubeObject, objects: readonly KubeObject[]): ReleaseName | undefined {
  const namespace = namespaceOf(root);
  if (namespace === undefined) return undefined;
  const named = textAt(root.status, 'release', 'name');
  if (parseApiVersion(root.apiVersion).group === RELEASE_KINDS && named !== undefined && named !== '')
    return { namespace: textAt(root.status, 'release', 'namespace') ?? namespace, name: named };
  const record = objects.find((object) => isRecordOf(object, root));
  const name = record === undefined ? undefined : Object.fromEntries(labelsOf(record))['name'];
  return name === undefined ? undefined : { namespace, name };
}

function isRecordOf(object: KubeObject, { metadata: { uid } }: KubeObject): boolean {
  const labels = new Map(labelsOf(object));
  if (object.kind !== 'Secret' || labels.get('owner') !== 'helm' || labels.get('status') !== 'deployed') return false;
  return uid !== undefined && (object.metadata.ownerReferences ?? []).some((owner) => isObject(owner) && owner.uid === uid);
}

/** The edges between a root and the members of its release. */
export function memberEdges(root: KubeObject, members: ReleaseMembers): Edge[] {
  return [...members].map(([object, field]) => memberEdge(root, object, field));
}

function memberEdge(root: KubeObject, object: KubeObject, field: MemberField): Edge {
  const common = { inferred: true, isController: false, isOptional: false } as const;
  const below = { ...common, joins: 'Holder', holder: object, named: nameOf(root), target: root } as const;
  switch (field.kind) {
    case 'Manifest':
      return {
        ...common,
        class: 'ReleaseManifest',
        path: 'data.release',
        joins: 'Target',
        holder: root,
        named: nameOf(object),
        target: object,
      };
    case 'Annotation':
      return { ...below, class: 'ReleaseManifest', path: `metadata.annotations["${RELEASE_NAME}"]` };
    case 'Label':
      return { ...below, class: 'Label', path: `metadata.labels["${field.key}"]` };
    default:
      return field satisfies never;
  }
}
