import type { RequestOrigin } from '../../domain/audit/audit-log.ts';
import type { MissingPermission } from '../../domain/core/errors.ts';
import { commandsFor } from '../../domain/instance/instance-commands.ts';
import { contentOf, newResource, ownContentOf } from '../../domain/instance/instance-content.ts';
import type { Preflight } from '../../domain/instance/instance.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { parseObjectName } from '../../domain/kubernetes/names.ts';
import { CATALOG_SOURCE, permissionTo } from '../../domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { sourceView, type SourceView } from '../../domain/source/source-view.ts';
import { SOURCE_CONTENT } from '../../form/model/source-form.ts';
import { BY_NAMES } from '../../schema/sensitive/sensitive-values.ts';
import { audited } from '../audit/audited.ts';
import { rejectOtherKind, rejectReserved, USER_WRITE } from '../instance/instance-draft.ts';
import { changesOfContent } from '../instance/value-changes.ts';
import type { Ports } from '../ports.ts';
import { preflight } from '../preflight/preflight.ts';

/** The permission to create CatalogSources that the actor lacks; undefined when they have it. */
export async function missingForNewSource({ clusters }: Pick<Ports, 'clusters'>, actor: Actor): Promise<MissingPermission | undefined> {
  const permission = permissionTo('create', CATALOG_SOURCE);
  return (await clusters.asActor(actor).review(permission)).allowed ? undefined : permission;
}

/** Creates a CatalogSource as the actor. `AlreadyExists` when the name is taken; throws as `sourceToCreate`. */
export async function createSource(
  ports: Pick<Ports, 'clusters' | 'auditLog'>,
  actor: Actor,
  { source, via, requestId }: RequestOrigin & { readonly source: KubeObject },
): Promise<SourceView> {
  const event = { action: 'create source', environment: '', target: source.metadata.name, via, requestId };
  return await audited(ports, actor, event, async () => {
    const { object } = await ports.clusters.asActor(actor).create(CATALOG_SOURCE, sourceToCreate(source), USER_WRITE);
    return sourceView(object);
  });
}

/** What would happen if a CatalogSource were created now. What it would apply, its preview shows once it is there. */
export async function preflightSource(ports: Pick<Ports, 'clusters' | 'publicUrl'>, actor: Actor, source: KubeObject): Promise<Preflight> {
  const object = sourceToCreate(source);
  const { name } = object.metadata;
  const app = `${CATALOG_SOURCE.resource}.${CATALOG_SOURCE.group}`;
  const call = { method: 'POST' as const, url: `${ports.publicUrl}/api/v1/sources`, body: object, app };
  return await preflight(actor, {
    app,
    object,
    may: async () => await missingForNewSource(ports, actor),
    dryRun: async () => await ports.clusters.asActor(actor).create(CATALOG_SOURCE, object, { ...USER_WRITE, dryRun: 'All' }),
    look: async () => () => ({ created: [{ message: `CatalogSource ${name}`, subject: 'Object', evidence: 'exact' }] }),
    changes: changesOfContent(SOURCE_CONTENT, {}, ownContentOf(object)),
    commands: { ...commandsFor(object, call), file: `catalogsources/${name}.yaml` },
    sensitive: { marked: BY_NAMES },
  });
}

/** @throws AppError `InvalidInput` for what is no CatalogSource, and for labels and annotations that people cannot set. */
function sourceToCreate(sent: KubeObject): KubeObject {
  rejectOtherKind(CATALOG_SOURCE, 'source', sent);
  const { name, labels, annotations } = sent.metadata;
  rejectReserved(contentOf({ metadata: { labels, annotations } }));
  return newResource(CATALOG_SOURCE, parseObjectName(name), sent);
}
