import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { describe, it } from 'node:test';
import { AppError } from '../../../src/domain/core/errors.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import type { CatalogEntry } from '../../../src/domain/catalog/app-catalog.ts';
import type { EnvironmentView } from '../../../src/domain/environment/environment.ts';
import type { Cluster, ListOptions } from '../../../src/domain/kubernetes/cluster.ts';
import type { KubeObject, ServedKind } from '../../../src/domain/kubernetes/resource.ts';
import type { ResourceTree } from '../../../src/domain/tree/tree.ts';
import { createNamespaceMemory } from '../../../src/operation/environment/namespace-memory.ts';
import { withoutIndex } from '../../../src/operation/index-port.ts';
import { groupOf, type TreePorts } from '../../../src/operation/instance/show-tree.ts';

const served = (group: string, kind: string): ServedKind => {
  return { group, version: 'v1', resource: `${kind.toLowerCase()}s`, kind, namespaced: true, verbs: ['list'], shortNames: [] };
};
const KINDS = [served('', 'Secret'), served('', 'Pod')];
const ROOT = object('a.example.com/v1', 'Thing', 'root');

let objects: KubeObject[] = [];
let record: KubeObject | undefined;
const forbidden = new Set<string>();

describe('the tree of an instance that is a Helm release', () => {
  const manifest = ['Pod ns/inside', 'Pod other/agent', 'Secret ns/gone'].map((text) => {
    const [kind, place = ''] = text.split(' ');
    const [namespace, name] = place.split('/');
    return `---\napiVersion: v1\nkind: ${kind}\nmetadata: {namespace: ${namespace}, name: ${name}}\n`;
  });
  const packed = gzipSync(JSON.stringify({ config: { password: 'hunter2' }, manifest: manifest.join('') })).toString('base64');
  const labels = { owner: 'helm', name: 'shop', status: 'deployed', version: '1' };
  const data = { release: Buffer.from(packed).toString('base64') };

  it('has by the relation "release manifest" what the release has elsewhere, and as Missing what does not exist', async () => {
    const recorded = object('v1', 'Secret', 'sh.helm.release.v1.shop.v1', ROOT);
    record = { ...recorded, metadata: { ...recorded.metadata, labels }, data };
    objects = [record, object('v1', 'Pod', 'inside'), inNamespace('other', object('v1', 'Pod', 'agent'))];
    const tree = await treeOf(ROOT);
    const edges = tree.root.children.map(({ kind, name, edge, health }) => `${kind} ${name} ${edge?.class} ${health?.status ?? '-'}`);
    assert.deepEqual(edges, [
      'Pod agent ReleaseManifest Progressing',
      'Pod inside ReleaseManifest Progressing',
      'Secret gone ReleaseManifest Missing',
      'Secret sh.helm.release.v1.shop.v1 Owner -',
    ]);
    assert.deepEqual(tree.release, { namespace: 'ns', name: 'shop', missing: [] });
    assert.doesNotMatch(stringifyJson(tree), /hunter2/);
  });

  it('names the permission without which that is not known', async () => {
    const root = { ...object('apps.chandlery.dev/v1alpha1', 'Shop', 'shop'), status: { release: { name: 'shop' } } };
    forbidden.add('secrets');
    const tree = await treeOf(root);
    assert.deepEqual(tree.release, {
      namespace: 'ns',
      name: 'shop',
      missing: [{ verb: 'get', group: '', resource: 'secrets', namespace: 'ns' }],
    });
  });
});

async function treeOf(root: KubeObject): Promise<ResourceTree> {
  const cluster = { list, listMetadata: list, get: async () => await Promise.resolve(record) } as unknown as Cluster;
  const clusters = { asActor: () => cluster } as unknown as TreePorts['clusters'];
  const nothing = (): readonly KubeObject[] => [];
  const catalog = {
    operators: nothing,
    customResourceDefinitions: nothing,
    environments: nothing,
    appDefinitions: nothing,
    catalogSources: nothing,
  };
  const discovery = { kinds: async () => await Promise.resolve(KINDS) } as unknown as TreePorts['discovery'];
  const health = { evaluate: async () => undefined, faults: () => [] };
  const ports = { clusters, index: withoutIndex(clusters), catalog, discovery, health, namespaceMemory: createNamespaceMemory() };
  const crd = object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', 'things.a.example.com');
  const entry = { crd, summary: { version: 'v1' }, kindBlock: { sensitive: [] } } as unknown as CatalogEntry;
  const environment = { name: 'ns', namespace: 'ns' } as EnvironmentView;
  const ref = { group: 'a.example.com', version: 'v1', resource: 'things', namespace: 'ns', name: root.metadata.name };
  return (await groupOf(ports, { user: 'dev', groups: ['a'] }, { entry, environment, ref, object: root })).tree;
}

async function list({ resource }: { readonly resource: string }, { namespace, fieldSelector }: ListOptions = {}) {
  if (forbidden.has(resource)) throw new AppError('Forbidden', 'no');
  const name = fieldSelector?.replace('metadata.name=', '');
  const isWanted = ({ kind, metadata }: KubeObject): boolean =>
    `${kind.toLowerCase()}s` === resource && metadata.namespace === namespace && (name === undefined || metadata.name === name);
  return await Promise.resolve({ items: objects.filter(isWanted), resourceVersion: '1' });
}

function inNamespace(namespace: string, one: KubeObject): KubeObject {
  return { ...one, metadata: { ...one.metadata, namespace } };
}

function object(apiVersion: string, kind: string, name: string, owner?: KubeObject): KubeObject {
  const uid = `${kind}/${name}`;
  const owners =
    owner === undefined
      ? []
      : [{ apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid ?? '' }];
  return { apiVersion, kind, metadata: { name, namespace: 'ns', uid, resourceVersion: '1', ownerReferences: owners } };
}
