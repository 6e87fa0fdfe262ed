import assert from 'node:assert/strict';
import { beforeEach, describe, it } from 'node:test';
import { AppError } from '../../../src/domain/core/errors.ts';
import type { Actor } from '../../../src/domain/kubernetes/actor.ts';
import type { KubeObject, ServedKind } from '../../../src/domain/kubernetes/resource.ts';
import { createNamespaceMemory, type NamespaceMemory } from '../../../src/operation/environment/namespace-memory.ts';
import { readNamespace } from '../../../src/operation/environment/read-namespace.ts';
import { eventually } from '../../support/eventually.ts';

const served = (group: string, kind: string): ServedKind => {
  return { group, version: 'v1', resource: `${kind.toLowerCase()}s`, kind, namespaced: true, verbs: ['list'], shortNames: [] };
};
const KINDS = [served('', 'Secret'), served('', 'Pod'), served('apps', 'ReplicaSet'), served('cert.example.org', 'Certificate')];
const DEV: Actor = { user: 'dev', groups: ['a'] };
const OTHER: Actor = { user: 'dev', groups: ['b'] };
const THING = object('a.example.com/v1', 'Thing', 'root');

let objects: KubeObject[];
let forbidden: Set<string>;
let asked: string[];
let time: number;
let memory: NamespaceMemory;

beforeEach(() => {
  [objects, forbidden, asked, time] = [[object('v1', 'Secret', 'own', THING)], new Set(), [], 0];
  memory = createNamespaceMemory({ now: () => time, random: () => 0.5 });
});

describe('the kinds that are listed for a namespace', () => {
  it('are all at first, then those of which there is something', async () => {
    await read();
    assert.deepEqual(asked, ['secrets', 'pods', 'replicasets', 'certificates']);
    assert.deepEqual(await again(), ['secrets']);
  });

  it('come back after seconds for workloads, and within a minute for all others', async () => {
    await read();
    time = 4_001;
    assert.deepEqual(await again(), ['secrets', 'pods']);
    time = 60_001;
    assert.deepEqual(await again(), ['secrets', 'pods', 'replicasets', 'certificates']);
  });

  it('include the kind of an owner that was not read, once', async () => {
    await read();
    const certificate = object('cert.example.org/v1', 'Certificate', 'tls', THING);
    objects.push(certificate, object('v1', 'Secret', 'tls', certificate));
    const found = await read();
    assert.deepEqual(
      found.objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`),
      ['Secret own', 'Secret tls', 'Certificate tls'],
    );
    objects.push(object('v1', 'Secret', 'x', object('apps/v1', 'ReplicaSet', 'gone')));
    assert.deepEqual(await again(), ['secrets', 'certificates', 'replicasets']);
    assert.deepEqual(await again(), ['secrets', 'certificates']);
  });

  it('are remembered for one person in their groups alone', async () => {
    await read();
    assert.deepEqual(await again(OTHER), ['secrets', 'pods', 'replicasets', 'certificates']);
  });

  it('of a page leave out foreign ones at first, which it has in the next reading, and those of apps never', async () => {
    objects.push(object('cert.example.org/v1', 'Certificate', 'tls'));
    assert.deepEqual(await ofPage(OTHER, new Set(['cert.example.org'])), ['Secret', 'Certificate']);
    memory = createNamespaceMemory({ now: () => time, random: () => 0.5 });
    assert.deepEqual(await ofPage(DEV), ['Secret', 'later Certificate']);
    await eventually(async () => (await ofPage(DEV)).join() === 'Secret,Certificate', 'what was found is in the next reading');
    forbidden.add('certificates');
    assert.deepEqual(await ofPage({ user: 'stranger', groups: ['c'] }), ['Secret'], 'what others had allows nothing');
  });

  it('of a page leave built-in ones of which there was nothing for afterwards, and name them to nobody', async () => {
    await read();
    time = 60_001;
    objects.push(object('apps/v1', 'ReplicaSet', 'late'));
    asked = [];
    assert.deepEqual(await ofPage(DEV), ['Secret']);
    assert.deepEqual(asked.toSorted(), ['any certificates', 'any replicasets', 'pods', 'secrets']);
    await eventually(async () => (await ofPage(DEV)).join() === 'Secret,ReplicaSet', 'what was found is in the next reading');
  });

  it('that are forbidden are reported each time, and not asked for each time', async () => {
    forbidden.add('replicasets');
    const unreadable = async (): Promise<string[]> => (await read()).unreadable.map(({ kind }) => kind);
    assert.deepEqual(await unreadable(), ['ReplicaSet']);
    asked = [];
    assert.deepEqual(await unreadable(), ['ReplicaSet']);
    assert.deepEqual(asked, ['secrets']);
  });
});

async function again(actor = DEV): Promise<string[]> {
  asked = [];
  await read(actor);
  return asked;
}

async function read(actor = DEV) {
  return await readNamespace(countedCluster(), { ...WHERE, memory: memory.kindsIn(actor, 'ns') });
}

async function ofPage(actor: Actor, apiGroups = new Set<string>()): Promise<string[]> {
  const input = { ...WHERE, memory: memory.kindsIn(actor, 'ns', apiGroups), extent: 'Expected' } as const;
  const { objects: found, unexplored } = await readNamespace(countedCluster(), input);
  return [...found, ...unexplored].map(({ kind, ...rest }) => ('metadata' in rest ? kind : `later ${kind}`));
}

function countedCluster() {
  const list = async ({ resource }: { readonly resource: string }) => {
    asked.push(resource);
    if (forbidden.has(resource)) throw new AppError('Forbidden', 'no');
    return await Promise.resolve({ items: objects.filter(({ kind }) => `${kind.toLowerCase()}s` === resource), resourceVersion: '1' });
  };
  const pages = async function* ({ resource }: { readonly resource: string }) {
    asked.push(`any ${resource}`);
    const items = objects.filter(({ kind }) => `${kind.toLowerCase()}s` === resource);
    yield await Promise.resolve({ items, resourceVersion: '1', remaining: 0 });
  };
  return { list, listMetadata: list, pages };
}

const WHERE = { namespace: 'ns', kinds: KINDS, health: { evaluate: async () => undefined } };

function object(apiVersion: string, kind: string, name: string, owner?: KubeObject): KubeObject {
  const uid = `${kind}/${name}`;
  const owners =
    owner === undefined
      ? []
      : [{ apiVersion: owner.apiVersion, kind: owner.kind, name: owner.metadata.name, uid: owner.metadata.uid ?? '' }];
  return { apiVersion, kind, metadata: { name, namespace: 'ns', uid, resourceVersion: '1', ownerReferences: owners } };
}
