import { at, listAt, textAt } from '../../domain/core/read.ts';
import { conditionsOf, findCondition } from '../../domain/kubernetes/condition.ts';
import { isKeepable, keepCommand } from '../../domain/kubernetes/kept-object.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { SourceFault } from '../../domain/source/catalog-source.ts';
import { type Candidate, refOf } from '../../domain/source/check-documents.ts';
import { fieldManagerOf, sourceOfManager } from './ownership.ts';
import type { SourceCluster } from './ports.ts';

interface Deleted {
  readonly candidate: Candidate;
  /** The name of the CatalogSource. */
  readonly source: string;
  readonly mode: 'DryRun' | 'Apply';
  readonly signal: AbortSignal;
}

/** What is to be said of a document whose resource is being deleted. */
interface Returning {
  readonly fault: SourceFault;
  /** It is kept, and there again in a moment. */
  readonly state?: 'Returning';
}

/** Keeps a resource that is being deleted although its document is there, unless its deletion was meant to take what depends on it. */
export async function returnDeleted(
  cluster: Pick<SourceCluster, 'patch'>,
  { candidate, source, mode, signal }: Deleted,
  live: KubeObject,
): Promise<Returning> {
  const { type, resource, document } = candidate;
  const fault = (message: string): SourceFault => ({ file: document.file, ...document.place, resource, message: `${resource} ${message}` });
  if (!isKeepable(type)) return { fault: fault('is still being deleted; the source creates it again afterwards') };
  if (isCascade(live, candidate.object)) {
    const keep = keepCommand(type, live);
    return {
      fault: fault(
        `is being deleted with what depends on it, as its deletion states; the source creates it again afterwards. To keep what is left: ${keep}`,
      ),
    };
  }
  if (mode === 'Apply' && live.metadata.annotations?.[OURS.keep] !== 'true') {
    const body = { metadata: { uid: live.metadata.uid, annotations: { [OURS.keep]: 'true' } } };
    await cluster.patch(refOf(candidate), { type: 'merge', body }, { fieldManager: fieldManagerOf(source), answer: 'metadata', signal });
  }
  const ready = findCondition(conditionsOf(live), 'Ready');
  const waits = ready?.reason.startsWith('Keep') === true ? `: ${ready.message}` : '';
  return { fault: fault(`is being deleted although its document is there; the source keeps it${waits}`), state: 'Returning' };
}

/**
 * Whether a person has stated for this deletion that what depends on the object goes, too. What the document says of all deletions is not about this one, and
 * what a source has stated was about a revision that it no longer has.
 */
function isCascade(live: KubeObject, document: KubeObject): boolean {
  const policy = (object: KubeObject): string | undefined => textAt(object.spec, 'deletionPolicy');
  if (policy(live) === 'Cascade' && policy(document) !== 'Cascade') return true;
  if (live.metadata.annotations?.[OURS.deletionIntent] !== 'Cascade') return false;
  const managers = listAt(live.metadata, 'managedFields').filter(
    (entry) => at(entry, 'fieldsV1', 'f:metadata', 'f:annotations', `f:${OURS.deletionIntent}`) !== undefined,
  );
  return !managers.some((entry) => sourceOfManager(textAt(entry, 'manager') ?? '') !== undefined);
}
