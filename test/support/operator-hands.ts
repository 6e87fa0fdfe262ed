import { NAMESPACE, OPERATOR, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { textAt } from '../../src/domain/core/read.ts';
import type { ResourceType } from '../../src/domain/kubernetes/resource.ts';
import type { OperatorWorld } from './operator-world.ts';

const EVENTS: ResourceType = { group: '', version: 'v1', resource: 'events' };

/** What people do to Operators, and what they look at. */
export interface OperatorHands {
  newNamespace(): Promise<string>;
  /** Changes fields of the spec. */
  merge(namespace: string, name: string, spec: object): Promise<void>;
  annotate(namespace: string, name: string, annotations: object): Promise<void>;
  /** `1 superseded`, `2 deployed`, …: Helm's records of a release. */
  revisionsOf(namespace: string, release: string): Promise<string[]>;
  /** The sentences of the Events about Operators with a reason. */
  eventsOf(namespace: string, reason: string): Promise<string[]>;
}

/** @param prefix the beginning of the names of namespaces, the same that the world was started with. */
export function createHands(world: OperatorWorld, prefix: string): OperatorHands {
  const cluster = world.kube.asController();
  let namespaces = 0;
  return {
    newNamespace: async () => {
      namespaces += 1;
      const name = `${prefix}${namespaces}`;
      await cluster.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
      return name;
    },
    merge: async (namespace, name, spec) => {
      await cluster.patch({ ...OPERATOR, namespace, name }, { type: 'merge', body: { spec } });
    },
    annotate: async (namespace, name, annotations) => {
      await cluster.patch({ ...OPERATOR, namespace, name }, { type: 'merge', body: { metadata: { annotations } } });
    },
    revisionsOf: async (namespace, release) => {
      const { items } = await cluster.listMetadata(SECRET, { namespace, labelSelector: `owner=helm,name=${release}` });
      return items.map(({ metadata: { labels = {} } }) => `${labels['version'] ?? ''} ${labels['status'] ?? ''}`).sort();
    },
    eventsOf: async (namespace, reason) => {
      const { items } = await cluster.list(EVENTS, { namespace });
      return items.filter((event) => textAt(event, 'reason') === reason).map((event) => textAt(event, 'message') ?? '');
    },
  };
}
