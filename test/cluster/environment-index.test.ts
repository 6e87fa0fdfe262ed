import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import type { Actor } from '../../src/domain/kubernetes/actor.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { textAt } from '../../src/domain/core/read.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { indexEnvironments } from '../../src/compose/index-environments.ts';
import type { EnvironmentIndex, IndexedReader } from '../../src/environment-index/environment-index.ts';
import { createLog } from '../../src/observe/log.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';

const NAMESPACE = `watched-${process.pid}`;
const AGENT = `chandlery-watched-${process.pid}`;
const RBAC = 'rbac.authorization.k8s.io';
const CONFIG_MAP = { group: '', version: 'v1', resource: 'configmaps' };
const SECRET = { group: '', version: 'v1', resource: 'secrets' };
const ROLE_BINDING = { group: RBAC, version: 'v1', resource: 'rolebindings', namespace: NAMESPACE };

describe('twenty people who look at one namespace', { timeout: 120_000 }, () => {
  let cluster: TestCluster;
  let kube: Kube;
  let looking: Kube;
  const people = Array.from({ length: 20 }, (_, n): Actor => ({
    user: `watch:person-${n}`,
    groups: [`watch:${NAMESPACE}`, `watch:team-${n}`],
  }));
  const ending = new AbortController();
  let index: EnvironmentIndex;

  before(async () => {
    cluster = await sharedCluster();
    kube = openKube(cluster.kubeconfigPath, { userAgent: 'test' });
    looking = openKube(cluster.kubeconfigPath, { userAgent: AGENT });
    index = indexEnvironments({ kube: looking, clusters: looking, log: silent(), signal: ending.signal });
    const admin = kube.asController();
    await admin.create({ group: '', version: 'v1', resource: 'namespaces' }, object('v1', 'Namespace', { name: NAMESPACE }));
    for (const [role, resources] of [
      ['maps', ['configmaps']],
      ['secrets', ['secrets']],
    ] as const) {
      const rules = [{ apiGroups: [''], resources, verbs: ['get', 'list', 'watch', 'create', 'delete'] }];
      const named = object(`${RBAC}/v1`, 'Role', { name: role, namespace: NAMESPACE });
      await admin.create({ group: RBAC, version: 'v1', resource: 'roles' }, { ...named, rules });
    }
    await bind('all', 'maps', { kind: 'Group', name: `watch:${NAMESPACE}` });
    await bind('one', 'secrets', { kind: 'User', name: 'watch:person-0' });
    // The cluster writes one of its own into each namespace, which would count as a change.
    await eventually(() => admin.get({ ...CONFIG_MAP, namespace: NAMESPACE, name: 'kube-root-ca.crt' }), 'the namespace has its ConfigMap');
    await write('first');
    await admin.create(SECRET, {
      ...object('v1', 'Secret', { name: 'password', namespace: NAMESPACE }),
      stringData: { password: 'x' },
    });
  });
  after(async () => {
    ending.abort();
    await kube.asController().delete({ group: '', version: 'v1', resource: 'namespaces', name: NAMESPACE });
    await Promise.all([looking.close(), kube.close()]);
    await cluster.stop();
  });

  it('costs one watch of the observing account, which outlives the first client', async () => {
    const readers = people.map((actor) => look(actor));
    for (const { reader } of readers) assert.deepEqual(await namesOf(reader), ['first']);
    await eventually(async () => (await calls('ResponseStarted')).length === 1, 'the watch is in the audit log');
    const listed = (await auditEvents()).filter((event) => textAt(event, 'verb') === 'list');
    assert.deepEqual(listed, [], 'nobody lists by themselves');

    await write('second');
    await eventually(async () => readers.every(({ changes }) => changes() > 0), 'everybody is told of the change');
    for (const { reader } of readers) assert.deepEqual(await namesOf(reader), ['first', 'second']);
    readers[0]?.leave();
    await write('third');
    const rest = readers.slice(1);
    for (const { reader } of rest) await eventually(async () => (await namesOf(reader)).includes('third'), 'they see what came later');
    assert.equal((await calls('ResponseStarted')).length, 1, 'still one watch');
    for (const { leave } of rest) leave();
  });

  it('gives nobody what they may not list, even while others read it, and notices a lost permission within ten seconds', async () => {
    const [allowed, other] = [look(people[0] as Actor), look(people[1] as Actor)];
    const secretsOf = async ({ reader }: Pick<Look, 'reader'>): Promise<readonly string[]> =>
      (await reader.cluster.listMetadata(SECRET, { namespace: NAMESPACE })).items.map(({ metadata }) => metadata.name);
    const together = await Promise.allSettled([other, allowed, other].map(secretsOf));
    assert.deepEqual(
      together.map(({ status }) => status),
      ['rejected', 'fulfilled', 'rejected'],
      'whoever of them comes first',
    );
    assert.deepEqual(await secretsOf(allowed), ['password']);
    const { items } = await allowed.reader.cluster.listMetadata(SECRET, { namespace: NAMESPACE });
    assert.ok(!stringifyJson(items).includes('"data"'), 'only metadata crosses the wire');
    const denied = { code: 'Forbidden', missing: { verb: 'list', group: '', resource: 'secrets', namespace: NAMESPACE } };
    await assert.rejects(secretsOf(other), denied, 'what others read shows nothing to who may not list');

    assert.deepEqual(await namesOf(other.reader), await namesOf(allowed.reader));
    await kube.asController().delete({ ...ROLE_BINDING, name: 'all' });
    const denials = [other, allowed].map(async ({ reader }) => {
      const isDenied = async (): Promise<boolean> =>
        await namesOf(reader).then(
          () => false,
          (error: unknown) => textAt(error, 'code') === 'Forbidden',
        );
      await eventually(isDenied, 'the list is denied');
    });
    await Promise.all(denials);
    await bind('all', 'maps', { kind: 'Group', name: `watch:${NAMESPACE}` });
  });

  it('has what a person wrote when the write returns', async () => {
    const { reader } = look(people[0] as Actor);
    await eventually(async () => (await namesOf(reader)).length > 0, 'they may list again');
    const writing = index.awaitWrites(looking).asActor(people[0] as Actor);
    for (const name of ['w1', 'w2', 'w3', 'w4', 'w5']) {
      await writing.create(CONFIG_MAP, object('v1', 'ConfigMap', { name, namespace: NAMESPACE }));
      assert.ok((await namesOf(reader)).includes(name));
      await writing.delete({ ...CONFIG_MAP, namespace: NAMESPACE, name });
      assert.ok(!(await namesOf(reader)).includes(name));
    }
  });

  interface Look {
    readonly reader: IndexedReader;
    readonly changes: () => number;
    readonly leave: () => void;
  }

  function look(actor: Actor): Look {
    const leaving = new AbortController();
    let count = 0;
    const reader = index.open(actor, { signal: leaving.signal, changed: () => void (count += 1) });
    for (const type of [CONFIG_MAP, SECRET]) reader.follow(type, NAMESPACE);
    return { reader, changes: () => count, leave: () => leaving.abort() };
  }

  async function namesOf({ cluster: seen }: IndexedReader): Promise<string[]> {
    const { items } = await seen.list(CONFIG_MAP, { namespace: NAMESPACE });
    return items.map(({ metadata }) => metadata.name).filter((name) => name !== 'kube-root-ca.crt');
  }

  async function write(name: string): Promise<void> {
    await kube.asController().create(CONFIG_MAP, object('v1', 'ConfigMap', { name, namespace: NAMESPACE }));
  }

  async function bind(name: string, role: string, subject: { kind: 'User' | 'Group'; name: string }): Promise<void> {
    const bound = object(`${RBAC}/v1`, 'RoleBinding', { name, namespace: NAMESPACE });
    const roleRef = { apiGroup: RBAC, kind: 'Role', name: role };
    await kube.asController().create(ROLE_BINDING, { ...bound, roleRef, subjects: [{ apiGroup: RBAC, ...subject }] });
  }

  async function auditEvents(): Promise<unknown[]> {
    const lines = (await readFile(cluster.auditLogPath, 'utf8')).split('\n').filter((line) => line.includes(AGENT));
    return lines.map((line): unknown => JSON.parse(line)).filter((event) => textAt(event, 'objectRef', 'namespace') === NAMESPACE);
  }

  async function calls(stage: string): Promise<unknown[]> {
    return (await auditEvents()).filter((event) => textAt(event, 'verb') === 'watch' && textAt(event, 'stage') === stage);
  }
});

function silent(): ReturnType<typeof createLog> {
  return createLog({ level: 'silent', format: 'lines', write: () => undefined });
}

function object(apiVersion: string, kind: string, metadata: KubeObject['metadata']): KubeObject {
  return { apiVersion, kind, metadata };
}
