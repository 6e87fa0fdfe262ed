import pMap from 'p-map';
import { PERSISTENT_VOLUME, STORAGE_CLASS } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { checkPreconditions } from '../../domain/kubernetes/etag.ts';
import { deletionCommands } from '../../domain/instance/instance-commands.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import { claimsLeft, deletionFindings, ownedBelow, type ClaimFate, type Reclaim } from '../../domain/preflight/deletion-findings.ts';
import { joinFindings, type Finding, type Findings } from '../../domain/preflight/findings.ts';
import { textAt } from '../../domain/core/read.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { InstanceDeletion } from '../instance/write-instance.ts';
import { findInstance, instanceView } from '../instance/find-instance.ts';
import { missingPermission } from '../instance/instance-draft.ts';
import type { Ports } from '../ports.ts';
import { preflight } from './preflight.ts';
import { markedOf } from '../instance/instance-masking.ts';
import { namespacedKinds, readObjects } from '../instance/read-objects.ts';

const MAX_CLAIMS = 50;

/** What would go if an Instance were deleted now, and what would stay, as far as the actor may read it. */
export async function preflightDeletion(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'discovery' | 'publicUrl'>,
  actor: Actor,
  address: InstanceDeletion,
): Promise<Preflight> {
  const found = await findInstance(ports, actor, address);
  const { ref, environment, entry } = found;
  const { object, appName, name, etag } = instanceView(entry, environment, found.object);
  checkPreconditions(`${appName} ${JSON.stringify(name)}`, etag, address.preconditions ?? {});
  const { uid } = object.metadata;
  const cluster = ports.clusters.asActor(actor);
  return await preflight(actor, {
    app: address.app,
    object,
    may: async () =>
      await missingPermission(ports, actor, { verb: 'delete', group: ref.group, resource: ref.resource, namespace: ref.namespace }),
    dryRun: async () => {
      await cluster.delete(ref, { propagation: 'Background', dryRun: 'All', ...(uid === undefined ? {} : { uid }) });
      return { object, warnings: [] };
    },
    look: async () => {
      const findings = await whatGoes(ports, cluster, object);
      return () => findings;
    },
    sensitive: { marked: markedOf(entry), live: found.object },
    commands: deletionCommands(object, {
      app: address.app,
      url: `${ports.publicUrl}/api/v1/environments/${environment.name}/instances/${address.app}/${address.name}`,
    }),
  });
}

async function whatGoes({ discovery }: Pick<Ports, 'discovery'>, cluster: Cluster, root: KubeObject): Promise<Findings> {
  const { namespace } = root.metadata;
  const kinds = namespacedKinds(await discovery.kinds());
  const { objects, unreadable, unavailable } = await readObjects(cluster, kinds, namespace === undefined ? {} : { namespace });
  const owned = ownedBelow(root, objects);
  const goes = owned.filter(({ kind }) => kind === 'PersistentVolumeClaim').slice(0, MAX_CLAIMS);
  const claims = await pMap(
    goes,
    async (claim): Promise<ClaimFate> => ({ claim, fate: 'Goes', reclaim: await reclaimOf(cluster, claim) }),
    {
      concurrency: 4,
    },
  );
  const stays = claimsLeft(owned, objects).map((claim): ClaimFate => ({ claim, fate: 'Stays', reclaim: 'Unknown' }));
  const names = unreadable.map(({ kind }) => kind).sort();
  const gaps = [
    ...(names.length === 0 ? [] : [`you may not list ${names.join(', ')} there`]),
    ...unavailable.map(({ kind, message }) => `${kind} cannot be listed: ${message}`),
  ];
  const unchecked = gaps.map((gap): Finding => ({ message: `There may be more: ${gap}`, subject: 'Object', evidence: 'exact' }));
  return joinFindings([deletionFindings(root, owned, [...claims, ...stays]), { unchecked }]);
}

/** The policy of the volume itself; where only the class can be read, that of the class, which new volumes get. */
async function reclaimOf(cluster: Pick<Cluster, 'get'>, { spec }: KubeObject): Promise<Reclaim> {
  const [volume, storageClass] = [textAt(spec, 'volumeName'), textAt(spec, 'storageClassName')];
  const policies = [
    async () =>
      volume === undefined
        ? undefined
        : textAt((await cluster.get({ ...PERSISTENT_VOLUME, name: volume })).spec, 'persistentVolumeReclaimPolicy'),
    async () =>
      storageClass === undefined ? undefined : textAt(await cluster.get({ ...STORAGE_CLASS, name: storageClass }), 'reclaimPolicy'),
  ];
  for (const read of policies) {
    const policy = await orNothing(read);
    if (policy === 'Delete' || policy === 'Retain') return policy;
  }
  return 'Unknown';
}

async function orNothing<T>(read: () => Promise<T | undefined>): Promise<T | undefined> {
  try {
    return await read();
  } catch (error) {
    if (isAppError(error, 'Forbidden', 'NotFound')) return undefined;
    throw error;
  }
}
