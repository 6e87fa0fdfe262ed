import { AppError, isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isDnsSubdomain } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { CATALOG_SOURCE } from '../../domain/kubernetes/resource-types.ts';
import { filterSources, type SourceFilter, type SourceList } from '../../domain/source/source-list.ts';
import { sourceView, type SourceView } from '../../domain/source/source-view.ts';
import type { Ports } from '../ports.ts';

export interface SourceAddress {
  readonly name: string;
}

/**
 * Reads a CatalogSource as the actor.
 *
 * @throws AppError `NotFound`; `Forbidden` for everybody who may not read CatalogSources.
 */
export async function findSource({ clusters }: Pick<Ports, 'clusters'>, actor: Actor, { name }: SourceAddress): Promise<KubeObject> {
  const missing = new AppError('NotFound', `${sourceWords({ name })}: it does not exist in the cluster`);
  if (!isDnsSubdomain(name)) throw missing;
  try {
    return await clusters.asActor(actor).get({ ...CATALOG_SOURCE, name });
  } catch (error) {
    throw isAppError(error, 'NotFound') ? missing : error;
  }
}

/** A source in a sentence. */
export function sourceWords({ name }: SourceAddress): string {
  return `source ${JSON.stringify(name.slice(0, 253))}`;
}

/** The CatalogSources that match, read as the actor, by name. */
export async function listSources({ clusters }: Pick<Ports, 'clusters'>, actor: Actor, filter: SourceFilter): Promise<SourceList> {
  const { items } = await clusters.asActor(actor).list(CATALOG_SOURCE);
  return filterSources(
    items.map(sourceView).sort((a, b) => a.name.localeCompare(b.name)),
    filter,
  );
}

/** One CatalogSource, read as the actor; throws as `findSource`. */
export async function showSource(ports: Pick<Ports, 'clusters'>, actor: Actor, address: SourceAddress): Promise<SourceView> {
  return sourceView(await findSource(ports, actor, address));
}

/** What an actor may do with one source: each is the permission that is missing, or absent when it is there. */
export interface SourcePermissions {
  readonly patch?: MissingPermission;
  readonly delete?: MissingPermission;
}

export async function sourcePermissions(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  { name }: SourceAddress,
): Promise<SourcePermissions> {
  const { group, resource } = CATALOG_SOURCE;
  const missing = async (verb: string): Promise<MissingPermission | undefined> => {
    const permission = { verb, group, resource, name };
    return (await clusters.asActor(actor).review(permission)).allowed ? undefined : permission;
  };
  const [patch, remove] = await Promise.all([missing('patch'), missing('delete')]);
  return { ...(patch === undefined ? {} : { patch }), ...(remove === undefined ? {} : { delete: remove }) };
}

/** @param what it is for, such as `a preview`. @throws AppError `Forbidden` without the permission to patch the source. */
export async function requirePatch(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  { name, what }: SourceAddress & { readonly what: string },
): Promise<void> {
  const { group, resource } = CATALOG_SOURCE;
  const missing = { verb: 'patch', group, resource, name };
  if ((await clusters.asActor(actor).review(missing)).allowed) return;
  throw new AppError('Forbidden', `${sourceWords({ name })}: ${what} needs the permission to patch the source`, { missing });
}
