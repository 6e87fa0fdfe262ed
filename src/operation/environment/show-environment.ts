import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { findEnvironment } from './find-environment.ts';
import type { Ports } from '../ports.ts';

/** One Environment, when the actor may see it. */
export async function showEnvironment(ports: Pick<Ports, 'clusters'>, actor: Actor, name: string): Promise<EnvironmentView> {
  return await findEnvironment(ports.clusters, actor, name);
}
