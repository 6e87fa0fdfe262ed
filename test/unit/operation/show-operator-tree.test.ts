import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { describe, it } from 'node:test';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import type { Cluster, ListOptions } from '../../../src/domain/kubernetes/cluster.ts';
import { AppError } from '../../../src/domain/core/errors.ts';
import type { KubeObject, ResourceType, ServedKind } from '../../../src/domain/kubernetes/resource.ts';
import type { TreeNode } from '../../../src/domain/tree/tree.ts';
import type { Ports } from '../../../src/operation/ports.ts';
import { showOperatorTree } from '../../../src/operation/operator/show-operator-tree.ts';

const ACTOR = { user: 'oidc:admin', groups: ['oidc:platform'] };
const ADDRESS = { namespace: 'ops', name: 'cache' };
const HELM = { 'meta.helm.sh/release-name': 'cache-operator', 'meta.helm.sh/release-namespace': 'cache-system' };
const OPERATOR: KubeObject = {
  apiVersion: 'operatorcontroller.kubeplus/v1',
  kind: 'Operator',
  metadata: { ...ADDRESS, uid: 'operator' },
  spec: { name: 'cache-operator', chartURL: 'file://charts/x.tgz', targetNamespace: 'cache-system' },
};

const kind = (group: string, resource: string, name: string, namespaced = true): ServedKind => ({
  group,
  version: 'v1',
  resource,
  kind: name,
  namespaced,
  verbs: ['list', 'create'],
  shortNames: [],
});
const KINDS = [
  kind('apps', 'deployments', 'Deployment'),
  kind('apps', 'replicasets', 'ReplicaSet'),
  kind('', 'secrets', 'Secret'),
  kind('rbac.authorization.k8s.io', 'clusterroles', 'ClusterRole', false),
  kind('apiextensions.k8s.io', 'customresourcedefinitions', 'CustomResourceDefinition', false),
  kind('', 'nodes', 'Node', false),
];
const object = (name: string, type: string, { annotations = {}, owner = '' } = {}): KubeObject => ({
  apiVersion: 'v1',
  kind: type,
  metadata: {
    name,
    uid: name,
    annotations,
    ...(owner === '' ? {} : { ownerReferences: [{ apiVersion: 'v1', kind: 'X', name: owner, uid: owner }] }),
  },
});

interface World {
  readonly objects?: Readonly<Record<string, readonly KubeObject[]>>;
  readonly forbidden?: readonly string[];
  /** Of the release that is deployed. */
  readonly manifest?: string;
}

function portsWith({ objects = {}, forbidden = [], manifest = '' }: World): { ports: Ports; asked: string[] } {
  const asked: string[] = [];
  const list = async ({ resource, group }: ResourceType, options: ListOptions = {}) => {
    asked.push(`${resource} ${options.namespace ?? options.labelSelector ?? 'everywhere'}`);
    if (forbidden.includes(resource)) throw new AppError('Forbidden', 'no', { missing: { verb: 'list', group, resource } });
    if (options.labelSelector?.startsWith('owner=helm') === true) return { items: manifest === '' ? [] : [RECORD], resourceVersion: '1' };
    const name = options.fieldSelector?.replace('metadata.name=', '');
    const isThere = ({ metadata: { namespace = options.namespace } }: KubeObject): boolean => namespace === options.namespace;
    const items = (objects[resource] ?? []).filter((one) => isThere(one) && (name === undefined || one.metadata.name === name));
    return { items, resourceVersion: '1' };
  };
  const packed = gzipSync(JSON.stringify({ name: 'cache-operator', config: { password: 'hunter2' }, manifest })).toString('base64');
  const record = { ...RECORD, data: { release: Buffer.from(packed).toString('base64') } };
  const get = async ({ resource }: ResourceType) => (resource === 'secrets' ? record : OPERATOR);
  const cluster = { get, list, listMetadata: list } as unknown as Cluster;
  const health = { evaluate: async () => undefined, faults: () => [] };
  const ports = { clusters: { asActor: () => cluster }, discovery: { kinds: async () => KINDS }, health } as unknown as Ports;
  return { ports, asked };
}

const RECORD: KubeObject = {
  apiVersion: 'v1',
  kind: 'Secret',
  metadata: { name: 'sh.helm.release.v1.cache-operator.v3', labels: { version: '3' } },
};

const shape = ({ name, children }: TreeNode): unknown => (children.length === 0 ? name : { [name]: children.map(shape) });

describe('the tree of an Operator', () => {
  it('holds what its release brought, each once, and leaves alone what others have there', async () => {
    const { ports } = portsWith({
      objects: {
        deployments: [object('manager', 'Deployment', { annotations: HELM }), object('foreign', 'Deployment')],
        // The Deployment's controller copies its annotations.
        replicasets: [object('manager-1', 'ReplicaSet', { annotations: HELM, owner: 'manager' })],
        clusterroles: [
          object('manager-role', 'ClusterRole', { annotations: HELM }),
          object('other', 'ClusterRole', { annotations: { ...HELM, 'meta.helm.sh/release-name': 'other' } }),
        ],
        customresourcedefinitions: [object('caches.a.example', 'CustomResourceDefinition')],
      },
    });
    const { root, namespace } = await showOperatorTree(ports, ACTOR, ADDRESS);
    assert.equal(namespace, 'cache-system');
    assert.deepEqual(shape(root), { cache: ['manager-role', 'caches.a.example', { manager: ['manager-1'] }] });
  });

  it('asks only for what can be of the release: its namespace, and cluster-wide by label', async () => {
    const { ports, asked } = portsWith({});
    await showOperatorTree(ports, ACTOR, ADDRESS);
    assert.deepEqual(asked.sort(), [
      'clusterroles app.kubernetes.io/managed-by=Helm',
      'customresourcedefinitions chandlery.dev/operator=ops.cache',
      'deployments cache-system',
      'replicasets cache-system',
      'secrets cache-system',
      'secrets cache-system',
    ]);
  });

  it('holds what its manifest names elsewhere, and as Missing what does not exist', async () => {
    const manifest = ['Deployment cache-system/manager', 'Deployment other/agent', 'Deployment gone', 'ClusterRole gone-role', 'Boat row']
      .map((text) => {
        const [kind, place = ''] = text.split(' ');
        const [name, namespace] = place.split('/').reverse();
        const apiVersion = { Deployment: 'apps/v1', ClusterRole: 'rbac.authorization.k8s.io/v1' }[kind ?? ''] ?? 'sea.example.com/v1';
        return `---\napiVersion: ${apiVersion}\nkind: ${kind}\nmetadata:\n  name: ${name}\n${namespace === undefined ? '' : `  namespace: ${namespace}\n`}`;
      })
      .join('');
    const deployments = ['cache-system/manager', 'other/agent'].map((place): KubeObject => {
      const [namespace = '', name = ''] = place.split('/');
      const { metadata, ...rest } = object(name, 'Deployment', { annotations: HELM });
      return { ...rest, apiVersion: 'apps/v1', metadata: { ...metadata, namespace } };
    });
    const tree = await showOperatorTree(portsWith({ manifest, objects: { deployments } }).ports, ACTOR, ADDRESS);
    const children = tree.root.children.map(({ kind, name, health }) => `${kind} ${name} ${health?.status ?? '-'}`);
    assert.deepEqual(children, [
      'Boat row Missing',
      'ClusterRole gone-role Missing',
      'Deployment agent Progressing',
      'Deployment gone Missing',
      'Deployment manager Progressing',
    ]);
    assert.match(
      stringifyJson(tree),
      /The manifest of the release cache-operator has this Boat, and the cluster does not serve sea\.example\.com\/v1 Boat/,
    );
    assert.deepEqual(
      new Set(tree.root.children.map(({ edge }) => `${edge?.class} ${edge?.path}`)),
      new Set(['ReleaseManifest data.release']),
    );
    assert.deepEqual(tree.release, { namespace: 'cache-system', name: 'cache-operator', missing: [] });
    assert.doesNotMatch(stringifyJson(tree), /hunter2/);
  });

  it('names the permission without which the workloads cannot be seen, and the kinds that are left out', async () => {
    const { missing, unreadable } = await showOperatorTree(portsWith({ forbidden: ['deployments', 'secrets'] }).ports, ACTOR, ADDRESS);
    assert.deepEqual(missing, { verb: 'list', group: 'apps', resource: 'deployments', namespace: 'cache-system' });
    assert.deepEqual(unreadable, ['Deployment', 'Secret']);
    const release = { namespace: 'cache-system', name: 'cache-operator' };
    const tree = await showOperatorTree(
      portsWith({ forbidden: ['secrets'], objects: { deployments: [object('manager', 'Deployment', { annotations: HELM })] } }).ports,
      ACTOR,
      ADDRESS,
    );
    assert.deepEqual(tree.release, { ...release, missing: [{ verb: 'list', group: '', resource: 'secrets' }] });
    assert.equal(tree.root.children[0]?.edge?.path, 'metadata.annotations["meta.helm.sh/release-name"]');
    const well = await showOperatorTree(portsWith({ forbidden: ['secrets'] }).ports, ACTOR, ADDRESS);
    assert.equal(well.missing, undefined);
  });
});
