import { parseAppDefinitionStatus } from '../../domain/app-definition/app-definition.ts';
import { generatedCrdName } from '../../domain/app-definition/generated-crd.ts';
import { at } from '../../domain/core/read.ts';
import { ifFound } from '../../domain/kubernetes/cluster.ts';
import { findCondition } from '../../domain/kubernetes/condition.ts';
import { isSuccessorOf } from '../../domain/kubernetes/moved-from.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { apiVersionOf } from '../../domain/kubernetes/resource.ts';
import { APP_DEFINITION, APP_REVISION, CRD } from '../../domain/kubernetes/resource-types.ts';
import type { DefinitionWork } from './observe.ts';
import type { DefinitionMove } from './state.ts';

/*
 * An AppDefinition that is renamed is two objects: the new one, which says in an annotation what its name was, and the old one, which is being deleted. The new one
 * takes over the CRD with all instances, the AppRevisions and the permissions, and the old one goes once that is done.
 */

/** The move of an AppDefinition that is being deleted; undefined when it was not renamed, or has no kind to move. */
export async function observeMove({ ports, definition, signal }: DefinitionWork): Promise<DefinitionMove | undefined> {
  const { names, conditions } = parseAppDefinitionStatus(definition);
  if (names === undefined) return undefined;
  const { items } = await ports.cluster.list(APP_DEFINITION, { signal });
  const found = items.find((one) => isSuccessorOf(one, definition.metadata.name));
  if (found === undefined) return findCondition(conditions, 'Ready')?.reason === 'Moving' ? { kind: 'Aborted' } : undefined;
  const crd = await ifFound(ports.cluster.get({ ...CRD, name: generatedCrdName(names) }, { answer: 'metadata', signal }));
  const owner = crd?.metadata.labels?.[OURS.appDefinitionLabel];
  const successor = found.metadata.name;
  if (owner !== successor && owner !== definition.metadata.name) return undefined;
  const next = parseAppDefinitionStatus(found);
  const isOther = at(found.spec, 'crds') !== undefined || (next.names !== undefined && next.names.plural !== names.plural);
  if (isOther) return { kind: 'Impossible', successor };
  // Only one that is ready has published its permissions.
  return { kind: owner === successor && next.crd === crd?.metadata.name ? 'Done' : 'Begun', successor };
}

/** Takes the AppRevisions of the former name over, so that instances keep theirs, and the end of the former one deletes none. */
export async function takeOverRevisions({ ports, definition, signal }: DefinitionWork, former: string): Promise<void> {
  const { name, uid = '' } = definition.metadata;
  const owner = { apiVersion: apiVersionOf(APP_DEFINITION), kind: APP_DEFINITION.kind, name, uid };
  const body = { metadata: { labels: { [OURS.appDefinitionLabel]: name }, ownerReferences: [owner] } };
  const options = { fieldManager: OURS.fieldManager, answer: 'metadata', signal } as const;
  const { items } = await ports.cluster.listMetadata(APP_REVISION, { labelSelector: `${OURS.appDefinitionLabel}=${former}`, signal });
  for (const { metadata } of items)
    await ifFound(ports.cluster.patch({ ...APP_REVISION, name: metadata.name }, { type: 'merge', body }, options));
}
