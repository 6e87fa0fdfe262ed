import type { Actor } from '../domain/actor.ts';
import { commandsFor } from '../domain/instance-commands.ts';
import type { Preflight } from '../domain/instance.ts';
import type { Finding } from '../domain/preflight/findings.ts';
import { joinFindings } from '../domain/preflight/findings.ts';
import { judgeSurroundings } from '../domain/preflight/judge-surroundings.ts';
import type { KubeObject } from '../domain/resource.ts';
import { missingRight, prepareDraft, USER_WRITE, type InstanceDraft } from './instance-draft.ts';
import type { Ports } from './ports.ts';
import { preflight } from './preflight.ts';
import { readSurroundings } from './read-surroundings.ts';
import { changesOfNew } from './value-changes.ts';

/** What would happen if the draft were created now. */
export async function preflightInstance(
  ports: Pick<Ports, 'clusters' | 'catalog' | 'publicUrl'>,
  actor: Actor,
  draft: InstanceDraft,
): Promise<Preflight> {
  const { entry, lower, environment, type, object } = await prepareDraft(ports, actor, draft);
  const { namespace } = environment;
  const cluster = ports.clusters.asActor(actor);
  return await preflight(actor, {
    app: draft.app,
    object,
    may: async () => await missingRight(ports, actor, { verb: 'create', group: type.group, resource: type.resource, namespace }),
    dryRun: async () => await cluster.create(type, object, { ...USER_WRITE, dryRun: 'All' }),
    look: async () => {
      const around = await readSurroundings(cluster, { namespace, spec: object.spec });
      return (stored) => joinFindings([{ created: [creation(stored)] }, judgeSurroundings({ app: draft.app, object: stored, ...around })]);
    },
    changes: changesOfNew(entry, { ...lower, own: draft.spec }),
    commands: commandsFor(object, {
      method: 'POST',
      url: `${ports.publicUrl}/api/v1/environments/${environment.name}/instances`,
      body: { app: draft.app, name: object.metadata.name, spec: draft.spec },
    }),
  });
}

function creation({ kind, metadata: { name, namespace } }: KubeObject): Finding {
  return { message: `${kind} ${name} in the namespace ${namespace ?? ''}`, about: 'Object', evidence: 'exact' };
}
