import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Cluster, ObjectPage } from '../../../src/domain/kubernetes/cluster.ts';
import { AppError } from '../../../src/domain/core/errors.ts';
import type { KubeObject } from '../../../src/domain/kubernetes/resource.ts';
import { countInstances } from '../../../src/operation/operator/list-operator-instances.ts';
import type { Ports } from '../../../src/operation/ports.ts';

const ACTOR = { user: 'oidc:admin', groups: ['oidc:platform'] };
const permission = { verb: 'list', group: 'a.example', resource: 'secretkinds' };
const crd = (name: string): KubeObject => ({
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name },
  spec: { group: 'a.example', names: { kind: 'K', plural: name.split('.')[0] }, versions: [{ name: 'v1', served: true, storage: true }] },
  status: { conditions: [{ type: 'Established', status: 'True' }] },
});
const some = (items: number, remaining: number): ObjectPage => ({
  items: Array.from({ length: items }, (_unused, index) => ({ apiVersion: 'a.example/v1', kind: 'K', metadata: { name: `k-${index}` } })),
  remaining,
  resourceVersion: '1',
});

/** Pages of each resource; the number of pages that were read is counted. */
function portsWith(pages: Readonly<Record<string, readonly ObjectPage[] | AppError>>): { ports: Ports; read: string[] } {
  const read: string[] = [];
  const cluster = {
    pages: async function* ({ resource }: { resource: string }) {
      const found = pages[resource] ?? [];
      if (found instanceof AppError) throw found;
      for (const page of found) {
        read.push(resource);
        yield page;
      }
    },
  } as unknown as Cluster;
  const names = Object.keys(pages).map((resource) => crd(`${resource}.a.example`));
  const ports = { clusters: { asActor: () => cluster }, catalog: { customResourceDefinitions: () => names } } as unknown as Ports;
  return { ports, read };
}

describe('counting instances', () => {
  it('reads one page where the api-server says how many follow', async () => {
    const { ports, read } = portsWith({ caches: [some(500, 12_345), some(500, 11_845)] });
    assert.deepEqual(Object.fromEntries(await countInstances(ports, ACTOR, ['caches.a.example'])), {
      'caches.a.example': { count: 12_845 },
    });
    assert.deepEqual(read, ['caches']);
  });

  it('reads to the end where it does not', async () => {
    const { ports } = portsWith({ caches: [some(500, 0), some(20, 0)] });
    assert.deepEqual((await countInstances(ports, ACTOR, ['caches.a.example'])).get('caches.a.example'), { count: 520 });
  });

  it('names the permission that is missing, and still counts the others', async () => {
    const rejected = new AppError('Forbidden', 'no', { missing: permission });
    const { ports } = portsWith({ caches: [some(1, 0)], secretkinds: rejected });
    const counts = await countInstances(ports, ACTOR, ['caches.a.example', 'secretkinds.a.example']);
    assert.deepEqual(Object.fromEntries(counts), { 'caches.a.example': { count: 1 }, 'secretkinds.a.example': { missing: permission } });
  });

  it('has no count for a kind that is not served, and asks for a bounded number of kinds', async () => {
    const { ports, read } = portsWith(Object.fromEntries(Array.from({ length: 105 }, (_unused, index) => [`k${index}`, [some(1, 0)]])));
    const names = Array.from({ length: 105 }, (_unused, index) => `k${index}.a.example`);
    assert.equal((await countInstances(ports, ACTOR, ['gone.a.example', ...names])).size, 99);
    assert.equal(read.length, 99);
  });
});
