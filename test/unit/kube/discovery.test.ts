import assert from 'node:assert/strict';
import { test } from 'node:test';
import { stringifyJson } from '../../../src/domain/core/exact-json.ts';
import { createDiscovery } from '../../../src/kube/discovery.ts';
import type { Call } from '../../../src/kube/transport/call.ts';
import type { Answer } from '../../../src/kube/transport/transport.ts';

const resource = (kind: string, plural: string) => ({ resource: plural, responseKind: { kind }, scope: 'Namespaced', verbs: ['get'] });
const group = (name: string, kinds: object[]) => ({ metadata: { name }, versions: [{ version: 'v1', resources: kinds }] });

/** A transport that serves what the list holds at that time, and counts. */
function serving(groups: object[]) {
  let calls = 0;
  const request = async ({ path }: { path: string }): Promise<Answer> => {
    calls += 1;
    const items = path === '/apis' ? groups : [group('', [resource('Pod', 'pods')])];
    return { body: JSON.parse(stringifyJson({ kind: 'APIGroupDiscoveryList', items })), warnings: [] };
  };
  return { transport: { request }, calls: () => calls };
}

test('kinds are found in exactly their version, and what is cached serves many lookups', async () => {
  const { transport, calls } = serving([group('example.com', [resource('Thing', 'things')])]);
  const discovery = createDiscovery(transport, () => 0);
  assert.equal((await discovery.find('example.com/v1', 'Thing'))?.resource, 'things');
  assert.equal((await discovery.find('v1', 'Pod'))?.namespaced, true);
  assert.equal((await discovery.findResource({ group: '', version: 'v1', resource: 'pods' }))?.kind, 'Pod');
  assert.equal(await discovery.find('example.com/v2', 'Thing'), undefined);
  assert.equal(calls(), 2);
});

test('the version that the api-server prefers comes first, whatever its name', async () => {
  const version = (name: string) => ({ version: name, resources: [resource('Thing', 'things')] });
  const { transport } = serving([{ metadata: { name: 'example.com' }, versions: ['v2', 'v1', 'v3alpha1'].map(version) }]);
  const kinds = await createDiscovery(transport, () => 0).kinds();
  assert.deepEqual(
    kinds.filter(({ kind }) => kind === 'Thing').map(({ version: name }) => name),
    ['v2', 'v1', 'v3alpha1'],
  );
});

test('a lookup that misses asks the cluster again, at most once a second', async () => {
  const groups: object[] = [];
  const { transport, calls } = serving(groups);
  let now = 0;
  const discovery = createDiscovery(transport, () => now);
  assert.equal(await discovery.find('example.com/v1', 'Thing'), undefined);
  groups.push(group('example.com', [resource('Thing', 'things')]));
  assert.equal(await discovery.find('example.com/v1', 'Thing'), undefined);
  assert.equal(calls(), 2);
  now = 1_000;
  assert.equal((await discovery.find('example.com/v1', 'Thing'))?.resource, 'things');
  assert.equal(calls(), 4);
});

test('a cluster that was away when it was asked is asked again', async () => {
  let away = true;
  const { transport } = serving([group('example.com', [resource('Thing', 'things')])]);
  const request = (call: Call): Promise<Answer> => (away ? Promise.reject(new Error('away')) : transport.request(call));
  const discovery = createDiscovery({ ...transport, request }, () => 0);
  await assert.rejects(discovery.kinds(), /away/);
  away = false;
  assert.equal((await discovery.kinds()).length, 2);
});

test('what has not changed since is not sent again', async () => {
  const groups = [group('example.com', [resource('Thing', 'things')])];
  const asked: (string | undefined)[] = [];
  const request = async ({ path, ifNoneMatch }: Call): Promise<Answer> => {
    asked.push(ifNoneMatch);
    const items = path === '/apis' ? groups : [group('', [resource('Pod', 'pods')])];
    const etag = `"${path} ${items.length}"`;
    if (ifNoneMatch === etag) return { body: null, warnings: [], unchanged: true };
    return { body: JSON.parse(stringifyJson({ kind: 'APIGroupDiscoveryList', items })), warnings: [], etag };
  };
  const discovery = createDiscovery({ request }, () => 0);
  const names = async (): Promise<string[]> => (await discovery.kinds()).map(({ kind }) => kind);
  assert.deepEqual(await names(), ['Pod', 'Thing']);
  discovery.invalidate();
  assert.deepEqual(await names(), ['Pod', 'Thing']);
  assert.deepEqual(asked, [undefined, undefined, '"/api 1"', '"/apis 1"']);
  groups.push(group('b.example.com', [resource('Other', 'others')]));
  discovery.invalidate();
  assert.deepEqual(await names(), ['Pod', 'Other', 'Thing']);
});
