import type { Actor } from '../domain/actor.ts';
import type { Preflight } from '../domain/instance.ts';
import { mergePatchBetween } from '../domain/merge-patch.ts';
import { missingRight } from './instance-draft.ts';
import { prepareChange, writeChange, type InstanceChange } from './instance-change.ts';
import type { Ports } from './ports.ts';
import { preflight } from './preflight.ts';

/** What would happen if an Instance were changed now. */
export async function preflightChange(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'publicUrl'>,
  actor: Actor,
  change: InstanceChange,
): Promise<Preflight> {
  const { ref, object, changed, environment } = await prepareChange(ports, actor, change);
  const { apiVersion, kind, spec } = changed;
  return await preflight(actor, {
    object: { apiVersion, kind, metadata: { name: ref.name, namespace: ref.namespace }, spec },
    may: async () =>
      await missingRight(ports, actor, { verb: 'update', group: ref.group, resource: ref.resource, namespace: ref.namespace }),
    dryRun: async () => await writeChange(ports, actor, { change, dryRun: 'All' }),
    call: {
      method: 'PATCH',
      url: `${ports.publicUrl}/api/v1/environments/${environment.name}/instances/${change.app}/${change.name}`,
      body: { spec: mergePatchBetween(object.spec ?? {}, change.spec) },
    },
  });
}
