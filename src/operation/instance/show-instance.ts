import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import { findInstance, instanceView, type InstanceAddress } from './find-instance.ts';
import type { Ports } from '../ports.ts';

/** One Instance with its object and conditions. */
export async function showInstance(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'health'>,
  actor: Actor,
  address: InstanceAddress,
): Promise<InstanceView> {
  const { entry, environment, object } = await findInstance(ports, actor, address);
  await ports.health.evaluate([object]);
  return instanceView(entry, environment, object);
}
