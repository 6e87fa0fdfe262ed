import { inParallel } from '../../domain/core/in-parallel.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { listAt, numberAt, textAt } from '../../domain/core/read.ts';
import { ENVIRONMENT_KIND } from '../../domain/environment/environment-kind.ts';
import { environmentMembers, membersInShort } from '../../domain/environment/environment-members.ts';
import { CATALOG_RELEASE_KIND } from '../../domain/release/catalog-release.ts';
import { listInShort } from '../../domain/core/name-words.ts';
import { specOf, statusOf } from '../../domain/kind/kind.ts';
import type { AppSummary } from '../../domain/app/app.ts';
import { ifFound, type ListOptions } from '../../domain/kubernetes/cluster.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject, ResourceType } from '../../domain/kubernetes/resource.ts';
import {
  APP_DEFINITION,
  CATALOG_RELEASE,
  CRD,
  ENVIRONMENT,
  GITLAB_DEPLOYMENT,
  type KnownType,
  NAMESPACE,
  OPERATOR,
  PERSISTENT_VOLUME_CLAIM,
  POD,
  RESOURCE_COMPOSITION,
  SECRET,
} from '../../domain/kubernetes/resource-types.ts';
import type { SourcePorts } from './ports.ts';

/** Names in a sentence at most. */
const NAMED = 3;

interface ContentsInput {
  readonly type: KnownType;
  readonly live: KubeObject;
  readonly signal: AbortSignal;
}

type ContentsPorts = Pick<SourcePorts, 'cluster' | 'appKinds'>;

/**
 * What else is lost when a resource is deleted, as the end of a sentence: `with 3 instances`. Undefined when it holds nothing. Read with the permissions of the
 * controller, because a resource holds things that the account of its source may not see; what even the controller cannot read counts as held.
 */
export async function contentsOf(ports: ContentsPorts, input: ContentsInput): Promise<string | undefined> {
  try {
    return await lossOf(ports, input);
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
    return `with contents that could not be checked (${error.message})`;
  }
}

async function lossOf(ports: ContentsPorts, { type, live, signal }: ContentsInput): Promise<string | undefined> {
  const is = ({ group, kind }: KnownType): boolean => type.group === group && type.kind === kind;
  if (is(NAMESPACE)) return 'with all that is in it';
  if (is(PERSISTENT_VOLUME_CLAIM)) return 'with its data';
  if (is(CRD)) return 'with all objects of its kind';
  if (is(OPERATOR)) return lossOfOperator(live);
  if (is(APP_DEFINITION)) return await lossOfDefinition(ports, live, signal);
  if (is(ENVIRONMENT)) return await lossOfEnvironment(ports, live, signal);
  if (is(CATALOG_RELEASE)) return lossOfRelease(live);
  if (is(GITLAB_DEPLOYMENT)) return await lossOfOwned(ports, { owner: live, type: ENVIRONMENT, lossOf: lossOfEnvironment, signal });
  if (is(RESOURCE_COMPOSITION)) return await lossOfOwned(ports, { owner: live, type: APP_DEFINITION, lossOf: lossOfDefinition, signal });
  const isInstance = ports.appKinds().some(({ group, kind }) => type.group === group && type.kind === kind);
  return isInstance ? 'with its workloads and data' : undefined;
}

function lossOfOperator({ spec, status }: KubeObject): string | undefined {
  if (textAt(spec, 'deletionPolicy') === 'Orphan') return undefined;
  const instances = listAt(status, 'crds').reduce<number>((sum, crd) => sum + (numberAt(crd, 'instances') ?? 0), 0);
  return instances === 0 ? undefined : `with ${count(instances, 'instance')}`;
}

async function lossOfDefinition({ cluster }: ContentsPorts, { spec }: KubeObject, signal: AbortSignal): Promise<string | undefined> {
  const resource = textAt(spec, 'names', 'plural');
  if (resource === undefined || textAt(spec, 'deletionPolicy') === 'Orphan') return undefined;
  const instances = await countOf(cluster, { group: OURS.appsGroup, version: 'v1alpha1', resource }, { signal });
  return instances === 0 ? undefined : `with ${count(instances, 'instance')}`;
}

/** What a CatalogRelease lists is applied by the sources of its installations, so it stays. */
function lossOfRelease(release: KubeObject): string | undefined {
  const targets = statusOf(CATALOG_RELEASE_KIND, release).targets.map(({ name }) => name);
  return targets.length === 0
    ? undefined
    : `with the definition of what ${listInShort(targets, NAMED)} ${targets.length === 1 ? 'runs' : 'run'}`;
}

/** Namespaces are read at most so many kinds at once. */
const CONCURRENCY = 8;

async function lossOfEnvironment(ports: ContentsPorts, environment: KubeObject, signal: AbortSignal): Promise<string | undefined> {
  const { spec, status } = environment;
  const namespace = textAt(status, 'namespace');
  const isDeleted = textAt(spec, 'reclaim') === 'Delete';
  if (namespace === undefined) return undefined;
  let instances = 0;
  await inParallel(ports.appKinds(), CONCURRENCY, async (app) => {
    instances += await countOf(ports.cluster, typeOf(app), { namespace, signal });
  });
  const [releases, pods, claims] = await Promise.all([
    countOf(ports.cluster, SECRET, { namespace, labelSelector: 'owner=helm,status=deployed', signal }),
    countOf(ports.cluster, POD, { namespace, signal }),
    countOf(ports.cluster, PERSISTENT_VOLUME_CLAIM, { namespace, signal }),
  ]);
  const held = [
    [instances, 'instance'],
    [releases, 'Helm release'],
    [pods, 'pod'],
    [claims, 'volume claim'],
  ] as const;
  const members = membersInShort(environmentMembers(specOf(ENVIRONMENT_KIND, environment), namespace));
  const words = held.flatMap(([number, noun]) => (number === 0 ? [] : [count(number, noun)])).join(', ');
  const access = members === '' ? '' : `, and the access of ${members}`;
  if (isDeleted) return `with its namespace and all that is in it${words === '' ? '' : ` (${words})`}${access}`;
  return words === '' ? undefined : `with the access of ${members === '' ? 'its members' : members} to ${words}`;
}

function typeOf({ group, version, plural }: Pick<AppSummary, 'group' | 'version' | 'plural'>): ResourceType {
  return { group, version, resource: plural };
}

interface OwnedInput {
  readonly owner: KubeObject;
  readonly type: KnownType;
  readonly lossOf: (ports: ContentsPorts, live: KubeObject, signal: AbortSignal) => Promise<string | undefined>;
  readonly signal: AbortSignal;
}

/** What is lost with the resource that Chandlery has made from this one. */
async function lossOfOwned(ports: ContentsPorts, { owner, type, lossOf: lossOfOne, signal }: OwnedInput): Promise<string | undefined> {
  const { items } = await ports.cluster.list(type, { signal });
  const isOwned = ({ metadata }: KubeObject): boolean =>
    metadata.ownerReferences?.some(({ uid }) => uid !== undefined && uid === owner.metadata.uid) === true;
  const owned = items.find(isOwned);
  return owned === undefined ? undefined : await lossOfOne(ports, owned, signal);
}

/** A kind that the cluster does not serve has no objects. */
async function countOf(cluster: ContentsPorts['cluster'], type: ResourceType, options: ListOptions): Promise<number> {
  return (await ifFound(cluster.listMetadata(type, options)))?.items.length ?? 0;
}

function count(number: number, noun: string): string {
  return `${number} ${noun}${number === 1 ? '' : 's'}`;
}
