import { isDeepStrictEqual } from 'node:util';
import { parseJson, stringifyJson } from '../domain/core/exact-json.ts';
import { textAt } from '../domain/core/read.ts';
import { PENDING_REMOVAL } from '../domain/kubernetes/condition.ts';
import { PRUNED_KINDS } from '../domain/source/decide-removals.ts';
import type { Cluster } from '../domain/kubernetes/cluster.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import type { KnownType } from '../domain/kubernetes/resource-types.ts';
import { apiVersionOf, type KubeObject } from '../domain/kubernetes/resource.ts';

interface StatusInput {
  /** As it was read. */
  readonly object: KubeObject;
  readonly status: object;
  readonly signal: AbortSignal;
}

/** Writes the status of a resource of ours by server-side apply under our field manager, unless it is what the resource was read with. */
export async function applyStatus(
  cluster: Pick<Cluster, 'applyStatus'>,
  type: KnownType,
  { object, status, signal }: StatusInput,
): Promise<'Written' | 'Unchanged'> {
  if (isDeepStrictEqual(asStored(status), asStored(ownStatus(type, object.status ?? {})))) return 'Unchanged';
  const { namespace, name } = object.metadata;
  const metadata = { name, ...(namespace === undefined ? {} : { namespace }) };
  const applied = { apiVersion: apiVersionOf(type), kind: type.kind, metadata, status };
  await cluster.applyStatus(type, applied, { fieldManager: OURS.fieldManager, force: 'force', signal });
  return 'Written';
}

/** Without the condition that the controller of sources writes beside ours. */
function ownStatus(type: KnownType, status: object): object {
  if (!PRUNED_KINDS.includes(type) || !('conditions' in status) || !Array.isArray(status.conditions)) return status;
  return { ...status, conditions: status.conditions.filter((condition) => textAt(condition, 'type') !== PENDING_REMOVAL) };
}

/** As it comes back from the wire: without absent members, and without empty lists, which the api-server may leave out. */
function asStored(value: object): unknown {
  const members = Object.entries(parseJson(stringifyJson(value)) as Record<string, unknown>);
  return Object.fromEntries(members.filter(([, member]) => !(Array.isArray(member) && member.length === 0)));
}
