import { isAppError } from '../../domain/core/errors.ts';
import type { Finding } from '../../domain/preflight/findings.ts';
import { environmentOf, reservation, usedNamespaces } from '../../domain/kubernetes/reserved-namespace.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { DryRun } from './dry-run-objects.ts';

const NAMESPACES = { group: '', version: 'v1', resource: 'namespaces' } as const;

/** What is wrong with the namespaces that an Operator and the objects of its chart use: those of Environments and of Kubernetes are not for Operators. */
export async function findReserved(
  { cluster }: DryRun,
  { operator, objects }: { readonly operator: KubeObject; readonly objects: readonly KubeObject[] },
  signal: AbortSignal,
): Promise<Finding[]> {
  const findings: Finding[] = [];
  for (const used of usedNamespaces(operator, objects)) {
    const metadata = await cluster.metadataOf({ ...NAMESPACES, name: used.name }, { signal }).catch((error: unknown) => {
      // Whoever may not look cannot write there either.
      if (isAppError(error, 'Forbidden')) return undefined;
      throw error;
    });
    const message = reservation(used, metadata === undefined ? undefined : environmentOf(metadata));
    const field = used.use === 'target' ? { field: 'spec.targetNamespace' } : {};
    if (message !== undefined) findings.push({ message, about: 'Object', evidence: 'exact', ...field });
  }
  return findings;
}
