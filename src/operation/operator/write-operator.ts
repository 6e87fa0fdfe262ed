import type { MissingPermission } from '../../domain/core/errors.ts';
import { withCreator } from '../../domain/kubernetes/creator.ts';
import { type Preconditions, writeChecked } from '../../domain/kubernetes/etag.ts';
import { OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { operatorView } from '../../domain/catalog/operator-view.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { blockersOf, deletionPreview, type DeletionPreview, firstBlockers } from '../../domain/operator/deletion.ts';
import type { OperatorView } from '../../domain/operator/operator.ts';
import { textAt } from '../../domain/core/read.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { USER_WRITE } from '../instance/instance-draft.ts';
import { audited, operatorEvent } from '../audit/audited.ts';
import { findOperator, type OperatorAddress, operatorWords } from './find-operator.ts';
import { readInstances, servedCrds, uncounted } from './list-operator-instances.ts';
import type { Ports } from '../ports.ts';
import { operatorToCreate } from '../preflight/preflight-operator.ts';

/** An Operator as somebody wants it. */
export interface NewOperator extends RequestOrigin {
  readonly operator: KubeObject;
}

/** Creates an Operator as the actor; the controller installs its chart then. `AlreadyExists` when the name is taken. */
export async function createOperator(
  ports: Pick<Ports, 'clusters' | 'auditLog'>,
  actor: Actor,
  { operator, ...requestOrigin }: NewOperator,
): Promise<OperatorView> {
  const named = { namespace: textAt(operator, 'metadata', 'namespace') ?? '', name: textAt(operator, 'metadata', 'name') ?? '' };
  return await audited(ports, actor, operatorEvent('create operator', named, requestOrigin), async () => {
    const { object } = await ports.clusters.asActor(actor).create(OPERATOR, withCreator(operatorToCreate(operator), actor), USER_WRITE);
    return operatorView(object);
  });
}

/** What to delete, and what must hold of it. */
interface OperatorDeletionInput extends OperatorAddress {
  readonly preconditions?: Preconditions;
}

/** Asks for the deletion of exactly the Operator that stands there now; what that means, its `deletionPolicy` says. Resolves once the api-server has accepted. */
export async function deleteOperator(
  ports: Pick<Ports, 'clusters' | 'auditLog'>,
  actor: Actor,
  deletion: OperatorDeletionInput & RequestOrigin,
): Promise<void> {
  await audited(ports, actor, operatorEvent('delete operator', deletion, deletion), async () => await remove(ports, actor, deletion));
}

async function remove(ports: Pick<Ports, 'clusters'>, actor: Actor, deletion: OperatorDeletionInput): Promise<void> {
  const { namespace, name } = deletion;
  const object = await findOperator(ports, actor, deletion);
  const { uid } = object.metadata;
  await writeChecked({ ...deletion, what: operatorWords(deletion), object }, async (only) => {
    await ports.clusters.asActor(actor).delete({ ...OPERATOR, namespace, name }, { ...(uid === undefined ? {} : { uid }), ...only });
  });
}

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
