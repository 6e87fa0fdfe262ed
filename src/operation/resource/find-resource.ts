import { dedicatedNamespaceOf, generatedKind, isDedicatedTo } from '../../domain/app-instance/instance.ts';
import { schemaOf } from '../../domain/catalog/app-catalog.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { SECRET } from '../../domain/kubernetes/resource-types.ts';
import { apiVersionOf, type KubeObject, type ResourceRef, type ResourceType, type ServedKind } from '../../domain/kubernetes/resource.ts';
import { resourceKey } from '../../domain/resource/resource-actions.ts';
import { textAt } from '../../domain/core/read.ts';
import { BY_NAMES, type Marked } from '../../schema/sensitive/sensitive-values.ts';
import { catalogEntries } from '../app/find-app.ts';
import { findEnvironment } from '../environment/find-environment.ts';
import { findInstance } from '../instance/find-instance.ts';
import { markedOf, secretsOf } from '../instance/instance-masking.ts';
import type { Ports } from '../ports.ts';

/** Any resource in the namespace of an Environment, or in one that is dedicated to an instance of it. */
export interface ResourceAddress {
  readonly environment: string;
  /** Plural and group, such as `deployments.apps`; the kind in small letters will do for the plural, as in kubectl. */
  readonly resource: string;
  readonly name: string;
  /** `app/name` of the instance in whose dedicated namespace the resource is; absent: it is in the namespace of the environment. */
  readonly dedicatedTo?: string;
}

export interface FoundResource {
  /** With the namespace that the resource is in. */
  readonly environment: EnvironmentView;
  readonly dedicatedTo?: string;
  readonly kind: ServedKind;
  readonly ref: ResourceRef & { readonly namespace: string };
  /** As the actor may read it; of a Secret, the metadata. Show it through `marked` alone. */
  readonly object: KubeObject;
  /** What says which of its values are sensitive. */
  readonly marked: Marked;
  /** The sensitive values of the instance whose namespace it is, which the resource may repeat. */
  readonly secrets: readonly string[];
}

type FindPorts = Pick<Ports, 'clusters' | 'catalog' | 'discovery'>;

/**
 * Reads a resource as the actor.
 *
 * @throws AppError `NotFound` for an environment that the actor does not see, for an instance without a namespace of its own, and for a resource that is not there;
 * `Forbidden` with the permission to get it.
 */
export async function findResource(ports: FindPorts, actor: Actor, address: ResourceAddress): Promise<FoundResource> {
  const { dedicatedTo } = address;
  const { environment, secrets } = await findPlace(ports, actor, address);
  const kind = await findKind(ports, address.resource);
  const { namespace } = environment;
  const missing = new AppError(
    'NotFound',
    `${kind.kind} ${JSON.stringify(address.name.slice(0, MAX_NAME_LENGTH))}: there is none in ${environment.name}`,
  );
  if (!isName(address.name)) throw missing;
  const { group, version, resource } = kind;
  const ref = { group, version, resource, namespace, name: address.name };
  try {
    const isSecret = resourceKey(kind) === resourceKey(SECRET);
    const read = await ports.clusters.asActor(actor).get(ref, isSecret ? { answer: 'metadata' } : {});
    const object = { ...read, apiVersion: apiVersionOf(kind), kind: kind.kind };
    const place = { environment, secrets, ...(dedicatedTo === undefined ? {} : { dedicatedTo }) };
    return { ...place, kind, ref, object, marked: markedFor(ports, kind) };
  } catch (error) {
    throw isAppError(error, 'NotFound') ? missing : error;
  }
}

/** Which namespaces are dedicated to an instance, its status says, and its name. */
async function findPlace(
  ports: FindPorts,
  actor: Actor,
  { environment, dedicatedTo }: ResourceAddress,
): Promise<Pick<FoundResource, 'environment' | 'secrets'>> {
  if (dedicatedTo === undefined) return { environment: await findEnvironment(ports.clusters, actor, environment), secrets: [] };
  const [app = '', name = ''] = dedicatedTo.split('/');
  const { entry, object, environment: view } = await findInstance(ports, actor, { environment, app, name });
  const [kind, namespace] = [generatedKind(entry.crd), dedicatedNamespaceOf(object)];
  if (kind === undefined || namespace === undefined || !isDedicatedTo(namespace, kind, object.metadata))
    throw new AppError('NotFound', `${entry.summary.displayName} ${JSON.stringify(name)}: it has no namespace of its own`);
  return { environment: { ...view, namespace }, secrets: secretsOf(markedOf(entry), object) };
}

const MAX_NAME_LENGTH = 253;

/** What the api-server takes as a path segment; names of RBAC objects have colons, for example. */
function isName(name: string): boolean {
  return (
    name !== '' && name.length <= MAX_NAME_LENGTH && name !== '.' && name !== '..' && /^[\x21-\x7e]+$/.test(name) && !/[/%?#\\]/.test(name)
  );
}

/** @throws AppError `NotFound` for what is no namespaced resource that can be read. */
async function findKind({ discovery }: Pick<Ports, 'discovery'>, resource: string): Promise<ServedKind> {
  const kinds = (await discovery.kinds()).filter(({ namespaced, verbs }) => namespaced && verbs.includes('get'));
  const found =
    kinds.find((kind) => resourceKey(kind) === resource) ??
    kinds.find(({ group, kind }) => resourceKey({ group, resource: kind.toLowerCase() }) === resource);
  if (found !== undefined) return found;
  const name = JSON.stringify(resource.slice(0, MAX_NAME_LENGTH));
  throw new AppError('NotFound', `resource ${name}: the cluster serves no namespaced resource of this name; write it as deployments.apps`);
}

/** What the catalogue and the schema of its CRD say about a kind; those of Kubernetes are known by the names of their fields. */
export function markedFor({ catalog }: Pick<Ports, 'catalog'>, { group, version, resource }: ResourceType): Marked {
  const entry = catalogEntries({ catalog }).find(({ summary }) => summary.group === group && summary.plural === resource);
  if (entry !== undefined) return markedOf(entry, version);
  const crd = catalog
    .customResourceDefinitions()
    .find(({ spec }) => textAt(spec, 'group') === group && textAt(spec, 'names', 'plural') === resource);
  return crd === undefined ? BY_NAMES : { schema: schemaOf(crd, version), sensitivePaths: [] };
}
