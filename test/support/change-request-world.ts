import { createAuditPort } from '../../src/compose/create-audit-port.ts';
import { AppError } from '../../src/domain/core/errors.ts';
import { applyMergePatch } from '../../src/domain/core/merge-patch.ts';
import type { Actor } from '../../src/domain/kubernetes/actor.ts';
import type { Cluster, Clusters } from '../../src/domain/kubernetes/cluster.ts';
import type { JsonObject, KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { createLog } from '../../src/observe/log.ts';
import { applyChangeRequest, secretsInRequest } from '../../src/operation/change-request/apply-change-request.ts';
import { createNamespaceMemory } from '../../src/operation/environment/namespace-memory.ts';
import { withoutIndex } from '../../src/operation/index-port.ts';
import type { Ports } from '../../src/operation/ports.ts';
import { createChangeRequestReconciler } from '../../src/reconcile/change-request/reconcile-change-request.ts';
import type { Store } from '../../src/store/store.ts';

const SILENT = createLog({ level: 'silent', format: 'json', write: () => undefined });

export const ASKS: Actor = { user: 'oidc:asks', groups: ['oidc:team'] };
export const MAY: Actor = { user: 'oidc:may', groups: ['oidc:leads'] };
export const READS: Actor = { user: 'oidc:reads', groups: ['oidc:team'] };
export const OTHER: Actor = { user: 'oidc:other', groups: ['oidc:elsewhere'] };
export const DAY = 24 * 3_600_000;
export const APP = 'caches.example.com';

const SIGNAL = new AbortController().signal;

const CRD: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: APP, labels: { 'chandlery.dev/operator': 'sys.cache' } },
  spec: {
    group: 'example.com',
    scope: 'Namespaced',
    names: { kind: 'Cache', plural: 'caches' },
    versions: [
      {
        name: 'v1',
        served: true,
        storage: true,
        schema: {
          openAPIV3Schema: {
            type: 'object',
            properties: {
              spec: { type: 'object', properties: { size: { type: 'integer' }, note: { type: 'string' }, password: { type: 'string' } } },
            },
          },
        },
      },
    ],
  },
  status: { conditions: [{ type: 'Established', status: 'True' }] },
};
const operatorWith = (defaults: object): KubeObject => ({
  apiVersion: 'operatorcontroller.kubeplus/v1',
  kind: 'Operator',
  metadata: { name: 'cache', namespace: 'sys' },
  spec: { name: 'cache', catalog: { kinds: [{ kind: 'Cache', defaults: { spec: defaults } }] } },
  status: { status: 'READY', crds: [{ name: APP, kind: 'Cache', established: true }] },
});

/** A cluster of one environment that the four people have their permissions in, its controller of change requests, and a clock that the test moves. */
export function worldOf(store: Store) {
  const world = {
    now: 1_700_000_000_000,
    live: new Map<string, KubeObject>(),
    requests: new Map<string, KubeObject>(),
    defaults: { size: 1 } as object,
    reviews: 0,
    /** Whether the admission policy is in force. */
    guarded: true,
    events: [] as string[],
  };
  const permissions: Readonly<Record<string, readonly string[]>> = {
    [MAY.user]: ['get', 'create', 'update', 'approve'],
    [READS.user]: ['get'],
    [ASKS.user]: ['get'],
  };
  const stored = ({ name }: { readonly name: string }): KubeObject => {
    const object = world.requests.get(name);
    if (object === undefined) throw new AppError('NotFound', `${name}: none`);
    return structuredClone(object);
  };
  const put = (object: KubeObject): KubeObject => {
    const { metadata } = object;
    const version = String(Number(metadata.resourceVersion ?? '0') + 1);
    const next = { ...object, metadata: { ...metadata, resourceVersion: version } };
    world.requests.set(metadata.name, next);
    return structuredClone(next);
  };
  const clusterOf = (actor: Actor): Partial<Cluster> => {
    const may = (verb: string): boolean => (permissions[actor.user] ?? []).includes(verb);
    const guard = (verb: string): void => {
      if (!may(verb)) throw new AppError('Forbidden', `${actor.user} may not ${verb}`);
    };
    return {
      get: async ({ resource, name }) => {
        if (resource === 'changerequests') return stored({ name });
        if (resource === 'environments' && actor.user !== OTHER.user && name === 'team') {
          const conditions = [{ type: 'Ready', status: 'True' }];
          return { apiVersion: 'x/v1', kind: 'Environment', metadata: { name }, spec: { namespace: 'team-ns' }, status: { conditions } };
        }
        const object = resource === 'caches' && may('get') ? world.live.get(name) : undefined;
        if (object === undefined) throw new AppError('NotFound', `${name}: none`);
        return structuredClone(object);
      },
      list: async ({ resource }) => {
        return {
          items: resource === 'changerequests' ? [...world.requests.values()].map((one) => structuredClone(one)) : [],
          resourceVersion: '1',
        };
      },
      review: async ({ verb }) => {
        world.reviews += 1;
        return { allowed: may(verb), reason: '' };
      },
      patch: async ({ name }, { body }) => {
        const before = stored({ name });
        const { metadata, spec } = body as { metadata: { resourceVersion: string }; spec: JsonObject };
        if (metadata.resourceVersion !== before.metadata.resourceVersion) throw new AppError('Conflict', `${name}: changed`);
        return { object: put({ ...before, spec: applyMergePatch(before.spec ?? {}, spec) }), warnings: [] };
      },
      watch: async function* (_type, { fieldSelector = '' }) {
        const name = fieldSelector.replace('metadata.name=', '');
        await reconcileRequest(name);
        yield { type: 'MODIFIED', object: stored({ name }) };
      },
      create: async ({ resource }, object, options) => {
        if (resource === 'changerequests') {
          const creationTimestamp = new Date(world.now + world.requests.size * 1000).toISOString();
          return {
            object: put({ ...object, metadata: { ...object.metadata, uid: object.metadata.name, creationTimestamp } }),
            warnings: [],
          };
        }
        guard('create');
        const { name } = object.metadata;
        if (world.live.has(name)) throw new AppError('AlreadyExists', `${name}: it exists`);
        const made = { ...object, metadata: { ...object.metadata, uid: `u-${name}`, generation: 1, resourceVersion: '1' } };
        if (options?.dryRun === undefined) world.live.set(name, made);
        return { object: made, warnings: [] };
      },
      replace: async (_type, object, options) => {
        guard('update');
        const { metadata } = object;
        const next = { ...object, metadata: { ...metadata, generation: (metadata.generation ?? 0) + 1 } };
        if (options?.dryRun === undefined) world.live.set(metadata.name, next);
        return { object: next, warnings: [] };
      },
    };
  };
  const ports = {
    clusters: { asActor: clusterOf },
    catalog: {
      operators: () => [operatorWith(world.defaults)],
      customResourceDefinitions: () => [CRD],
      appDefinitions: () => [],
      environments: () => [{ apiVersion: 'x/v1', kind: 'Environment', metadata: { name: 'team' } }],
      catalogSources: () => [],
    },
    chart: async () => undefined,
    health: { evaluate: async () => undefined, faults: () => [] },
    index: withoutIndex({ asActor: clusterOf as Clusters['asActor'] }),
    discovery: { kinds: async () => [] },
    namespaceMemory: createNamespaceMemory(),
    publicUrl: 'http://h',
    changeRequests: { now: () => world.now, appliedBy: 'Impersonation' },
    auditLog: createAuditPort({ auditLog: store.auditLog, log: SILENT }),
  } as unknown as Ports;
  const reconcile = createChangeRequestReconciler({
    cluster: {
      get: async ({ resource, name }) =>
        resource === 'namespaces'
          ? { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels: { 'chandlery.dev/environment': 'team' } } }
          : stored({ name }),
      applyStatus: async (_type, { metadata, status }) => ({
        object: put({ ...stored(metadata), ...(status === undefined ? {} : { status }) }),
        warnings: [],
      }),
      delete: async ({ name }) => void world.requests.delete(name),
    },
    requests: () => [...world.requests.values()],
    applyAs: async (approver, changeRequest, digest) => await applyChangeRequest(ports, approver, { changeRequest, digest }),
    secretsIn: (spec) => secretsInRequest(ports, spec),
    isGuarded: async () => world.guarded,
    events: { record: async ({ metadata }, { reason }) => void world.events.push(`${metadata.name} ${reason}`) },
    now: () => new Date(world.now),
  });
  /** Lets the controller work on a request until it waits for something. */
  const reconcileRequest = async (name: string): Promise<void> => {
    while ((await reconcile(`team-ns/${name}`, SIGNAL)).requeueAfter === 0);
  };
  return { world, ports, reconcileRequest };
}
