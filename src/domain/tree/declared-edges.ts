import { at, isObject, listAt, textAt } from '../core/read.ts';
import { crdAnnotationsOf, type DeclaredRelation, type NamePattern } from '../kubeplus/crd-annotations.ts';
import { isDnsSubdomain } from '../kubernetes/names.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import type { Edge } from './find-edges.ts';
import { kindKey, namespaceOf, nameOf, type ObjectIndex, type ObjectName } from './object-index.ts';

type NameRelation = Extract<DeclaredRelation, { readonly by: 'Label' | 'Annotation' }>;
type FieldRelation = Extract<DeclaredRelation, { readonly by: 'Field' }>;

/** The relations that the annotations of CRDs declare. */
export interface DeclaredRelations {
  /** By the kind that carries the label or annotation, without group. */
  readonly naming: ReadonlyMap<string, readonly { readonly instanceKind: string; readonly relation: NameRelation }[]>;
  /** By the kind of the instance, `group/Kind`. */
  readonly fields: ReadonlyMap<string, readonly FieldRelation[]>;
}

export const NO_DECLARED_RELATIONS: DeclaredRelations = { naming: new Map(), fields: new Map() };

/** By the list of CRDs, which is the same one until a CRD changes. */
const known = new WeakMap<readonly KubeObject[], DeclaredRelations>();

/** The relations that CRDs declare; see `crdAnnotationsOf`. */
export function declaredRelationsOf(crds: readonly KubeObject[]): DeclaredRelations {
  const before = known.get(crds);
  if (before !== undefined) return before;
  const found = indexRelations(crds);
  known.set(crds, found);
  return found;
}

function indexRelations(crds: readonly KubeObject[]): DeclaredRelations {
  const naming = new Map<string, { readonly instanceKind: string; readonly relation: NameRelation }[]>();
  const fields = new Map<string, FieldRelation[]>();
  for (const crd of crds) {
    const instanceKind = `${textAt(crd.spec, 'group') ?? ''}/${textAt(crd.spec, 'names', 'kind') ?? ''}`;
    for (const relation of crdAnnotationsOf(crd).relations) {
      if (relation.by === 'Field') fields.set(instanceKind, [...(fields.get(instanceKind) ?? []), relation]);
      else for (const kind of relation.kinds) naming.set(kind, [...(naming.get(kind) ?? []), { instanceKind, relation }]);
    }
  }
  return { naming, fields };
}

/** The edges that begin in an object because a CRD declares them. What has an owner stands below that and needs no label. */
export function declaredEdges(holder: KubeObject, index: ObjectIndex, { naming, fields }: DeclaredRelations): readonly Edge[] {
  const isOwned = listAt(holder, 'metadata', 'ownerReferences').length > 0;
  const byName = isOwned ? [] : (naming.get(holder.kind) ?? []).flatMap((one) => namingEdges(holder, index, one));
  const byField = (fields.get(kindKey(holder)) ?? []).flatMap((relation) => fieldEdges(holder, index, relation));
  return [...byName, ...byField];
}

/** Hostile values may be lists of any length. */
const MAX_NAMES = 100;

function namingEdges(
  holder: KubeObject,
  index: ObjectIndex,
  { instanceKind, relation: { by, key, value } }: { readonly instanceKind: string; readonly relation: NameRelation },
): Edge[] {
  const member = by === 'Label' ? 'labels' : 'annotations';
  const text = at(holder, 'metadata', member, key);
  if (typeof text !== 'string') return [];
  return instanceNames(value, text)
    .slice(0, MAX_NAMES)
    .flatMap((name) => {
      const target = index.find({ kind: instanceKind, name, ...placeOf(holder) });
      if (target === undefined || target === holder) return [];
      return [edge({ class: by, path: `metadata.${member}["${key}"]`, joins: 'Holder', holder, named: nameOf(target), target })];
    });
}

/** The names of instances that a value can mean. */
function instanceNames({ before, after, match }: NamePattern, text: string): readonly string[] {
  if (match === 'Contains') return [...new Set(text.split(/[^A-Za-z0-9.-]+/))].filter((name) => name !== '');
  const isFramed = text.startsWith(before) && text.endsWith(after) && text.length > before.length + after.length;
  return isFramed ? [text.slice(before.length, text.length - after.length)] : [];
}

function fieldEdges(holder: KubeObject, index: ObjectIndex, { path, kinds }: FieldRelation): Edge[] {
  const name = valueAt(holder, path.split('.'));
  const [kind = ''] = kinds;
  if (typeof name !== 'string' || !isDnsSubdomain(name)) return [];
  const candidates = index.kindsNamed(kind).map((one): ObjectName => ({ kind: one, name, ...placeOf(holder) }));
  const found = candidates.map((one) => index.find(one)).find((one) => one !== undefined);
  const named = found === undefined ? (candidates[0] ?? { kind: `/${kind}`, name, ...placeOf(holder) }) : nameOf(found);
  const target = found === undefined ? {} : { target: found };
  return found === holder ? [] : [edge({ class: 'Reference', path, joins: 'Target', holder, named, ...target })];
}

function valueAt(value: unknown, [step, ...rest]: readonly string[]): unknown {
  if (step === undefined) return value;
  return isObject(value) && Object.hasOwn(value, step) ? valueAt(value[step], rest) : undefined;
}

function edge(parts: Pick<Edge, 'class' | 'path' | 'joins' | 'holder' | 'named' | 'target'>): Edge {
  return { ...parts, inferred: true, isController: false, isOptional: false };
}

function placeOf(holder: KubeObject): Pick<ObjectName, 'namespace'> {
  const namespace = namespaceOf(holder);
  return namespace === undefined ? {} : { namespace };
}
