import type { RequestOrigin } from '../domain/audit/audit-log.ts';
import { AppError, isAppError } from '../domain/core/errors.ts';
import type { Actor } from '../domain/kubernetes/actor.ts';
import { type Preconditions, writeChecked } from '../domain/kubernetes/etag.ts';
import { isDnsSubdomain, OURS } from '../domain/kubernetes/names.ts';
import type { KubeObject } from '../domain/kubernetes/resource.ts';
import { APP_DEFINITION, CATALOG_SOURCE, ENVIRONMENT, OPERATOR } from '../domain/kubernetes/resource-types.ts';
import { audited } from './audit/audited.ts';
import { findEnvironmentObject } from './environment/find-environment.ts';
import { findOperator } from './operator/find-operator.ts';
import type { Ports } from './ports.ts';
import { findSource } from './source/find-source.ts';

/** What can be kept while it is being deleted. */
export type DeletedAddress =
  | { readonly kind: 'Operator'; readonly namespace: string; readonly name: string }
  | { readonly kind: 'AppDefinition' | 'Environment' | 'CatalogSource'; readonly name: string };

type KeepInput = DeletedAddress & RequestOrigin & { readonly preconditions?: Preconditions };

const TYPES = { Operator: OPERATOR, AppDefinition: APP_DEFINITION, Environment: ENVIRONMENT, CatalogSource: CATALOG_SOURCE };
const WORDS = { Operator: 'operator', AppDefinition: 'app definition', Environment: 'environment', CatalogSource: 'source' };

type Needs = Pick<Ports, 'clusters' | 'auditLog'>;

/**
 * Asks to keep an object that is being deleted, as the actor: its annotation `chandlery.dev/keep`. The controller releases it without uninstalling anything and creates
 * it again.
 *
 * @throws AppError `NotFound`; `Forbidden` without the permission to patch it; `Conflict` when it is not being deleted.
 */
export async function keepDeleted(ports: Needs, actor: Actor, input: KeepInput): Promise<void> {
  const { kind, name, via, requestId } = input;
  const namespace = input.kind === 'Operator' ? input.namespace : undefined;
  const target = namespace === undefined ? name : `${namespace}/${name}`;
  const event = { action: `keep ${WORDS[kind]}`, environment: kind === 'Environment' ? name : '', target, via, requestId };
  await audited(ports, actor, event, async () => {
    const object = await find(ports, actor, input);
    const what = `${WORDS[kind]} ${JSON.stringify(target)}`;
    const isLive = object.metadata.deletionTimestamp === undefined;
    await writeChecked({ ...input, what, object }, async (only) => {
      const body = { metadata: { uid: object.metadata.uid, ...only, annotations: { [OURS.keep]: 'true' } } };
      const ref = { ...TYPES[kind], name, ...(namespace === undefined ? {} : { namespace }) };
      // Readers without the permission get the same answer, whether the object is being deleted or not.
      const options = { fieldManager: OURS.userFieldManager, answer: 'metadata', ...(isLive ? { dryRun: 'All' as const } : {}) } as const;
      await ports.clusters.asActor(actor).patch(ref, { type: 'merge', body }, options);
    });
    if (isLive) throw new AppError('Conflict', `${what}: it is not being deleted`);
  });
}

async function find(ports: Needs, actor: Actor, input: DeletedAddress): Promise<KubeObject> {
  switch (input.kind) {
    case 'Operator':
      return await findOperator(ports, actor, input);
    case 'AppDefinition':
      return await findDefinition(ports, actor, input.name);
    case 'Environment':
      return await findEnvironmentObject(ports.clusters, actor, input.name);
    case 'CatalogSource':
      return await findSource(ports, actor, input);
    default:
      return input satisfies never;
  }
}

async function findDefinition({ clusters }: Needs, actor: Actor, name: string): Promise<KubeObject> {
  const missing = new AppError('NotFound', `app definition ${JSON.stringify(name.slice(0, 253))}: it does not exist in the cluster`);
  if (!isDnsSubdomain(name)) throw missing;
  return await clusters
    .asActor(actor)
    .get({ ...APP_DEFINITION, name })
    .catch((error: unknown) => {
      throw isAppError(error, 'NotFound') ? missing : error;
    });
}
