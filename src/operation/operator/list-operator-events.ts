import { EVENT, permissionTo } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { eventsAbout } from '../../domain/instance/events.ts';
import type { EventView } from '../../domain/instance/instance.ts';
import { parseOperatorSpec } from '../../domain/operator/operator-spec.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import type { OperatorTree } from '../../domain/tree/tree.ts';
import { findOperator, type OperatorAddress } from './find-operator.ts';
import type { Ports } from '../ports.ts';
import { showOperatorTree } from './show-operator-tree.ts';

/** An Operator, with its tree when the caller has read it just now. */
export interface OperatorEventsInput extends OperatorAddress {
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
  ports: Pick<Ports, 'clusters' | 'discovery'>,
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
