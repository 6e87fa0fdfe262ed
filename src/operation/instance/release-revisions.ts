import { isAppInstance, parseInstanceSpec, parseInstanceStatus } from '../../domain/app-instance/instance.ts';
import { AppError, isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { at, isObject } from '../../domain/core/read.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { permissionTo, SECRET } from '../../domain/kubernetes/resource-types.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import type { Revision } from '../../domain/operator/kind/status-fields.ts';
import { recordName } from '../../domain/operator/release-notes.ts';
import type { RevisionContent } from '../../domain/operator/release.ts';
import type { ReleaseName } from '../../domain/tree/release-members.ts';
import type { ValueChange } from '../../domain/values/value-change.ts';
import { maskValue } from '../../schema/sensitive/mask.ts';
import type { Ports } from '../ports.ts';
import { readRevision, type ReleaseCluster } from '../release/read-release.ts';
import { findInstance, type FoundInstance, type InstanceAddress } from './find-instance.ts';
import { instanceValues } from './instance-values.ts';
import { contentMarked, markedOf, redactTexts } from './instance-masking.ts';
import { changesOfLive } from './value-changes.ts';

/** A revision of the release of an instance, without its values. */
export type ReleaseRevision = Omit<Revision, 'digest' | 'chartDigest'>;

export interface ReleaseHistory {
  /** Absent where there is no release. */
  readonly release?: ReleaseName;
  /** The newest first. */
  readonly revisions: readonly ReleaseRevision[];
}

/** The values of a revision, and how they differ from those of the revision before. */
export interface ReleaseRevisionValues {
  readonly revision: number;
  readonly chart: string;
  readonly version: string;
  /** All values that the release was made with, those of the chart aside; sensitive ones masked. */
  readonly values: JsonObject;
  /** The revision that it is compared with; absent where there is none any more. */
  readonly before?: number;
  readonly changes: readonly ValueChange[];
  /** Without these permissions nobody is shown values. */
  readonly missing: readonly MissingPermission[];
  /** Prints them. */
  readonly helm: string;
}

/** The revisions of the release of an instance of a chart, as its status has them; none for other instances. @throws AppError as `findInstance`. */
export async function listReleaseRevisions(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  address: InstanceAddress,
): Promise<ReleaseHistory> {
  return historyOf(await findInstance(ports, actor, address));
}

/**
 * The values of one revision. They are in Helm's record, a Secret that is read as the actor, and masked as far as it is known what is sensitive in them.
 *
 * @throws AppError as `findInstance`, `InvalidInput` for an instance without a release, and `NotFound` for a revision that Helm has not kept.
 */
export async function showReleaseRevision(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  { revision, ...address }: InstanceAddress & { readonly revision: number },
): Promise<ReleaseRevisionValues> {
  const found = await findInstance(ports, actor, address);
  const { release, revisions } = historyOf(found);
  if (release === undefined) throw new AppError('InvalidInput', `${JSON.stringify(address.name)}: it has no Helm release`);
  const index = revisions.findIndex((one) => one.revision === revision);
  const listed = revisions[index];
  const gone = new AppError('NotFound', `release of ${JSON.stringify(address.name)}: Helm has kept no revision ${revision}`);
  if (listed === undefined) throw gone;
  const before = revisions[index + 1]?.revision;
  const helm = `helm get values ${release.name} --revision ${revision} --namespace ${release.namespace}`;
  const shown = { revision, chart: listed.chart, version: listed.version, helm };
  const cluster = ports.clusters.asActor(actor);
  try {
    const [content, earlier, secrets] = await Promise.all([
      readRevision(cluster, release, revision),
      readEarlier(cluster, release, before),
      secretsOfValues(ports, actor, found),
    ]);
    if (content === undefined) throw gone;
    const [values, valuesBefore] = [content, earlier].map((one) => shownValues(found, one, secrets));
    const compared = earlier === undefined || before === undefined ? {} : { before };
    const changes = earlier === undefined ? [] : redactTexts(changesOfLive(found.entry, laidOut(valuesBefore), laidOut(values)), secrets);
    return { ...shown, values: values ?? {}, ...compared, changes, missing: [] };
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
    const lacking = error.missing ?? {
      ...permissionTo('get', SECRET),
      namespace: release.namespace,
      name: recordName(release.name, revision),
    };
    return { ...shown, values: {}, changes: [], missing: [lacking] };
  }
}

function historyOf({ object }: Pick<FoundInstance, 'object'>): ReleaseHistory {
  if (!isAppInstance(object)) return { revisions: [] };
  const { release, history } = parseInstanceStatus(object);
  if (release === undefined) return { revisions: [] };
  const revisions = history.map(({ digest: _digest, chartDigest: _chartDigest, ...revision }) => revision);
  return { release: { namespace: release.namespace, name: release.name }, revisions };
}

async function readEarlier(
  cluster: Pick<ReleaseCluster, 'get'>,
  release: ReleaseName,
  revision: number | undefined,
): Promise<RevisionContent | undefined> {
  return revision === undefined ? undefined : await readRevision(cluster, release, revision);
}

/** What Secrets hold that values come from. @throws AppError `Forbidden` where one of them may not be read: then nobody knows what is to be masked. */
async function secretsOfValues(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  { object, ref }: FoundInstance,
): Promise<readonly string[]> {
  const [spec, status] = [parseInstanceSpec(object), parseInstanceStatus(object)];
  const { secrets, missing } = await instanceValues(ports, actor, { namespace: ref.namespace, spec, status });
  const [first] = missing;
  if (first !== undefined) throw new AppError('Forbidden', 'values: a source of them may not be read', { missing: first });
  return secrets;
}

/** Values as people are shown them: stand-ins for what is sensitive by its schema or name, and nothing of a Secret. */
function shownValues({ entry }: FoundInstance, content: RevisionContent | undefined, secrets: readonly string[]): JsonObject {
  const marked = contentMarked(markedOf(entry));
  const masked = maskValue(marked, { value: laidOut(content?.values), root: [] });
  const values = redactTexts(at(masked, 'spec', 'values'), secrets);
  return isObject(values) ? (values as JsonObject) : {};
}

/** Values of a chart as an instance has them. */
function laidOut(values: JsonObject = {}): JsonObject {
  return { spec: { values } };
}
