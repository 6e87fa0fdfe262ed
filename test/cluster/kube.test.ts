import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { promisify } from 'node:util';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import type { Cluster, WatchEvent } from '../../src/domain/kubernetes/cluster.ts';
import { AppError, isAppError } from '../../src/domain/core/errors.ts';
import { textAt, textsAt } from '../../src/domain/core/read.ts';
import * as types from '../../src/domain/kubernetes/resource-types.ts';
import { isBuiltInGroup } from '../../src/domain/kubernetes/resource-types.ts';
import { apiVersionOf, type KubeObject } from '../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { createEventRecorder } from '../../src/kube/events.ts';
import { startReflector } from '../../src/kube/watch/reflector.ts';
import { createLog } from '../../src/observe/log.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { createTcpRelay } from '../support/tcp-relay.ts';

const { CONFIG_MAP, DEPLOYMENT, EVENT, NAMESPACE } = types;
const namespace = 'kubetest';
const log = createLog({ level: 'silent', format: 'lines', write: () => undefined });

let testCluster: TestCluster;
let kube: Kube;
let cluster: Cluster;
let folder: string;

before(async () => {
  testCluster = await sharedCluster();
  folder = await mkdtemp(join(tmpdir(), 'chandlery-kube-'));
  kube = openKube(testCluster.kubeconfigPath);
  cluster = kube.asController();
  await cluster.apply(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } }, { fieldManager: 'test' });
});

after(async () => {
  await kube.close();
  await rm(folder, { recursive: true });
  await testCluster.stop();
});

function configMap(name: string, data: Record<string, string> = {}): KubeObject {
  return { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace }, data };
}

function deployment(name: string, spec: object = {}): KubeObject {
  const labels = { app: name };
  const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'registry.example/main:1' }] } };
  return {
    apiVersion: 'apps/v1',
    kind: 'Deployment',
    metadata: { name, namespace },
    spec: { selector: { matchLabels: labels }, template, ...spec },
  };
}

async function thrownBy(promise: Promise<unknown>): Promise<AppError> {
  const error = await promise.then(
    () => assert.fail('nothing was thrown'),
    (thrown: unknown) => thrown,
  );
  assert.ok(error instanceof AppError);
  return error;
}

describe('acting as a user', () => {
  const actor = { user: 'oidc:dev-a', groups: ['oidc:team-a', 'oidc:on-call'] };

  test('the api-server sees the user with each of the groups', async () => {
    const review = { apiVersion: 'authentication.k8s.io/v1', kind: 'SelfSubjectReview', metadata: { name: '' } };
    const type = { group: 'authentication.k8s.io', version: 'v1', resource: 'selfsubjectreviews' };
    const { object } = await kube.asActor(actor).create(type, review);
    assert.equal(textAt(object.status, 'userInfo', 'username'), 'oidc:dev-a');
    assert.deepEqual(textsAt(object.status, 'userInfo', 'groups'), ['oidc:on-call', 'oidc:team-a', 'system:authenticated']);
  });

  test('a missing permission is reported in the words of RBAC', async () => {
    const error = await thrownBy(kube.asActor(actor).create(DEPLOYMENT, deployment('forbidden')));
    assert.equal(error.code, 'Forbidden');
    assert.deepEqual(error.missing, { verb: 'create', group: 'apps', resource: 'deployments', namespace, name: 'forbidden' });
  });

  test('a user without groups, or with a name of the cluster itself, never reaches it', () => {
    for (const wrong of [
      { user: 'oidc:dev-a', groups: [] },
      { user: '', groups: ['oidc:team-a'] },
      { user: 'system:admin', groups: ['oidc:team-a'] },
      { user: 'oidc:dev-a', groups: ['system:masters'] },
    ]) {
      assert.throws(
        () => kube.asActor(wrong),
        (error) => isAppError(error, 'ActorMissing'),
      );
    }
  });
});

describe('writing', () => {
  test('an unknown field is a fault of that field, created or applied', async () => {
    const created = await thrownBy(cluster.create(DEPLOYMENT, deployment('unknown', { replica: 1 })));
    const applied = await thrownBy(cluster.apply(DEPLOYMENT, deployment('unknown', { replica: 1 }), { fieldManager: 'test' }));
    for (const error of [created, applied]) {
      assert.equal(error.code, 'InvalidInput');
      assert.deepEqual(
        error.faults.map(({ field }) => field),
        ['spec.replica'],
      );
    }
  });

  test('each invalid value is a fault of its field', async () => {
    const error = await thrownBy(cluster.create(DEPLOYMENT, deployment('invalid', { replicas: -1, minReadySeconds: -1 })));
    assert.equal(error.code, 'InvalidInput');
    assert.deepEqual(
      error.faults.map(({ field = '' }) => field).sort((a, b) => a.localeCompare(b)),
      ['spec.minReadySeconds', 'spec.replicas'],
    );
  });

  test('a value of the wrong type is a fault of its field', async () => {
    const error = await thrownBy(cluster.create(DEPLOYMENT, deployment('mistyped', { replicas: 'three' })));
    assert.equal(error.code, 'InvalidInput');
    assert.deepEqual(
      error.faults.map(({ field }) => field),
      ['spec.replicas'],
    );
  });

  test('what exists, what changed meanwhile and what others set are distinguished', async () => {
    const { object } = await cluster.create(CONFIG_MAP, configMap('contested', { key: 'a' }));
    assert.equal((await thrownBy(cluster.create(CONFIG_MAP, configMap('contested')))).code, 'AlreadyExists');
    await cluster.apply(CONFIG_MAP, configMap('contested', { key: 'b' }), { fieldManager: 'one', force: 'force' });
    assert.equal((await thrownBy(cluster.replace(CONFIG_MAP, object))).code, 'Conflict');
    const stolen = await thrownBy(cluster.apply(CONFIG_MAP, configMap('contested', { key: 'c' }), { fieldManager: 'two' }));
    assert.equal(stolen.code, 'Conflict');
    assert.deepEqual(stolen.faults, [{ field: 'data.key', message: 'conflict with "one"' }]);
  });

  test('a used-up quota is reported as such', async () => {
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'tight', namespace },
      spec: { hard: { 'count/leases.coordination.k8s.io': '0' } },
    };
    const quotas = { group: '', version: 'v1', resource: 'resourcequotas' };
    const leases = { group: 'coordination.k8s.io', version: 'v1', resource: 'leases' };
    const lease = { apiVersion: 'coordination.k8s.io/v1', kind: 'Lease', metadata: { name: 'one-too-many', namespace } };
    await cluster.create(quotas, quota);
    const rejected = await eventually(async () => {
      const error = await cluster.create(leases, lease, { dryRun: 'All' }).then(
        () => undefined,
        (thrown: unknown) => thrown,
      );
      return isAppError(error) ? error : undefined;
    }, 'a rejection by quota');
    assert.equal(rejected.code, 'QuotaExceeded');
    assert.match(rejected.message, /exceeded quota: tight/);
    await cluster.delete({ ...quotas, namespace, name: 'tight' });
  });

  test('a rejection by Pod Security or by a policy is not taken for a missing permission', async () => {
    const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
    const strict = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'kubetest-strict', labels } };
    await cluster.apply(NAMESPACE, strict, { fieldManager: 'test' });
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'p', namespace: 'kubetest-strict' },
      spec: { containers: [{ name: 'c', image: 'x', securityContext: { privileged: true } }] },
    };
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'default', namespace: 'kubetest-strict' } };
    await cluster.apply({ group: '', version: 'v1', resource: 'serviceaccounts' }, account, { fieldManager: 'test' });
    const error = await thrownBy(cluster.create({ group: '', version: 'v1', resource: 'pods' }, pod));
    assert.equal(error.code, 'AdmissionDenied');
    assert.match(error.message, /violates PodSecurity "restricted:latest"/);
    assert.equal(error.missing, undefined);
  });

  test('warnings of the api-server come along as sentences', async () => {
    const type = { group: '', version: 'v1', resource: 'services' };
    const service = {
      apiVersion: 'v1',
      kind: 'Service',
      metadata: { name: 'warned', namespace },
      spec: { ports: [{ port: 80 }], selectors: { a: 'b' } },
    };
    const { warnings } = await cluster.create(type, service, { dryRun: 'All', fieldValidation: 'Warn' });
    assert.deepEqual(warnings, ['unknown field "spec.selectors"']);
  });
});

describe('reading', () => {
  test('a list goes through all pages, and items carry their kind', async () => {
    const names = Array.from({ length: 620 }, (_, index) => `page-${String(index).padStart(3, '0')}`);
    const batches = Array.from({ length: 31 }, (_, index) => names.slice(index * 20, index * 20 + 20));
    for (const batch of batches) await Promise.all(batch.map((name) => cluster.create(CONFIG_MAP, configMap(name))));
    const { items } = await cluster.list(CONFIG_MAP, { namespace });
    assert.equal(items.filter(({ metadata }) => metadata.name.startsWith('page-')).length, 620);
    assert.deepEqual([items[0]?.apiVersion, items[0]?.kind], ['v1', 'ConfigMap']);
  });

  test('a reader of pages holds one at a time, and knows how many follow', async () => {
    const sizes: number[] = [];
    const remaining: number[] = [];
    for await (const page of cluster.pages(CONFIG_MAP, { namespace, content: 'metadata', size: 250 })) {
      sizes.push(page.items.length);
      remaining.push(page.remaining);
      assert.doesNotMatch(stringifyJson(page.items), /"data"/);
    }
    assert.deepEqual(sizes.slice(0, 2), [250, 250]);
    assert.equal(
      remaining[0],
      sizes.slice(1).reduce((sum, size) => sum + size, 0),
    );
    assert.equal(remaining.at(-1), 0);
  });

  test('a watch of metadata brings no content, and only what its fields select', async () => {
    const watched = { namespace, fieldSelector: 'metadata.name=quiet' };
    const { resourceVersion } = await cluster.listMetadata(CONFIG_MAP, watched);
    const ending = new AbortController();
    const seen: WatchEvent[] = [];
    const watching = (async () => {
      for await (const event of cluster.watchMetadata(CONFIG_MAP, { ...watched, resourceVersion, signal: ending.signal })) {
        if (event.type !== 'BOOKMARK') seen.push(event);
        if (event.type === 'DELETED') ending.abort();
      }
    })();
    await cluster.create(CONFIG_MAP, configMap('loud', { password: 'hidden' }));
    await cluster.create(CONFIG_MAP, configMap('quiet', { password: 'hidden' }));
    await cluster.delete({ ...CONFIG_MAP, namespace, name: 'quiet' });
    await watching;
    assert.deepEqual(
      seen.map(({ type, object }) => [type, object.metadata.name]),
      [
        ['ADDED', 'quiet'],
        ['DELETED', 'quiet'],
      ],
    );
    assert.doesNotMatch(stringifyJson(seen), /hidden/);
  });

  test('metadata lists bring no content', async () => {
    await cluster.create(CONFIG_MAP, configMap('private', { password: 'hidden' }));
    const { items } = await cluster.listMetadata(CONFIG_MAP, { namespace, fieldSelector: 'metadata.name=private' });
    assert.deepEqual(
      items.map(({ apiVersion, kind, metadata }) => [apiVersion, kind, metadata.name]),
      [['v1', 'ConfigMap', 'private']],
    );
    assert.doesNotMatch(stringifyJson(items), /hidden/);
  });

  test('of a write, metadata alone comes back where nobody needs more', async () => {
    await cluster.create(CONFIG_MAP, configMap('quiet-write', { password: 'hidden' }));
    const patch = { type: 'merge', body: { metadata: { labels: { changed: 'yes' } } } } as const;
    const { object } = await cluster.patch({ ...CONFIG_MAP, namespace, name: 'quiet-write' }, patch, { answer: 'metadata' });
    assert.equal(object.metadata.labels?.['changed'], 'yes');
    assert.doesNotMatch(stringifyJson(object), /hidden/);
  });

  test('a watch reports changes until it is given up, and then ends silently', async () => {
    const { resourceVersion } = await cluster.list(CONFIG_MAP, { namespace });
    const ending = new AbortController();
    const seen: WatchEvent[] = [];
    const watching = (async () => {
      for await (const event of cluster.watch(CONFIG_MAP, { namespace, resourceVersion, signal: ending.signal })) {
        if (event.type !== 'BOOKMARK') seen.push(event);
        if (event.type === 'DELETED') ending.abort();
      }
    })();
    await cluster.create(CONFIG_MAP, configMap('watched'));
    await cluster.apply(CONFIG_MAP, configMap('watched', { key: 'b' }), { fieldManager: 'test' });
    await cluster.delete({ ...CONFIG_MAP, namespace, name: 'watched' });
    await watching;
    assert.deepEqual(
      seen.map(({ type, object }) => [type, object.metadata.name]),
      [
        ['ADDED', 'watched'],
        ['MODIFIED', 'watched'],
        ['DELETED', 'watched'],
      ],
    );
  });

  test('discovery serves what the table of resource types names of Kubernetes, with its kind and scope', async () => {
    const rows = Object.values(types).filter((type) => typeof type === 'object');
    const ofKubernetes = rows.filter(({ group }) => !group.includes('.') || isBuiltInGroup(group));
    assert.ok(ofKubernetes.length > 25);
    for (const { kind, namespaced, resource, ...type } of ofKubernetes) {
      const served = await kube.find(apiVersionOf(type), kind);
      assert.deepEqual({ kind, namespaced: served?.namespaced, resource: served?.resource }, { kind, namespaced, resource });
    }
  });

  test('discovery knows built-in kinds, and new ones soon after they are defined', async () => {
    assert.equal((await kube.find('apps/v1', 'Deployment'))?.resource, 'deployments');
    assert.equal(await kube.find('kubetest.example.com/v1', 'Gadget'), undefined);
    const names = { kind: 'Gadget', plural: 'gadgets' };
    const versions = [{ name: 'v1', served: true, storage: true, schema: { openAPIV3Schema: { type: 'object' } } }];
    await cluster.create(
      { group: 'apiextensions.k8s.io', version: 'v1', resource: 'customresourcedefinitions' },
      {
        apiVersion: 'apiextensions.k8s.io/v1',
        kind: 'CustomResourceDefinition',
        metadata: { name: 'gadgets.kubetest.example.com' },
        spec: { group: 'kubetest.example.com', scope: 'Namespaced', names, versions },
      },
    );
    const served = await eventually(() => kube.find('kubetest.example.com/v1', 'Gadget'), 'the new kind');
    assert.deepEqual([served.resource, served.namespaced], ['gadgets', true]);
  });
});

describe('the cluster itself', () => {
  test('its version and the tokens of its service accounts are to be had', async () => {
    assert.match(await kube.kubernetesVersion(), /^1\.\d+\.\d+$/);
    const account = { apiVersion: 'v1', kind: 'ServiceAccount', metadata: { name: 'robot', namespace } };
    await cluster.create({ group: '', version: 'v1', resource: 'serviceaccounts' }, account);
    const token = await kube.requestToken({ namespace, name: 'robot' }, 600);
    assert.equal(token.split('.').length, 3);
  });

  test('the kubeconfig that is written works by itself and is readable by nobody else', async () => {
    const file = join(folder, 'written');
    await kube.writeKubeconfig(file);
    assert.equal((await stat(file)).mode & 0o777, 0o600);
    const env = { KUBECONFIG: file, HOME: folder };
    const { stdout } = await promisify(execFile)(testCluster.tools.kubectl ?? 'kubectl', ['get', 'namespace', namespace, '-o', 'name'], {
      env,
    });
    assert.equal(stdout.trim(), `namespace/${namespace}`);
  });

  test('an event that happens again counts up the first one', async () => {
    const { object } = await cluster.create(CONFIG_MAP, configMap('eventful'));
    const recorder = createEventRecorder({ cluster, log });
    for (let times = 0; times < 3; times += 1)
      await recorder.record(object, { type: 'Warning', reason: 'Broken', message: 'It is broken' });
    await recorder.record(object, { type: 'Normal', reason: 'Mended', message: 'It is mended' });
    const { items } = await cluster.list(EVENT, { namespace, fieldSelector: 'involvedObject.name=eventful' });
    assert.deepEqual(
      new Map(items.map((event) => [event['reason'], event['count']])),
      new Map([
        ['Broken', 3],
        ['Mended', 1],
      ]),
    );
  });

  test('a copy fills when a cluster that was away comes, and catches up when it comes back', async () => {
    const server = new URL(kube.server());
    const relay = await createTcpRelay({ host: server.hostname, port: Number(server.port) });
    const file = join(folder, 'relayed');
    await kube.writeKubeconfig(file);
    await writeFile(file, (await readFile(file, 'utf8')).replace(kube.server(), `https://127.0.0.1:${relay.port}`));
    const relayed = openKube(file);
    const ending = new AbortController();
    try {
      assert.equal((await thrownBy(relayed.ping())).code, 'ClusterUnavailable');
      const copy = startReflector({ cluster: relayed.asController(), type: CONFIG_MAP, namespace, signal: ending.signal, log });
      await assert.rejects(copy.waitForSync(AbortSignal.timeout(300)), { name: 'TimeoutError' });
      await relay.open();
      await copy.waitForSync(AbortSignal.timeout(20_000));
      await cluster.create(CONFIG_MAP, configMap('before-the-cut'));
      await eventually(async () => copy.get(`${namespace}/before-the-cut`), 'a change while connected');
      await relay.cut();
      await cluster.create(CONFIG_MAP, configMap('during-the-cut'));
      await cluster.delete({ ...CONFIG_MAP, namespace, name: 'before-the-cut' });
      await relay.open();
      await eventually(async () => copy.get(`${namespace}/during-the-cut`), 'a change while cut off');
      assert.equal(copy.get(`${namespace}/before-the-cut`), undefined);
    } finally {
      ending.abort();
      await relayed.close();
      await relay.cut();
    }
  });
});
