import { type ReleaseScope, releaseScope } from '../../domain/app-instance/release-scope.ts';
import type { InstanceStatus } from '../../domain/app-instance/instance-kind.ts';
import { APP_DEFINITION_KIND } from '../../domain/app-definition/app-definition-kind.ts';
import { objectFaults } from '../../domain/chart/object-faults.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { at, listAt, textAt } from '../../domain/core/read.ts';
import { specOf } from '../../domain/kind/kind.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { recordName } from '../../domain/operator/release-notes.ts';
import { isOfRelease } from '../../domain/tree/release-members.ts';
import type { RevisionRecord } from './ports.ts';
import { writeDigests } from './report.ts';
import type { Target } from './resolve-target.ts';
import type { Work } from './work.ts';

export type RecordDigest = InstanceStatus['recordDigests'][number];

/** Revisions whose digest a status holds. */
const MAX_DIGESTS = 20;

/** A record that Helm would act on, as it is now. */
interface LiveRecord extends RevisionRecord {
  readonly secret: KubeObject;
}

/**
 * Checks all records of the release, as Helm finds them, before Helm acts on one. A revision whose digest is known has to be as it was. One without a digest, made by an earlier
 * version of Chandlery or by another client, may have nothing that a chart may not have, and no object of anybody else; its hooks do not run.
 *
 * @returns the digest of each.
 * @throws AppError `ReleaseRecordChanged`, naming each fault and the last writer.
 */
export async function checkRecords(work: Work): Promise<readonly RecordDigest[]> {
  return (await readCheckedRecords(work)).map(({ checked }) => checked);
}

/** A record that passed the checks, with its digest. */
interface CheckedRecord {
  readonly record: RevisionRecord;
  readonly checked: RecordDigest;
}

/** The records behind `checkRecords`. Throws as that does. */
export async function readCheckedRecords(work: Work): Promise<readonly CheckedRecord[]> {
  const found: CheckedRecord[] = [];
  for (const record of await readRecords(work)) {
    const { revision, digest, secret } = record;
    const known = checkRecord(work, secret, record);
    const faults = known === undefined ? await foreignFaults(work, record) : [];
    if (faults.length > 0) throw changed(secret, `revision ${revision} was not checked by Chandlery: ${faults.join('; ')}`);
    found.push({ record, checked: known ?? { revision, digest, hooks: 'Skipped' } });
  }
  return found;
}

/** Compares the record of one revision with its digest. @returns the digest; undefined where none is known. @throws AppError `ReleaseRecordChanged`. */
export function checkRecord(
  { status }: Pick<Work, 'status'>,
  secret: KubeObject,
  { revision, digest }: RevisionRecord,
): RecordDigest | undefined {
  const known = status.recordDigests.find((one) => one.revision === revision);
  if (known !== undefined && known.digest !== digest) throw changed(secret, `revision ${revision} is not as Chandlery released it`);
  return known;
}

interface NewRecord {
  /** Those from before. */
  readonly checked: readonly RecordDigest[];
  readonly hooks: RecordDigest['hooks'];
}

/**
 * Writes down the digest of the revision that was announced, whether Helm came to its end or not. One that cannot be had now counts as it is on first sight.
 *
 * @param current the work with the status that was announced.
 */
export async function keepDigest({ signal }: Pick<Work, 'signal'>, current: Work, made: NewRecord): Promise<Work> {
  const held = { ...current, signal };
  try {
    return { ...(await writeDigests(held, await withNewDigest(held, made))), signal: current.signal };
  } catch {
    return current;
  }
}

async function withNewDigest(work: Work, { checked, hooks }: NewRecord): Promise<readonly RecordDigest[]> {
  const revision = work.status.managedRevision ?? 0;
  const { deployer, release } = work;
  const ref = { ...SECRET, namespace: release.namespace, name: recordName(release.release, revision) };
  const secret = await ifFound(deployer.cluster.get(ref, { signal: work.signal }));
  if (secret === undefined) return checked;
  const { digest } = await deployer.helm.readRecord(secret);
  const others = checked.filter((one) => one.revision !== revision);
  return [{ revision, digest, hooks }, ...others].sort((a, b) => b.revision - a.revision).slice(0, MAX_DIGESTS);
}

/** Whether the hooks of a revision may run: Chandlery made it, and no one has changed it since. */
export function mayRunHooks(digests: readonly RecordDigest[], revision: number): boolean {
  return digests.find((one) => one.revision === revision)?.hooks === 'Run';
}

/** The newest revision of some records; 0 for none. */
export function newestRevision(digests: readonly RecordDigest[]): number {
  return Math.max(0, ...digests.map(({ revision }) => revision));
}

/** Throws where Helm would take a revision from a Secret that it does not list. */
export function requireRecord({ release }: Pick<Work, 'release'>, digests: readonly RecordDigest[], revision: number): void {
  if (digests.some((one) => one.revision === revision)) return;
  const name = recordName(release.release, revision);
  throw new AppError('ReleaseRecordChanged', `Secret "${name}": the record of revision ${revision} is gone, or lost its labels`);
}

/** Deletes all records of the release; its objects stay. */
export async function deleteRecords(work: Work): Promise<void> {
  const { deployer, signal } = work;
  for (const { metadata } of await listRecords(work)) {
    const ref = { ...SECRET, namespace: metadata.namespace ?? work.release.namespace, name: metadata.name };
    await ifFound(deployer.cluster.delete(ref, { signal }));
  }
}

/** The contents of a release of another client, and why it may not be adopted, a sentence each. */
export async function describeForeign(work: Work): Promise<{ readonly contents: string; readonly faults: readonly string[] }> {
  const records = await readRecords(work);
  const newest = records.toSorted((a, b) => b.revision - a.revision)[0];
  const faults = await Promise.all(records.map(async (record) => await foreignFaults(work, record)));
  const objects = newest?.objects.map(nameOf) ?? [];
  const hooks = newest?.hooks.map((hook) => `${nameOf(hook)} (${hook.metadata.annotations?.['helm.sh/hook'] ?? 'hook'})`) ?? [];
  const contents = [`objects: ${objects.join(', ') || 'none'}`, `hooks, which will not run: ${hooks.join(', ') || 'none'}`].join('; ');
  return { contents, faults: [...new Set(faults.flat())] };
}

/** All records of the release, as Helm finds them. @throws AppError `ReleaseRecordChanged` for one that cannot be read, or is of another release. */
async function readRecords(work: Work): Promise<readonly LiveRecord[]> {
  const { deployer, release } = work;
  const records: LiveRecord[] = [];
  for (const secret of await listRecords(work)) {
    const record = await deployer.helm.readRecord(secret).catch((error: unknown) => {
      throw isAppError(error, 'HelmFailed') ? changed(secret, error.message) : error;
    });
    const isInPlace = record.release === release.release && record.namespace === release.namespace;
    if (!isInPlace || secret.metadata.name !== recordName(release.release, record.revision))
      throw changed(secret, 'it names another release or revision than its Secret');
    records.push({ ...record, secret });
  }
  return records;
}

/** As Helm lists them. */
async function listRecords({ deployer, release, signal }: Work): Promise<readonly KubeObject[]> {
  const labelSelector = `owner=helm,name=${release.release}`;
  return (await deployer.cluster.list(SECRET, { namespace: release.namespace, labelSelector, signal })).items;
}

/** Why Helm may not act on a record that Chandlery has not released. */
async function foreignFaults(work: Work, { objects, hooks }: RevisionRecord): Promise<readonly string[]> {
  const definition = work.ports.definitions.get(work.kind.definition);
  const allowed = definition === undefined ? [] : specOf(APP_DEFINITION_KIND, definition).allowedResources;
  const forbidden = objectFaults([...objects, ...hooks], await scopeOf(work, { allowed }));
  const owned = await Promise.all(objects.map(async (object) => await ownershipFault(work, object)));
  return [...forbidden.map(({ message }) => message), ...owned.filter((fault) => fault !== undefined)];
}

/** What the release may consist of. */
export async function scopeOf(
  { ports, release: { namespace }, signal }: Work,
  { allowed }: Pick<Target, 'allowed'>,
): Promise<ReleaseScope> {
  return releaseScope(namespace, allowed, await ports.discovery.kinds(signal));
}

/** Helm would delete it; no member of an Environment can put these annotations on what they could not delete themselves. */
async function ownershipFault({ ports, deployer, release, signal }: Work, object: KubeObject): Promise<string | undefined> {
  const type = await ports.discovery.find(object.apiVersion, object.kind, signal);
  if (type === undefined) return undefined;
  const { name, namespace = release.namespace } = object.metadata;
  const ref = { ...type, name, ...(type.namespaced ? { namespace } : {}) };
  try {
    const live = await ifFound(deployer.cluster.get(ref, { signal, answer: 'metadata' }));
    const isOwn = live === undefined || isOfRelease(live, { name: release.release, namespace: release.namespace });
    return isOwn ? undefined : `${nameOf(object)} exists, and its annotations do not name this release`;
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
    return `${nameOf(object)}: the deployer may not read it`;
  }
}

function nameOf({ kind, metadata }: KubeObject): string {
  return `${kind} ${metadata.name}`;
}

function changed({ metadata }: KubeObject, why: string): AppError {
  return new AppError('ReleaseRecordChanged', `Secret "${metadata.name}": ${why}; ${lastWriter(metadata)}`);
}

/**
 * Who wrote a record last, as far as the api-server says: the client, not the user, whom its audit log names. That is who owns the field of the release: times are
 * whole seconds, and Helm and another client may write in the same one.
 */
function lastWriter(metadata: KubeObject['metadata']): string {
  const writes = listAt(metadata, 'managedFields').map((entry) => ({
    manager: textAt(entry, 'manager') ?? '',
    time: textAt(entry, 'time') ?? '',
    isOwner: at(entry, 'fieldsV1', 'f:data', 'f:release') !== undefined,
  }));
  const last = writes.toSorted((a, b) => Number(b.isOwner) - Number(a.isOwner) || b.time.localeCompare(a.time))[0];
  if (last === undefined) return 'the api-server does not say who wrote it last';
  return `the client "${last.manager}" wrote it last, at ${last.time}; the audit log of the api-server names the user`;
}
