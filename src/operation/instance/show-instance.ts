import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { InstanceView, RevealedValue } from '../../domain/instance/instance.ts';
import { parseApiVersion } from '../../domain/kubernetes/resource.ts';
import { audited, instanceEvent } from '../audit/audited.ts';
import { findInstance, type InstanceAddress, instanceView, judgeInstance } from './find-instance.ts';
import type { EnvironmentPorts } from '../environment/read-environment.ts';
import { markedOf } from './instance-masking.ts';
import type { Ports } from '../ports.ts';
import { formatPath } from '../../schema/form-path.ts';
import { sensitiveIn } from '../../schema/sensitive/mask.ts';

/** One Instance with its object and conditions. */
export async function showInstance(ports: EnvironmentPorts, actor: Actor, address: InstanceAddress): Promise<InstanceView> {
  const { entry, environment, object } = await findInstance(ports, actor, address);
  return instanceView(entry, environment, await judgeInstance(ports, actor, { environment, object }));
}

/** Which masked value of an Instance is wanted: `spec.users[0].password`. */
export interface RevealInput extends InstanceAddress, RequestOrigin {
  readonly path: string;
}

const MAX_PATH_LENGTH = 300;

/**
 * One masked value of an Instance, read again as the actor. The audit log says who read which.
 *
 * @throws AppError as `findInstance`; `NotFound` for a path where no masked value is.
 */
export async function revealValue(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'auditLog'>,
  actor: Actor,
  { path, via, requestId, ...address }: RevealInput,
): Promise<RevealedValue> {
  const event = instanceEvent('reveal value', address, { via, requestId });
  const target = `${event.target} ${path.slice(0, MAX_PATH_LENGTH)}`;
  return await audited(ports, actor, { ...event, target }, async () => {
    const { entry, object } = await findInstance(ports, actor, address);
    const marked = markedOf(entry, parseApiVersion(object.apiVersion).version);
    const found = sensitiveIn(marked, object).find((one) => formatPath(one.path) === path);
    if (found !== undefined) return { path, value: found.value };
    const place = `${entry.summary.displayName} ${JSON.stringify(address.name)}`;
    throw new AppError('NotFound', `${place}: there is no masked value at ${JSON.stringify(path.slice(0, MAX_PATH_LENGTH))}`);
  });
}
