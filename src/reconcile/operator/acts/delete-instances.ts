import type { DeletionStatus } from '../../../domain/operator/kind/status-fields.ts';
import { isAppError } from '../../../domain/core/errors.ts';
import { blockersOf, blockerSentence, firstBlockers } from '../../../domain/operator/deletion.ts';
import { apiVersionOf, type KubeObject, type ResourceType } from '../../../domain/kubernetes/resource.ts';
import type { InstancesFact } from '../facts/observe-instances.ts';
import type { Work } from '../work.ts';

const PAGE = 200;
const AT_ONCE = 10;

/** Asks for the deletion of every instance that is not being deleted yet. Their own finalizers decide when they are gone. */
export async function deleteInstances(work: Work, instances: readonly InstancesFact[]): Promise<void> {
  for (const { type, unavailable } of instances) {
    if (unavailable !== undefined) continue;
    try {
      await deleteAll(work, type);
    } catch (error) {
      // The pages ran out of time (410), or the kind has gone; the next look tells what is left.
      if (!isAppError(error, 'NotFound', 'Conflict')) throw error;
    }
  }
}

async function deleteAll(work: Work, type: ResourceType): Promise<void> {
  for await (const { items } of work.ports.cluster.pages(type, { content: 'metadata', size: PAGE, signal: work.signal })) {
    const remaining = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
    for (let first = 0; first < remaining.length; first += AT_ONCE) {
      await Promise.all(remaining.slice(first, first + AT_ONCE).map((item) => deleteOne(work, type, item)));
    }
  }
}

async function deleteOne({ ports, signal }: Work, type: ResourceType, { metadata }: KubeObject): Promise<void> {
  const { name, namespace, uid } = metadata;
  const ref = { ...type, name, ...(namespace === undefined ? {} : { namespace }) };
  try {
    await ports.cluster.delete(ref, { propagation: 'Background', signal, ...(uid === undefined ? {} : { uid }) });
  } catch (error) {
    if (!isAppError(error, 'NotFound', 'Conflict')) throw error;
  }
}

/** What stands in the way, those that hang first. */
export function deletionStatus(instances: readonly InstancesFact[]): DeletionStatus {
  const unavailable = instances.flatMap(({ crd: { kind }, type, unavailable: message }) =>
    message === undefined ? [] : [{ kind, apiVersion: apiVersionOf(type), message }],
  );
  return {
    instances: instances.reduce((sum, { total }) => sum + total, 0),
    blockers: firstBlockers(instances.flatMap(({ crd, items }) => blockersOf(crd.kind, items))),
    ...(unavailable.length === 0 ? {} : { unavailable }),
  };
}

const NAMED = 10;

/**
 * `3 instances: Cache team-a/one, …`: at most ten by name, with what holds those that hang; then `an unknown number of Part instances, which cannot be
 * listed: …`.
 */
export function instancesSentence(facts: readonly InstancesFact[]): string {
  const { instances, blockers, unavailable = [] } = deletionStatus(facts);
  const named = blockers.slice(0, NAMED);
  const more = instances > named.length ? ` and ${instances - named.length} more` : '';
  const counted = `${instances} ${instances === 1 ? 'instance' : 'instances'}: ${named.map(blockerSentence).join(', ')}${more}`;
  const unknown = unavailable.map(({ kind, message }) => `an unknown number of ${kind} instances, which cannot be listed: ${message}`);
  return [...(instances === 0 ? [] : [counted]), ...unknown].join('; ');
}
