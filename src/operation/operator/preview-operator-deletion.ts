import type { Actor } from '../../domain/kubernetes/actor.ts';
import { operatorView } from '../../domain/catalog/operator-view.ts';
import { blockersOf, deletionPreview, type DeletionPreview, firstBlockers } from '../../domain/operator/deletion.ts';
import type { MissingPermission } from '../../domain/core/errors.ts';
import { findOperator, type OperatorAddress } from './find-operator.ts';
import { readInstances, uncounted } from './list-operator-instances.ts';
import type { Ports } from '../ports.ts';
import { servedCrds } from './served-crds.ts';

/** What deleting an Operator would do now, or does, and what stands in the way, as far as the actor may see. */
export interface OperatorDeletion extends DeletionPreview {
  /** `Planned` while nobody has asked for it. */
  readonly state: 'Preview' | 'Deleting';
  /** Rights without which the instances of a kind cannot be counted. */
  readonly missing: readonly MissingPermission[];
}

export async function previewOperatorDeletion(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  address: OperatorAddress,
): Promise<OperatorDeletion> {
  const { crds, deletion, deletionPolicy: policy, release } = operatorView(await findOperator(ports, actor, address));
  if (deletion !== undefined) return { ...deletion, state: 'Deleting', missing: [] };
  const names = crds.map(({ name }) => name);
  const kinds = await readInstances(ports, actor, servedCrds(ports, names));
  const blockers = kinds.flatMap(({ crd, items }) => blockersOf(crd.kind, items));
  const { missing, unavailable } = uncounted(kinds);
  const found = {
    instances: blockers.length,
    blockers: firstBlockers(blockers),
    ...(unavailable.length === 0 ? {} : { unavailable }),
  };
  return { ...deletionPreview({ policy, deletion: found, missing, released: release !== undefined }), state: 'Preview', missing };
}
