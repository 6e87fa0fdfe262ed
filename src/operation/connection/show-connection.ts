import { releaseNamespaceOf } from '../../domain/app-instance/instance.ts';
import { type ConnectionKey, type ConnectionSource, resolveConnection } from '../../domain/connection/connection.ts';
import { serviceAddress } from '../../domain/connection/read-output.ts';
import { isAppError, type MissingPermission } from '../../domain/core/errors.ts';
import { quoted } from '../../domain/instance/instance-commands.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { Cluster } from '../../domain/kubernetes/cluster.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { SECRET, SERVICE } from '../../domain/kubernetes/resource-types.ts';
import type { Address } from '../../domain/tree/addresses.ts';
import { nodesOf, type ResourceTree } from '../../domain/tree/tree.ts';
import { findApp } from '../app/find-app.ts';
import { findInstance, type InstanceAddress } from '../instance/find-instance.ts';
import { markedOf, shownObject } from '../instance/instance-masking.ts';
import type { InstanceReading } from '../instance/list-events.ts';
import { groupOf, type TreePorts } from '../instance/show-tree.ts';

/** One key of a connection as the actor sees it. */
export interface ConnectionKeyView {
  readonly name: string;
  readonly label: string;
  readonly description: string;
  /** `Secret`: masked until somebody asks to reveal it; `Unavailable`: there is nothing to show now. */
  readonly kind: 'Value' | 'Secret' | 'Unavailable';
  /** Of a value. */
  readonly value?: string;
  readonly secret?: { readonly name: string; readonly key: string };
  /** Without it the actor cannot reveal the key, or cannot read what it is made of. */
  readonly missing?: MissingPermission;
  /** Why it is unavailable. */
  readonly message?: string;
  /** Prints the value; for a Service, connects a port of one's own machine. */
  readonly kubectl?: string;
}

/** How an instance is reached. */
export interface ConnectionView {
  /** Whether the catalogue describes the connection of this kind. */
  readonly curated: boolean;
  readonly keys: readonly ConnectionKeyView[];
  /** For a kind without a description: the ports of the Services in its tree. */
  readonly services: readonly Address[];
  /** For a kind without a description: the names of the Secrets in its tree. */
  readonly secrets: readonly string[];
}

export interface ConnectionInput extends InstanceAddress {
  /** When the caller has read the instance just now. */
  readonly reading?: Pick<InstanceReading, 'instance' | 'tree'>;
}

/** How an Instance is reached, read as the actor; no Secret is read. Throws as `findInstance`. */
export async function showConnection(ports: TreePorts, actor: Actor, { reading, ...address }: ConnectionInput): Promise<ConnectionView> {
  if (reading !== undefined)
    return await viewOf(ports, actor, {
      object: reading.instance.object,
      ...address,
      tree: async () => reading.tree,
      addresses: reading.tree.addresses,
    });
  const found = await findInstance(ports, actor, address);
  const object = shownObject(markedOf(found.entry), found.object);
  return await viewOf(ports, actor, { object, ...address, tree: async () => (await groupOf(ports, actor, found)).tree });
}

interface Subject {
  readonly app: string;
  /** Its sensitive values masked. */
  readonly object: KubeObject;
  readonly tree: () => Promise<ResourceTree>;
  /** Those of the tree, when it has been read. */
  readonly addresses?: readonly Address[];
}

async function viewOf(ports: TreePorts, actor: Actor, { app, object, tree, addresses = [] }: Subject): Promise<ConnectionView> {
  const keys = resolveConnection(findApp(ports, actor, app).kindBlock.connection, object);
  if (keys.length === 0) return uncurated(await tree());
  const reader = { ...connectionReader(ports.clusters.asActor(actor), releaseNamespaceOf(object)), addresses };
  const views = keys.map(async ({ source, ...key }) => ({ ...key, ...(await valueOf(source, reader)) }));
  return { curated: true, keys: await Promise.all(views), services: [], secrets: [] };
}

function uncurated({ addresses, root }: ResourceTree): ConnectionView {
  const services = addresses.filter(({ kind, scope }) => kind === 'Service' && scope === 'Cluster');
  const secrets = nodesOf(root).filter(({ apiVersion, kind }) => apiVersion === 'v1' && kind === 'Secret');
  return { curated: false, keys: [], services, secrets: [...new Set(secrets.map(({ name }) => name))].sort() };
}

type ValueView = Omit<ConnectionKeyView, keyof Omit<ConnectionKey, 'source'>>;

async function valueOf(source: ConnectionSource, reader: ConnectionReader): Promise<ValueView> {
  switch (source.kind) {
    case 'Value':
      return { kind: 'Value', value: source.value };
    case 'SecretKey':
      return await secretView(source, reader);
    case 'ServicePort':
      return await serviceView(source, reader);
    case 'Unresolved':
      return { kind: 'Unavailable', message: source.message };
    default:
      return source satisfies never;
  }
}

async function secretView(
  { secret: name, key }: { readonly secret: string; readonly key: string },
  { namespace, mayGet }: ConnectionReader,
): Promise<ValueView> {
  const missing = { verb: 'get', group: '', resource: 'secrets', namespace, name };
  const template = `{{index .data ${JSON.stringify(key)} | base64decode}}`;
  return {
    kind: 'Secret',
    secret: { name, key },
    kubectl: `kubectl get secret ${quoted(name)} --namespace ${quoted(namespace)} --output go-template=${quoted(template)}`,
    ...((await mayGet(name)) ? {} : { missing }),
  };
}

async function serviceView(
  { service: name, port }: { readonly service: string; readonly port?: string | number },
  { service, addresses }: ConnectionReader,
): Promise<ValueView> {
  const known = addresses.filter((one) => one.kind === 'Service' && one.name === name && one.scope === 'Cluster');
  if (known.length === 1 && known[0] !== undefined && port === undefined) return addressView(known[0]);
  try {
    const found = await service(name);
    const address = serviceAddress(found, port);
    if (address === undefined) return { kind: 'Unavailable', message: `The Service ${name} has no TCP port ${port ?? ''}`.trimEnd() };
    return addressView(address);
  } catch (error) {
    if (isAppError(error, 'NotFound')) return { kind: 'Unavailable', message: `The Service ${name} does not exist yet` };
    if (!isAppError(error, 'Forbidden') || error.missing === undefined) throw error;
    return { kind: 'Unavailable', message: `You may not get the Service ${name}`, missing: error.missing };
  }
}

function addressView({ address: value, portForward }: Address): ValueView {
  return { kind: 'Value', value, ...(portForward === undefined ? {} : { kubectl: portForward }) };
}

/** Asks the api-server once for each object, however many keys name it. */
interface ConnectionReader {
  readonly namespace: string;
  readonly mayGet: (secret: string) => Promise<boolean>;
  readonly service: (name: string) => Promise<KubeObject>;
  /** What is known of Services already. */
  readonly addresses: readonly Address[];
}

function connectionReader(cluster: Pick<Cluster, 'get' | 'review'>, namespace: string): Omit<ConnectionReader, 'addresses'> {
  const once = <T>(ask: (name: string) => Promise<T>): ((name: string) => Promise<T>) => {
    const asked = new Map<string, Promise<T>>();
    return async (name) => {
      const answer = asked.get(name) ?? ask(name);
      asked.set(name, answer);
      return await answer;
    };
  };
  const { group, resource } = SECRET;
  return {
    namespace,
    mayGet: once(async (name) => (await cluster.review({ verb: 'get', group, resource, namespace, name })).allowed),
    service: once(async (name) => await cluster.get({ ...SERVICE, namespace, name })),
  };
}
