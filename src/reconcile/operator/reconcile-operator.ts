import { findObject } from '../find-object.ts';
import type { Reconcile } from '../../controller/controller.ts';
import { parseKey } from '../../domain/object-key.ts';
import type { KubeObject } from '../../domain/resource.ts';
import { dissolve } from './dissolve.ts';
import { OPERATOR } from './kinds.ts';
import type { OperatorPorts } from './ports.ts';
import { sustain, type OperatorMemory } from './sustain.ts';
import { workOn } from './work.ts';

/**
 * Makes the reconciler of Operators. Its key is `namespace/name`. Enqueue it when the Operator, or a CustomResourceDefinition with its label,
 * changes. It throws when the cluster is away; everything else ends in the status.
 */
export function createOperatorReconciler(ports: OperatorPorts): Reconcile {
  const memory: OperatorMemory = { charts: new Map(), drift: new Map(), leases: new Set() };
  return async (key, signal) => {
    const operator = await find(ports, key, signal);
    if (operator === undefined) return {};
    const work = workOn(ports, operator, signal);
    if (operator.metadata.deletionTimestamp === undefined) return sustain(memory, work);
    memory.charts.delete(operator.metadata.uid ?? '');
    memory.drift.delete(operator.metadata.uid ?? '');
    memory.leases.delete(operator.metadata.uid ?? '');
    return dissolve(work);
  };
}

async function find({ cluster }: OperatorPorts, key: string, signal: AbortSignal): Promise<KubeObject | undefined> {
  return await findObject(cluster, { ...OPERATOR, ...parseKey(key) }, signal);
}
