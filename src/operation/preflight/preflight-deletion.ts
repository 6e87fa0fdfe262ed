import pMap from 'p-map';
import { deployerOf } from '../../domain/app-definition/app-deployer.ts';
import { dedicatedNamespaceOf, isAppInstance, releaseNamespaceOf } from '../../domain/app-instance/instance.ts';
import { PERSISTENT_VOLUME, STORAGE_CLASS } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { checkPreconditions } from '../../domain/kubernetes/etag.ts';
import { deletionCommands } from '../../domain/instance/instance-commands.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import {
  claimsLeft,
  deletionFindings,
  dependentFindings,
  ownedBelow,
  type ClaimFate,
  type Reclaim,
} from '../../domain/preflight/deletion-findings.ts';
import { joinFindings, type Finding, type Findings } from '../../domain/preflight/findings.ts';
import { releaseRemoval } from '../../domain/preflight/release-removal.ts';
import { numberAt, textAt } from '../../domain/core/read.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject, ServedKind } from '../../domain/kubernetes/resource.ts';
import { releaseField, releaseMembers, releaseOfInstance } from '../../domain/tree/release-members.ts';
import type { InstanceDeletion } from '../instance/write-instance.ts';
import { findInstance, instanceView, judgeInstance } from '../instance/find-instance.ts';
import type { EnvironmentPorts } from '../environment/read-environment.ts';
import { missingPermission } from '../instance/instance-draft.ts';
import type { Ports } from '../ports.ts';
import { preflight } from './preflight.ts';
import { markedOf } from '../instance/instance-masking.ts';
import { namespacedKinds, readObjects } from '../instance/read-objects.ts';
import { readRestOfRelease, readRevision } from '../release/read-release.ts';

const MAX_CLAIMS = 50;

/** What would go if an Instance were deleted now, and what would stay, as far as the actor may read it. */
export async function preflightDeletion(
  ports: EnvironmentPorts & Pick<Ports, 'publicUrl'>,
  actor: Actor,
  address: InstanceDeletion,
): Promise<Preflight> {
  const found = await findInstance(ports, actor, address);
  const { ref, environment, entry } = found;
  const { object, appName, name, etag } = instanceView(entry, environment, await judgeInstance(ports, actor, found));
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
      const findings = await whatGoes(ports, cluster, { root: object, deployer: deployerOf(entry.operator) });
      return () => findings;
    },
    sensitive: { marked: markedOf(entry), live: found.object },
    commands: deletionCommands(object, {
      app: address.app,
      url: `${ports.publicUrl}/api/v1/environments/${environment.name}/instances/${address.app}/${address.name}`,
    }),
  });
}

interface DeletionContext {
  readonly cluster: Cluster;
  readonly root: KubeObject;
  /** The account that uninstalls a release. */
  readonly deployer: string;
  /** All that could be read of the namespace. */
  readonly objects: readonly KubeObject[];
  /** All kinds that the cluster serves. */
  readonly served: readonly ServedKind[];
}

async function whatGoes(
  ports: Pick<Ports, 'discovery' | 'health'>,
  cluster: Cluster,
  { root, deployer }: Pick<DeletionContext, 'root' | 'deployer'>,
): Promise<Findings> {
  const namespace = dedicatedNamespaceOf(root) ?? releaseNamespaceOf(root);
  const served = await ports.discovery.kinds();
  const { objects, unreadable, unavailable } = await readObjects(cluster, namespacedKinds(served), {
    ...(namespace === '' ? {} : { namespace }),
    // Their specs say whose outputs they take.
    isWhole: ({ group }) => group === OURS.appsGroup,
  });
  const { goes, ...release } = await whatReleaseTakes(ports, { cluster, root, deployer, objects, served });
  const isDedicated = dedicatedNamespaceOf(root) !== undefined;
  const owned = [...new Set([...ownedBelow([root], objects), ...goes])];
  const ownedClaims = (isDedicated ? objects : owned).filter(({ kind }) => kind === 'PersistentVolumeClaim').slice(0, MAX_CLAIMS);
  const claims = await pMap(
    ownedClaims,
    async (claim): Promise<ClaimFate> => ({ claim, fate: 'Goes', reclaim: await reclaimOf(cluster, claim) }),
    {
      concurrency: 4,
    },
  );
  const left = isDedicated ? [] : claimsLeft(owned, objects);
  const stays = left.map((claim): ClaimFate => ({ claim, fate: 'Stays', reclaim: 'Unknown' }));
  const names = unreadable.map(({ kind }) => kind).sort();
  const gaps = [
    ...(names.length === 0 ? [] : [`you may not list ${names.join(', ')} there`]),
    ...unavailable.map(({ kind, message }) => `${kind} cannot be listed: ${message}`),
    ...release.gaps,
  ];
  const unchecked = gaps.map((gap): Finding => ({ message: `There may be more: ${gap}`, subject: 'Object', evidence: 'exact' }));
  const warned = dependentFindings(root, isDedicated ? await instancesBeside(cluster, served, root) : objects);
  const ofNamespace = isDedicated ? { removed: [namespaceGoes(namespace)] } : {};
  return joinFindings([{ warned }, deletionFindings(root, owned, [...claims, ...stays]), release.findings, ofNamespace, { unchecked }]);
}

/** The instances that may take outputs of one whose release is in another namespace. */
async function instancesBeside(cluster: Cluster, served: readonly ServedKind[], { metadata }: KubeObject): Promise<readonly KubeObject[]> {
  const kinds = namespacedKinds(served).filter(({ group }) => group === OURS.appsGroup);
  const { namespace } = metadata;
  return (await readObjects(cluster, kinds, namespace === undefined ? {} : { namespace })).objects;
}

function namespaceGoes(namespace: string): Finding {
  return {
    message: `Namespace ${namespace} with everything in it, which is dedicated to this instance`,
    subject: 'Data',
    evidence: 'exact',
  };
}

interface ReleaseTakes {
  readonly goes: readonly KubeObject[];
  readonly findings: Partial<Findings>;
  /** Why there may be more, a clause each. */
  readonly gaps: readonly string[];
}

/** What goes with the release of an instance of a chart, and what that leaves. Nothing belongs to a release that was never made. */
async function whatReleaseTakes(
  { health }: Pick<Ports, 'health'>,
  { cluster, root, deployer, objects, served }: DeletionContext,
): Promise<ReleaseTakes> {
  const release = isAppInstance(root) ? releaseOfInstance(root, objects) : undefined;
  if (release === undefined) return { goes: [], findings: {}, gaps: [] };
  const rest = await readRestOfRelease(cluster, { release, read: objects, kinds: served, health });
  const live = [...objects, ...rest.objects.filter(({ metadata }) => metadata.uid !== undefined)];
  const members = [...releaseMembers(live, (object) => releaseField(object, { release, named: rest.named }), root).keys()];
  const revision = numberAt(root.status, 'release', 'revision') ?? 0;
  const record = rest.missing.length > 0 ? undefined : await readRevision(cluster, release, revision);
  const gaps = rest.missing.map(({ verb, resource }) => `you may not ${verb} ${resource}, by which the whole release is known`);
  const dedicated = dedicatedNamespaceOf(root);
  const around = dedicated === undefined ? {} : { dedicated };
  return {
    ...releaseRemoval({ root, release, members, hooks: record?.hooks ?? [], deployer, objects, ...around }),
    gaps: [...new Set(gaps)],
  };
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
