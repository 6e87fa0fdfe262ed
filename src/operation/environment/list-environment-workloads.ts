import type { Actor } from '../../domain/kubernetes/actor.ts';
import { type BoardFilter, boardOf, type BoardWorkload, filterBoard } from '../../domain/environment/deploy-board.ts';
import { type Workload, workloadsOf } from '../../domain/workload/workload.ts';
import { redactWorkload } from '../instance/instance-masking.ts';
import { type EnvironmentPorts, type EnvironmentReading, readEnvironment } from './read-environment.ts';

export interface EnvironmentWorkloadsInput extends BoardFilter {
  readonly environment: string;
}

/** The deploy board of an environment. */
export interface EnvironmentWorkloads extends Pick<EnvironmentReading, 'environment' | 'missing' | 'unavailable'> {
  /** Those that the filter leaves, by kind and name. */
  readonly workloads: readonly BoardWorkload[];
  /** All of them, whatever the filter. */
  readonly all: readonly BoardWorkload[];
}

/**
 * Every workload in the namespace of an environment, whoever made it, read as the actor.
 *
 * @throws AppError `NotFound` for an environment that the actor does not see.
 */
export async function listEnvironmentWorkloads(
  ports: EnvironmentPorts,
  actor: Actor,
  { environment: name, ...filter }: EnvironmentWorkloadsInput,
): Promise<EnvironmentWorkloads> {
  const reading = await readEnvironment(ports, actor, name);
  const { environment, resources, missing, unavailable } = reading;
  const all = boardOf(workloadsIn(reading), resources);
  return { environment, workloads: filterBoard(all, filter), all, missing, unavailable };
}

/** The workloads of a reading, without secrets. */
export function workloadsIn({ objects, secrets }: Pick<EnvironmentReading, 'objects' | 'secrets'>): Workload[] {
  return workloadsOf(objects).map((workload) => redactWorkload(workload, secrets));
}
