import pMap from 'p-map';
import { type AppError, isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { CatalogEntry } from '../../domain/catalog/app-catalog.ts';
import type { InstanceSummary } from '../../domain/instance/instance.ts';
import type { CallOptions } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { UnavailableKind } from '../../domain/tree/tree.ts';
import { entriesFor } from '../app/find-app.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import { instanceSummary } from './find-instance.ts';
import type { Ports } from '../ports.ts';

export interface InstanceList {
  readonly instances: readonly InstanceSummary[];
  /** Kinds that the actor may not list in this environment. */
  readonly unreadable: readonly string[];
  /** Kinds that nobody can list now. */
  readonly unavailable: readonly UnavailableKind[];
}

/** The Instances of an environment that the actor may read, by name. */
export async function listInstances(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'health'>,
  actor: Actor,
  name: string,
): Promise<InstanceList> {
  const environment = await findEnvironment(ports.clusters, actor, name);
  const lists = await pMap(
    entriesFor(ports, actor),
    async (entry) => ({ entry, list: await listOf(ports, actor, { entry, namespace: environment.namespace }) }),
    {
      concurrency: 8,
    },
  );
  await ports.health.evaluate(lists.flatMap(({ list }) => (list.outcome === 'Listed' ? list.items : [])));
  return {
    instances: lists
      .flatMap(({ entry, list }) =>
        list.outcome === 'Listed' ? list.items.map((object) => instanceSummary(entry, environment, object)) : [],
      )
      .sort((a, b) => a.name.localeCompare(b.name) || a.app.localeCompare(b.app)),
    unreadable: lists.filter(({ list }) => list.outcome === 'Forbidden').map(({ entry }) => entry.summary.kind),
    unavailable: lists.flatMap(({ entry: { summary }, list }) =>
      list.outcome === 'Unavailable'
        ? [{ kind: summary.kind, apiVersion: `${summary.group}/${summary.version}`, message: list.message }]
        : [],
    ),
  };
}

async function listOf(
  ports: Pick<Ports, 'clusters'>,
  actor: Actor,
  { entry, namespace }: { readonly entry: CatalogEntry; readonly namespace: string },
): Promise<KindList> {
  const { group, version, plural } = entry.summary;
  const cluster = ports.clusters.asActor(actor);
  return await listKind(async (options) => (await cluster.list({ group, version, resource: plural }, { namespace, ...options })).items);
}

/** What the api-server says when the objects of one kind are listed among those of many. */
export type KindList =
  | { readonly outcome: 'Listed'; readonly items: readonly KubeObject[] }
  | { readonly outcome: 'Forbidden'; readonly missing?: MissingPermission }
  | { readonly outcome: 'Unavailable'; readonly message: string };

/** A conversion webhook has half a minute to answer, and a page with many kinds does not wait for one. */
const PATIENCE_MS = 8_000;

/**
 * Lists the objects of one of many kinds: that one cannot be listed is an answer, so that the others are reported. A cluster that is away altogether throws, as
 * anything else does. The list of a kind that has just gone is empty.
 */
export async function listKind(list: (options: CallOptions) => Promise<readonly KubeObject[]>): Promise<KindList> {
  const signal = AbortSignal.timeout(PATIENCE_MS);
  try {
    return { outcome: 'Listed', items: await list({ signal }) };
  } catch (error) {
    if (signal.aborted) return { outcome: 'Unavailable', message: `the api-server has not listed it within ${PATIENCE_MS / 1000} seconds` };
    if (isAppError(error, 'Forbidden')) return { outcome: 'Forbidden', ...(error.missing === undefined ? {} : { missing: error.missing }) };
    if (isAppError(error, 'NotFound', 'MethodNotAllowed')) return { outcome: 'Listed', items: [] };
    if (!isAppError(error) || error.unanswered === undefined) throw error;
    return { outcome: 'Unavailable', message: sentenceOf(error) };
  }
}

function sentenceOf({ faults, message }: AppError): string {
  return faults[0]?.message ?? message;
}
