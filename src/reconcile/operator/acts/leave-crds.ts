import { CRD } from '../../../domain/kubernetes/resource-types.ts';
import { isAppError } from '../../../domain/core/errors.ts';
import { FORMER_OPERATOR } from '../../../domain/operator/crd-owner.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import { ORIGIN_ANNOTATION } from '../../../domain/chart/extract-crds.ts';
import type { CrdFact } from '../facts/observe-crds.ts';
import type { Work } from '../work.ts';

/** A CRD can have a mebibyte, and nobody looks at what comes back. */
const QUIETLY = { fieldManager: OURS.fieldManager, answer: 'metadata' } as const;

/** Deletes CRDs, and with them all that is stored of their kinds. Only for an explicit cascade. */
export async function deleteCrds({ ports, signal }: Work, crds: readonly CrdFact[]): Promise<void> {
  for (const { name, object } of crds) {
    const { uid, deletionTimestamp } = object.metadata;
    if (deletionTimestamp !== undefined) continue;
    await unlessGone(ports.cluster.delete({ ...CRD, name }, { propagation: 'Background', signal, ...(uid === undefined ? {} : { uid }) }));
  }
}

/** Removes our labels and annotations from CRDs that stay behind. The same Operator takes them back when it is made again; another one has to ask for them. */
export async function disownCrds({ ports, label, signal }: Work, crds: readonly CrdFact[]): Promise<void> {
  const body = {
    metadata: { labels: { [OURS.operatorLabel]: null }, annotations: { [ORIGIN_ANNOTATION]: null, [FORMER_OPERATOR]: label } },
  };
  for (const { name } of crds.filter((crd) => crd.labelled)) {
    await unlessGone(ports.cluster.patch({ ...CRD, name }, { type: 'merge', body }, { ...QUIETLY, signal }));
  }
}

/**
 * Puts our label on CRDs that the operator registered by itself, so that the catalogue finds them. Of two Operators that claim the same one,
 * the first has it.
 */
export async function ownCrds({ ports, label, signal }: Work, crds: readonly CrdFact[]): Promise<void> {
  const metadata = { labels: { [OURS.operatorLabel]: label }, annotations: { [ORIGIN_ANNOTATION]: 'runtime' } };
  for (const { name, object } of crds.filter((crd) => !crd.labelled)) {
    const { resourceVersion } = object.metadata;
    const body = { metadata: { ...metadata, ...(resourceVersion === undefined ? {} : { resourceVersion }) } };
    await unlessGone(ports.cluster.patch({ ...CRD, name }, { type: 'merge', body }, { ...QUIETLY, signal }));
  }
}

/** Says of CRDs that an earlier version of the chart brought that the one of today does not. They stay, and so does what is stored. */
export async function annotateFormer({ ports, signal }: Work, crds: readonly CrdFact[]): Promise<void> {
  const body = { metadata: { annotations: { [ORIGIN_ANNOTATION]: 'former' } } };
  for (const { name } of crds) {
    await unlessGone(ports.cluster.patch({ ...CRD, name }, { type: 'merge', body }, { ...QUIETLY, signal }));
  }
}

async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isAppError(error, 'NotFound', 'Conflict')) throw error;
  }
}
