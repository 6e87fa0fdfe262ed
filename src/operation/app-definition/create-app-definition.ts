import { type AppDefinitionView, appDefinitionView } from '../../domain/app-definition/app-definition-view.ts';
import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import { commandsFor } from '../../domain/instance/instance-commands.ts';
import { contentOf, newResource } from '../../domain/instance/instance-content.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { parseObjectName } from '../../domain/kubernetes/names.ts';
import { APP_DEFINITION } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { BY_NAMES } from '../../schema/sensitive/sensitive-values.ts';
import { audited } from '../audit/audited.ts';
import { rejectOtherKind, rejectReserved, USER_WRITE } from '../instance/instance-draft.ts';
import type { Ports } from '../ports.ts';
import { preflight } from '../preflight/preflight.ts';
import { missingForNewAppDefinition } from './find-app-definition.ts';

/** Creates an AppDefinition as the actor. `AlreadyExists` when the name is taken; throws as `definitionToCreate`. */
export async function createAppDefinition(
  ports: Pick<Ports, 'clusters' | 'auditLog'>,
  actor: Actor,
  { definition, via, requestId }: RequestOrigin & { readonly definition: KubeObject },
): Promise<AppDefinitionView> {
  const event = { action: 'create app definition', environment: '', target: definition.metadata.name, via, requestId };
  return await audited(ports, actor, event, async () => {
    const { object } = await ports.clusters.asActor(actor).create(APP_DEFINITION, definitionToCreate(definition), USER_WRITE);
    return appDefinitionView(object);
  });
}

/** What would happen if an AppDefinition were created now. */
export async function preflightAppDefinition(
  ports: Pick<Ports, 'clusters' | 'publicUrl'>,
  actor: Actor,
  definition: KubeObject,
): Promise<Preflight> {
  const object = definitionToCreate(definition);
  const { name } = object.metadata;
  const app = `${APP_DEFINITION.resource}.${APP_DEFINITION.group}`;
  const call = { method: 'POST' as const, url: `${ports.publicUrl}/api/v1/app-definitions`, body: object, app };
  return await preflight(actor, {
    app,
    object,
    may: async () => await missingForNewAppDefinition(ports, actor),
    dryRun: async () => await ports.clusters.asActor(actor).create(APP_DEFINITION, object, { ...USER_WRITE, dryRun: 'All' }),
    look: async () => () => ({ created: [{ message: `AppDefinition ${name}`, subject: 'Object', evidence: 'exact' }] }),
    commands: { ...commandsFor(object, call), file: `apps/${name}.yaml` },
    sensitive: { marked: BY_NAMES },
  });
}

/** @throws AppError `InvalidInput` for what is no AppDefinition, and for labels and annotations that people cannot set. */
function definitionToCreate(sent: KubeObject): KubeObject {
  rejectOtherKind(APP_DEFINITION, 'app definition', sent);
  const { name, labels, annotations } = sent.metadata;
  rejectReserved(contentOf({ metadata: { labels, annotations } }));
  return newResource(APP_DEFINITION, parseObjectName(name), sent);
}
