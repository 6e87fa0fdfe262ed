import { AppError, isAppError } from '../../../domain/core/errors.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { NAMESPACE } from '../kinds.ts';
import type { Work } from '../work.ts';

/**
 * Makes sure that the release has a namespace to live in.
 *
 * @throws AppError `NotFound` when there is none and the Operator does not ask for it.
 */
export async function ensureNamespace({ ports, spec, signal }: Work): Promise<void> {
  const name = spec.targetNamespace;
  try {
    await ports.cluster.get({ ...NAMESPACE, name }, { signal });
  } catch (error) {
    if (!isAppError(error, 'NotFound')) throw error;
    if (!spec.createNamespace) {
      throw new AppError('NotFound', `namespace "${name}": it does not exist; create it, or set spec.createNamespace`, { cause: error });
    }
    const namespace = { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
    await ports.cluster.apply(NAMESPACE, namespace, { fieldManager: OURS.fieldManager, signal });
  }
}
