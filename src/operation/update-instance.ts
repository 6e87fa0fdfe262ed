import type { Actor } from '../domain/actor.ts';
import type { InstanceView } from '../domain/instance.ts';
import { instanceView } from './find-instance.ts';
import { writeChange, type InstanceChange } from './instance-change.ts';
import type { Ports } from './ports.ts';

/** Changes an Instance as the actor. */
export async function updateInstance(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  change: InstanceChange,
): Promise<InstanceView> {
  const { entry, environment, object } = await writeChange(ports, actor, { change });
  return instanceView(entry, environment, object);
}
