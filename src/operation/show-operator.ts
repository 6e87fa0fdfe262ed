import type { Actor } from '../domain/actor.ts';
import { AppError, isAppError } from '../domain/errors.ts';
import { isDnsLabel, isDnsSubdomain } from '../domain/names.ts';
import { operatorView } from '../domain/catalog/operator-view.ts';
import type { OperatorView } from '../domain/operator.ts';
import { OPERATORS } from './list-operators.ts';
import type { Ports } from './ports.ts';

/**
 * One Operator, read as the actor.
 *
 * @throws AppError `NotFound` in our own words; `Forbidden` for everybody who may not read Operators there, whatever the name, when it could be one.
 */
export async function showOperator(
  ports: Pick<Ports, 'clusters'>,
  actor: Actor,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<OperatorView> {
  const missing = new AppError('NotFound', `operator ${JSON.stringify(name)}: there is none in namespace ${JSON.stringify(namespace)}`);
  if (!isDnsLabel(namespace) || !isDnsSubdomain(name)) throw missing;
  try {
    return operatorView(await ports.clusters.asActor(actor).get({ ...OPERATORS, namespace, name }));
  } catch (error) {
    throw isAppError(error, 'NotFound') ? missing : error;
  }
}
