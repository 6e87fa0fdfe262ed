import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { at, textAt } from '../../domain/core/read.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import { specOf } from '../../domain/kind/kind.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject, ResourceRef } from '../../domain/kubernetes/resource.ts';
import {
  ARGO_APPLICATION,
  CATALOG_SOURCE,
  FLUX_GIT_REPOSITORY,
  FLUX_HELM_RELEASE,
  FLUX_KUSTOMIZATION,
} from '../../domain/kubernetes/resource-types.ts';
import { fileInInventory } from '../../domain/proposal/proposal-target.ts';
import { resourceOf } from '../../domain/proposal/proposal.ts';
import { CATALOG_SOURCE_KIND } from '../../domain/source/catalog-source.ts';
import { managerOf } from '../../domain/tree/resource-manager.ts';
import { findEnvironmentObject } from '../environment/find-environment.ts';
import { findInstance, type InstanceAddress } from '../instance/find-instance.ts';
import { findOperator, type OperatorAddress } from '../operator/find-operator.ts';
import type { Ports } from '../ports.ts';
import { listProposalTargets, targets } from './proposal-targets.ts';

export const OWNER_TOOLS = ['CatalogSource', 'ArgoCD', 'Flux', 'GitLabDeployment'] as const;

/** What keeps a resource in step with something else, mostly git, and reverts a change that is made beside it. */
export interface GitOwner {
  readonly tool: (typeof OWNER_TOOLS)[number];
  /** Of the CatalogSource, Application, Kustomization, HelmRelease or GitLabDeployment. */
  readonly name: string;
  readonly namespace?: string;
  /** The address of the repository, as far as the actor may read it; and the folder or file in it. */
  readonly repository?: string;
  readonly path?: string;
}

/** Where a change of an Instance or Operator can go. */
export interface InstanceOwner {
  /** Absent for what nothing in git describes, as far as its labels and annotations say. */
  readonly owner?: GitOwner;
  /** The sources that it can be proposed to, that of the owner first. */
  readonly sources: readonly string[];
}

interface OwnerInput extends InstanceAddress {
  /** As it was read already; default: it is read. */
  readonly instance?: Pick<InstanceView, 'object'>;
}

/** Who owns an Instance by its labels and annotations. What the owner says of its repository is read as the actor. Throws as `findInstance`. */
export async function showOwner(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  { instance, ...address }: OwnerInput,
): Promise<InstanceOwner> {
  const { object } = instance ?? (await findInstance(ports, actor, address));
  return await ownerAndSources(ports, actor, object);
}

/** Who owns an Operator, as `showOwner`. Throws as `findOperator`. */
export async function showOperatorOwner(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  address: OperatorAddress,
): Promise<InstanceOwner> {
  return await ownerAndSources(ports, actor, await findOperator(ports, actor, address));
}

/** Who owns an Environment. Throws as `findEnvironment`. */
export async function showEnvironmentOwner(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor, name: string): Promise<InstanceOwner> {
  return await ownerAndSources(ports, actor, await findEnvironmentObject(ports.clusters, actor, name));
}

async function ownerAndSources(ports: Pick<Ports, 'clusters' | 'catalog'>, actor: Actor, object: KubeObject): Promise<InstanceOwner> {
  const [owner, sources] = await Promise.all([ownerOf(ports, actor, object), listProposalTargets(ports, actor, resourceOf(object))]);
  const first = owner === undefined ? undefined : sourceOfOwner(ports, owner);
  const ordered = first !== undefined && sources.includes(first) ? [first, ...sources.filter((name) => name !== first)] : sources;
  return { ...(owner === undefined ? {} : { owner }), sources: ordered };
}

/** The source itself, or one with the repository of the owner. */
function sourceOfOwner(ports: Pick<Ports, 'catalog'>, { tool, name, repository }: GitOwner): string | undefined {
  if (tool === 'CatalogSource') return name;
  return repository === undefined ? undefined : targets(ports).find(({ git }) => plainAddress(git.url) === plainAddress(repository))?.name;
}

/** Without what differs between the addresses of one repository. */
function plainAddress(url: string): string {
  const [, host = '', path = ''] = /^(?:[a-z]+:\/\/)?(?:[^@/]+@)?([^:/]+)(?::\d+)?[:/](.*)$/.exec(url) ?? [];
  return `${host.toLowerCase()}/${path.replace(/(\.git)?\/*$/, '')}`;
}

async function ownerOf(ports: Pick<Ports, 'clusters'>, actor: Actor, object: KubeObject): Promise<GitOwner | undefined> {
  const read = async (ref: ResourceRef): Promise<KubeObject | undefined> => await readable(ports, actor, ref);
  const source = object.metadata.labels?.[OURS.sourceLabel];
  if (source !== undefined && source !== '') return await sourceOwner(read, source, object);
  const deployment = object.metadata.ownerReferences?.find(({ kind }) => kind === 'GitLabDeployment');
  if (deployment !== undefined) return { tool: 'GitLabDeployment', name: deployment.name };
  const manager = managerOf(object);
  if (manager?.tool === 'ArgoCD') return await argoOwner(read, manager);
  return manager?.tool === 'Flux' ? await fluxOwner(read, object, manager) : undefined;
}

type Read = (ref: ResourceRef) => Promise<KubeObject | undefined>;
type Named = Pick<GitOwner, 'name' | 'namespace'>;

async function sourceOwner(read: Read, name: string, object: KubeObject): Promise<GitOwner> {
  const source = await read({ ...CATALOG_SOURCE, name });
  const { git, folder } = source === undefined ? {} : specOf(CATALOG_SOURCE_KIND, source);
  const root = git?.path ?? folder?.path;
  const file = source === undefined ? undefined : fileInInventory(source, object);
  const path = [root, file].filter((part) => part !== undefined && part !== '').join('/');
  return { tool: 'CatalogSource', name, ...placeOf(git?.url, path) };
}

async function argoOwner(read: Read, { name, namespace = 'argocd' }: Named): Promise<GitOwner> {
  const application = await read({ ...ARGO_APPLICATION, namespace, name });
  const source = at(application, 'spec', 'source') ?? at(application, 'spec', 'sources', 0);
  return { tool: 'ArgoCD', name, namespace, ...placeOf(textAt(source, 'repoURL'), textAt(source, 'path')) };
}

async function fluxOwner(read: Read, { metadata: { labels } }: KubeObject, { name, namespace = '' }: Named): Promise<GitOwner> {
  const owner = { tool: 'Flux', name, namespace } as const;
  const isHelm = labels?.['helm.toolkit.fluxcd.io/name'] !== undefined;
  const found = await read({ ...(isHelm ? FLUX_HELM_RELEASE : FLUX_KUSTOMIZATION), namespace, name });
  const reference = isHelm ? ['chart', 'spec', 'sourceRef'] : ['sourceRef'];
  if (textAt(found?.spec, ...reference, 'kind') !== 'GitRepository') return owner;
  const repository = {
    namespace: textAt(found?.spec, ...reference, 'namespace') ?? namespace,
    name: textAt(found?.spec, ...reference, 'name') ?? '',
  };
  const path = isHelm ? textAt(found?.spec, 'chart', 'spec', 'chart') : textAt(found?.spec, 'path');
  return { ...owner, ...placeOf(textAt((await read({ ...FLUX_GIT_REPOSITORY, ...repository }))?.spec, 'url'), path) };
}

function placeOf(repository: string | undefined, path: string | undefined): Pick<GitOwner, 'repository' | 'path'> {
  const folder = path?.replace(/^\.\/+/, '') ?? '';
  return { ...(repository === undefined ? {} : { repository }), ...(folder === '' ? {} : { path: folder }) };
}

/** Whoever may not read the owner still learns its name, which the Instance itself tells. */
async function readable({ clusters }: Pick<Ports, 'clusters'>, actor: Actor, ref: ResourceRef): Promise<KubeObject | undefined> {
  try {
    return await clusters.asActor(actor).get(ref);
  } catch (error) {
    if (isAppError(error, 'NotFound', 'Forbidden', 'InvalidInput')) return undefined;
    throw error;
  }
}
