import { isDeepStrictEqual } from 'node:util';
import type { ReconcileResult } from '../../controller/controller.ts';
import { REINSTALL_AT } from '../../domain/app-instance/instance.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { isFalse, notReady, reconciling } from '../conditions.ts';
import type { ForeignRelease, OwnRelease, ReleaseFact } from '../helm-release/observe-release.ts';
import { withLeaseOf } from '../helm-release/release-lease.ts';
import { auditObjects, reinstallChange } from './audit-release.ts';
import { AT_ONCE, BUSY_MS, hooksOfChart } from './release-actions.ts';
import { deleteRecords, describeForeign, readCheckedRecords, type RecordDigest } from './release-records.ts';
import { reportFailure, writeStatus } from './report.ts';
import type { Target } from './resolve-target.ts';
import { ADOPT, annotateCommand, leasedBy, type Work } from './work.ts';

/** Reports a changed release record, and acts on none of the release; on request, deletes them, so that the spec is released anew. */
export async function reportChangedRecord(work: Work, release: ReleaseFact, error: AppError): Promise<ReconcileResult> {
  if (work.reinstallAt !== '') return await reinstall(work);
  const advice = `To delete the records and release the spec anew: ${annotateCommand(work, `${REINSTALL_AT}="$(date)"`)}`;
  const condition = isFalse('Released', error.code, `${error.message}. Chandlery acts on none of its records. ${advice}`);
  return { requeueAfter: await reportFailure(work, { error, condition, release }) };
}

/** Objects and data stay: the installation that follows takes them over, because Helm's annotations name this release. */
async function reinstall(work: Work): Promise<ReconcileResult> {
  const { release, namespace } = work.release;
  const outcome = await withLeaseOf(leasedBy(work), async (signal) => {
    const removed = (await deleteRecords({ ...work, signal })).map((name) => `Secret ${name}`);
    await auditObjects(work, { action: 'reinstall release', removed, change: reinstallChange(work) });
    const condition = isFalse(
      'Released',
      'Reinstalling',
      `The records of release ${namespace}/${release} are deleted; it is released anew`,
    );
    await writeStatus(work, {
      ready: notReady(condition),
      phase: reconciling(condition),
      conditions: [condition],
      release: { kind: 'Absent' },
      recordDigests: [],
      rollback: 'Forgotten',
      failures: 0,
    });
    work.ports.log.warn('Changed records of a release were deleted on request', { kind: work.kind.kind, release, namespace });
  });
  return outcome === 'Done' ? AT_ONCE : { requeueAfter: BUSY_MS };
}

/** Says who has a release of that name, and what adopting it would take over. It is not touched. */
export async function reportForeign(work: Work, { owner }: ForeignRelease, release: ReleaseFact): Promise<number> {
  const { release: name, namespace } = work.release;
  const why = owner === '' ? await whyForeign(work) : `it belongs to ${owner}; choose another name`;
  const error = new AppError('ReleaseConflict', `release "${namespace}/${name}": ${why}`);
  return await reportFailure(work, { error, condition: isFalse('Released', error.code, error.message), release });
}

async function whyForeign(work: Work): Promise<string> {
  const { release, namespace } = work.release;
  const { contents, faults } = await describeForeign(work);
  const uninstall = `helm uninstall ${release} --namespace ${namespace}`;
  const installed = `it was installed without Chandlery (${contents})`;
  if (faults.length > 0) return `${installed} and cannot be adopted: ${faults.join('; ')}; uninstall it: ${uninstall}`;
  return `${installed}; set the annotation ${ADOPT}=true to adopt it, or uninstall it: ${uninstall}`;
}

/**
 * The digests of a release that an earlier version of Chandlery made: what is there on first sight counts from then on. The hooks of its newest revision run only if they are those
 * that the chart renders today.
 *
 * @returns undefined where the digest of the newest revision is known.
 * @throws AppError `ReleaseRecordChanged` as `readCheckedRecords`.
 */
export async function firstDigests(
  work: Work,
  target: Target,
  { revision, configDigest }: OwnRelease,
): Promise<readonly RecordDigest[] | undefined> {
  if (work.status.recordDigests.some((one) => one.revision === revision)) return undefined;
  const records = await readCheckedRecords(work);
  const digests = records.map(({ checked }) => checked);
  const newest = records.find(({ checked }) => checked.revision === revision)?.record;
  if (newest === undefined || configDigest !== target.configDigest) return digests;
  const isOfChart = newest.hooks.length === 0 || isSame(newest.hooks, await hooksOfChart(work, target));
  return digests.map((one) => (one.revision === revision && isOfChart ? { ...one, hooks: 'Run' } : one));
}

function isSame(some: readonly KubeObject[], others: readonly KubeObject[]): boolean {
  const sorted = (objects: readonly KubeObject[]): readonly KubeObject[] =>
    objects.toSorted((a, b) => `${a.kind} ${a.metadata.name}`.localeCompare(`${b.kind} ${b.metadata.name}`));
  return isDeepStrictEqual(sorted(some), sorted(others));
}
