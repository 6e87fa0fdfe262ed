import { AppError, isAppError, sentenceOfFault, type FieldFault } from '../../domain/errors.ts';
import { OURS } from '../../domain/names.ts';
import type { KubeObject } from '../../domain/resource.ts';
import { labelsOf, type Candidate } from './check-documents.ts';
import type { SourceFault } from './fault.ts';
import { SOURCE_FIELD_MANAGER, type SourcePorts } from './ports.ts';

export interface ApplyInput {
  readonly candidate: Candidate;
  /** The name of the CatalogSource. */
  readonly source: string;
  readonly mode: 'DryRun' | 'Apply';
  readonly signal: AbortSignal;
}

/**
 * Applies a document, without taking fields from others. What the api-server refuses comes back as faults, on the lines of the fields that it names.
 *
 * @throws AppError when the cluster is away or busy: nothing is wrong with the document then.
 */
export async function applyDocument(cluster: SourcePorts['cluster'], input: ApplyInput): Promise<readonly SourceFault[]> {
  const { candidate, source, mode, signal } = input;
  try {
    const { object } = await cluster.apply(candidate.allowed.type, labelled(candidate.object, source), {
      fieldManager: SOURCE_FIELD_MANAGER,
      fieldValidation: 'Strict',
      signal,
      ...(mode === 'DryRun' ? { dryRun: 'All' } : {}),
    });
    return object.metadata.deletionTimestamp === undefined ? [] : [beingDeleted(candidate)];
  } catch (error) {
    if (isAppError(error, 'ClusterUnavailable', 'TooManyRequests', 'Internal') || !(error instanceof AppError) || isKindAway(error))
      throw error;
    return faultsOf(candidate, error);
  }
}

/** The CRD of the kind is being deleted, or made anew: nothing is wrong with the document. */
function isKindAway({ message }: AppError): boolean {
  return /custom resource definition is terminating|could not find the requested resource|404 page not found/.test(message);
}

function labelled(object: KubeObject, source: string): KubeObject {
  return { ...object, metadata: { ...object.metadata, labels: { ...labelsOf(object), [OURS.sourceLabel]: source } } };
}

function beingDeleted(candidate: Candidate): SourceFault {
  const message = `${candidate.resource} is still being deleted; it comes back when that has finished`;
  return { file: candidate.document.file, ...candidate.document.place, resource: candidate.resource, message };
}

function faultsOf(candidate: Candidate, error: AppError): readonly SourceFault[] {
  const { document, resource } = candidate;
  if (error.code === 'Conflict') return [conflictFault(candidate, error)];
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
function conflictFault(candidate: Candidate, error: AppError): SourceFault {
  const { document, resource, allowed } = candidate;
  const fields = error.faults.map((fault) => fault.field?.replace(/^\./, '')).filter((field) => field !== undefined);
  const managers = [
    ...new Set(
      [...`${error.message} ${error.faults.map((fault) => fault.message).join(' ')}`.matchAll(/conflicts? with "([^"]+)"/g)].map(
        (match) => match[1],
      ),
    ),
  ];
  const who = managers.length === 0 ? 'somebody else' : `"${managers.join('" and "')}"`;
  const what = fields.length === 0 ? 'fields of it' : fields.join(', ');
  const message =
    `${resource} was changed by ${who}, who now owns ${what}; take the same values into the file, ` +
    `or give the fields back with: kubectl apply --server-side --force-conflicts --field-manager=${SOURCE_FIELD_MANAGER} (${allowed.kind})`;
  const [first] = fields;
  return { file: document.file, ...(first === undefined ? document.place : document.locate(first)), resource, message };
}
