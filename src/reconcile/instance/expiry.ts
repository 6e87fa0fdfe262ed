import type { ReconcileResult } from '../../controller/controller.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import type { Work } from './work.ts';

/** Milliseconds; infinite for an instance without an end. */
export function untilExpiry({ ports, spec }: Work): number {
  const end = Date.parse(spec.expires ?? '');
  return Number.isNaN(end) ? Infinity : end - ports.now().getTime();
}

/** Deletes the instance; the finalizer sees to its release. */
export async function expire({ ports, kind, instance, namespace, spec, signal }: Work): Promise<ReconcileResult> {
  const { name, uid } = instance.metadata;
  await ports.events.record(instance, {
    type: 'Normal',
    reason: 'Expired',
    message: `The instance expired at ${spec.expires ?? ''} and is deleted`,
  });
  await ifFound(ports.cluster.delete({ ...kind, namespace, name }, { signal, ...(uid === undefined ? {} : { uid }) }));
  return {};
}
