import { reportedExpiry } from '../../domain/app-instance/expiry.ts';
import { isAppInstance, releaseNamespaceOf } from '../../domain/app-instance/instance.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { versionsOf, type CatalogEntry } from '../../domain/catalog/app-catalog.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import { conditionsOf } from '../../domain/kubernetes/condition.ts';
import { creatorOf } from '../../domain/kubernetes/creator.ts';
import { etagOf } from '../../domain/kubernetes/etag.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import type { Health } from '../../domain/health/health.ts';
import type { InstanceSummary, InstanceView } from '../../domain/instance/instance.ts';
import { isDnsSubdomain } from '../../domain/kubernetes/names.ts';
import { numberAt } from '../../domain/core/read.ts';
import { redact } from '../../domain/core/secret.ts';
import { type KubeObject, parseApiVersion, type ResourceRef } from '../../domain/kubernetes/resource.ts';
import { formatPath } from '../../schema/form-path.ts';
import { sensitiveIn } from '../../schema/sensitive/mask.ts';
import { findApp } from '../app/find-app.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import { type EnvironmentPorts, readPlace } from '../environment/read-environment.ts';
import { markedOf, redactHealth, secretsOf, shownObject } from './instance-masking.ts';
import type { Ports } from '../ports.ts';

/** The address of an Instance: the environment's name, the App's id and the name of the object. */
export interface InstanceAddress {
  readonly environment: string;
  readonly app: string;
  readonly name: string;
  /** The served version of the kind to address it in; by default that of the App. */
  readonly version?: string;
}

/** An Instance with what it belongs to, as the actor may read it; its values as they are. Show them by `instanceView` alone. */
export interface FoundInstance {
  readonly entry: CatalogEntry;
  readonly environment: EnvironmentView;
  readonly ref: ResourceRef & { readonly namespace: string };
  readonly object: KubeObject;
}

/**
 * Reads an Instance as the actor.
 *
 * @throws AppError `NotFound` for an environment, App or Instance that does not exist or may not be known of; `Forbidden` inside an
 * environment that the actor does see.
 */
export async function findInstance(
  ports: Pick<Ports, 'clusters' | 'catalog'>,
  actor: Actor,
  address: InstanceAddress,
): Promise<FoundInstance> {
  const environment = await findEnvironment(ports.clusters, actor, address.environment);
  const entry = findApp(ports, actor, address.app);
  const missing = new AppError(
    'NotFound',
    `${entry.summary.displayName} ${JSON.stringify(address.name)}: there is none in ${environment.name}`,
  );
  if (!isDnsSubdomain(address.name)) throw missing;
  const { group, plural } = entry.summary;
  const ref = {
    group,
    version: versionFor(entry, address.version),
    resource: plural,
    namespace: environment.namespace,
    name: address.name,
  };
  try {
    return { entry, environment, ref, object: await ports.clusters.asActor(actor).get(ref) };
  } catch (error) {
    throw isAppError(error, 'NotFound') ? missing : error;
  }
}

/** @throws AppError `InvalidInput` for a version that is not served. */
export function versionFor({ crd, summary }: CatalogEntry, version = ''): string {
  if (version === '' || version === summary.version) return summary.version;
  if (versionsOf(crd).some(({ name, served }) => served && name === version)) return version;
  throw new AppError('InvalidInput', `${summary.displayName}: the cluster does not serve a version ${JSON.stringify(version)}`);
}

/** An Instance with its health, which is that of its whole tree. */
export interface JudgedInstance {
  readonly object: KubeObject;
  /** As it is; sensitive values are masked here. */
  readonly health: Health;
}

interface JudgeInput {
  readonly environment: EnvironmentView;
  readonly object: KubeObject;
}

/** How an Instance that was read or written just now is, with all of its tree that the actor may read. */
export async function judgeInstance(ports: EnvironmentPorts, actor: Actor, { environment, object }: JudgeInput): Promise<JudgedInstance> {
  const namespace = releaseNamespaceOf(object);
  const [{ appHealth }] = await Promise.all([
    readPlace(ports, actor, { environment: { ...environment, namespace } }),
    ports.health.evaluate([object]),
  ]);
  return { object, health: appHealth(object) };
}

/** A row about an Instance. */
export function instanceSummary(entry: CatalogEntry, environment: EnvironmentView, { object, health }: JudgedInstance): InstanceSummary {
  const secrets = secretsOf(markedOf(entry), object);
  const expiry = isAppInstance(object) ? reportedExpiry(object) : undefined;
  return {
    environment: environment.name,
    app: entry.summary.id,
    appName: entry.summary.displayName,
    kind: entry.summary.kind,
    name: object.metadata.name,
    created: object.metadata.creationTimestamp ?? '',
    health: redactHealth(health, secrets),
    deleting: object.metadata.deletionTimestamp !== undefined,
    ...(expiry === undefined ? {} : { expiry }),
  };
}

/** All about an Instance but its tree, its sensitive values masked: whatever leaves an operation is made here. */
export function instanceView(entry: CatalogEntry, environment: EnvironmentView, judged: JudgedInstance): InstanceView {
  const raw = judged.object;
  const version = parseApiVersion(raw.apiVersion).version;
  const marked = markedOf(entry, version);
  const object = shownObject(marked, raw);
  const secrets = secretsOf(marked, raw);
  const { managedFields: _managedFields, ...metadata } = object.metadata;
  return {
    ...instanceSummary(entry, environment, judged),
    object: { ...object, metadata: { ...metadata, name: object.metadata.name } },
    masked: sensitiveIn(marked, raw).map(({ path }) => formatPath(path)),
    conditions: conditionsOf(raw).map((one) => ({ ...one, message: redact(one.message, secrets) })),
    ...creatorOf(raw),
    generation: object.metadata.generation ?? 0,
    observedGeneration: numberAt(object.status, 'observedGeneration'),
    etag: etagOf(raw),
  };
}
