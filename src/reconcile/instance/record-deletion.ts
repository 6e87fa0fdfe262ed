import { environmentOf } from './prerequisites.ts';
import { recordOf } from '../../domain/app-instance/deleted-instance.ts';
import { isAppError } from '../../domain/core/errors.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { PERSISTENT_VOLUME_CLAIM, SECRET } from '../../domain/kubernetes/resource-types.ts';
import { maskObject } from '../../schema/sensitive/mask.ts';
import { BY_NAMES } from '../../schema/sensitive/sensitive-values.ts';
import type { Work } from './work.ts';

/**
 * Keeps what an instance was, so that it can be created again: just before it goes, when it is known which claims have stayed. Written as the deployer of the Environment. An
 * instance that goes with its Environment is not kept. The deletion goes on in any case: what cannot be written is logged.
 */
export async function recordDeletion(work: Work): Promise<void> {
  const { ports, kind, instance, namespace, sources, signal } = work;
  const environment = environmentOf(ports.environments.all(), namespace);
  if (environment === undefined || environment.metadata.deletionTimestamp !== undefined) return;
  const app = ports.appOf(kind);
  const marked = app === undefined ? BY_NAMES : { schema: app.schema, sensitivePaths: app.sensitive };
  try {
    const claims = await claimsOf(work);
    const record = recordOf({ plural: kind.resource, masked: maskObject(marked, instance), claims, now: ports.now() });
    if (record !== undefined) await sources.apply(SECRET, record, { fieldManager: OURS.fieldManager, force: 'force', signal });
  } catch (error) {
    signal.throwIfAborted();
    if (!isAppError(error)) throw error;
    ports.log.warn('A deleted instance was not recorded', {
      kind: kind.kind,
      namespace,
      instance: instance.metadata.name,
      error: error.message,
    });
  }
}

/** Those with the label that charts put on everything of a release. A namespace of its own goes with all claims. */
async function claimsOf({ mode, release, sources, signal }: Work): Promise<readonly string[]> {
  if (mode === 'Dedicated') return [];
  const labelSelector = `app.kubernetes.io/instance=${release.release}`;
  const { items } = await sources.list(PERSISTENT_VOLUME_CLAIM, { namespace: release.namespace, labelSelector, signal });
  const stay = items.filter(({ metadata }) => metadata.deletionTimestamp === undefined);
  return stay.map(({ metadata }) => metadata.name).sort();
}
