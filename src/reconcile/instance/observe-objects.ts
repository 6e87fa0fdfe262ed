import { createHash } from 'node:crypto';
import { type AppError, isAppError } from '../../domain/core/errors.ts';
import { type Awaitable, awaitedHealth, type Health, worstHealth } from '../../domain/health/health.ts';
import { isRemovedWhenFinished } from '../../domain/health/removed-when-finished.ts';
import { healthOf } from '../../domain/health/rules/health-of.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { SECRET } from '../../domain/kubernetes/resource-types.ts';
import { recordName } from '../../domain/operator/release-notes.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { instanceScale, type WorkloadScale, workloadScale } from '../../domain/app-instance/scale.ts';
import { compareRelease, type Comparison } from '../helm-release/compare-release.ts';
import type { OwnRelease } from '../helm-release/observe-release.ts';
import { checkRecord } from './release-records.ts';
import type { Work } from './work.ts';

/** What was seen of the objects of each release, by the uid of its instance, so that one in sync costs little. */
export type ObjectMemory = Map<string, Observation>;

interface Observation {
  readonly revision: number;
  /** Resource version of the record; empty when unknown. */
  readonly recordVersion: string;
  readonly manifest: readonly KubeObject[];
  readonly notes: string;
  /** How each object was when it was read last, in the order of the manifest; empty when they have not been looked at. */
  readonly objects: readonly ObservedObject[];
  /** A digest over the versions of the objects when they were known to be as they are; empty when they have not been looked at. */
  readonly fingerprint: string;
  readonly requestedAt: string;
  /** When they are compared although their versions tell of no change; milliseconds since the epoch. */
  readonly comparisonDue: number;
  readonly drift: Comparison;
}

/** What is remembered of an object. */
interface ObservedObject {
  /** `Deployment web` */
  readonly name: string;
  /** Absent where there is no such object. */
  readonly resourceVersion?: string;
  /** There is no such object although there should be. */
  readonly isMissing?: true;
  /** Another one whenever the spec of the object is; kinds with a generation change that with their spec alone. */
  readonly version: readonly (string | number | undefined)[];
  /** Absent for a kind without health. */
  readonly health?: Health;
  /** Absent for what has no replicas. */
  readonly scale?: WorkloadScale;
  /** The object itself, if it was read just now. */
  readonly live?: KubeObject;
}

/** What is known of the objects of a release. */
export interface ObservedObjects {
  readonly health: Health;
  readonly scale: WorkloadScale;
  readonly drift: Comparison;
  readonly notes: string;
  /** Milliseconds until they are to be compared again. */
  readonly nextComparison: number;
}

/** How often objects are compared again although their versions tell of no change: defaults of the cluster can change, too. */
const INTERVAL_MS = 10 * 60_000;
/** How long what helm has just applied for us counts as it was applied: so many objects are not sent twice while many instances are released. */
const APPLIED_MS = 60_000;
const NOT_COMPARED: Comparison = { drifted: [], uncompared: [] };

/**
 * The health of the objects of the newest revision, and where they differ from the release. Those whose version was another one when they were read last are read
 * as the deployer.
 */
export async function observeObjects(memory: ObjectMemory, work: Work, release: OwnRelease): Promise<ObservedObjects> {
  const observation = await observationOf(memory, work, release);
  const objects = await Promise.all(
    observation.manifest.map(async (object, index) => await observeObject(work, object, observation.objects[index])),
  );
  const compared = await compare(work, { observation: { ...observation, objects }, release });
  const { drift, notes, comparisonDue } = compared;
  memory.set(memoryKey(work), { ...compared, objects: objects.map(({ live: _live, ...remembered }) => remembered) });
  const nextComparison = Math.max(0, comparisonDue - work.ports.now().getTime());
  const scale = instanceScale(objects.map((object) => object.scale));
  return { health: healthOfAll(objects, work.spec.health.waitFor), scale, drift, notes, nextComparison };
}

async function observeObject(work: Work, object: KubeObject, known: ObservedObject | undefined): Promise<ObservedObject> {
  const watched = known && work.ports.watched.versionOf(object, work.release.namespace);
  if (watched !== undefined && watched === known?.resourceVersion) return known;
  const name = `${object.kind} ${object.metadata.name}`;
  const live = await readLive(work, object);
  if (live === undefined) return isRemovedWhenFinished(object) ? finished(name, known) : { name, version: [], isMissing: true };
  await work.ports.health?.evaluate([live]);
  const { uid, generation, resourceVersion } = live.metadata;
  const [health, scale] = [healthOf(live), workloadScale(live)];
  return {
    name,
    live,
    version: [uid, generation ?? resourceVersion],
    ...(resourceVersion === undefined ? {} : { resourceVersion }),
    ...(health === undefined ? {} : { health }),
    ...(scale === undefined ? {} : { scale }),
  };
}

/** What is removed when it is done failed if it was seen to have. */
function finished(name: string, known: ObservedObject | undefined): ObservedObject {
  return { name, version: [], ...(known?.health?.status === 'Degraded' ? { health: known.health } : {}) };
}

/** Reads the objects of the newest revision as the deployer; undefined for each that does not exist. */
export async function readObjects(memory: ObjectMemory, work: Work, release: OwnRelease): Promise<readonly (KubeObject | undefined)[]> {
  const { manifest } = await observationOf(memory, work, release);
  return await Promise.all(manifest.map(async (object) => await readLive(work, object)));
}

/** Why the record of the newest revision is not the one that Chandlery released; undefined where it is, or none is known. */
export async function observeRecord(memory: ObjectMemory, work: Work, release: OwnRelease): Promise<AppError | undefined> {
  if (release.status !== 'deployed') return undefined;
  try {
    await observationOf(memory, work, release);
    return undefined;
  } catch (error) {
    if (isAppError(error, 'ReleaseRecordChanged')) return error;
    throw error;
  }
}

async function observationOf(memory: ObjectMemory, work: Work, release: OwnRelease): Promise<Observation> {
  const known = memory.get(memoryKey(work));
  const isSame = known?.revision === release.revision && known.recordVersion === release.recordVersion;
  const observation = isSame
    ? known
    : { ...(await observeAgain(work, release)), ...(known?.revision === release.revision ? seenOf(known) : {}) };
  memory.set(memoryKey(work), observation);
  return observation;
}

function memoryKey({ instance }: Work): string {
  return instance.metadata.uid ?? '';
}

/** What the objects were like, while the record of their revision says the same as before. */
function seenOf({ objects, fingerprint, requestedAt, comparisonDue, drift }: Observation): Partial<Observation> {
  return { objects, fingerprint, requestedAt, comparisonDue, drift };
}

async function observeAgain(work: Work, { revision, recordVersion }: OwnRelease): Promise<Observation> {
  const { ports, deployer, release, signal } = work;
  // Read by ourselves: a helm program for it costs as much as another release.
  const name = recordName(release.release, revision);
  const secret = await deployer.cluster.get({ ...SECRET, namespace: release.namespace, name }, { signal });
  const record = await deployer.helm.readRecord(secret);
  checkRecord(work, secret, record);
  const { objects: all, notes } = record;
  const typeOf = async ({ apiVersion, kind }: KubeObject) => await ports.discovery.find(apiVersion, kind, signal);
  const found = await Promise.all(all.map(async (object) => ({ object, type: await typeOf(object) })));
  // What an admin has allowed elsewhere is not the deployer's to read.
  const own = found.filter(
    ({ object, type }) => type?.namespaced !== false && (object.metadata.namespace ?? release.namespace) === release.namespace,
  );
  const manifest = own.map(({ object }) => object);
  return { revision, recordVersion, manifest, notes, objects: [], fingerprint: '', requestedAt: '', comparisonDue: 0, drift: NOT_COMPARED };
}

async function readLive({ ports, deployer, release: { namespace }, signal }: Work, object: KubeObject): Promise<KubeObject | undefined> {
  const type = await ports.discovery.find(object.apiVersion, object.kind, signal);
  if (type === undefined) return undefined;
  return await ifFound(deployer.cluster.get({ ...type, name: object.metadata.name, namespace }, { signal }));
}

interface Compared {
  readonly observation: Observation;
  readonly release: OwnRelease;
}

/** Compares when the versions of the objects have changed, somebody asks, or the last look is long ago. */
async function compare(work: Work, { observation, release: own }: Compared): Promise<Observation> {
  const { ports, deployer, release, requestedAt, signal } = work;
  const now = ports.now().getTime();
  const fingerprint = fingerprintOf(observation.objects);
  const isSame = observation.fingerprint === fingerprint && observation.requestedAt === requestedAt;
  if (isSame && now < observation.comparisonDue) return observation;
  const asApplied = observation.fingerprint === '' ? appliedUntil(work, own) : 0;
  if (now < asApplied) return { ...observation, fingerprint, requestedAt, comparisonDue: asApplied };
  const compared = {
    cluster: deployer.cluster,
    discovery: ports.discovery,
    release,
    ignore: [],
    namespace: release.namespace,
    live: observation.objects.map(({ live }) => live),
    signal,
  };
  const drift = await compareRelease(compared, observation.manifest);
  return { ...observation, fingerprint, requestedAt, comparisonDue: now + INTERVAL_MS, drift };
}

/** Until when the objects count as helm applied them, milliseconds since the epoch; 0 for a revision that is not ours. */
function appliedUntil({ status }: Work, { revision, records: [newest] }: OwnRelease): number {
  const time = Date.parse(newest?.time ?? '');
  return revision === status.managedRevision && !Number.isNaN(time) ? time + APPLIED_MS : 0;
}

function fingerprintOf(objects: readonly ObservedObject[]): string {
  return createHash('sha256')
    .update(JSON.stringify(objects.map(({ version }) => version)))
    .digest('hex');
}

/** The worst health of the objects that have one, naming each that is not healthy; `lacks` where all else is. */
function healthOfAll(objects: readonly ObservedObject[], waitFor: readonly Awaitable[]): Health {
  const missing = objects.filter(({ isMissing }) => isMissing === true).map(({ name }) => name);
  if (missing.length > 0) return { status: 'Missing', message: `Missing: ${missing.join(', ')}` };
  const awaited = worstOf(objects, waitFor);
  const isWell = worstOf(objects, []).status === 'Healthy';
  return awaited.status !== 'Healthy' && isWell ? { ...awaited, lacks: 'Address' } : awaited;
}

function worstOf(objects: readonly ObservedObject[], waitFor: readonly Awaitable[]): Health {
  const withHealth = objects.flatMap(({ name, health }) =>
    health === undefined ? [] : [{ name, health: awaitedHealth(health, waitFor) }],
  );
  const worst = worstHealth(withHealth.map(({ health }) => health));
  if (worst === undefined) return { status: 'Healthy', message: `All ${objects.length} objects exist` };
  if (worst.status === 'Healthy') {
    const notes = withHealth.filter(({ health }) => health.lacks !== undefined).map(({ name, health }) => `; ${name}: ${health.message}`);
    return { status: 'Healthy', message: `All ${objects.length} objects are ready${notes.join('')}` };
  }
  const poor = withHealth.filter(({ health }) => health.status !== 'Healthy').map(({ name, health }) => `${name}: ${health.message}`);
  return { status: worst.status, message: poor.join('; ') };
}
