import { isAppError } from '../../domain/core/errors.ts';
import type { OperatorSpec } from '../../domain/operator/operator-spec.ts';
import type { Finding, Findings } from '../../domain/preflight/findings.ts';
import type { Trial } from './dry-run-objects.ts';

const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' } as const;

/** Whether the namespace of a release is there or made with it, and what that means. */
interface ReleaseNamespace {
  readonly state: 'There' | 'Made';
  readonly findings: Partial<Findings>;
}

/** Looks for the target namespace of an Operator; whoever may not look supposes what the Operator says. */
export async function findReleaseNamespace(
  { cluster }: Trial,
  { targetNamespace: name, createNamespace }: Pick<OperatorSpec, 'targetNamespace' | 'createNamespace'>,
  signal: AbortSignal,
): Promise<ReleaseNamespace> {
  try {
    if ((await cluster.metadataOf({ ...NAMESPACES, name }, { signal })) !== undefined) return { state: 'There', findings: {} };
  } catch (error) {
    if (isAppError(error, 'Forbidden')) return { state: createNamespace ? 'Made' : 'There', findings: {} };
    throw error;
  }
  if (createNamespace) return { state: 'Made', findings: { created: [line(`The namespace ${name}`)] } };
  const message = `The namespace ${name} does not exist; create it, or set spec.createNamespace`;
  return { state: 'Made', findings: { blocked: [{ ...line(message), field: 'spec.targetNamespace' }] } };
}

function line(message: string): Finding {
  return { message, about: 'Object', evidence: 'exact' };
}
