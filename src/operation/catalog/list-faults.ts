import { draftCrds, type DraftKind, draftKinds, type DraftSources } from '../../domain/catalog/draft-kinds.ts';
import { AppError, type MissingPermission } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { crdsOfOperator } from '../../domain/catalog/app-catalog.ts';
import { checkCatalogBlock } from '../../domain/catalog/check-catalog.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { CatalogFault } from '../../domain/operator/operator.ts';
import { statusOf } from '../../domain/kind/kind.ts';
import { CATALOG_SOURCE, CRD, OPERATOR, permissionTo } from '../../domain/kubernetes/resource-types.ts';
import { CATALOG_SOURCE_KIND } from '../../domain/source/catalog-source.ts';
import type { HealthRuleFault } from '../health/health-evaluator.ts';
import type { OperatorAddress } from '../operator/find-operator.ts';
import type { Ports } from '../ports.ts';

/**
 * The faults of all CatalogSources, read as the actor, and what in the `catalog` blocks of Operators their kinds do not have; `Forbidden` for whoever is
 * not an admin. Sorted by source, file and line.
 */
export async function listFaults(ports: Pick<Ports, 'clusters' | 'catalog' | 'health'>, actor: Actor): Promise<readonly CatalogFault[]> {
  const faults = await listSourceFaults(ports, actor);
  const crds = ports.catalog.customResourceDefinitions();
  const blocks: CatalogFault[] = [];
  for (const operator of ports.catalog.operators()) blocks.push(...(await blockFaults(operator, crds)));
  const failed = ports.health.faults().map((fault) => evaluationFault(fault));
  return [...faults, ...blocks, ...failed].sort(
    (a, b) => a.source.localeCompare(b.source) || a.file.localeCompare(b.file) || a.line - b.line,
  );
}

/** The faults of all CatalogSources alone. */
export async function listSourceFaults(ports: Pick<Ports, 'clusters'>, actor: Actor): Promise<CatalogFault[]> {
  const { items } = await ports.clusters.asActor(actor).list(CATALOG_SOURCE);
  return items.flatMap((source) =>
    statusOf(CATALOG_SOURCE_KIND, source).faults.map((fault) => ({ source: source.metadata.name, ...fault })),
  );
}

/** A health rule that could not be evaluated for objects that somebody looked at. */
export function evaluationFault({ owner, field, message }: HealthRuleFault): CatalogFault {
  const sentence = `the health rule failed for objects that were looked at lately, which are Unknown: ${message}`;
  return { source: '', file: '', line: 0, column: 0, resource: owner, field, message: sentence };
}

/** Its file was taken over: what is wrong is known since its kinds are. */
async function blockFaults(operator: KubeObject, crds: readonly KubeObject[]): Promise<CatalogFault[]> {
  const { namespace = '', name, labels = {} } = operator.metadata;
  const faults = await checkCatalogBlock(operator, crdsOfOperator(operator, crds));
  return faults.map(({ field, message }) => ({
    source: labels[OURS.sourceLabel] ?? '',
    file: '',
    line: 0,
    column: 0,
    resource: `Operator ${namespace}/${name}`,
    field,
    message,
  }));
}

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
  return (await missingOf(clusters, actor)) === undefined ? draftCrds(draftSources(catalog)).length : 0;
}

async function missingOf(clusters: Needs['clusters'], actor: Actor): Promise<MissingPermission | undefined> {
  const verdicts = await Promise.all(NEEDED.map((permission) => clusters.asActor(actor).review(permission)));
  return NEEDED.find((_right, index) => verdicts[index]?.allowed !== true);
}

function draftSources(catalog: Needs['catalog']): DraftSources {
  return {
    operators: catalog.operators(),
    crds: catalog.customResourceDefinitions(),
    definitions: catalog.appDefinitions(),
    sources: catalog.catalogSources(),
  };
}
