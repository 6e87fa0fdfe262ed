import { at, booleanAt, isObject, listAt, objectAt, textAt } from '../core/read.ts';
import { meetsRequirement } from '../kubernetes/label-selector.ts';
import { type KubeObject, parseApiVersion } from '../kubernetes/resource.ts';
import { kindKey, labelsOf, nameOf, namespaceOf, type ObjectIndex, type ObjectName } from './object-index.ts';
import { type Lookup, POD_SPECS, type Relation, type RelationClass, RELATIONS_BY_KIND } from './relations.ts';

/** A field of one object that names another one. */
export interface Edge {
  readonly class: RelationClass;
  /** The field of the holder, such as `spec.volumes[0].configMap.name`. */
  readonly path: string;
  /** Whether the edge is something else than an owner reference. */
  readonly inferred: boolean;
  /** Of the owner references of an object, that of its controller. */
  readonly isController: boolean;
  readonly joins: Relation['joins'];
  readonly holder: KubeObject;
  readonly named: ObjectName;
  /** What is named, when it was read. */
  readonly target?: KubeObject;
  /** Whether the holder can do without it. */
  readonly isOptional: boolean;
}

/** A selector is followed to so many objects, and an object has so many owners at most. */
const MAX_TARGETS = 100;

/** The one kind of the table that is cluster-scoped. */
const VOLUME = '/PersistentVolume';

/** What every namespace has, and what belongs to no app because all use it. */
const SHARED = new Set(['/ServiceAccount default', '/ConfigMap kube-root-ca.crt', '/ConfigMap openshift-service-ca.crt']);

/** The edges that begin in an object: its owner references, the table of relations, and the labels of operators. */
export function edgesOf(holder: KubeObject, index: ObjectIndex): readonly Edge[] {
  const owners = ownerEdges(holder, index);
  // What a Pod has from the template of its workload is an edge of the workload.
  const isFromTemplate = Object.hasOwn(POD_SPECS, kindKey(holder)) && owners.some(({ named }) => Object.hasOwn(POD_SPECS, named.kind));
  const relations = RELATIONS_BY_KIND.get(kindKey(holder)) ?? [];
  const inferred = isFromTemplate ? [] : relations.flatMap((relation) => relationEdges(relation, holder, index));
  if (inferred.length === 0 && owners.length > 0) return owners;
  return [...owners, ...inferred, ...(owners.length === 0 ? labelEdges(holder, index) : [])];
}

/** One text for all objects: most have one owner. */
const OWNER_PATHS = ['metadata.ownerReferences[0]', 'metadata.ownerReferences[1]'];

function ownerEdges(holder: KubeObject, index: ObjectIndex): Edge[] {
  const edges: Edge[] = [];
  for (const [position, owner] of listAt(holder, 'metadata', 'ownerReferences').slice(0, MAX_TARGETS).entries()) {
    const uid = textAt(owner, 'uid');
    const name = textAt(owner, 'name');
    if (uid === undefined || name === undefined) continue;
    const target = index.byUid.get(uid);
    const edge: Draft = {
      class: 'Owner',
      path: OWNER_PATHS[position] ?? `metadata.ownerReferences[${position}]`,
      inferred: false,
      isController: booleanAt(owner, 'controller') === true,
      joins: 'Holder',
      holder,
      named:
        target === undefined ? { kind: kindKey({ apiVersion: at(owner, 'apiVersion'), kind: at(owner, 'kind') }), name } : nameOf(target),
      isOptional: false,
    };
    if (target !== undefined) edge.target = target;
    edges.push(edge);
  }
  return edges;
}

/** Of ten thousand edges, spreading what may be absent takes longer than finding them. */
type Draft = { -readonly [K in keyof Edge]: Edge[K] };

/** What a field names, and the object if it is known already. */
interface Named {
  readonly named: ObjectName;
  readonly object?: KubeObject;
}

function relationEdges(relation: Relation, holder: KubeObject, index: ObjectIndex): Edge[] {
  const { by, kind } = relation.to;
  return valuesAt(holder, relation.path).flatMap((field) =>
    LOOKUPS[by]({ value: field.value, kind, holder, index })
      .filter(({ named }) => !SHARED.has(`${named.kind} ${named.name}`))
      .map((found) => inferredEdge(relation, { field, holder, ...found }, index)),
  );
}

function inferredEdge(
  relation: Pick<Relation, 'class' | 'joins'>,
  { field, holder, named, object }: Named & { readonly field: FieldValue; readonly holder: KubeObject },
  index: ObjectIndex,
): Edge {
  const target = object ?? index.find(named);
  const edge: Draft = {
    class: relation.class,
    path: field.path,
    inferred: true,
    isController: false,
    joins: relation.joins,
    holder,
    named: target === undefined || object !== undefined ? named : nameOf(target),
    isOptional: booleanAt(field.within, 'optional') === true,
  };
  if (target !== undefined) edge.target = target;
  return edge;
}

interface LookupInput {
  readonly value: unknown;
  readonly kind: string;
  readonly holder: KubeObject;
  readonly index: ObjectIndex;
}

const LOOKUPS: Readonly<Record<Lookup['by'], (input: LookupInput) => readonly Named[]>> = {
  name: ({ value, kind, holder }) =>
    typeof value === 'string' && value !== '' ? [{ named: { kind, name: value, ...(kind === VOLUME ? {} : placeOf(holder)) } }] : [],
  reference: ({ value, kind, holder }) => referenced(value, kind, placeOf(holder)),
  labels: ({ value, ...rest }) => (Object.keys(objectAt(value)).length === 0 ? [] : selected({ ...rest, value: { matchLabels: value } })),
  selector: selected,
  claimTemplate: ({ value, kind, holder, index }) =>
    typeof value === 'string' ? claimsOf(`${value}-${holder.metadata.name}-`, index.labelled(kind, namespaceOf(holder))) : [],
};

function placeOf(holder: KubeObject): Pick<ObjectName, 'namespace'> {
  const namespace = namespaceOf(holder);
  return namespace === undefined ? {} : { namespace };
}

function claimsOf(prefix: string, claims: readonly KubeObject[]): Named[] {
  const isOrdinal = (name: string): boolean => name.startsWith(prefix) && /^\d+$/.test(name.slice(prefix.length));
  return claims
    .filter(({ metadata }) => isOrdinal(metadata.name))
    .slice(0, MAX_TARGETS)
    .map((object) => ({ named: nameOf(object), object }));
}

/** A reference of any of the ways in which APIs write them. */
function referenced(value: unknown, usual: string, place: Pick<ObjectName, 'namespace'>): Named[] {
  const name = textAt(value, 'name');
  if (name === undefined || name === '') return [];
  const [usualGroup = '', usualKind = ''] = usual.split('/');
  const apiVersion = textAt(value, 'apiVersion');
  const group =
    textAt(value, 'group') ?? textAt(value, 'apiGroup') ?? (apiVersion === undefined ? usualGroup : parseApiVersion(apiVersion).group);
  const namespace = textAt(value, 'namespace') ?? place.namespace;
  const kind = `${group}/${textAt(value, 'kind') ?? usualKind}`;
  return [{ named: { kind, name, ...(namespace === undefined ? {} : { namespace }) } }];
}

function selected({ value: selector, kind, holder, index }: LookupInput): Named[] {
  if (!isObject(selector)) return [];
  const pairs = Object.entries(objectAt(selector, 'matchLabels')).map(([key, value]) => [key, textOf(value)] as const);
  const expressions = listAt(selector, 'matchExpressions');
  const [first] = pairs;
  const candidates = index.labelled(kind, namespaceOf(holder), first);
  const found: Named[] = [];
  for (const object of candidates) {
    const labels = objectAt(object, 'metadata', 'labels');
    if (pairs.every(([key, value]) => at(labels, key) === value) && expressions.every((one) => meetsRequirement(one, labels) === true))
      found.push({ named: nameOf(object), object });
    if (found.length === MAX_TARGETS) break;
  }
  return found;
}

/** What is no text is in no label. */
function textOf(value: unknown): string {
  return typeof value === 'string' ? value : '\0';
}

const APP_INSTANCE = 'app.kubernetes.io/instance';
const APP_LABELS = ['app.kubernetes.io/managed-by', 'app.kubernetes.io/name', 'app.kubernetes.io/part-of'];

/**
 * What operators write instead of owner references: a label of their API group with the name of the custom resource, such as `cnpg.io/cluster`, or the
 * recommended label `app.kubernetes.io/instance` beside one that names the kind.
 */
function labelEdges(holder: KubeObject, index: ObjectIndex): Edge[] {
  const labels = labelsOf(holder);
  return labels.flatMap(([key, value]) =>
    index
      .customOf(value)
      .filter((target) => target !== holder && namespaceOf(target) === namespaceOf(holder) && isMarkOf(target, key, labels))
      .slice(0, MAX_TARGETS)
      .map((target) => {
        const field = { path: `metadata.labels["${key}"]`, value, within: undefined };
        return inferredEdge({ class: 'Label', joins: 'Holder' }, { field, holder, named: nameOf(target), object: target }, index);
      }),
  );
}

function isMarkOf(target: KubeObject, key: string, labels: readonly (readonly [string, string])[]): boolean {
  if (key !== APP_INSTANCE) return isOfGroup(key.split('/')[0] ?? '', parseApiVersion(target.apiVersion).group);
  const kind = target.kind.toLowerCase();
  return labels.some(([name, text]) => APP_LABELS.includes(name) && text.toLowerCase().includes(kind));
}

/** Labels of these domains say nothing about one app. */
const FOR_ALL = /^(chandlery\.dev|(.*\.)?(kubernetes|k8s)\.io)$/;

/** Whether the prefix of a label is the API group, or a domain above or below it. */
function isOfGroup(prefix: string, group: string): boolean {
  if (prefix === group) return true;
  if (!prefix.includes('.') || FOR_ALL.test(prefix)) return false;
  return group.endsWith(`.${prefix}`) || prefix.endsWith(`.${group}`);
}

/** A value of a foreign object, where it stands, and the value that it stands in. */
interface FieldValue {
  readonly value: unknown;
  /** `spec.volumes[2].configMap.name`. */
  readonly path: string;
  readonly within: unknown;
}

/** Nobody reads more of one field; hostile objects may have lists of any length. */
const MAX_VALUES = 500;

/**
 * The values that a path leads to, absent ones left out.
 *
 * @param path `spec.volumes[].configMap.name`, where `[]` stands for every item of a list; `metadata.labels["a.b/c"]` for a key with dots.
 */
export function valuesAt(object: unknown, path: string): readonly FieldValue[] {
  let found: readonly FieldValue[] = [{ value: object, path: '', within: undefined }];
  for (const step of stepsOf(path)) {
    found = found.flatMap((field) => next(field, step)).slice(0, MAX_VALUES);
    if (found.length === 0) break;
  }
  return found;
}

const STEP = /\[\]|\["(?<quoted>[^"]+)"\]|(?<plain>[^.[\]]+)/g;
const parsed = new Map<string, readonly string[]>();

/** The paths are those of the table of relations, so that none is parsed twice and few are kept. */
function stepsOf(path: string): readonly string[] {
  const known = parsed.get(path);
  if (known !== undefined) return known;
  const steps = [...path.matchAll(STEP)].map(({ groups, 0: text }) => groups?.['quoted'] ?? groups?.['plain'] ?? text);
  parsed.set(path, steps);
  return steps;
}

function next({ value, path }: FieldValue, step: string): FieldValue[] {
  if (step === '[]') {
    if (!Array.isArray(value)) return [];
    return value.slice(0, MAX_VALUES).map((item: unknown, index) => ({ value: item, path: `${path}[${index}]`, within: value }));
  }
  const member = Array.isArray(value) ? undefined : at(value, step);
  return member === undefined || member === null ? [] : [{ value: member, path: joined(path, step), within: value }];
}

function joined(path: string, step: string): string {
  if (/[./]/.test(step)) return `${path}["${step}"]`;
  return path === '' ? step : `${path}.${step}`;
}
