import { OPERATOR } from '../../domain/kubernetes/resource-types.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { MissingPermission } from '../../domain/core/errors.ts';
import type { OperatorAddress } from './find-operator.ts';
import type { Ports } from '../ports.ts';

/** What an actor may do with one Operator: each is the right that is missing, or absent when it is there. */
export interface OperatorPermissions {
  readonly patch?: MissingPermission;
  readonly delete?: MissingPermission;
}

export async function operatorPermissions(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  { namespace, name }: OperatorAddress,
): Promise<OperatorPermissions> {
  const { group, resource } = OPERATOR;
  const missing = async (verb: string): Promise<MissingPermission | undefined> => {
    const right = { verb, group, resource, namespace, name };
    return (await clusters.asActor(actor).review(right)).allowed ? undefined : right;
  };
  const [patch, remove] = await Promise.all([missing('patch'), missing('delete')]);
  return { ...(patch === undefined ? {} : { patch }), ...(remove === undefined ? {} : { delete: remove }) };
}
