import { createHash } from 'node:crypto';
import { type Health, worstHealth } from '../../domain/health/health.ts';
import { healthOf } from '../../domain/health/rules/health-of.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { SECRET } from '../../domain/kubernetes/resource-types.ts';
import { recordName } from '../../domain/operator/release-notes.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { compareRelease, type Comparison } from '../helm-release/compare-release.ts';
import type { OwnRelease } from '../helm-release/observe-release.ts';
import type { Work } from './work.ts';

/** What was seen of the objects of each release, by the uid of its instance, so that one in sync costs little. */
export type ObjectMemory = Map<string, Observation>;

interface Observation {
  readonly revision: number;
  readonly manifest: readonly KubeObject[];
  readonly notes: string;
  /** A digest over the versions of the objects when they were known to be as they are; empty when they have not been looked at. */
  readonly fingerprint: string;
  readonly requestedAt: string;
  /** When they are compared although their versions tell of no change; milliseconds since the epoch. */
  readonly comparisonDue: number;
  readonly drift: Comparison;
}

/** What is known of the objects of a release. */
export interface ObservedObjects {
  readonly health: Health;
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

/** Reads the objects of the newest revision as the deployer: their health, and where they differ from the release. */
export async function observeObjects(memory: ObjectMemory, work: Work, release: OwnRelease): Promise<ObservedObjects> {
  const { observation, live } = await observeLive(memory, work, release);
  const compared = await compare(work, { observation, live, release });
  memory.set(memoryKey(work), compared);
  const { drift, notes, comparisonDue } = compared;
  const nextComparison = Math.max(0, comparisonDue - work.ports.now().getTime());
  return { health: healthOfAll(observation.manifest, live), drift, notes, nextComparison };
}

/** The objects of a revision, and the same as they are live, in the same order. */
export interface LiveObjects {
  readonly observation: Observation;
  readonly live: readonly (KubeObject | undefined)[];
}

/** Reads the objects of the newest revision as the deployer. */
export async function observeLive(memory: ObjectMemory, work: Work, release: OwnRelease): Promise<LiveObjects> {
  const known = memory.get(memoryKey(work));
  const observation = known?.revision === release.revision ? known : await observeAgain(work, release);
  memory.set(memoryKey(work), observation);
  return { observation, live: await Promise.all(observation.manifest.map((object) => readLive(work, object))) };
}

function memoryKey({ instance }: Work): string {
  return instance.metadata.uid ?? '';
}

async function observeAgain({ ports, deployer, release, signal }: Work, { revision }: OwnRelease): Promise<Observation> {
  // Read by ourselves: a helm program for it costs as much as another release.
  const name = recordName(release.release, revision);
  const secret = await deployer.cluster.get({ ...SECRET, namespace: release.namespace, name }, { signal });
  const { objects: all, notes } = await deployer.helm.readRecord(secret);
  const typeOf = async ({ apiVersion, kind }: KubeObject) => await ports.discovery.find(apiVersion, kind, signal);
  const found = await Promise.all(all.map(async (object) => ({ object, type: await typeOf(object) })));
  // What an admin has allowed elsewhere is not the deployer's to read.
  const own = found.filter(
    ({ object, type }) => type?.namespaced !== false && (object.metadata.namespace ?? release.namespace) === release.namespace,
  );
  const manifest = own.map(({ object }) => object);
  return { revision, manifest, notes, fingerprint: '', requestedAt: '', comparisonDue: 0, drift: NOT_COMPARED };
}

async function readLive({ ports, deployer, release: { namespace }, signal }: Work, object: KubeObject): Promise<KubeObject | undefined> {
  const type = await ports.discovery.find(object.apiVersion, object.kind, signal);
  if (type === undefined) return undefined;
  return await ifFound(deployer.cluster.get({ ...type, name: object.metadata.name, namespace }, { signal }));
}

interface Compared extends LiveObjects {
  readonly release: OwnRelease;
}

/** Compares when the versions of the objects have changed, somebody asks, or the last look is long ago. */
async function compare(work: Work, { observation, live, release: own }: Compared): Promise<Observation> {
  const { ports, deployer, release, requestedAt, signal } = work;
  const now = ports.now().getTime();
  const fingerprint = fingerprintOf(live);
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
    live,
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

/** Kinds with a generation change it with their spec alone. */
function fingerprintOf(live: readonly (KubeObject | undefined)[]): string {
  const versions = live.map((object) => {
    const { uid, generation, resourceVersion } = object?.metadata ?? {};
    return [uid, generation ?? resourceVersion];
  });
  return createHash('sha256').update(JSON.stringify(versions)).digest('hex');
}

/** The worst health of the objects that have one, naming each that is not healthy. */
function healthOfAll(manifest: readonly KubeObject[], live: readonly (KubeObject | undefined)[]): Health {
  const found = manifest.map(({ kind, metadata }, index) => ({ name: `${kind} ${metadata.name}`, object: live[index] }));
  const missing = found.filter(({ object }) => object === undefined).map(({ name }) => name);
  if (missing.length > 0) return { status: 'Missing', message: `Missing: ${missing.join(', ')}` };
  const withHealth = found.flatMap(({ name, object }) => {
    const health = object && healthOf(object);
    return health === undefined ? [] : [{ name, health }];
  });
  const worst = worstHealth(withHealth.map(({ health }) => health));
  if (worst === undefined) return { status: 'Healthy', message: `All ${manifest.length} objects exist` };
  if (worst.status === 'Healthy') return { status: 'Healthy', message: `All ${manifest.length} objects are ready` };
  const poor = withHealth.filter(({ health }) => health.status !== 'Healthy').map(({ name, health }) => `${name}: ${health.message}`);
  return { status: worst.status, message: poor.join('; ') };
}
