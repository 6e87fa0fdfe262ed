import { releaseNamespaceOf } from '../../domain/app-instance/instance.ts';
import { foreignSecret, resolveConnection, secretValueAt, type SecretValue } from '../../domain/connection/connection.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { SECRET } from '../../domain/kubernetes/resource-types.ts';
import { audited, instanceEvent } from '../audit/audited.ts';
import { findInstance, type InstanceAddress } from '../instance/find-instance.ts';
import { markedOf, shownObject } from '../instance/instance-masking.ts';
import type { Ports } from '../ports.ts';

/** Which key of the connection of an Instance is wanted: `password`. */
export interface RevealKeyInput extends InstanceAddress, RequestOrigin {
  readonly key: string;
}

/** The value of one key, as somebody asked to see it. */
export interface RevealedKey extends SecretValue {
  readonly key: string;
}

const MAX_KEY_LENGTH = 63;

/**
 * One secret key of the connection of an Instance. The Secret is read now, as the actor, and nothing but the value of this key is kept of it. The audit log says
 * who asked for which key.
 *
 * @throws AppError as `findInstance`; `Forbidden` without the permission to get the Secret; `NotFound` for a key that the catalogue does not describe, and for a
 * Secret that is not there or belongs to something else.
 */
export async function revealConnectionKey(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'auditLog'>,
  actor: Actor,
  { key, via, requestId, ...address }: RevealKeyInput,
): Promise<RevealedKey> {
  const event = instanceEvent('reveal connection key', address, { via, requestId });
  const target = `${event.target} ${key.slice(0, MAX_KEY_LENGTH)}`;
  return await audited(ports, actor, { ...event, target }, async () => {
    const found = await findInstance(ports, actor, address);
    const { entry, object } = found;
    const keys = resolveConnection(entry.kindBlock.connection, shownObject(markedOf(entry), object));
    const source = keys.find(({ name }) => name === key)?.source;
    if (source?.kind !== 'SecretKey') {
      throw new AppError('NotFound', `connection: there is no secret key ${JSON.stringify(key.slice(0, MAX_KEY_LENGTH))}`);
    }
    const secret = await readSecret(ports, actor, { namespace: releaseNamespaceOf(object), name: source.secret });
    const foreign = foreignSecret(secret, object, source.named);
    if (foreign !== undefined) throw new AppError('NotFound', `Secret ${source.secret}: it is none of ${address.name}: ${foreign}`);
    const value = secretValueAt(secret, source.key);
    if (value === undefined) throw new AppError('NotFound', `Secret ${source.secret}: it has no key ${JSON.stringify(source.key)}`);
    return { key, ...value };
  });
}

async function readSecret(
  { clusters }: Pick<Ports, 'clusters'>,
  actor: Actor,
  { namespace, name }: { readonly namespace: string; readonly name: string },
): Promise<KubeObject> {
  try {
    return await clusters.asActor(actor).get({ ...SECRET, namespace, name });
  } catch (error) {
    if (!isAppError(error, 'NotFound')) throw error;
    throw new AppError('NotFound', `Secret ${name}: there is none in the namespace ${namespace}; the operator may not have created it yet`);
  }
}
