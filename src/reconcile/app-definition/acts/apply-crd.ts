import { isAppError } from '../../../domain/core/errors.ts';
import { OURS } from '../../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../../domain/kubernetes/resource.ts';
import { CRD } from '../../../domain/kubernetes/resource-types.ts';
import { deleteWithIntent } from '../../../domain/kubernetes/deletion-intent.ts';
import { type DefinitionWork, FORMER_DEFINITION } from '../observe.ts';

/** Applies the generated CRD. @throws AppError `InvalidInput` when the api-server rejects it. */
export async function applyCrd({ ports, applied, signal }: DefinitionWork, candidate: KubeObject): Promise<void> {
  const { object } = await ports.cluster.apply(CRD, candidate, {
    fieldManager: OURS.fieldManager,
    force: 'force',
    answer: 'metadata',
    signal,
  });
  const { uid = '', generation = 0 } = object.metadata;
  applied.set(uid, generation);
}

/** Deletes the CRD that was looked at; there are no instances. */
export async function deleteCrd({ ports, signal }: DefinitionWork, crd: KubeObject): Promise<void> {
  if (crd.metadata.deletionTimestamp !== undefined) return;
  await unlessGone(deleteWithIntent(ports.cluster, { type: CRD, object: crd, signal }));
}

/** Takes our label off a CRD that stays. The same AppDefinition takes it back when it is made again. */
export async function disownCrd({ ports, definition, signal }: DefinitionWork, { metadata }: KubeObject): Promise<void> {
  const body = {
    metadata: { labels: { [OURS.appDefinitionLabel]: null }, annotations: { [FORMER_DEFINITION]: definition.metadata.name } },
  };
  const options = { fieldManager: OURS.fieldManager, answer: 'metadata', signal } as const;
  await unlessGone(ports.cluster.patch({ ...CRD, name: metadata.name }, { type: 'merge', body }, options));
}

async function unlessGone(call: Promise<unknown>): Promise<void> {
  try {
    await call;
  } catch (error) {
    if (!isAppError(error, 'NotFound', 'Conflict')) throw error;
  }
}
