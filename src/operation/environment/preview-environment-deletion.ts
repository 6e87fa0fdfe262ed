import { dedicatedNamespaceName, generatedKind } from '../../domain/app-instance/instance.ts';
import type { CatalogEntry } from '../../domain/catalog/app-catalog.ts';
import { APP_DEFINITION_KIND } from '../../domain/app-definition/app-definition-kind.ts';
import pMap from 'p-map';
import type { MissingPermission } from '../../domain/core/errors.ts';
import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import { type EnvironmentMember, environmentMembers } from '../../domain/environment/environment-members.ts';
import { specOf, statusOf } from '../../domain/kind/kind.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import { checkPreconditions, etagOf, type Preconditions } from '../../domain/kubernetes/etag.ts';
import { PERSISTENT_VOLUME_CLAIM } from '../../domain/kubernetes/resource-types.ts';
import { apiVersionOf, type ResourceType } from '../../domain/kubernetes/resource.ts';
import type { UnavailableKind } from '../../domain/tree/tree.ts';
import { catalogEntries } from '../app/find-app.ts';
import { listKind } from '../instance/list-kind.ts';
import type { Ports } from '../ports.ts';
import { environmentWords } from './environment-change.ts';
import { findEnvironmentObject } from './find-environment.ts';

/** Resources of one kind in the namespace of an Environment. */
export interface KindCount {
  /** Plural and group; of instances, this is their App. */
  readonly resource: string;
  readonly kind: string;
  readonly count: number;
  /** The first of them, sorted. */
  readonly names: readonly string[];
}

/** What deleting an Environment would do now, or does, as far as the actor may see. */
export interface EnvironmentDeletion {
  readonly state: 'Preview' | 'Deleting';
  readonly namespace: string;
  readonly reclaim: 'Retain' | 'Delete';
  /** Whether the namespace is the Environment's; another one is left alone whatever `reclaim` says. */
  readonly reserved: boolean;
  /** Who loses access. */
  readonly members: readonly EnvironmentMember[];
  /** Instances by kind; kinds without any are left out. */
  readonly instances: readonly KindCount[];
  /** Absent when the actor may not list them. */
  readonly volumeClaims?: KindCount;
  /** What is deleted, and what stays, a sentence each. */
  readonly goes: readonly string[];
  readonly stays: readonly string[];
  /** Without these, nobody knows how much more there is. */
  readonly missing: readonly MissingPermission[];
  readonly unavailable: readonly UnavailableKind[];
}

interface DeletionPreviewInput {
  readonly environment: string;
  readonly preconditions?: Preconditions;
}

/** Counts what is in the namespace, as the actor. Throws as `findEnvironment`, and `PreconditionFailed`. */
export async function previewEnvironmentDeletion(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  { environment: name, preconditions = {} }: DeletionPreviewInput,
): Promise<EnvironmentDeletion> {
  const object = await findEnvironmentObject(ports.clusters, actor, name);
  checkPreconditions(environmentWords(name), etagOf(object), preconditions);
  const spec = specOf(ENVIRONMENT_KIND, object);
  const { namespace = name, reclaim } = spec;
  const reserved = statusOf(ENVIRONMENT_KIND, object).namespaceUID !== undefined;
  const cluster = ports.clusters.asActor(actor);
  const entries = catalogEntries(ports);
  const kinds = entries.map(({ summary: { group, version, plural, kind } }) => ({ group, version, resource: plural, kind }));
  const counted = reserved
    ? await pMap([...kinds, PERSISTENT_VOLUME_CLAIM], async (kind) => await countIn(cluster, kind, namespace), { concurrency: 8 })
    : [];
  const counts = counted.flatMap(({ found }) => found ?? []);
  const volumeClaims = counts.find(({ resource }) => resource === PERSISTENT_VOLUME_CLAIM.resource);
  const instances = counts.filter((one) => one !== volumeClaims && one.count > 0);
  return {
    state: object.metadata.deletionTimestamp === undefined ? 'Preview' : 'Deleting',
    namespace,
    reclaim,
    reserved,
    members: reserved ? environmentMembers(spec, namespace) : [],
    instances,
    ...(volumeClaims === undefined ? {} : { volumeClaims }),
    ...fates({ namespace, reclaim, reserved }, dedicatedOf(entries, { instances, namespace })),
    missing: counted.flatMap(({ missing }) => missing ?? []),
    unavailable: counted.flatMap(({ unavailable }) => unavailable ?? []),
  };
}

interface Counted {
  readonly found?: KindCount;
  readonly missing?: MissingPermission;
  readonly unavailable?: UnavailableKind;
}

const MAX_NAMES = 20;

type Countable = ResourceType & { readonly kind: string };

async function countIn(cluster: Pick<Cluster, 'listMetadata'>, { kind, ...type }: Countable, namespace: string): Promise<Counted> {
  const { group, version, resource } = type;
  const list = await listKind(
    async (options) => (await cluster.listMetadata({ group, version, resource }, { namespace, ...options })).items,
  );
  switch (list.outcome) {
    case 'Listed': {
      const names = list.items.map(({ metadata }) => metadata.name).sort();
      return {
        found: { resource: group === '' ? resource : `${resource}.${group}`, kind, count: names.length, names: names.slice(0, MAX_NAMES) },
      };
    }
    case 'Forbidden':
      return { missing: { verb: 'list', group, resource, namespace } };
    case 'Unavailable':
      return { unavailable: { kind, apiVersion: apiVersionOf(type), message: list.message } };
    default:
      return list satisfies never;
  }
}

/** Namespaces that are dedicated to instances. */
interface DedicatedNamespaces {
  readonly count: number;
  /** The first of them, sorted. */
  readonly names: readonly string[];
}

/** By the names of the instances, which are those of their namespaces. */
function dedicatedOf(
  entries: readonly CatalogEntry[],
  { instances, namespace }: Pick<EnvironmentDeletion, 'instances' | 'namespace'>,
): DedicatedNamespaces {
  const kinds = entries.filter(isDedicated).map(({ summary, crd }) => ({ id: summary.id, kind: generatedKind(crd) }));
  const found = kinds.flatMap(({ id, kind }) => {
    const own = instances.find(({ resource }) => resource === id);
    if (own === undefined || kind === undefined) return [];
    return [{ count: own.count, names: own.names.map((name) => dedicatedNamespaceName(kind, { namespace, name })) }];
  });
  const names = found.flatMap((one) => one.names).sort();
  return { count: found.reduce((sum, { count }) => sum + count, 0), names: names.slice(0, MAX_NAMES) };
}

function isDedicated({ summary, operator }: CatalogEntry): boolean {
  return summary.definition !== undefined && specOf(APP_DEFINITION_KIND, operator).namespaceMode === 'Dedicated';
}

/** As the controller deletes an Environment. */
function fates(
  { namespace, reclaim, reserved }: Pick<EnvironmentDeletion, 'namespace' | 'reclaim' | 'reserved'>,
  dedicated: DedicatedNamespaces,
): Fates {
  const access = 'The roles of its members, who no longer see the environment';
  if (!reserved) {
    return {
      goes: ['The Environment'],
      stays: [`The namespace ${namespace}, which was never reserved for the environment, and everything in it`],
    };
  }
  const own = dedicated.count === 0 ? [] : [dedicatedSentence(dedicated)];
  if (reclaim === 'Delete') {
    const all = `The namespace ${namespace} with everything in it: instances, workloads, Secrets and volume claims`;
    return { goes: ['The Environment', access, all, ...own], stays: ['Volumes whose reclaim policy is Retain, without a claim'] };
  }
  const kept = `The namespace ${namespace} with everything in it: instances keep running, without an environment`;
  return { goes: ['The Environment', access], stays: [kept, ...own, 'The quota and the limits of the namespace'] };
}

function dedicatedSentence({ count, names }: DedicatedNamespaces): string {
  if (count === 1) return `The namespace dedicated to its instance, with everything in it: ${names.join()}`;
  const more = count > names.length ? ` and ${count - names.length} more` : '';
  return `The ${count} namespaces dedicated to its instances, with everything in them: ${names.join(', ')}${more}`;
}

type Fates = Pick<EnvironmentDeletion, 'goes' | 'stays'>;
