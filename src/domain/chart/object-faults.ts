import { outOfScope, type ReleaseScope } from '../app-instance/release-scope.ts';
import { reservedObjects } from '../kubernetes/reserved-objects.ts';
import type { KubeObject } from '../kubernetes/resource.ts';

/** Why an object may not come from a chart, as a sentence that names it. */
export interface ObjectFault {
  readonly code: 'ResourceNotAllowed' | 'ObjectReserved';
  readonly message: string;
}

/** Whether a fault is about an object of a chart that renders. */
export function isObjectFault({ code }: { readonly code: string }): boolean {
  return code === 'ResourceNotAllowed' || code === 'ObjectReserved';
}

/**
 * What a chart renders and may not: the one check of every preview, installation and upgrade, of the rendered objects and of those that Helm is about to apply. CRDs
 * and hooks are among the objects.
 *
 * @param scope of the release of an instance. Absent: the chart is that of an Operator, which may install anything that is not Chandlery's.
 */
export function objectFaults(objects: readonly KubeObject[], scope: ReleaseScope | undefined): readonly ObjectFault[] {
  const misplaced = scope === undefined ? [] : outOfScope(objects, scope);
  return [
    ...misplaced.map((message) => ({ code: 'ResourceNotAllowed', message }) as const),
    ...reservedObjects(objects).map((message) => ({ code: 'ObjectReserved', message }) as const),
  ];
}
