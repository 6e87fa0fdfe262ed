import { CRD, OPERATOR, permissionTo } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { draftCrds, type DraftKind, draftKinds, type DraftSources } from '../../domain/catalog/draft-kinds.ts';
import { AppError, type MissingPermission } from '../../domain/core/errors.ts';
import type { OperatorAddress } from '../operator/find-operator.ts';
import type { Ports } from '../ports.ts';

/** Reading these in all namespaces makes an admin of drafts. */
const NEEDED: readonly MissingPermission[] = [permissionTo('list', OPERATOR), permissionTo('list', CRD)];

type Needs = Pick<Ports, 'clusters' | 'catalog'>;

/**
 * The kinds that the api-server serves and no Operator publishes, by name; with an Operator only those that probably belong to it.
 *
 * @throws AppError `Forbidden` without the permission to list Operators and CRDs, which the api-server is asked for each time.
 */
export async function listDrafts({ clusters, catalog }: Needs, actor: Actor, operator?: OperatorAddress): Promise<readonly DraftKind[]> {
  const missing = await missingOf(clusters, actor);
  if (missing !== undefined) throw new AppError('Forbidden', `drafts: you may not list ${missing.resource}`, { missing });
  return draftKinds(draftSources(catalog), operator);
}

/** The drafts of one Operator, for its page: none for whoever may not see drafts. */
export async function listOperatorDrafts(
  { clusters, catalog }: Needs,
  actor: Actor,
  operator: OperatorAddress,
): Promise<readonly DraftKind[]> {
  return (await missingOf(clusters, actor)) === undefined ? draftKinds(draftSources(catalog), operator) : [];
}

/** How many drafts there are; 0 for whoever may not see them. */
export async function countDrafts({ clusters, catalog }: Needs, actor: Actor): Promise<number> {
  return (await missingOf(clusters, actor)) === undefined ? draftCrds(catalog.operators(), catalog.customResourceDefinitions()).length : 0;
}

async function missingOf(clusters: Needs['clusters'], actor: Actor): Promise<MissingPermission | undefined> {
  const verdicts = await Promise.all(NEEDED.map((permission) => clusters.asActor(actor).review(permission)));
  return NEEDED.find((_right, index) => verdicts[index]?.allowed !== true);
}

function draftSources(catalog: Needs['catalog']): DraftSources {
  return { operators: catalog.operators(), crds: catalog.customResourceDefinitions(), sources: catalog.catalogSources() };
}
