import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { instanceView } from './find-instance.ts';
import { writeChange, type InstanceChange } from './instance-change.ts';
import { instanceEvent, audited } from '../audit/audited.ts';
import type { Ports } from '../ports.ts';

/** Changes an Instance as the actor. */
export async function updateInstance(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'auditLog' | 'health'>,
  actor: Actor,
  change: InstanceChange & RequestOrigin,
): Promise<InstanceView> {
  const event = instanceEvent('update instance', change, change);
  return await audited(ports, actor, event, async () => await replaceInstance(ports, actor, change));
}

/** Writes a change of an Instance. */
export async function replaceInstance(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'health'>,
  actor: Actor,
  change: InstanceChange,
): Promise<InstanceView> {
  const { entry, environment, object } = await writeChange(ports, actor, { change });
  await ports.health.evaluate([object]);
  return instanceView(entry, environment, object);
}
