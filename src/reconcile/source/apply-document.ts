import { ifFound, type Written } from '../../domain/kubernetes/cluster.ts';
import { AppError, isAppError, sentenceOfFault, type FieldFault } from '../../domain/core/errors.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { apiVersionOf, type KubeObject } from '../../domain/kubernetes/resource.ts';
import { CATALOG_SOURCE_KIND, type SourceFault } from '../../domain/source/catalog-source.ts';
import type { DocumentNeed } from '../../domain/source/apply-order.ts';
import { type Candidate, idOfItem, labelled, refOf } from '../../domain/source/check-documents.ts';
import { changedBy, fieldManagerOf, sourceOfManager, upgradeManagers } from './ownership.ts';
import type { SourceCluster } from './ports.ts';
import { returnDeleted } from './return-deleted.ts';

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
  /** When this source last changed the resource, in milliseconds since 1970, to the second. */
  readonly changedAt?: number;
  /** It cannot be tried before what it needs is there: its namespace, or the CRD of its kind. */
  readonly needs?: DocumentNeed;
  /** It is being deleted, and there again in a moment. */
  readonly state?: 'Returning';
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
  const { candidate } = input;
  try {
    const answer = await applyOwned(cluster, input);
    if (answer.kind === 'Foreign') return { faults: [answer.fault] };
    const { uid, deletionTimestamp } = answer.object.metadata;
    const made = { ...(uid === undefined ? {} : { uid }), changedAt: changedBy(answer.object, input.source) };
    if (deletionTimestamp === undefined) return { faults: [], ...made };
    const { fault, ...state } = await returnDeleted(cluster, input, answer.object);
    return { faults: [fault], ...made, ...state };
  } catch (error) {
    if (!(error instanceof AppError)) throw error;
    const needs = missingPart(error);
    if (needs !== undefined) return { faults: [needs === 'Namespace' ? noNamespace(candidate) : noKind(candidate)], needs };
    if (isAppError(error, 'ClusterUnavailable', 'TooManyRequests', 'Internal') || isKindAway(error)) throw error;
    return { faults: faultsOf(input, error) };
  }
}

/** What became of an object, or the fault that names its owner. */
type OwnedAnswer = { readonly kind: 'Applied'; readonly object: KubeObject } | { readonly kind: 'Foreign'; readonly fault: SourceFault };

async function applyOwned(cluster: SourceCluster, input: ApplyInput): Promise<OwnedAnswer> {
  try {
    const { object } = await send(cluster, input);
    if (input.mode === 'DryRun' || !(await takeOver(cluster, input, object))) return { kind: 'Applied', object };
  } catch (error) {
    // The label of another source is such a conflict, too, so that nothing has to be read before.
    if (!isAppError(error, 'Conflict')) throw error;
    const claimed = await claim(cluster, input);
    if (claimed === 'Unchanged') throw error;
    if (claimed !== 'TakenOver') return { kind: 'Foreign', fault: claimed };
  }
  return { kind: 'Applied', object: (await send(cluster, input)).object };
}

async function send(cluster: SourceCluster, { candidate, source, labels, mode, signal }: ApplyInput): Promise<Written> {
  return await cluster.apply(candidate.type, labelled(candidate, labels), {
    fieldManager: fieldManagerOf(source),
    fieldValidation: 'Strict',
    signal,
    ...(mode === 'DryRun' ? { dryRun: 'All' } : {}),
  });
}

/** The fault that names the owner of a resource, when another source has it. Of one that is free or our own, the fields of earlier managers become ours. */
async function claim(cluster: SourceCluster, input: ApplyInput): Promise<SourceFault | 'TakenOver' | 'Unchanged'> {
  const { candidate, source, sources, signal } = input;
  const live = await ifFound(cluster.get(refOf(candidate), { signal }));
  if (live === undefined) return 'Unchanged';
  const ownership = ownershipOf(live, source, sources);
  if (ownership.kind === 'Foreign') return ownedBy(candidate, ownerSentence(ownership.owner, candidate.id));
  return (await takeOver(cluster, input, live)) ? 'TakenOver' : 'Unchanged';
}

/** Makes the fields that other sources have applied this source's. @returns whether there were any. */
async function takeOver(cluster: SourceCluster, { candidate, source, signal }: ApplyInput, live: KubeObject): Promise<boolean> {
  const managedFields = upgradeManagers(live, source);
  if (managedFields === undefined) return false;
  const body = { metadata: { resourceVersion: live.metadata.resourceVersion, managedFields } };
  await cluster.patch(refOf(candidate), { type: 'merge', body }, { fieldManager: fieldManagerOf(source), signal });
  return true;
}

/** To apply creates what is not there; only the namespace can be missing, or the kind. */
function missingPart(error: AppError): DocumentNeed | undefined {
  if (isKindAway(error) && !/terminating/.test(error.message)) return 'Kind';
  return error.code === 'NotFound' ? 'Namespace' : undefined;
}

function ownedBy({ document, resource }: Candidate, owner: string): SourceFault {
  const message = `${resource} belongs to ${owner}; remove it from one of the two`;
  return { file: document.file, ...document.locate('metadata.name'), resource, message };
}

/** The CRD of the kind is being deleted, or made anew: nothing is wrong with the document. */
function isKindAway({ message }: AppError): boolean {
  return /custom resource definition is terminating|could not find the requested resource|404 page not found/.test(message);
}

function faultsOf({ candidate, source }: ApplyInput, error: AppError): readonly SourceFault[] {
  const { document, resource } = candidate;
  if (error.code === 'Conflict') return [conflictFault(candidate, source, error)];
  const faults = error.faults.length > 0 ? error.faults : [{ message: error.message }];
  return faults.map((fault) => ({ file: document.file, ...placeOf(candidate, fault), resource, message: sentenceOfFault(fault) }));
}

function noNamespace({ document, resource, object }: Candidate): SourceFault {
  const namespace = JSON.stringify(object.metadata.namespace ?? '');
  const message = `there is no namespace ${namespace} in the cluster; use one that exists, such as ${OURS.systemNamespace}`;
  return { file: document.file, ...document.locate('metadata.namespace'), resource, message };
}

function noKind({ document, resource, type }: Candidate): SourceFault {
  const message = `the cluster does not serve ${type.kind} (${apiVersionOf(type)}) now; install its CRD first`;
  return { file: document.file, ...document.locate('kind'), resource, message };
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
