import type { Actor } from '../domain/actor.ts';
import type { InstanceView } from '../domain/instance.ts';
import { instanceView } from './find-instance.ts';
import { prepareDraft, USER_WRITE, type InstanceDraft } from './instance-draft.ts';
import type { Ports } from './ports.ts';

/** Creates an Instance as the actor; `AlreadyExists` when the name is taken. */
export async function createInstance(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  draft: InstanceDraft,
): Promise<InstanceView> {
  const { entry, environment, type, object } = await prepareDraft(ports, actor, draft);
  const written = await ports.clusters.asActor(actor).create(type, object, USER_WRITE);
  return instanceView(entry, environment, written.object);
}
