import type { Actor } from '../../domain/kubernetes/actor.ts';
import { contentOf } from '../../domain/instance/instance-content.ts';
import { afterYield } from '../../domain/core/yield-to-event-loop.ts';
import type { InstanceView } from '../../domain/instance/instance.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { instanceView } from './find-instance.ts';
import { prepareDraft, rejectDeleting, USER_WRITE, type InstanceDraft } from './instance-draft.ts';
import { rejectLocked } from './instance-layers.ts';
import { markedOf, secretsOf, withoutSecretsInErrors } from './instance-masking.ts';
import { instanceEvent, audited } from '../audit/audited.ts';
import { createSecrets, ownSecrets, undone } from './new-secrets.ts';
import type { Ports } from '../ports.ts';

/** Creates an Instance as the actor; see `makeInstance`. */
export async function createInstance(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'auditLog'>,
  actor: Actor,
  draft: InstanceDraft & RequestOrigin,
): Promise<InstanceView> {
  const event = instanceEvent('create instance', draft, draft);
  return await audited(ports, actor, event, async () => await makeInstance(ports, actor, draft));
}

/**
 * Writes a new Instance, and the Secrets that are made for it before. `AlreadyExists` when a name is taken, `TooManyRequests` beyond thirty a minute; a rejected Instance leaves no Secret
 * behind, or the error names it.
 */
export async function makeInstance(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'auditLog'>,
  actor: Actor,
  draft: InstanceDraft,
): Promise<InstanceView> {
  ports.auditLog.checkRateLimit(actor, 'install');
  const { entry, environment, layers, type, object } = await prepareDraft(ports, actor, draft);
  rejectDeleting(entry);
  rejectLocked(layers, { wanted: contentOf(object) });
  const cluster = ports.clusters.asActor(actor);
  const place = { namespace: environment.namespace, instance: object.metadata.name };
  const made = await createSecrets(cluster, draft.secrets ?? [], place);
  try {
    const secrets = await afterYield(() => secretsOf(markedOf(entry), object));
    const written = await withoutSecretsInErrors(secrets, async () => await cluster.create(type, object, USER_WRITE));
    // The Instance is there and works; a Secret that got no owner is known by its label.
    await ownSecrets(cluster, made, written.object).catch(() => undefined);
    return await afterYield(() => instanceView(entry, environment, written.object));
  } catch (error) {
    throw await undone(cluster, made, error);
  }
}
