import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { MissingRight } from '../../domain/core/errors.ts';
import type { OperatorAddress } from './find-operator.ts';
import { OPERATORS } from './list-operators.ts';
import type { Ports } from '../ports.ts';

/** What an actor may do with one Operator: each is the right that is missing, or absent when it is there. */
export interface OperatorRights {
  readonly patch?: MissingRight;
  readonly delete?: MissingRight;
}

export async function operatorRights(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  { namespace, name }: OperatorAddress,
): Promise<OperatorRights> {
  const { group, resource } = OPERATORS;
  const missing = async (verb: string): Promise<MissingRight | undefined> => {
    const right = { verb, group, resource, namespace, name };
    return (await clusters.asActor(actor).review(right)).allowed ? undefined : right;
  };
  const [patch, remove] = await Promise.all([missing('patch'), missing('delete')]);
  return { ...(patch === undefined ? {} : { patch }), ...(remove === undefined ? {} : { delete: remove }) };
}
