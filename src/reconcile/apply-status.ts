import { isDeepStrictEqual } from 'node:util';
import { parseJson, stringifyJson } from '../domain/core/exact-json.ts';
import { textAt } from '../domain/core/read.ts';
import { type Condition, PENDING_REMOVAL } from '../domain/kubernetes/condition.ts';
import { PRUNED_KINDS } from '../domain/source/decide-removals.ts';
import type { Cluster } from '../domain/kubernetes/cluster.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import { ENVIRONMENT, type KnownType } from '../domain/kubernetes/resource-types.ts';
import { apiVersionOf, type KubeObject } from '../domain/kubernetes/resource.ts';
import { assessContention, noteStatusWrite, type StatusHistory } from './status-contention.ts';

interface StatusInput {
  /** As it was read. */
  readonly object: KubeObject;
  readonly status: object;
  readonly signal: AbortSignal;
  /** Milliseconds since 1970. */
  readonly now?: () => number;
}

/** Histories of status writes, by the connection that writes. */
const histories = new WeakMap<object, StatusHistory>();

/**
 * Writes the status of a resource of ours by server-side apply under our field manager, unless it is what the resource was read with. A status that others write too gets a
 * condition that names them, and is then written once a minute at most.
 */
export async function applyStatus(
  cluster: Pick<Cluster, 'applyStatus'>,
  type: KnownType,
  { object, status, signal, now = Date.now }: StatusInput,
): Promise<'Written' | 'Unchanged'> {
  const history = histories.get(cluster) ?? new Map();
  histories.set(cluster, history);
  const stored = asStored(ownStatus(type, object.status ?? {}));
  const { condition, pace } = assessContention(history, { object, stored: contestedPart(type, stored), now: now() });
  const wanted = condition === undefined ? status : withCondition(status, condition);
  if (pace === 'Wait' || isDeepStrictEqual(asStored(wanted), stored)) return 'Unchanged';
  const { namespace, name } = object.metadata;
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  const applied = { apiVersion: apiVersionOf(type), kind: type.kind, metadata, status: wanted };
  const written = await cluster.applyStatus(type, applied, { fieldManager: OURS.fieldManager, force: 'force', signal });
  const left = asStored(ownStatus(type, written.object.status ?? {}));
  noteStatusWrite(history, { object: written.object, stored: contestedPart(type, left), now: now() });
  return 'Written';
}

/** A kind without conditions has no place for it. */
function withCondition(status: object, condition: Condition): object {
  if (!('conditions' in status) || !Array.isArray(status.conditions)) return status;
  const others: readonly Condition[] = status.conditions.filter((one) => textAt(one, 'type') !== condition.type);
  return { ...status, conditions: [...others, condition].sort((a, b) => a.type.localeCompare(b.type)) };
}

/** Without the condition that the controller of sources writes beside ours. */
function ownStatus(type: KnownType, status: object): object {
  if (!PRUNED_KINDS.includes(type) || !('conditions' in status) || !Array.isArray(status.conditions)) return status;
  return { ...status, conditions: status.conditions.filter((condition) => textAt(condition, 'type') !== PENDING_REMOVAL) };
}

/** Without what another controller of ours writes: the number of instances of an Environment. */
function contestedPart(type: KnownType, stored: Readonly<Record<string, unknown>>): unknown {
  if (type !== ENVIRONMENT) return stored;
  const { instances: _counted, ...contested } = stored;
  return contested;
}

/** As it comes back from the wire: without absent members, and without empty lists, which the api-server may leave out. */
function asStored(value: object): Readonly<Record<string, unknown>> {
  const members = Object.entries(parseJson(stringifyJson(value)) as Record<string, unknown>);
  return Object.fromEntries(members.filter(([, member]) => !(Array.isArray(member) && member.length === 0)));
}
