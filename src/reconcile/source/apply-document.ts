import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { AppError, isAppError, sentenceOfFault, type FieldFault } from '../../domain/core/errors.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { CATALOG_SOURCE_KIND, type SourceFault } from '../../domain/source/catalog-source.ts';
import { type Candidate, idOfItem, labelsOf } from '../../domain/source/check-documents.ts';
import { fieldManagerOf, sourceOfManager, upgradeManagers } from './ownership.ts';
import type { SourceCluster } from './ports.ts';

export interface ApplyInput {
  readonly candidate: Candidate;
  /** The name of the CatalogSource. */
  readonly source: string;
  /** The labels of all that it applies. */
  readonly labels: Readonly<Record<string, string>>;
  /** All CatalogSources. */
  readonly sources: readonly KubeObject[];
  readonly mode: 'DryRun' | 'Apply';
  readonly signal: AbortSignal;
}

export interface AppliedDocument {
  readonly faults: readonly SourceFault[];
  /** Of the resource; absent when it could not be applied. */
  readonly uid?: string;
}

/** Whose a resource is, as one CatalogSource sees it. */
type Ownership =
  | { readonly kind: 'Own' }
  /** No source has it: somebody applied it by hand, or its source is gone. */
  | { readonly kind: 'Free' }
  | { readonly kind: 'Foreign'; readonly owner: KubeObject };

/**
 * Applies a document, without taking fields from others, and nothing that another source owns. What the api-server rejects comes back as faults, on the
 * lines of the fields that it names.
 *
 * @throws AppError when the cluster is away or busy: nothing is wrong with the document then.
 */
export async function applyDocument(cluster: SourceCluster, input: ApplyInput): Promise<AppliedDocument> {
  const { candidate, source, mode, signal } = input;
  try {
    const foreign = await claim(cluster, input);
    if (foreign !== undefined) return { faults: [foreign] };
    const { object } = await cluster.apply(candidate.type, labelled(candidate.object, input.labels), {
      fieldManager: fieldManagerOf(source),
      fieldValidation: 'Strict',
      signal,
      ...(mode === 'DryRun' ? { dryRun: 'All' } : {}),
    });
    const { uid, deletionTimestamp } = object.metadata;
    return { faults: deletionTimestamp === undefined ? [] : [beingDeleted(candidate)], ...(uid === undefined ? {} : { uid }) };
  } catch (error) {
    if (isAppError(error, 'ClusterUnavailable', 'TooManyRequests', 'Internal') || !(error instanceof AppError) || isKindAway(error))
      throw error;
    return { faults: faultsOf(input, error) };
  }
}

/** The fault that names the owner of a resource, when another source has it. Of one that is free or our own, the fields of earlier managers become ours. */
async function claim(cluster: SourceCluster, { candidate, source, sources, signal }: ApplyInput): Promise<SourceFault | undefined> {
  const { name, namespace } = candidate.object.metadata;
  const ref = { ...candidate.type, name, ...(namespace === undefined ? {} : { namespace }) };
  const live = await ifFound(cluster.get(ref, { signal }));
  if (live === undefined) return undefined;
  const ownership = ownershipOf(live, source, sources);
  if (ownership.kind === 'Foreign') return ownedBy(candidate, ownerSentence(ownership.owner, candidate.id));
  const managedFields = upgradeManagers(live, source);
  if (managedFields === undefined) return undefined;
  const body = { metadata: { resourceVersion: live.metadata.resourceVersion, managedFields } };
  await cluster.patch(ref, { type: 'merge', body }, { fieldManager: fieldManagerOf(source), signal });
  return undefined;
}

function ownedBy({ document, resource }: Candidate, owner: string): SourceFault {
  const message = `${resource} belongs to ${owner}; remove it from one of the two`;
  return { file: document.file, ...document.locate('metadata.name'), resource, message };
}

/** The CRD of the kind is being deleted, or made anew: nothing is wrong with the document. */
function isKindAway({ message }: AppError): boolean {
  return /custom resource definition is terminating|could not find the requested resource|404 page not found/.test(message);
}

function labelled(object: KubeObject, labels: ApplyInput['labels']): KubeObject {
  return { ...object, metadata: { ...object.metadata, labels: { ...labelsOf(object), ...labels } } };
}

function beingDeleted(candidate: Candidate): SourceFault {
  const message = `${candidate.resource} is still being deleted; the source creates it again afterwards`;
  return { file: candidate.document.file, ...candidate.document.place, resource: candidate.resource, message };
}

function faultsOf({ candidate, source }: ApplyInput, error: AppError): readonly SourceFault[] {
  const { document, resource } = candidate;
  if (error.code === 'Conflict') return [conflictFault(candidate, source, error)];
  if (error.code === 'NotFound') return [noNamespace(candidate)];
  const faults = error.faults.length > 0 ? error.faults : [{ message: error.message }];
  return faults.map((fault) => ({ file: document.file, ...placeOf(candidate, fault), resource, message: sentenceOfFault(fault) }));
}

/** To apply creates what is not there; only the namespace can be missing. */
function noNamespace({ document, resource, object }: Candidate): SourceFault {
  const namespace = JSON.stringify(object.metadata.namespace ?? '');
  const message = `there is no namespace ${namespace} in the cluster; use one that exists, such as ${OURS.systemNamespace}`;
  return { file: document.file, ...document.locate('metadata.namespace'), resource, message };
}

function placeOf({ document }: Candidate, fault: FieldFault): { line: number; column: number } {
  return fault.field === undefined ? document.place : document.locate(fault.field);
}

/** Another manager has set fields of this document to other values: only a person can say who is right. */
function conflictFault(candidate: Candidate, source: string, error: AppError): SourceFault {
  const { document, resource, type } = candidate;
  const fields = error.faults.map((fault) => fault.field?.replace(/^\./, '')).filter((field) => field !== undefined);
  const managers = [
    ...new Set(
      [...`${error.message} ${error.faults.map((fault) => fault.message).join(' ')}`.matchAll(/conflicts? with "([^"]+)"/g)].map(
        (match) => match[1],
      ),
    ),
  ];
  const [other] = managers.flatMap((manager) => sourceOfManager(manager ?? '') ?? []);
  if (other !== undefined) return ownedBy(candidate, `the CatalogSource "${other}"`);
  const who = managers.length === 0 ? 'somebody else' : `"${managers.join('" and "')}"`;
  const what = fields.length === 0 ? 'fields of it' : fields.join(', ');
  const message =
    `${resource} was changed by ${who}, who now owns ${what}; set the same values in the file, ` +
    `or give the fields back with: kubectl apply --server-side --force-conflicts --field-manager=${fieldManagerOf(source)} (${type.kind})`;
  const [first] = fields;
  return { file: document.file, ...(first === undefined ? document.place : document.locate(first)), resource, message };
}

/**
 * By the label of the resource. The label is the lock, too: each source applies it by a field manager of its own and never by force, so of two that
 * make the same resource at the same time only one gets it.
 *
 * @param sources all CatalogSources.
 */
function ownershipOf(live: KubeObject, source: string, sources: readonly KubeObject[]): Ownership {
  const label = live.metadata.labels?.[OURS.sourceLabel];
  if (label === source) return { kind: 'Own' };
  const owner = sources.find(({ metadata }) => metadata.name === label);
  return owner === undefined ? { kind: 'Free' } : { kind: 'Foreign', owner };
}

/** `the CatalogSource "a" (team.yaml)`, with the file where its inventory names one. */
function ownerSentence(owner: KubeObject, id: string): string {
  const file = statusOf(CATALOG_SOURCE_KIND, owner).inventory.find((item) => idOfItem(item) === id)?.file;
  return `the CatalogSource "${owner.metadata.name}"${file === undefined ? '' : ` (${file})`}`;
}
