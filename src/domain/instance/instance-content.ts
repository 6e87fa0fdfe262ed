import type { FieldFault } from '../core/errors.ts';
import { OURS } from '../kubernetes/names.ts';
import { at, objectAt, textsAt } from '../core/read.ts';
import type { KnownType } from '../kubernetes/resource-types.ts';
import { apiVersionOf, type JsonObject, type KubeObject, type ObjectMeta } from '../kubernetes/resource.ts';
import { mergePatchBetween } from '../core/merge-patch.ts';

/** What the cluster fills in, and what of metadata names the object. */
const NOT_CONTENT: ReadonlySet<string> = new Set(['apiVersion', 'kind', 'metadata', 'status']);
const LABELS_AND_ANNOTATIONS = ['labels', 'annotations'] as const;
/** Written by kubectl for itself, nobody misses it. */
const LAST_APPLIED = 'kubectl.kubernetes.io/last-applied-configuration';

/**
 * What people decide about an Instance, laid out like the resource: its `spec`, the members beside it such as `data`, and of its metadata the labels,
 * annotations and finalizers.
 *
 * @param resource a whole resource, or values that are laid out like one.
 */
export function contentOf(resource: unknown): JsonObject {
  const members = Object.entries(objectAt(resource)).filter(([key, value]) => !NOT_CONTENT.has(key) && value !== undefined);
  const metadata = metadataOf(objectAt(resource, 'metadata'));
  return Object.fromEntries([...members, ...(Object.keys(metadata).length === 0 ? [] : [['metadata', metadata]])]) as JsonObject;
}

function metadataOf(metadata: object): object {
  const entries = LABELS_AND_ANNOTATIONS.flatMap((key) => {
    const { [LAST_APPLIED]: _applied, ...kept } = objectAt(metadata, key);
    return Object.keys(kept).length === 0 ? [] : [[key, kept]];
  });
  const finalizers = textsAt(metadata, 'finalizers');
  return Object.fromEntries([...entries, ...(finalizers.length === 0 ? [] : [['finalizers', finalizers]])]);
}

/** The content of a live object that people change: without finalizers, and without labels and annotations that are reserved. */
export function ownContentOf(object: unknown): JsonObject {
  const { metadata, ...members } = contentOf(object);
  const entries = LABELS_AND_ANNOTATIONS.flatMap((key) => {
    const kept = Object.entries(objectAt(metadata, key)).filter(([name]) => reservedBecause(name) === undefined);
    return kept.length === 0 ? [] : [[key, Object.fromEntries(kept)]];
  });
  return entries.length === 0 ? members : { ...members, metadata: Object.fromEntries(entries) as JsonObject };
}

/** A cluster-scoped resource of ours with what people write of it: its name, labels, annotations and spec. */
export function newResource(
  type: KnownType,
  name: string,
  { metadata, spec }: { readonly metadata?: unknown; readonly spec?: unknown },
): KubeObject {
  const { labels, annotations } = objectAt(metadata) as Pick<ObjectMeta, 'labels' | 'annotations'>;
  const given = { ...(labels === undefined ? {} : { labels }), ...(annotations === undefined ? {} : { annotations }) };
  return { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { name, ...given }, spec: spec ?? {} };
}

/** The content without its `spec`. */
export function otherFieldsOf({ spec: _spec, ...otherFields }: JsonObject): JsonObject {
  return otherFields;
}

/** Content as drafts have it: the `spec`, and what goes beside it where there is anything. */
export function splitContent(content: JsonObject): { readonly spec: JsonObject; readonly otherFields?: JsonObject } {
  const otherFields = otherFieldsOf(content);
  return { spec: objectAt(content, 'spec') as JsonObject, ...(Object.keys(otherFields).length === 0 ? {} : { otherFields }) };
}

/** The merge patch that turns the content beside one spec into another; each label and annotation counts by itself, and no finalizer goes away. */
export function otherFieldsPatch(from: JsonObject, to: JsonObject): JsonObject {
  const { metadata: metadataBefore, ...before } = otherFieldsOf(from);
  const { metadata: metadataAfter, ...after } = otherFieldsOf(to);
  const entries = LABELS_AND_ANNOTATIONS.flatMap((key) => {
    const patch = objectAt(mergePatchBetween(objectAt(metadataBefore, key), objectAt(metadataAfter, key)));
    return Object.keys(patch).length === 0 ? [] : [[key, patch]];
  });
  const finalizers = textsAt(metadataAfter, 'finalizers').filter((name) => !textsAt(metadataBefore, 'finalizers').includes(name));
  const metadata = Object.fromEntries([...entries, ...(finalizers.length === 0 ? [] : [['finalizers', finalizers]])]) as JsonObject;
  const members = objectAt(mergePatchBetween(before, after)) as JsonObject;
  return Object.keys(metadata).length === 0 ? members : { ...members, metadata };
}

/**
 * Labels, annotations and finalizers that people cannot set, each with a sentence. What a live object has already may stay.
 *
 * @param wanted content, or a merge patch of it.
 */
export function reservedFaults(wanted: unknown, live?: unknown): FieldFault[] {
  const entries = LABELS_AND_ANNOTATIONS.flatMap((key) =>
    Object.entries(objectAt(wanted, 'metadata', key)).flatMap(([name, value]): FieldFault[] => {
      const why = reservedBecause(name);
      if (why === undefined || value === (at(live, 'metadata', key, name) ?? null)) return [];
      return [{ field: `metadata.${key}[${JSON.stringify(name)}]`, message: `People cannot set ${name}: ${why}` }];
    }),
  );
  const known = textsAt(live, 'metadata', 'finalizers');
  const finalizers = textsAt(wanted, 'metadata', 'finalizers').filter((name) => !known.includes(name));
  return [...entries, ...finalizers.flatMap((name) => finalizerFault(name))];
}

function finalizerFault(name: string): FieldFault[] {
  const why = ['orphan', 'foregroundDeletion'].includes(name) ? 'Kubernetes sets it during a deletion' : reservedBecause(name);
  if (why === undefined) return [];
  return [{ field: 'metadata.finalizers', message: `People cannot set the finalizer ${name}: ${why}` }];
}

/** Marks by which a tool finds again what it owns. */
const OWNERS: Readonly<Record<string, string>> = {
  'app.kubernetes.io/managed-by': 'it says which tool owns the object',
  'meta.helm.sh': 'Helm finds what it owns by it',
  'kustomize.toolkit.fluxcd.io': 'Flux finds what it owns by it',
  'helm.toolkit.fluxcd.io': 'Flux finds what it owns by it',
  'argocd.argoproj.io/tracking-id': 'Argo CD finds what it owns by it',
  'argocd.argoproj.io/instance': 'Argo CD finds what it owns by it',
  'config.k8s.io/owning-inventory': 'tools find what they own by it',
};
/** Of Kubernetes itself; other names below these domains are for people, `app.kubernetes.io/name` among them. */
const SYSTEM = [
  'kubernetes.io',
  'k8s.io',
  'kubectl.kubernetes.io',
  'node.kubernetes.io',
  'pod-security.kubernetes.io',
  'rbac.authorization.kubernetes.io',
];

/** Why a label or annotation is not for people to set; undefined when it is. */
function reservedBecause(name: string): string | undefined {
  const domain = name.includes('/') ? name.slice(0, name.indexOf('/')) : '';
  if (domain === OURS.group || domain.endsWith(`.${OURS.group}`) || domain === OURS.operatorGroup) return 'Chandlery sets it itself';
  if (SYSTEM.includes(domain)) return 'it is reserved for Kubernetes';
  const owner = Object.hasOwn(OWNERS, name) ? OWNERS[name] : undefined;
  return owner ?? (Object.hasOwn(OWNERS, domain) ? OWNERS[domain] : undefined);
}
