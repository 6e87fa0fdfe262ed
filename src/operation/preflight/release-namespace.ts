import { NAMESPACE } from '../../domain/kubernetes/resource-types.ts';
import { isAppError } from '../../domain/core/errors.ts';
import type { OperatorSpec } from '../../domain/operator/operator-spec.ts';
import type { Finding, Findings } from '../../domain/preflight/findings.ts';
import type { DryRun } from './dry-run-objects.ts';

/** Whether the namespace of a release is there or made with it, and what that means. */
interface ReleaseNamespace {
  readonly state: 'Exists' | 'ToBeCreated';
  readonly findings: Partial<Findings>;
}

/** Looks for the target namespace of an Operator; whoever may not look supposes what the Operator says. */
export async function findReleaseNamespace(
  { cluster }: DryRun,
  { targetNamespace: name, createNamespace }: Pick<OperatorSpec, 'targetNamespace' | 'createNamespace'>,
  signal: AbortSignal,
): Promise<ReleaseNamespace> {
  try {
    if ((await cluster.metadataOf({ ...NAMESPACE, name }, { signal })) !== undefined) return { state: 'Exists', findings: {} };
  } catch (error) {
    if (isAppError(error, 'Forbidden')) return { state: createNamespace ? 'ToBeCreated' : 'Exists', findings: {} };
    throw error;
  }
  if (createNamespace) return { state: 'ToBeCreated', findings: { created: [line(`The namespace ${name}`)] } };
  const message = `The namespace ${name} does not exist; create it, or set spec.createNamespace`;
  return { state: 'ToBeCreated', findings: { blocked: [{ ...line(message), field: 'spec.targetNamespace' }] } };
}

function line(message: string): Finding {
  return { message, subject: 'Object', evidence: 'exact' };
}
