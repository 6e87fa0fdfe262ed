import { isDeepStrictEqual } from 'node:util';
import { isObject, listAt, textAt } from '../domain/core/read.ts';
import { CONTENDED, type Condition, conditionsOf, findCondition } from '../domain/kubernetes/condition.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import { type KubeObject, timestamp } from '../domain/kubernetes/resource.ts';

/** So many writes of others within this time are a contention. */
const OVERWRITES = 5;
const WINDOW_MS = 10 * 60_000;
/** How far apart our writes are while the status is contended. */
const PACE_MS = 60_000;
/** Objects whose last writes are known; the oldest are forgotten first. */
const MAX_OBJECTS = 10_000;

/** What this process wrote into the status of an object last, and what others wrote since. */
interface StatusWrites {
  readonly version: bigint;
  readonly status: unknown;
  /** When we wrote over the status of another writer last, in milliseconds since 1970. */
  readonly correctedAt: number;
  readonly overwrites: readonly { readonly at: number; readonly version: bigint; readonly manager: string }[];
}

/** The status writes of one process, by the uid of the object. */
export type StatusHistory = Map<string, StatusWrites>;

export interface Contention {
  /** Absent: the status is not contended. */
  readonly condition?: Condition;
  /** Whether our next write has to wait. */
  readonly pace: 'Write' | 'Wait';
}

/**
 * Notes when another writer has written the status since our last write: another field manager, or another process with ours, such as an earlier version outside of the Lease.
 *
 * @param stored our part of the status as it was read.
 */
export function assessContention(
  history: StatusHistory,
  { object, stored, now }: { readonly object: KubeObject; readonly stored: unknown; readonly now: number },
): Contention {
  const { uid = '', resourceVersion = '' } = object.metadata;
  const known = history.get(uid);
  if (known === undefined || !/^\d+$/.test(resourceVersion)) return { pace: 'Write' };
  const version = BigInt(resourceVersion);
  const recent = known.overwrites.filter(({ at }) => now - at < WINDOW_MS);
  const isNew = version > known.version && recent.every((overwrite) => version > overwrite.version);
  const isForeign = isNew && !isDeepStrictEqual(stored, known.status);
  const overwrites = isForeign ? [...recent, { at: now, version, manager: otherManager(object) }] : recent;
  history.set(uid, { ...known, overwrites });
  if (overwrites.length < OVERWRITES) return { pace: 'Write' };
  const managers = [...new Set(overwrites.map(({ manager }) => manager))].sort().join(' and ');
  const before = findCondition(conditionsOf(object), CONTENDED);
  return {
    condition: {
      type: CONTENDED,
      status: 'True',
      reason: 'StatusOverwritten',
      message: `the field manager ${OURS.fieldManager} and ${managers} both write this status; stop one of them. Until then Chandlery writes it once a minute at most`,
      lastTransitionTime: before?.lastTransitionTime ?? timestamp(new Date(now)),
    },
    // What is written by one reconciliation in several steps is one correction.
    pace: isOverwritten(overwrites, known) && isAnnounced(known) && now - known.correctedAt < PACE_MS ? 'Wait' : 'Write',
  };
}

function isOverwritten(overwrites: StatusWrites['overwrites'], { version }: StatusWrites): boolean {
  return overwrites.some((overwrite) => overwrite.version > version);
}

/** Whether our last write had the condition: the first one with it does not wait. */
function isAnnounced({ status }: StatusWrites): boolean {
  return listAt(status, 'conditions').some((condition) => textAt(condition, 'type') === CONTENDED);
}

/** Notes our own write. @param stored our part of the status as the api-server has stored it. */
export function noteStatusWrite(
  history: StatusHistory,
  { object, stored, now }: { readonly object: KubeObject; readonly stored: unknown; readonly now: number },
): void {
  const { uid = '', resourceVersion = '' } = object.metadata;
  if (!/^\d+$/.test(resourceVersion)) return;
  const known = history.get(uid);
  const correctedAt = known !== undefined && isOverwritten(known.overwrites, known) ? now : (known?.correctedAt ?? 0);
  history.delete(uid);
  history.set(uid, { version: BigInt(resourceVersion), status: stored, correctedAt, overwrites: known?.overwrites ?? [] });
  const [oldest] = history.keys();
  if (history.size > MAX_OBJECTS && oldest !== undefined) history.delete(oldest);
}

/** The manager that wrote the status last, besides ours, as `managedFields` tell. */
function otherManager({ metadata }: KubeObject): string {
  const entries = listAt(metadata, 'managedFields').filter((entry) => isObject(entry) && writesStatus(entry));
  // The controller of sources writes the condition PendingRemoval beside ours.
  const own: readonly string[] = [OURS.fieldManager, OURS.removalFieldManager];
  const others = entries.filter((entry) => !own.includes(textAt(entry, 'manager') ?? ''));
  const latest = others.toSorted((a, b) => (textAt(b, 'time') ?? '').localeCompare(textAt(a, 'time') ?? ''))[0];
  const manager = textAt(latest, 'manager');
  return manager === undefined ? 'another process with the same field manager' : `the field manager ${manager}`;
}

function writesStatus(entry: object): boolean {
  return textAt(entry, 'subresource') === 'status' || ('fieldsV1' in entry && isObject(entry.fieldsV1) && 'f:status' in entry.fieldsV1);
}
