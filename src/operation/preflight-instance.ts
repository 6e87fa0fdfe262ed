import type { Actor } from '../domain/actor.ts';
import type { Preflight } from '../domain/instance.ts';
import { missingRight, prepareDraft, USER_WRITE, type InstanceDraft } from './instance-draft.ts';
import type { Ports } from './ports.ts';
import { preflight } from './preflight.ts';

/** What would happen if the draft were created now. */
export async function preflightInstance(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'publicUrl'>,
  actor: Actor,
  draft: InstanceDraft,
): Promise<Preflight> {
  const { environment, type, object } = await prepareDraft(ports, actor, draft);
  const { namespace } = environment;
  return await preflight(actor, {
    object,
    may: async () => await missingRight(ports, actor, { verb: 'create', group: type.group, resource: type.resource, namespace }),
    dryRun: async () => await ports.clusters.asActor(actor).create(type, object, { ...USER_WRITE, dryRun: 'All' }),
    call: {
      method: 'POST',
      url: `${ports.publicUrl}/api/v1/environments/${environment.name}/instances`,
      body: { app: draft.app, name: object.metadata.name, spec: draft.spec },
    },
  });
}
