import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { type OperatorProblem, problemsOf } from '../../domain/operator/operator-problems.ts';
import type { CatalogFault, OperatorView } from '../../domain/operator/operator.ts';
import type { OperatorTree } from '../../domain/tree/tree.ts';
import { evaluationFault, listSourceFaults } from '../catalog/list-faults.ts';
import type { Ports } from '../ports.ts';
import { showOperatorTree } from './show-operator-tree.ts';
import { EVENT, permissionTo } from '../../domain/kubernetes/resource-types.ts';
import { eventsAbout } from '../../domain/instance/events.ts';
import type { EventView } from '../../domain/instance/instance.ts';
import { parseOperatorSpec } from '../../domain/operator/operator-spec.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { findOperator, type OperatorAddress } from './find-operator.ts';

/** An Operator as it was just read, with its tree when that was read too. */
interface ProblemsInput {
  readonly operator: OperatorView;
  readonly tree?: OperatorTree;
}

/** What is wrong with an Operator, as far as the actor may see. The tree of one that is healthy is not read. */
export async function listOperatorProblems(
  ports: Pick<Ports, 'clusters' | 'discovery' | 'health'>,
  actor: Actor,
  { operator, tree }: ProblemsInput,
): Promise<readonly OperatorProblem[]> {
  const isWell = operator.status === 'READY';
  const [faults, read] = await Promise.all([
    readFaults(ports, actor),
    tree ?? (isWell || operator.release === undefined ? undefined : showOperatorTree(ports, actor, operator)),
  ]);
  const failed = ports.health.faults().map(evaluationFault);
  return problemsOf({ operator, faults: [...faults, ...failed], ...(read === undefined ? {} : { tree: read }) });
}

/** Whoever may read Operators but no sources still learns the rest. */
async function readFaults(ports: Pick<Ports, 'clusters'>, actor: Actor): Promise<readonly CatalogFault[]> {
  try {
    return await listSourceFaults(ports, actor);
  } catch (error) {
    if (isAppError(error, 'Forbidden')) return [];
    throw error;
  }
}

/** An Operator, with its tree when the caller has read it just now. */
interface OperatorEventsInput extends OperatorAddress {
  readonly tree?: OperatorTree;
}

export interface OperatorEvents {
  /** Newest first. */
  readonly events: readonly EventView[];
  /** Where the actor may not list Events; what happened there is left out. */
  readonly missing: readonly MissingPermission[];
}

/** The Events about an Operator, in its own namespace, and about what its release brought, in that of the release. */
export async function listOperatorEvents(
  ports: Pick<Ports, 'clusters' | 'discovery' | 'health'>,
  actor: Actor,
  { tree, ...address }: OperatorEventsInput,
): Promise<OperatorEvents> {
  const operator = await findOperator(ports, actor, address);
  const { root } = tree ?? (await showOperatorTree(ports, actor, address));
  const namespaces = [...new Set([address.namespace, parseOperatorSpec(operator).targetNamespace])];
  const lists = await Promise.all(namespaces.map((namespace) => eventsIn(ports, actor, namespace)));
  return {
    events: eventsAbout(
      root,
      lists.flatMap(({ items }) => items),
    ),
    missing: lists.flatMap(({ missing }) => (missing === undefined ? [] : [missing])),
  };
}

async function eventsIn(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  namespace: string,
): Promise<{ readonly items: readonly KubeObject[]; readonly missing?: MissingPermission }> {
  try {
    return { items: (await clusters.asActor(actor).list(EVENT, { namespace })).items };
  } catch (error) {
    if (!isAppError(error, 'Forbidden')) throw error;
    return { items: [], missing: error.missing ?? { ...permissionTo('list', EVENT), namespace } };
  }
}
