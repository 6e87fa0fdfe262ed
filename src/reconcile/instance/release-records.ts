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
 * @returns the digest of each, and what Helm would begin with.
 * @throws AppError `ReleaseRecordChanged`, naming each fault and the last writer.
 */
export async function checkRecords(work: Work): Promise<CheckedRecords> {
  const found = await readCheckedRecords(work);
  const newestFirst = found.map(({ record }) => record).toSorted((a, b) => b.revision - a.revision);
  const newest = newestFirst[0];
  const deployed = newestFirst.find(({ secret }) => secret.metadata.labels?.['status'] === 'deployed') ?? newest;
  return {
    digests: found.map(({ checked }) => checked),
    ...(newest === undefined ? {} : { newest }),
    ...(deployed === undefined ? {} : { deployed }),
  };
}

/** The records of a release that passed the checks. */
export interface CheckedRecords {
  readonly digests: readonly RecordDigest[];
  /** The newest one; absent: there is none. */
  readonly newest?: RevisionRecord;
  /** The one that Helm compares an upgrade with: the newest that is deployed, else the newest. */
  readonly deployed?: RevisionRecord;
}

/** A record that passed the checks, with its digest. */
interface CheckedRecord {
  readonly record: LiveRecord;
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
export async function keepDigest({ signal }: Pick<Work, 'signal'>, current: Work, made: NewRecord): Promise<KeptDigest> {
  const held = { ...current, signal };
  let after: RevisionRecord | undefined;
  try {
    after = await readNewRecord(held);
    const kept = await writeDigests(held, withNewDigest(made, after));
    return { work: { ...kept, signal: current.signal }, after };
  } catch {
    return { work: current, after };
  }
}

interface KeptDigest {
  /** With the status that has the digest. */
  readonly work: Work;
  /** Undefined where Helm has made no revision. */
  readonly after: RevisionRecord | undefined;
}

async function readNewRecord({ deployer, release, status, signal }: Work): Promise<RevisionRecord | undefined> {
  const name = recordName(release.release, status.managedRevision ?? 0);
  const secret = await ifFound(deployer.cluster.get({ ...SECRET, namespace: release.namespace, name }, { signal }));
  return secret === undefined ? undefined : await deployer.helm.readRecord(secret);
}

function withNewDigest({ checked, hooks }: NewRecord, after: RevisionRecord | undefined): readonly RecordDigest[] {
  if (after === undefined) return checked;
  const { revision, digest } = after;
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

/** Deletes all records of the release; its objects stay. @returns the names of their Secrets. */
export async function deleteRecords(work: Work): Promise<readonly string[]> {
  const { deployer, signal } = work;
  const names: string[] = [];
  for (const { metadata } of await listRecords(work)) {
    const ref = { ...SECRET, namespace: metadata.namespace ?? work.release.namespace, name: metadata.name };
    await ifFound(deployer.cluster.delete(ref, { signal }));
    names.push(metadata.name);
  }
  return names;
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
