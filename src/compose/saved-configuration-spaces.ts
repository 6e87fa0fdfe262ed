import { setTimeout as sleep } from 'node:timers/promises';
import { AppError, isAppError } from '../domain/core/errors.ts';
import type { Actor } from '../domain/kubernetes/actor.ts';
import { type Clusters, ifFound } from '../domain/kubernetes/cluster.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import { NAMESPACE, ROLE_BINDING, SAVED_CONFIGURATION } from '../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { isSpaceOf, type SpaceOwner, spaceObjects, spaceOf } from '../domain/saved-configuration/saved-configuration-space.ts';
import type { Ports } from '../operation/ports.ts';

/** How long the api-server may take to know a new RoleBinding. */
const PERMISSION_MS = 15_000;
const POLL_MS = 50;

/**
 * The namespaces that people and groups have for saved configurations. The controller's own account makes them, because nobody else may; what is in them is written
 * and read by the people themselves.
 */
export function savedConfigurationSpaces(clusters: Pick<Clusters, 'asController' | 'asActor'>): Ports['savedConfigurations'] {
  return {
    withSpace: async (owners) => {
      const found = await namespacesOf(clusters, owners);
      return owners.filter((owner) => found.some((namespace) => isSpaceOf(owner, namespace)));
    },
    createSpace: async (owner, actor) => {
      await ensureNamespace(clusters, owner);
      if (actor !== undefined && (await mayWrite(clusters, owner, actor))) return;
      const { roleBinding } = spaceObjects(owner);
      await clusters.asController().apply(ROLE_BINDING, roleBinding, { fieldManager: OURS.fieldManager, force: 'force' });
      if (actor !== undefined) await untilPermitted(clusters, owner, actor);
    },
  };
}

/** Those of groups are few, and a person can have many groups. */
async function namespacesOf(
  { asController }: Pick<Clusters, 'asController'>,
  owners: readonly SpaceOwner[],
): Promise<readonly KubeObject[]> {
  const people = owners.filter((owner) => 'user' in owner);
  const labelSelector = `${OURS.savedConfigurationsLabel} in (everybody,group)`;
  const [groups, ...own] = await Promise.all([
    people.length === owners.length
      ? []
      : asController()
          .listMetadata(NAMESPACE, { labelSelector })
          .then(({ items }) => items),
    ...people.map(async (owner) => await ifFound(asController().get({ ...NAMESPACE, name: spaceOf(owner) }, { answer: 'metadata' }))),
  ]);
  return [...groups, ...own].filter((one) => one !== undefined);
}

/** @throws AppError `Conflict` when somebody else has a namespace of this name. */
async function ensureNamespace({ asController }: Pick<Clusters, 'asController'>, owner: SpaceOwner): Promise<void> {
  const { namespace } = spaceObjects(owner);
  const { name } = namespace.metadata;
  const read = async (): Promise<KubeObject | undefined> =>
    await ifFound(asController().get({ ...NAMESPACE, name }, { answer: 'metadata' }));
  const found = (await read()) ?? (await createOnce(asController(), namespace)) ?? (await read());
  if (found !== undefined && isSpaceOf(owner, found)) return;
  throw new AppError(
    'Conflict',
    `saved configuration: the namespace ${JSON.stringify(name)} exists and is not one of Chandlery; an admin has to remove it`,
  );
}

/** Undefined when another process was faster. */
async function createOnce(cluster: ReturnType<Clusters['asController']>, namespace: KubeObject): Promise<KubeObject | undefined> {
  try {
    return (await cluster.create(NAMESPACE, namespace, { fieldManager: OURS.fieldManager })).object;
  } catch (error) {
    if (isAppError(error, 'AlreadyExists')) return undefined;
    throw error;
  }
}

async function mayWrite({ asActor }: Pick<Clusters, 'asActor'>, owner: SpaceOwner, actor: Actor): Promise<boolean> {
  const { group, resource } = SAVED_CONFIGURATION;
  return (await asActor(actor).review({ verb: 'create', group, resource, namespace: spaceOf(owner) })).allowed;
}

/** Whatever forbids it after that, the write says so. */
async function untilPermitted(clusters: Pick<Clusters, 'asActor'>, owner: SpaceOwner, actor: Actor): Promise<void> {
  const latest = performance.now() + PERMISSION_MS;
  while (performance.now() < latest) {
    if (await mayWrite(clusters, owner, actor)) return;
    await sleep(POLL_MS);
  }
}
