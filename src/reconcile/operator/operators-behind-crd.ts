import { claimedDefinitions, operatorLabelValue, parseOperatorSpec } from '../../domain/operator-spec.ts';
import { keyOf } from '../../domain/object-key.ts';
import { textsAt } from '../../domain/read.ts';
import type { KubeObject } from '../../domain/resource.ts';
import { isBroughtBy } from './observe-crds.ts';

/**
 * The keys of the Operators that a changed CustomResourceDefinition concerns: those that list it in their status (it may be gone), and those that it
 * says it belongs to.
 *
 * @param crd the definition as it is now; undefined when it is gone.
 */
export function operatorsBehindCrd(name: string, crd: KubeObject | undefined, operators: readonly KubeObject[]): string[] {
  return operators
    .filter(
      (operator) => textsAt(operator.status, 'customResourceDefinitions').includes(name) || (crd !== undefined && brings(operator, crd)),
    )
    .map((operator) => keyOf(operator));
}

function brings(operator: KubeObject, crd: KubeObject): boolean {
  const spec = parseOperatorSpec(operator);
  const { releaseName, targetNamespace } = spec;
  const label = operatorLabelValue(operator.metadata.namespace ?? 'default', operator.metadata.name);
  return (
    isBroughtBy(crd, { release: releaseName, namespace: targetNamespace }, label) || claimedDefinitions(spec).includes(crd.metadata.name)
  );
}
