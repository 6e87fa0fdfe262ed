import { isAppError } from '../../domain/core/errors.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { SECRET } from '../../domain/kubernetes/resource-types.ts';
import { type KeptFile, keptRevisionsIn, keptRevisionsRef, withKeptRevision } from '../../domain/source/kept-revisions.ts';
import type { Work } from './report-source.ts';

export interface AppliedFiles {
  readonly revision: string;
  /** Undefined where the folder has changed since it was read. */
  readonly files: () => Promise<readonly KeptFile[] | undefined>;
}

/**
 * Keeps the files of a folder at a revision that is live, so that they can be restored. The revision is live in any case: what cannot be written is logged.
 *
 * @returns whether the revision need not be kept again.
 */
export async function keepRevision({ ports, source, signal }: Work, { revision, files }: AppliedFiles): Promise<'Kept' | 'NotKept'> {
  const keys = { source: source.metadata.name, revision: revision.slice(0, 19) };
  try {
    const secret = await ifFound(ports.cluster.get(keptRevisionsRef(source.metadata.name), { signal }));
    const known = await keptRevisionsIn(secret, source);
    if (known[0]?.revision === revision) return 'Kept';
    const found = await files();
    if (found === undefined) return 'NotKept';
    const wanted = await withKeptRevision(known, { revision, files: found }, source);
    if (wanted === undefined) {
      ports.log.warn('A revision of a folder is too large to be kept', keys);
      return 'Kept';
    }
    await ports.cluster.apply(SECRET, wanted, { fieldManager: OURS.fieldManager, force: 'force', signal });
    return 'Kept';
  } catch (error) {
    if (!isAppError(error)) throw error;
    ports.log.warn('A revision of a folder was not kept', { ...keys, error: error.message });
    return 'NotKept';
  }
}
