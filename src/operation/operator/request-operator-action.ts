import { OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { operatorView } from '../../domain/catalog/operator-view.ts';
import { type Preconditions, writeChecked } from '../../domain/kubernetes/etag.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { FORCE_AT } from '../../domain/operator/operator-spec.ts';
import type { OperatorView } from '../../domain/operator/operator.ts';
import { findOperator, type OperatorAddress, operatorWords } from './find-operator.ts';
import { audited, operatorEvent } from '../audit/audited.ts';
import type { Ports } from '../ports.ts';

/** What an admin can ask of an Operator. */
export const OPERATOR_ACTIONS = ['reconcile', 'force', 'suspend', 'resume'] as const;
export type OperatorAction = (typeof OPERATOR_ACTIONS)[number];

export interface OperatorActionInput extends OperatorAddress {
  readonly step: OperatorAction;
  /** RFC 3339, with fractions of a second: any new value asks anew. */
  readonly at: string;
  readonly preconditions?: Preconditions;
}

/**
 * Asks for an attempt now, for an upgrade whatever the state, or holds or resumes the Operator, as the actor. The controller does the rest in its own
 * time.
 *
 * @throws AppError as `findOperator`, and `Forbidden` without the permission to patch it.
 */
export async function requestOperatorAction(
  ports: Pick<Ports, 'clusters' | 'auditLog'>,
  actor: Actor,
  input: OperatorActionInput & RequestOrigin,
): Promise<OperatorView> {
  const event = operatorEvent(`${input.step} operator`, input, input);
  return await audited(ports, actor, event, async () => await steer(ports, actor, input));
}

async function steer(ports: Pick<Ports, 'clusters'>, actor: Actor, input: OperatorActionInput): Promise<OperatorView> {
  const { namespace, name, step, at } = input;
  const found = await findOperator(ports, actor, input);
  const ref = { ...OPERATOR, namespace, name };
  return await writeChecked({ ...input, what: operatorWords(input), object: found }, async (only) => {
    const { metadata, ...rest } = patchOf(step, at);
    const patch = { type: 'merge', body: { ...rest, metadata: { ...metadata, ...only } } } as const;
    const { object } = await ports.clusters.asActor(actor).patch(ref, patch, { fieldManager: OURS.userFieldManager });
    return operatorView(object);
  });
}

function patchOf(step: OperatorAction, at: string): { readonly metadata?: object; readonly spec?: object } {
  switch (step) {
    case 'reconcile':
      return { metadata: { annotations: { [OURS.reconcileAt]: at } } };
    case 'force':
      return { metadata: { annotations: { [FORCE_AT]: at } } };
    case 'suspend':
      return { spec: { suspend: true } };
    case 'resume':
      return { spec: { suspend: false } };
    default:
      return step satisfies never;
  }
}
