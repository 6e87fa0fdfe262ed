import type { InventoryItem, SourceFault } from '../../domain/source/catalog-source.ts';
import { compileFaults, rulesOfOperator } from '../../domain/health/custom-rules.ts';
import { isDnsSubdomain } from '../../domain/kubernetes/names.ts';
import { isObject, objectAt, textAt } from '../../domain/core/read.ts';
import { apiVersionOf, type KubeObject, type ObjectMeta } from '../../domain/kubernetes/resource.ts';
import { ENVIRONMENT, type KnownType, OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { SourceDocument } from './parse/parse-file.ts';

/** A document that names a resource which may be applied; whether its content is valid, the api-server says. */
export interface Candidate {
  readonly document: SourceDocument;
  readonly allowed: KnownType;
  readonly object: KubeObject;
  /** `Kind namespace/name`, or `Kind name`; unique in the cluster. */
  readonly resource: string;
}

export interface CheckedDocuments {
  readonly candidates: readonly Candidate[];
  readonly faults: readonly SourceFault[];
  /** The resources of all documents that name one, those with faults too: what is not gone from the folder. */
  readonly named: ReadonlySet<string>;
}

const NAME_RULE = 'lower-case letters, digits, hyphens and dots, with a letter or digit at both ends, and at most 253 of them';

/** Where a namespaced document without a namespace goes, as with kubectl. */
const DEFAULT_NAMESPACE = 'default';

/** Finds what is wrong with documents before the api-server sees them: what is not a resource, kinds that have no place here, and names given twice. */
export function checkDocuments(documents: readonly SourceDocument[]): CheckedDocuments {
  const faults: SourceFault[] = [];
  const byResource = new Map<string, Candidate[]>();
  const rejected = new Set<Candidate>();
  for (const document of documents) {
    const checked = checkOne(document);
    if ('message' in checked) {
      faults.push(checked);
    } else {
      const own = expressionFaults(checked);
      faults.push(...own);
      if (own.length > 0) rejected.add(checked);
      byResource.set(checked.resource, [...(byResource.get(checked.resource) ?? []), checked]);
    }
  }
  const groups = [...byResource.values()];
  return {
    candidates: groups.flatMap((group) => (group.length === 1 ? group.filter((one) => !rejected.has(one)) : [])),
    faults: [...faults, ...groups.flatMap((group) => (group.length > 1 ? duplicates(group) : []))],
    named: new Set(byResource.keys()),
  };
}

/** Expressions in CEL that do not compile, which the api-server does not look into. */
function expressionFaults({ document, allowed, object, resource }: Candidate): SourceFault[] {
  if (allowed.resource !== OPERATOR.resource || allowed.group !== OPERATOR.group) return [];
  return [...rulesOfOperator(object).values()].flatMap(({ field, rules }) =>
    compileFaults(rules).map(({ index, member, message }) => {
      const path = `${field}[${index}].${member}`;
      return { file: document.file, ...document.locate(path), resource, message: `${path}: ${message}` };
    }),
  );
}

/** The name by which resources are distinguished: `Kind namespace/name`, or `Kind name`. */
export function resourceName(kind: string, namespace: string | undefined, name: string): string {
  return namespace === undefined ? `${kind} ${name}` : `${kind} ${namespace}/${name}`;
}

function checkOne(document: SourceDocument): Candidate | SourceFault {
  const { content } = document;
  const fault = (field: string, message: string): SourceFault => ({ file: document.file, ...document.locate(field), message });
  const missing = ['apiVersion', 'kind'].find((field) => textAt(content, field) === undefined);
  if (missing !== undefined) return fault(missing, `the resource has no ${missing}; the catalogue accepts ${allowedKindsSentence()}`);
  const [apiVersion = '', kind = ''] = [textAt(content, 'apiVersion'), textAt(content, 'kind')];
  const allowed = findAllowedKind(apiVersion, kind);
  if (allowed === undefined) {
    return fault('kind', `${kind} (${apiVersion}) is not allowed in the catalogue; it accepts ${allowedKindsSentence()}`);
  }
  const name = textAt(content, 'metadata', 'name');
  if (name === undefined) return fault('metadata', `the ${kind} has no metadata.name; give it one`);
  if (!isDnsSubdomain(name)) return fault('metadata.name', `the name ${JSON.stringify(name.slice(0, 63))} must be ${NAME_RULE}`);
  const namespace = textAt(content, 'metadata', 'namespace');
  if (!allowed.namespaced && namespace !== undefined) {
    return fault('metadata.namespace', `${kind} ${name} is cluster-wide and has no namespace; remove the line`);
  }
  return candidateOf(document, allowed, { name, namespace: allowed.namespaced ? (namespace ?? DEFAULT_NAMESPACE) : undefined });
}

function candidateOf(document: SourceDocument, allowed: KnownType, address: { name: string; namespace: string | undefined }): Candidate {
  const { content } = document;
  const { name, namespace } = address;
  const metadata: ObjectMeta = { ...objectAt(content, 'metadata'), name, ...(namespace === undefined ? {} : { namespace }) };
  const object: KubeObject = { ...content, apiVersion: textAt(content, 'apiVersion') ?? '', kind: allowed.kind, metadata };
  return { document, allowed, object, resource: resourceName(allowed.kind, namespace, name) };
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

/** Labels of a document's metadata that are texts; others are left for the api-server to reject. */
export function labelsOf(object: KubeObject): Readonly<Record<string, string>> {
  const { labels } = object.metadata;
  return isObject(labels) ? labels : {};
}

/** The kinds that a catalogue folder may hold. */
const ALLOWED_KINDS: readonly KnownType[] = [ENVIRONMENT, OPERATOR];

/** The allowed kind that a document is of. */
export function findAllowedKind(apiVersion: string, kind: string): KnownType | undefined {
  return ALLOWED_KINDS.find((allowed) => allowed.kind === kind && apiVersionOf(allowed) === apiVersion);
}

/** `Environment (chandlery.dev/v1alpha1) and Operator (…)`, for sentences. */
function allowedKindsSentence(): string {
  return ALLOWED_KINDS.map((type) => `${type.kind} (${apiVersionOf(type)})`).join(' and ');
}

/** The name of an inventory item, as documents have it. */
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
