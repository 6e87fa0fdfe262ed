import { isAppError } from '../../domain/errors.ts';
import type { KubeObject } from '../../domain/resource.ts';
import type { InstancesFact } from './observe-instances.ts';
import type { Work } from './work.ts';

/** Asks for the deletion of every instance that is not being deleted yet. Their own finalizers decide when they are gone. */
export async function deleteInstances({ ports, signal }: Work, instances: readonly InstancesFact[]): Promise<void> {
  for (const { type, items } of instances) {
    for (const { metadata } of items.filter((item) => item.metadata.deletionTimestamp === undefined)) {
      const { name, namespace, uid } = metadata;
      const ref = { ...type, name, ...(namespace === undefined ? {} : { namespace }) };
      try {
        await ports.cluster.delete(ref, { propagation: 'Background', signal, ...(uid === undefined ? {} : { uid }) });
      } catch (error) {
        if (!isAppError(error, 'NotFound', 'Conflict')) throw error;
      }
    }
  }
}

const NAMED = 10;

/** `3 instances: Cache team-a/one, …`: at most ten by name. */
export function instancesSentence(instances: readonly InstancesFact[]): string {
  const names = instances.flatMap(({ crd, items }) => items.map((item) => nameOf(crd.kind, item))).sort();
  const more = names.length > NAMED ? ` and ${names.length - NAMED} more` : '';
  return `${names.length} ${names.length === 1 ? 'instance' : 'instances'}: ${names.slice(0, NAMED).join(', ')}${more}`;
}

function nameOf(kind: string, { metadata }: KubeObject): string {
  return metadata.namespace === undefined ? `${kind} ${metadata.name}` : `${kind} ${metadata.namespace}/${metadata.name}`;
}
