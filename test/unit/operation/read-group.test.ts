import assert from 'node:assert/strict';
import { gzipSync } from 'node:zlib';
import { beforeEach, describe, it } from 'node:test';
import { AppError } from '../../../src/domain/core/errors.ts';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import type { Actor } from '../../../src/domain/kubernetes/actor.ts';
import type { ListOptions } from '../../../src/domain/kubernetes/cluster.ts';
import type { KubeObject, ServedKind } from '../../../src/domain/kubernetes/resource.ts';
import type { ResourceTree } from '../../../src/domain/tree/tree.ts';
import { createGroupMemory, type GroupMemory } from '../../../src/operation/instance/group-memory.ts';
import { eventually } from '../../support/eventually.ts';
import { readGroup, readNamespace } from '../../../src/operation/instance/read-group.ts';

const served = (group: string, kind: string): ServedKind => {
  return { group, version: 'v1', resource: `${kind.toLowerCase()}s`, kind, namespaced: true, verbs: ['list'], shortNames: [] };
};
const KINDS = [served('', 'Secret'), served('', 'Pod'), served('apps', 'ReplicaSet'), served('cert.example.org', 'Certificate')];
const DEV: Actor = { user: 'dev', groups: ['a'] };
const OTHER: Actor = { user: 'dev', groups: ['b'] };
const ROOT = object('a.example.com/v1', 'Thing', 'root');

let objects: KubeObject[];
let record: KubeObject;
let forbidden: Set<string>;
let asked: string[];
let time: number;
let memory: GroupMemory;

beforeEach(() => {
  [objects, forbidden, asked, time] = [[object('v1', 'Secret', 'own', ROOT), object('v1', 'Pod', 'stranger')], new Set(), [], 0];
  memory = createGroupMemory({ now: () => time, random: () => 0.5 });
});

describe('the kinds that are listed for a group', () => {
  it('are all at first, then those of which something belongs to it', async () => {
    await read();
    assert.deepEqual(asked, ['secrets', 'pods', 'replicasets', 'certificates']);
    assert.deepEqual(await again(), ['secrets']);
  });

  it('come back after seconds for workloads, a minute for other built-in kinds, and five minutes for foreign ones', async () => {
    await read();
    time = 4_001;
    assert.deepEqual(await again(), ['secrets', 'pods']);
    time = 60_001;
    assert.deepEqual(await again(), ['secrets', 'pods', 'replicasets']);
    time = 300_001;
    assert.deepEqual(await again(), ['secrets', 'pods', 'replicasets', 'certificates']);
  });

  it('come back at once, but for foreign ones, when the root has changed', async () => {
    await read();
    assert.deepEqual(await again(DEV, { ...ROOT, metadata: { ...ROOT.metadata, resourceVersion: '2' } }), [
      'secrets',
      'pods',
      'replicasets',
    ]);
  });

  it('include the kind of an owner that was not read, once', async () => {
    await read();
    const certificate = object('cert.example.org/v1', 'Certificate', 'tls', ROOT);
    objects.push(certificate, object('v1', 'Secret', 'tls', certificate));
    const found = await read();
    assert.deepEqual(
      found.root.children.map(({ kind, children }) => [kind, children.length]),
      [
        ['Certificate', 1],
        ['Secret', 0],
      ],
    );
    objects.push(
      object('v1', 'Secret', 'x', object('cert.example.org/v1', 'Certificate', 'gone')),
      object('v1', 'Pod', 'p', object('apps/v1', 'ReplicaSet', 'gone')),
    );
    time = 4_001;
    assert.deepEqual(await again(), ['secrets', 'pods', 'certificates', 'replicasets']);
    assert.deepEqual(await again(), ['secrets', 'certificates']);
  });

  it('are remembered for one person in their groups alone', async () => {
    await read();
    assert.deepEqual(await again(OTHER), ['secrets', 'pods', 'replicasets', 'certificates']);
  });

  it('of a page leave out at first what the app has not had before, which is in the next reading, and in the first one of others from then on', async () => {
    objects.push(object('cert.example.org/v1', 'Certificate', 'tls', ROOT));
    const ofPage = async (actor: Actor): Promise<string[]> => {
      asked = [];
      const { tree } = await group(actor, ROOT, 'Expected');
      return tree.root.children.map(({ kind }) => kind);
    };
    assert.deepEqual(await ofPage(DEV), ['Secret']);
    assert.deepEqual(asked, ['secrets', 'pods', 'replicasets', 'any certificates'], 'it is looked for when the tree is there');
    await eventually(async () => (await ofPage(DEV)).join() === 'Certificate,Secret', 'what was found is in the next reading');
    assert.deepEqual(await ofPage(OTHER), ['Certificate', 'Secret']);
    assert.deepEqual(asked, ['secrets', 'pods', 'certificates', 'any replicasets'], 'nor what no other of the app had');
    forbidden.add('certificates');
    assert.deepEqual(await ofPage({ user: 'stranger', groups: ['c'] }), ['Secret'], 'what others had allows nothing');
  });

  it('of the page of a namespace leave out foreign ones, which it has in the next reading, and those of apps never', async () => {
    const namespace = object('v1', 'Namespace', 'ns');
    objects.push(object('cert.example.org/v1', 'Certificate', 'tls'));
    const ofPage = async (actor: Actor, apiGroups = new Set<string>()): Promise<string[]> => {
      const input = { ...WHERE, memory: memory.kindsFor(actor, namespace, apiGroups), extent: 'Expected' } as const;
      const { objects: found, unexplored } = await readNamespace(countedCluster(), input);
      return [...found, ...unexplored].map(({ kind, ...rest }) => ('metadata' in rest ? kind : `later ${kind}`));
    };
    assert.deepEqual(await ofPage(OTHER, new Set(['cert.example.org'])), ['Secret', 'Pod', 'Certificate']);
    memory = createGroupMemory({ now: () => time, random: () => 0.5 });
    assert.deepEqual(await ofPage(DEV), ['Secret', 'Pod', 'later Certificate']);
    await eventually(async () => (await ofPage(DEV)).join() === 'Secret,Pod,Certificate', 'what was found is in the next reading');
  });

  it('of a page leave built-in ones of which there was nothing for afterwards, and name them to nobody', async () => {
    const ofPage = async (): Promise<string[]> => {
      asked = [];
      const { objects: found, unexplored } = await readNamespace(countedCluster(), {
        ...WHERE,
        memory: memory.kindsFor(DEV, ROOT),
        extent: 'Expected',
      });
      return [...found, ...unexplored].map(({ kind, ...rest }) => ('metadata' in rest ? kind : `later ${kind}`));
    };
    await read();
    time = 60_001;
    objects.push(object('apps/v1', 'ReplicaSet', 'late'));
    assert.deepEqual(await ofPage(), ['Secret', 'Pod']);
    assert.deepEqual(asked, ['secrets', 'pods', 'any replicasets']);
    await eventually(async () => (await ofPage()).join() === 'Secret,Pod,ReplicaSet', 'what was found is in the next reading');
  });

  it('that are forbidden are reported each time, and not asked for each time', async () => {
    forbidden.add('replicasets');
    const first = await unreadable();
    assert.deepEqual(first, ['ReplicaSet']);
    asked = [];
    assert.deepEqual(await unreadable(), ['ReplicaSet']);
    assert.deepEqual(asked, ['secrets']);
  });
});

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
    record = { ...recorded, metadata: { ...recorded.metadata, namespace: 'ns', labels }, data };
    objects = [record, inNamespace('ns', object('v1', 'Pod', 'inside')), inNamespace('other', object('v1', 'Pod', 'agent'))];
    const { tree } = await group(DEV, inNamespace('ns', ROOT));
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
    const root = inNamespace('ns', { ...object('apps.chandlery.dev/v1alpha1', 'Shop', 'shop'), status: { release: { name: 'shop' } } });
    forbidden.add('secrets');
    const { tree } = await group(DEV, root);
    assert.deepEqual(tree.release, {
      namespace: 'ns',
      name: 'shop',
      missing: [{ verb: 'get', group: '', resource: 'secrets', namespace: 'ns' }],
    });
  });
});

function inNamespace(namespace: string, one: KubeObject): KubeObject {
  return { ...one, metadata: { ...one.metadata, namespace } };
}

async function again(actor = DEV, root = ROOT): Promise<string[]> {
  asked = [];
  await read(actor, root);
  return asked;
}

async function read(actor = DEV, root = ROOT): Promise<ResourceTree> {
  return (await group(actor, root)).tree;
}

async function unreadable(): Promise<string[]> {
  return (await group(DEV, ROOT)).unreadable.map(({ kind }) => kind);
}

function countedCluster() {
  const list = async ({ resource }: { readonly resource: string }, { namespace, fieldSelector }: ListOptions = {}) => {
    asked.push(resource);
    if (forbidden.has(resource)) throw new AppError('Forbidden', 'no');
    const name = fieldSelector?.replace('metadata.name=', '');
    const items = objects.filter(
      ({ kind, metadata }) =>
        `${kind.toLowerCase()}s` === resource &&
        (name === undefined || metadata.name === name) &&
        (metadata.namespace === undefined || metadata.namespace === namespace),
    );
    return { items, resourceVersion: '1' };
  };
  // Of custom resources with an owner the whole objects are listed after the metadata.
  const listMetadata = async (type: { readonly resource: string }, options?: ListOptions) => {
    const listed = await list(type, options);
    if (type.resource === 'certificates' && listed.items.length > 0) asked.pop();
    return listed;
  };
  const pages = async function* (type: { readonly resource: string }) {
    asked.push(`any ${type.resource}`);
    const items = objects.filter(({ kind }) => `${kind.toLowerCase()}s` === type.resource);
    yield await Promise.resolve({ items, resourceVersion: '1', remaining: 0 });
  };
  const get = async () => await Promise.resolve(record);
  return { get, list, listMetadata, pages };
}

const WHERE = { namespace: 'ns', kinds: KINDS, health: { evaluate: async () => undefined } };

async function group(actor: Actor, root: KubeObject, extent?: 'Expected') {
  const kinds = { ...WHERE, root, memory: memory.kindsFor(actor, root) };
  return await readGroup(countedCluster(), { ...kinds, ...(extent === undefined ? {} : { extent }) });
}

function object(apiVersion: string, kind: string, name: string, owner?: KubeObject): KubeObject {
  const uid = `${kind}/${name}`;
  const owners =
    owner === undefined
      ? []
      : [{ apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid ?? '' }];
  return { apiVersion, kind, metadata: { name, namespace: 'ns', uid, resourceVersion: '1', ownerReferences: owners } };
}
