import pMap from 'p-map';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { CatalogEntry } from '../../domain/catalog/app-catalog.ts';
import { isAppError } from '../../domain/core/errors.ts';
import type { InstanceSummary } from '../../domain/instance/instance.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { entriesFor } from '../app/find-app.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import { instanceSummary } from './find-instance.ts';
import type { Ports } from '../ports.ts';

export interface InstanceList {
  readonly instances: readonly InstanceSummary[];
  /** Kinds that the actor may not list in this environment. */
  readonly unreadable: readonly string[];
}

/** The Instances of an environment that the actor may read, by name. */
export async function listInstances(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor, name: string): Promise<InstanceList> {
  const environment = await findEnvironment(ports.clusters, actor, name);
  const lists = await pMap(
    entriesFor(ports, actor),
    async (entry) => ({ entry, items: await listOf(ports, actor, { entry, namespace: environment.namespace }) }),
    {
      concurrency: 8,
    },
  );
  return {
    instances: lists
      .flatMap(({ entry, items }) => (items ?? []).map((object) => instanceSummary(entry, environment, object)))
      .sort((a, b) => a.name.localeCompare(b.name) || a.app.localeCompare(b.app)),
    unreadable: lists.filter(({ items }) => items === undefined).map(({ entry }) => entry.summary.kind),
  };
}

/** Nothing when the actor may not list the kind; empty when the kind has just gone. */
async function listOf(
  ports: Pick<Ports, 'clusters'>,
  actor: Actor,
  { entry, namespace }: { readonly entry: CatalogEntry; readonly namespace: string },
): Promise<readonly KubeObject[] | undefined> {
  const { group, version, plural } = entry.summary;
  try {
    return (await ports.clusters.asActor(actor).list({ group, version, resource: plural }, { namespace })).items;
  } catch (error) {
    if (isAppError(error, 'Forbidden')) return undefined;
    if (isAppError(error, 'NotFound')) return [];
    throw error;
  }
}
