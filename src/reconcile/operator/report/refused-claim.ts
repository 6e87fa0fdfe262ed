import type { ConditionInput } from '../../../domain/kubernetes/condition.ts';
import { crdOwner } from '../../../domain/operator/crd-owner.ts';
import { claimedDefinitions } from '../../../domain/operator/operator-spec.ts';
import { isFalse } from './conditions.ts';
import { findCrd, observeReservedCrds, type CrdFact } from '../facts/observe-crds.ts';
import type { Work } from '../work.ts';

/** The condition that names the first CRD that the Operator claims or registers although it is somebody else's; undefined when there is none. */
export async function refusedClaim(work: Work, crds: readonly CrdFact[]): Promise<ConditionInput | undefined> {
  const { name, namespace = 'default' } = work.operator.metadata;
  const [reserved] = await observeReservedCrds(work.ports.cluster, work.release, { label: work.label, signal: work.signal });
  if (reserved !== undefined) {
    const message = `kind "${reserved}": its API group belongs to Chandlery, and the operator has registered it; delete the CRD, and use an operator that does not`;
    return isFalse('CRDsEstablished', 'CrdConflict', message);
  }
  const own = new Set(crds.map((crd) => crd.name));
  for (const claimed of claimedDefinitions(work.spec).filter((definition) => !own.has(definition))) {
    const crd = await findCrd(work.ports.cluster, claimed, work.signal);
    const owner = crd === undefined ? undefined : crdOwner(crd);
    if (owner === undefined) continue;
    const message = `kind "${claimed}": ${owner} has brought it, and the Operator "${namespace}/${name}" claims it in spec.catalog.kinds; take it off one of the two`;
    return isFalse('CRDsEstablished', 'CrdConflict', message);
  }
  return undefined;
}
