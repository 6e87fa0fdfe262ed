import { isAppError } from '../../domain/core/errors.ts';
import { specOf } from '../../domain/kind/kind.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { CATALOG_SOURCE } from '../../domain/kubernetes/resource-types.ts';
import { CATALOG_SOURCE_KIND, originOfSpec, type SourceStatus } from '../../domain/source/catalog-source.ts';
import type { Work } from './report-source.ts';
import type { Synchronised } from './synchronise.ts';

interface Attempt {
  readonly before: SourceStatus;
  readonly done: Synchronised;
  /** The revision that was read. */
  readonly revision: string;
}

/**
 * Takes approvals off a source once they have done their work, or the source has gone on to another revision. A folder that comes back to the same content, and a branch
 * that comes back to the same commit, would find them still there.
 */
export async function removeUsedApprovals({ ports, source, signal }: Work, { before, done, revision }: Attempt): Promise<void> {
  const { [OURS.approvedPrune]: approved, [OURS.confirmedOrigin]: confirmed } = source.metadata.annotations ?? {};
  const isDone = approved === revision && done.pending.length === 0 && done.faults.length === 0 && done.unhealthy.length === 0;
  const isOutdated = approved !== revision && approved === before.revision;
  const used = [
    ...(approved !== undefined && (isDone || isOutdated) ? [[OURS.approvedPrune, approved] as const] : []),
    ...(confirmed !== undefined && confirmed === originOfSpec(specOf(CATALOG_SOURCE_KIND, source))
      ? [[OURS.confirmedOrigin, confirmed] as const]
      : []),
  ];
  for (const [annotation, value] of used) {
    const path = `/metadata/annotations/${annotation.replaceAll('/', '~1')}`;
    const body = [
      { op: 'test', path, value },
      { op: 'remove', path },
    ];
    try {
      await ports.cluster.patch(
        { ...CATALOG_SOURCE, name: source.metadata.name },
        { type: 'json', body },
        { fieldManager: OURS.fieldManager, signal },
      );
    } catch (error) {
      // Another client has set another one, or removed it.
      if (!isAppError(error, 'NotFound', 'Conflict', 'InvalidInput')) throw error;
    }
  }
}
