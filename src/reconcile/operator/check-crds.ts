import { isUnsafe, judgeUpgrade, unsafeSentence, versionToCheck } from '../../domain/crd-safety/judge-upgrade.ts';
import type { CrdVerdict } from '../../domain/crd-safety/finding.ts';
import { AppError, isAppError } from '../../domain/errors.ts';
import { OURS } from '../../domain/names.ts';
import { textAt } from '../../domain/read.ts';
import type { KubeObject } from '../../domain/resource.ts';
import { CRD } from './kinds.ts';
import type { Work } from './work.ts';

interface Definitions {
  /** In the order of the candidates; undefined where there is none yet. */
  readonly live: readonly (KubeObject | undefined)[];
  readonly candidates: readonly KubeObject[];
}

const ADVICE =
  'Nothing was changed, and the running release stays. Use a chart that keeps what is stored, change or delete these instances, or set spec.upgrade.crdSafety to None';

/**
 * Compares definitions that are to be applied with those that are live, and every stored instance with the new schema; then asks the api-server
 * whether it would take them. Writes nothing.
 *
 * @throws AppError `UnsafeUpgrade` that names what would be lost, unless the Operator says that this does not matter; `InvalidInput` or
 *   `AdmissionDenied` when the api-server would refuse a definition.
 */
export async function checkCrds(work: Work, { live, candidates }: Definitions): Promise<void> {
  if (work.spec.upgrade.crdSafety === 'Strict') {
    const verdicts: CrdVerdict[] = [];
    for (const [index, candidate] of candidates.entries()) {
      const before = live[index];
      if (before !== undefined) verdicts.push(await judge(work, before, candidate));
    }
    if (verdicts.some(isUnsafe)) throw new AppError('UnsafeUpgrade', `kinds: ${unsafeSentence(verdicts)}. ${ADVICE}`);
  }
  for (const candidate of candidates) {
    const options = {
      fieldManager: OURS.fieldManager,
      force: 'force',
      fieldValidation: 'Ignore',
      dryRun: 'All',
      signal: work.signal,
    } as const;
    await work.ports.cluster.apply(CRD, candidate, options);
  }
}

async function judge(work: Work, live: KubeObject, candidate: KubeObject): Promise<CrdVerdict> {
  const version = versionToCheck(live, candidate);
  const instances = version === undefined ? [] : await storedInstances(work, live, version);
  return judgeUpgrade({ live, candidate, instances });
}

async function storedInstances({ ports, signal }: Work, { spec }: KubeObject, version: string): Promise<readonly KubeObject[]> {
  const type = { group: textAt(spec, 'group') ?? '', version, resource: textAt(spec, 'names', 'plural') ?? '' };
  try {
    return (await ports.cluster.list(type, { signal })).items;
  } catch (error) {
    // The definition is not served yet, so nothing is stored.
    if (isAppError(error, 'NotFound')) return [];
    throw error;
  }
}
