import { OURS, isDnsSubdomain } from '../kubernetes/names.ts';
import { isObject, objectAt, textAt } from '../core/read.ts';
import { compileFaults, rulesOfOperator } from '../health/custom-rules.ts';
import { ruleFaultsOf } from '../health/rule-table.ts';
import { type KubeObject, type ObjectMeta, parseApiVersion, type ResourceRef } from '../kubernetes/resource.ts';
import {
  APP_DEFINITION,
  ENVIRONMENT,
  GITLAB_DEPLOYMENT,
  GITLAB_MONITORING,
  type KnownType,
  OPERATOR,
  RESOURCE_COMPOSITION,
} from '../kubernetes/resource-types.ts';
import type { InventoryItem, SourceFault, SourceSpec } from './catalog-source.ts';
import type { SourceDocument } from './parse-file.ts';

/** A document that names a resource which may be applied; whether its content is valid, the api-server says. */
export interface Candidate {
  readonly document: SourceDocument;
  readonly type: KnownType;
  readonly object: KubeObject;
  /** `Kind namespace/name`, or `Kind name`, for people. */
  readonly resource: string;
  /** `Kind.group namespace/name`, unique in the cluster. */
  readonly id: string;
}

/** A document of a kind that the cluster does not serve, in a source with Operators: one of them may bring its CRD. */
export interface WaitingDocument extends Pick<Candidate, 'document' | 'object' | 'resource'> {
  /** What is wrong with it when none does. */
  readonly fault: SourceFault;
}

export interface CheckedDocuments {
  readonly candidates: readonly Candidate[];
  readonly waiting: readonly WaitingDocument[];
  readonly faults: readonly SourceFault[];
  /** The ids of all documents that name a resource, those with faults too: what is not gone from the folder. */
  readonly named: ReadonlySet<string>;
}

/** What a source may hold, by its spec, and which kinds the cluster serves. */
export interface SourceRules {
  readonly spec: Pick<SourceSpec, 'allowedKinds' | 'mode' | 'namespaces'>;
  /** The served kind of an apiVersion and kind; undefined when there is none. */
  readonly kindOf: (apiVersion: string, kind: string) => KnownType | undefined;
}

const NAME_RULE = 'lower-case letters, digits, hyphens and dots, with a letter or digit at both ends, and at most 253 of them';

/** Where a namespaced document without a namespace goes, as with kubectl. */
const DEFAULT_NAMESPACE = 'default';

/** Finds what is wrong with documents before the api-server sees them: what is not a resource, kinds and namespaces that have no place here, and names given twice. */
export function checkDocuments(documents: readonly SourceDocument[], rules: SourceRules): CheckedDocuments {
  const faults: SourceFault[] = [];
  const waiting: WaitingDocument[] = [];
  const byId = new Map<string, Candidate[]>();
  const rejected = new Set<Candidate>();
  const hasOperators = documents.some(({ content }) => isOperator(content));
  for (const document of documents) {
    const checked = checkOne(document, rules);
    if ('message' in checked) {
      faults.push(checked);
    } else if ('fault' in checked) {
      if (hasOperators) waiting.push(checked);
      else faults.push(checked.fault);
    } else {
      const own = expressionFaults(checked);
      faults.push(...own);
      if (own.length > 0) rejected.add(checked);
      const group = byId.get(checked.id);
      if (group === undefined) byId.set(checked.id, [checked]);
      else group.push(checked);
    }
  }
  const groups = [...byId.values()];
  return {
    candidates: groups.flatMap((group) => (group.length === 1 ? group.filter((one) => !rejected.has(one)) : [])),
    waiting,
    faults: [...faults, ...groups.flatMap((group) => (group.length > 1 ? duplicates(group) : []))],
    named: new Set([...byId.keys(), ...waiting.flatMap((one) => possibleIds(one, rules.spec))]),
  };
}

function isOperator(content: SourceDocument['content']): boolean {
  return content['kind'] === OPERATOR.kind && parseApiVersion(textAt(content, 'apiVersion') ?? '').group === OPERATOR.group;
}

/** Whether the kind has namespaces is not known before its CRD is there. */
function possibleIds({ object }: WaitingDocument, spec: SourceRules['spec']): readonly string[] {
  const { namespace = defaultNamespace(spec), name } = object.metadata;
  const type = { group: parseApiVersion(object.apiVersion).group, kind: object.kind };
  return [resourceId(type, namespace, name), resourceId(type, undefined, name)];
}

/** Kinds with health rules in their specs. */
const RULE_OWNERS = [OPERATOR.kind, APP_DEFINITION.kind, ENVIRONMENT.kind];
const OWN_GROUPS = [OPERATOR.group, APP_DEFINITION.group];

/** Expressions in CEL that do not compile, which the api-server does not look into. */
function expressionFaults({ document, type, object, resource }: Candidate): SourceFault[] {
  const ofKinds = type.kind === OPERATOR.kind && type.group === OPERATOR.group ? [...rulesOfOperator(object).values()] : [];
  const faults = ofKinds.flatMap(({ field, rules }) =>
    compileFaults(rules).map(({ index, member, message }) => ({ field: `${field}[${index}].${member}`, message })),
  );
  const own = RULE_OWNERS.includes(type.kind) && OWN_GROUPS.includes(type.group) ? ruleFaultsOf(object) : [];
  return [...faults, ...own].map(({ field, message }) => ({
    file: document.file,
    ...document.locate(field),
    resource,
    message: `${field}: ${message}`,
  }));
}

/** The name by which resources are distinguished: `Kind namespace/name`, or `Kind name`. */
export function resourceName(kind: string, namespace: string | undefined, name: string): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

/** The same, telling apart kinds of the same name in two API groups. The version does not count: it is the same object in all of them. */
function resourceId(type: { readonly group: string; readonly kind: string }, namespace: string | undefined, name: string): string {
  return resourceName(type.group === '' ? type.kind : `${type.kind}.${type.group}`, namespace, name);
}

function checkOne(document: SourceDocument, { spec, kindOf }: SourceRules): Candidate | WaitingDocument | SourceFault {
  const { content } = document;
  const fault = (field: string, message: string): SourceFault => ({ file: document.file, ...document.locate(field), message });
  const missing = ['apiVersion', 'kind'].find((field) => textAt(content, field) === undefined);
  if (missing !== undefined) return fault(missing, `the resource has no ${missing}; the source accepts ${allowedSentence(spec)}`);
  const [apiVersion = '', kind = ''] = [textAt(content, 'apiVersion'), textAt(content, 'kind')];
  const { group } = parseApiVersion(apiVersion);
  if (!isAllowed(spec, group, kind)) {
    const accepts = `it accepts ${allowedSentence(spec)}; allow others in spec.allowedKinds of the CatalogSource`;
    return fault('kind', `${kind} (${apiVersion}) is not allowed in this source; ${accepts}`);
  }
  const type = kindOf(apiVersion, kind);
  const name = textAt(content, 'metadata', 'name');
  const namespace = textAt(content, 'metadata', 'namespace');
  const unserved = fault('kind', `the cluster does not serve ${kind} (${apiVersion}); correct it, or install its CRD first`);
  if (type === undefined && (name === undefined || !isDnsSubdomain(name))) return unserved;
  if (name === undefined) return fault('metadata', `the ${kind} has no metadata.name; give it one`);
  if (type === undefined) return waitingOf(document, { apiVersion, kind, name, namespace }, unserved);
  if (!isNameOf(type, name)) return fault('metadata.name', `the name ${JSON.stringify(name.slice(0, 63))} must be ${NAME_RULE}`);
  const misplaced = misplacement(spec, type, { name, namespace });
  if (misplaced !== undefined) return fault(misplaced.field, misplaced.message);
  return candidateOf(document, type, { name, namespace: type.namespaced ? (namespace ?? defaultNamespace(spec)) : undefined });
}

interface Named {
  readonly apiVersion: string;
  readonly kind: string;
  readonly name: string;
  readonly namespace: string | undefined;
}

function waitingOf(document: SourceDocument, { apiVersion, kind, name, namespace }: Named, unserved: SourceFault): WaitingDocument {
  const { content } = document;
  const metadata: ObjectMeta = { ...objectAt(content, 'metadata'), name, ...(namespace === undefined ? {} : { namespace }) };
  const resource = resourceName(kind, namespace, name);
  return { document, object: { ...content, apiVersion, kind, metadata }, resource, fault: { ...unserved, resource } };
}

/** RBAC and a few other kinds of Kubernetes allow more in a name, such as colons; the api-server says what. */
function isNameOf({ group }: KnownType, name: string): boolean {
  return group === 'rbac.authorization.k8s.io' ? /^[^/%\p{Cc}]{1,253}$/u.test(name) && name !== '.' && name !== '..' : isDnsSubdomain(name);
}

/** What is wrong with the namespace of a document, and where. */
function misplacement(
  spec: SourceRules['spec'],
  { kind, namespaced }: KnownType,
  { name, namespace }: { readonly name: string; readonly namespace: string | undefined },
): { readonly field: string; readonly message: string } | undefined {
  if (!namespaced && namespace !== undefined)
    return { field: 'metadata.namespace', message: `${kind} ${name} is cluster-wide and has no namespace; remove the line` };
  if (spec.mode === 'Cluster') return undefined;
  const allowed = `the source is Namespaced, and may hold objects of ${spec.namespaces.join(', ')}`;
  if (!namespaced) return { field: 'kind', message: `${kind} ${name} is cluster-wide; ${allowed}` };
  if (namespace === undefined)
    return spec.namespaces.length === 1
      ? undefined
      : { field: 'metadata', message: `${kind} ${name} has no metadata.namespace; ${allowed}` };
  return spec.namespaces.includes(namespace)
    ? undefined
    : { field: 'metadata.namespace', message: `${kind} ${name} is in namespace ${JSON.stringify(namespace)}; ${allowed}` };
}

function defaultNamespace({ mode, namespaces: [only] }: SourceRules['spec']): string {
  return mode === 'Namespaced' && only !== undefined ? only : DEFAULT_NAMESPACE;
}

function candidateOf(document: SourceDocument, type: KnownType, address: { name: string; namespace: string | undefined }): Candidate {
  const { content } = document;
  const { name, namespace } = address;
  const metadata: ObjectMeta = { ...objectAt(content, 'metadata'), name, ...(namespace === undefined ? {} : { namespace }) };
  const object: KubeObject = { ...content, apiVersion: textAt(content, 'apiVersion') ?? '', kind: type.kind, metadata };
  const [resource, id] = [resourceName(type.kind, namespace, name), resourceId(type, namespace, name)];
  return { document, type, object, resource, id };
}

/** A fault for each of them, naming the others: which one is meant, only a person can tell. */
function duplicates(group: readonly Candidate[]): SourceFault[] {
  return group.map((candidate) => {
    const others = group.filter((other) => other !== candidate).map(({ document }) => placeOf(document));
    const { file } = candidate.document;
    const place = candidate.document.locate('metadata.name');
    return {
      file,
      ...place,
      resource: candidate.resource,
      message: `${candidate.resource} is also defined at ${others.join(' and ')}; keep one of them`,
    };
  });
}

function placeOf(document: SourceDocument): string {
  return `${document.file}:${document.locate('metadata.name').line}`;
}

/** The labels of all that a source applies. */
export function sourceLabels(name: string, { owner }: Pick<SourceSpec, 'owner'>): Readonly<Record<string, string>> {
  return { [OURS.sourceLabel]: name, ...(owner === undefined ? {} : { [OURS.teamLabel]: owner }) };
}

/** The resource of a document with the labels of its source over its own. Own labels that are no texts are left for the api-server to reject. */
export function labelled({ object }: Pick<Candidate, 'object'>, labels: Readonly<Record<string, string>>): KubeObject {
  const own = isObject(object.metadata.labels) ? object.metadata.labels : {};
  return { ...object, metadata: { ...object.metadata, labels: { ...own, ...labels } } };
}

/** Where the resource of a document is. */
export function refOf({ type: { group, version, resource }, object }: Candidate): ResourceRef {
  const { name, namespace } = object.metadata;
  return { group, version, resource, name, ...(namespace === undefined ? {} : { namespace }) };
}

/** The kinds that a source holds when its spec does not say. */
const DEFAULT_KINDS: NonNullable<SourceSpec['allowedKinds']> = [
  { group: OURS.group, kind: 'Environment' },
  { group: OURS.group, kind: APP_DEFINITION.kind },
  { group: OURS.operatorGroup, kind: OPERATOR.kind },
  { group: GITLAB_DEPLOYMENT.group, kind: GITLAB_DEPLOYMENT.kind },
  { group: GITLAB_MONITORING.group, kind: GITLAB_MONITORING.kind },
  { group: RESOURCE_COMPOSITION.group, kind: RESOURCE_COMPOSITION.kind },
];

function isAllowed({ allowedKinds = DEFAULT_KINDS }: SourceRules['spec'], group: string, kind: string): boolean {
  return allowedKinds.some((allowed) => ['*', group].includes(allowed.group) && ['*', kind].includes(allowed.kind));
}

/** `Environment (chandlery.dev) and Operator (…)`, for sentences. */
function allowedSentence({ allowedKinds = DEFAULT_KINDS }: SourceRules['spec']): string {
  const names = allowedKinds.map(({ group, kind }) => (group === '' ? kind : `${kind} (${group})`));
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} and ${names.at(-1) ?? ''}`;
}

/** The id of an inventory item, as documents have it. */
export function idOfItem({ apiVersion, kind, namespace, name }: InventoryItem): string {
  return resourceId({ group: parseApiVersion(apiVersion).group, kind }, namespace, name);
}

/** Where an item of an inventory is, without the notes of the controller about it. */
export type InventoryAddress = Pick<InventoryItem, 'file' | 'apiVersion' | 'kind' | 'namespace' | 'name'>;

export function addressOfItem({ file, apiVersion, kind, namespace, name }: InventoryItem): InventoryAddress {
  return { file, apiVersion, kind, ...(namespace === undefined ? {} : { namespace }), name };
}

/** The name of an inventory item, for people. */
export function nameOfItem(item: InventoryItem): string {
  return resourceName(item.kind, item.namespace, item.name);
}

/** The order in which faults are shown: by place. */
export function sortFaults(faults: readonly SourceFault[]): SourceFault[] {
  return faults.toSorted(
    (a, b) => a.file.localeCompare(b.file) || a.line - b.line || a.column - b.column || a.message.localeCompare(b.message),
  );
}

/** Whether two faults say the same about the same place. */
export function sameFault(a: SourceFault, b: SourceFault): boolean {
  return a.file === b.file && a.line === b.line && a.column === b.column && a.message === b.message;
}
