import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { MissingPermission } from '../../domain/core/errors.ts';
import {
  countResources,
  describeResources,
  type EnvironmentResource,
  filterResources,
  type ResourceCount,
  type ResourceFilter,
} from '../../domain/environment/environment-resources.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { UnavailableKind } from '../../domain/tree/tree.ts';
import { catalogEntries, entriesFor } from '../app/find-app.ts';
import { markedOf, redactHealth, redactTexts, secretsOf } from '../instance/instance-masking.ts';
import { readNamespace } from '../instance/read-group.ts';
import { namespacedKinds } from '../instance/read-objects.ts';
import type { Ports } from '../ports.ts';
import { findEnvironment } from './find-environment.ts';

export interface EnvironmentResourcesInput extends ResourceFilter {
  readonly environment: string;
}

export interface EnvironmentResources {
  readonly environment: EnvironmentView;
  /** Those that the filter leaves, by kind and name. */
  readonly resources: readonly EnvironmentResource[];
  /** All of them, whatever the filter. */
  readonly all: readonly EnvironmentResource[];
  readonly counts: readonly ResourceCount[];
  /** What the actor may not list; it is in no count. */
  readonly missing: readonly MissingPermission[];
  /** Kinds that nobody can list now. */
  readonly unavailable: readonly UnavailableKind[];
}

/**
 * The resource group of an environment: everything in its namespace, whoever made it, read as the actor.
 *
 * @throws AppError `NotFound` for an environment that the actor does not see.
 */
export async function listEnvironmentResources(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'discovery' | 'groupMemory'>,
  actor: Actor,
  { environment: name, ...filter }: EnvironmentResourcesInput,
): Promise<EnvironmentResources> {
  const environment = await findEnvironment(ports.clusters, actor, name);
  const { namespace } = environment;
  const kinds = namespacedKinds(await ports.discovery.kinds());
  const memory = ports.groupMemory.kindsFor(actor, groupOf(namespace));
  const read = await readNamespace(ports.clusters.asActor(actor), { kinds, namespace, memory });
  const all = withoutSecrets(
    ports,
    read.objects,
    describeResources(read.objects, { kinds, apps: new Set(entriesFor(ports, actor).map(({ summary }) => summary.id)) }),
  );
  return {
    environment,
    resources: filterResources(all, filter),
    all,
    counts: countResources(all),
    missing: read.unreadable.map(({ group, resource }) => ({ verb: 'list', group, resource, namespace })),
    unavailable: read.unavailable,
  };
}

/** Under what the empty kinds of a namespace are remembered. */
function groupOf(namespace: string): KubeObject {
  return { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace, uid: `namespace ${namespace}` } };
}

/** What any object says of itself may repeat a sensitive value of one of the instances. */
function withoutSecrets(
  ports: Pick<Ports, 'catalog'>,
  objects: readonly KubeObject[],
  resources: readonly EnvironmentResource[],
): readonly EnvironmentResource[] {
  const entries = new Map(catalogEntries(ports).map((entry) => [`${entry.summary.group}/${entry.summary.kind}`, entry]));
  const secrets = objects.flatMap((object) => {
    const entry = entries.get(`${object.apiVersion.split('/')[0]}/${object.kind}`);
    return entry === undefined ? [] : secretsOf(markedOf(entry), object);
  });
  if (secrets.length === 0) return resources;
  return resources.map((one) => ({
    ...one,
    ...redactTexts({ info: one.info }, secrets),
    ...(one.health === undefined ? {} : { health: redactHealth(one.health, secrets) }),
  }));
}
