import { AppError } from '../../src/domain/core/errors.ts';
import type { Actor } from '../../src/domain/kubernetes/actor.ts';
import type { Cluster, Clusters } from '../../src/domain/kubernetes/cluster.ts';
import type { KubeObject, ResourceRef } from '../../src/domain/kubernetes/resource.ts';
import { type SpaceOwner, spaceOf } from '../../src/domain/saved-configuration/saved-configuration-space.ts';
import type { Ports } from '../../src/operation/ports.ts';

/** What a cluster with the Environment `team` and the namespaces of people and groups does for saved configurations. */
export function savedConfigurationWorld({ admin, members }: { readonly admin: string; readonly members: readonly string[] }) {
  const objects = new Map<string, KubeObject>();
  const spaces = new Map<string, SpaceOwner>();
  const environment: KubeObject = {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'Environment',
    metadata: { name: 'team' },
    spec: { namespace: 'team-ns' },
  };
  const writes = { count: 0 };
  const keyOf = (namespace = '', name: string): string => `${namespace}/${name}`;
  const clusterOf = (actor: Actor): Partial<Cluster> => {
    const guard = (namespace = ''): void => {
      const owner = spaces.get(namespace);
      const isOwn = owner !== undefined && ('user' in owner ? owner.user === actor.user : actor.groups.includes(owner.group));
      if (!isOwn && !(namespace === 'team-ns' && members.includes(actor.user)))
        throw new AppError('Forbidden', `${namespace}: no permission`);
    };
    const live = ({ namespace, name }: Pick<ResourceRef, 'namespace' | 'name'>): KubeObject => {
      const found = objects.get(keyOf(namespace, name));
      if (found === undefined) throw new AppError('NotFound', `${name}: none`);
      return structuredClone(found);
    };
    const put = (object: KubeObject, generation: number): KubeObject => {
      writes.count += 1;
      const { name, namespace, creationTimestamp = new Date(1_700_000_000_000).toISOString() } = object.metadata;
      const metadata = { ...object.metadata, creationTimestamp, generation, uid: name, resourceVersion: String(writes.count) };
      objects.set(keyOf(namespace, name), structuredClone({ ...object, metadata }));
      return live({ ...(namespace === undefined ? {} : { namespace }), name });
    };
    const expect = (found: KubeObject, resourceVersion: string | undefined): void => {
      if (resourceVersion !== found.metadata.resourceVersion) throw new AppError('Conflict', 'it has changed');
    };
    return {
      review: async () => ({ allowed: actor.user === admin, reason: '' }),
      get: async (ref) => {
        if (ref.resource === 'environments') {
          if (members.includes(actor.user) && ref.name === 'team') return environment;
          throw new AppError('NotFound', 'none');
        }
        guard(ref.namespace);
        return live(ref);
      },
      pages: async function* (_type, { namespace }) {
        guard(namespace);
        const items = [...objects.values()].filter(({ metadata }) => metadata.namespace === namespace);
        yield { items: structuredClone(items), resourceVersion: '1', remaining: 0 };
      },
      create: async (_type, object) => {
        const { namespace, name } = object.metadata;
        guard(namespace);
        if (objects.has(keyOf(namespace, name))) throw new AppError('AlreadyExists', 'there is one');
        return { object: put(object, 1), warnings: [] };
      },
      replace: async (_type, object) => {
        guard(object.metadata.namespace);
        const before = live(object.metadata);
        expect(before, object.metadata.resourceVersion);
        return { object: put(object, (before.metadata.generation ?? 0) + 1), warnings: [] };
      },
      delete: async (ref, { resourceVersion } = {}) => {
        guard(ref.namespace);
        expect(live(ref), resourceVersion);
        objects.delete(keyOf(ref.namespace, ref.name));
      },
    };
  };
  const savedConfigurations: Ports['savedConfigurations'] = {
    withSpace: async (owners) => owners.filter((owner) => spaces.has(spaceOf(owner))),
    createSpace: async (owner) => {
      spaces.set(spaceOf(owner), owner);
    },
  };
  return {
    environment,
    savedConfigurations,
    clusters: { asActor: clusterOf } as unknown as Clusters,
    /** As kubectl does it. */
    apply: (namespace: string, name: string, spec: object): void => {
      const head = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'SavedConfiguration' };
      objects.set(keyOf(namespace, name), { ...head, metadata: { namespace, name, generation: 1, resourceVersion: '1', uid: name }, spec });
    },
  };
}
