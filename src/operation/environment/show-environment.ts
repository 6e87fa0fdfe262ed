import type { Actor } from '../../domain/kubernetes/actor.ts';
import { buildCatalog } from '../../domain/catalog/app-catalog.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { findEnvironment } from './find-environment.ts';
import { maskContent } from '../instance/instance-masking.ts';
import type { Ports } from '../ports.ts';

/** One Environment, when the actor may see it. Values that it lays over the catalogue are masked where they are sensitive. */
export async function showEnvironment(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor, name: string): Promise<EnvironmentView> {
  return maskOverlay(ports, await findEnvironment(ports.clusters, actor, name));
}

function maskOverlay({ catalog }: Pick<Ports, 'catalog'>, environment: EnvironmentView): EnvironmentView {
  if (environment.overlay.length === 0) return environment;
  const entries = buildCatalog(catalog.operators(), catalog.customResourceDefinitions());
  const overlay = environment.overlay.map((one) => {
    const entry = entries.find(({ summary }) => summary.id === one.app);
    return { ...one, values: maskContent(entry, one.values) };
  });
  return { ...environment, overlay };
}
