import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { CACHE } from '../../charts/cache-operator/controller/cache.ts';
import { type Cluster, ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { asLive, type LiveObject } from '../../charts/controller-runtime/kube-object.ts';
import {
  CONFIG_MAP,
  CRON_JOB,
  DEPLOYMENT,
  JOB,
  type KnownType,
  PERSISTENT_VOLUME_CLAIM,
  POD,
  POD_DISRUPTION_BUDGET,
  SECRET,
  SERVICE,
  STATEFUL_SET,
} from '../../src/domain/kubernetes/resource-types.ts';
import { POSTGRES_CLUSTER } from '../../charts/postgres-operator/controller/postgres-cluster.ts';
import { eventually } from '../support/eventually.ts';
import { RUN } from '../support/run-name.ts';
import { addEnvironment, sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { decodeSecret } from '../../charts/controller-runtime/ensure-secret.ts';
import { at, listAt, numberAt, textAt } from '../../src/domain/core/read.ts';
import { apiVersionOf, type JsonObject } from '../../src/domain/kubernetes/resource.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';

const TEAM = `samples-${RUN}`;

let product: SharedProduct;
let kube: Kube;
let api: Cluster;

before(async () => {
  product = await sharedProduct();
  kube = openKube(product.kubeconfigPath);
  api = kube.asController();
  // Everything the operators make must pass the strictest Pod Security Standard.
  await addEnvironment(product, TEAM, '  podSecurity: {enforce: restricted}\n');
});

after(async () => {
  await kube?.close();
  await product?.stop();
});

describe('The sample operators', () => {
  for (const name of ['cache-operator', 'postgres-operator']) {
    it(`pass the strictest Pod Security Standard themselves: ${name}`, async () => {
      const { spec } = asLive(await api.get({ ...DEPLOYMENT, namespace: name, name }));
      const { serviceAccountName, serviceAccount, ...pod } = at(spec, 'template', 'spec') as JsonObject;
      assert.deepEqual([serviceAccountName, serviceAccount], [name, name]);
      await dryRunPod(name, pod);
      const careless = { containers: [{ name: 'operator', image: 'registry.example/operator:1' }] };
      await assert.rejects(dryRunPod(name, careless), /violates PodSecurity "restricted:latest"/);
    });
  }
});

describe('A Cache', () => {
  it('needs nothing but a name, and becomes Ready with pods, Services and a Secret', async () => {
    await create(CACHE, 'sessions', {});
    const cache = await ready(CACHE, 'sessions');
    assert.equal(textAt(cache.status, 'endpoint'), `sessions-cache.${TEAM}.svc:6379`);
    assert.equal(numberAt(cache.status, 'observedGeneration'), 1);
    assert.equal(numberAt((await get(STATEFUL_SET, 'sessions-cache'))?.status, 'readyReplicas'), 1);
    const secret = decodeSecret(await get(SECRET, textAt(cache.status, 'secretName') ?? ''));
    assert.match(secret['uri'] ?? '', new RegExp(`^redis://default:[A-Za-z0-9]{48}@sessions-cache\\.${TEAM}\\.svc:6379/0$`));
    assert.equal(await get(POD_DISRUPTION_BUDGET, 'sessions-cache'), undefined, 'a single copy has no disruption budget');
  });

  it('owns everything that is made for it, down to the pods', async () => {
    const cache = await get(CACHE, 'sessions');
    const owned = [
      await get(STATEFUL_SET, 'sessions-cache'),
      await get(SERVICE, 'sessions-cache'),
      await get(SERVICE, 'sessions-cache-nodes'),
      await get(CONFIG_MAP, 'sessions-cache-config'),
      await get(SECRET, 'sessions-cache-credentials'),
    ];
    for (const object of owned) assert.equal(ownerUid(object), cache?.metadata.uid, object?.metadata.name ?? 'it is missing');
    assert.equal(ownerUid(await get(POD, 'sessions-cache-0')), owned[0]?.metadata.uid);
  });

  it('takes a change up and keeps its passwords', async () => {
    const before = decodeSecret(await get(SECRET, 'sessions-cache-credentials'));
    await change(CACHE, 'sessions', { replicas: 3, users: [{ name: 'shop', permissions: ['read', 'write'] }] });
    const cache = await ready(CACHE, 'sessions');
    assert.equal(numberAt(cache.status, 'readyReplicas'), 3);
    const secret = decodeSecret(await get(SECRET, 'sessions-cache-credentials'));
    assert.equal(secret['password'], before['password']);
    assert.match(secret['password-shop'] ?? '', /^[A-Za-z0-9]{48}$/);
    assert.notEqual(await get(SERVICE, 'sessions-cache-read'), undefined);
    assert.equal(at((await get(POD_DISRUPTION_BUDGET, 'sessions-cache'))?.spec, 'maxUnavailable'), 1);
  });

  it('removes what it does not need any more', async () => {
    await change(CACHE, 'sessions', { replicas: 1 });
    await eventually(async () => (await get(SERVICE, 'sessions-cache-read')) === undefined, 'the Service for reading to go');
    await eventually(async () => (await get(POD_DISRUPTION_BUDGET, 'sessions-cache')) === undefined, 'the disruption budget to go');
  });

  it('says so instead of taking over what somebody else made under one of its names', async () => {
    const metadata = { namespace: TEAM, name: 'taken-cache-config' };
    await api.create(CONFIG_MAP, { apiVersion: 'v1', kind: 'ConfigMap', metadata, data: { mine: 'yes' } });
    await create(CACHE, 'taken', {});
    const cache = await eventually(async () => {
      const found = await get(CACHE, 'taken');
      return textAt(found?.status, 'phase') === 'Degraded' && found;
    }, 'the fault to show');
    assert.match(condition(cache, 'Ready', 'message'), /The ConfigMap 'taken-cache-config' exists and belongs to something else/);
    assert.deepEqual((await get(CONFIG_MAP, 'taken-cache-config'))?.data, { mine: 'yes' });
    await api.delete({ ...CACHE, namespace: TEAM, name: 'taken' });
  });

  it('takes everything with it when it is deleted', async () => {
    const cache = await get(CACHE, 'sessions');
    assert.ok(cache !== undefined);
    await api.delete({ ...CACHE, namespace: TEAM, name: cache.metadata.name });
    await eventually(async () => {
      return (await get(STATEFUL_SET, 'sessions-cache')) === undefined && (await get(POD, 'sessions-cache-0')) === undefined;
    }, 'the StatefulSet and its pods to go');
    await eventually(async () => (await get(SECRET, 'sessions-cache-credentials')) === undefined, 'the Secret to go');
  });
});

describe('A PostgresCluster', () => {
  it('needs only a size, and is Ready when its databases are made', async () => {
    await create(POSTGRES_CLUSTER, 'orders', { storage: { size: '1Gi' } });
    const cluster = await ready(POSTGRES_CLUSTER, 'orders');
    assert.equal(condition(cluster, 'DatabasesReady', 'status'), 'True');
    const secret = decodeSecret(await get(SECRET, textAt(cluster.status, 'secretName') ?? ''));
    assert.match(secret['uri'] ?? '', new RegExp(`^postgresql://app:[A-Za-z0-9]{48}@orders-postgres\\.${TEAM}\\.svc:5432/app$`));
    assert.equal(textAt((await get(PERSISTENT_VOLUME_CLAIM, 'data-orders-postgres-0'))?.spec, 'resources', 'requests', 'storage'), '1Gi');
  });

  it('runs its setup again when databases change, and backs up when asked to', async () => {
    const jobs = await jobNames('orders');
    await change(POSTGRES_CLUSTER, 'orders', {
      instances: 2,
      databases: [{ name: 'shop', owner: 'app', extensions: ['pg_trgm'] }],
      backup: { enabled: true, destination: { volume: { size: '2Gi' } } },
    });
    const cluster = await ready(POSTGRES_CLUSTER, 'orders');
    assert.equal(numberAt(cluster.status, 'readyReplicas'), 2);
    const now = await eventually(async () => {
      const names = await jobNames('orders');
      return names.length === 1 && names;
    }, 'the old job to go');
    assert.notDeepEqual(now, jobs);
    assert.equal(textAt((await get(CRON_JOB, 'orders-postgres-backup'))?.spec, 'schedule'), '0 2 * * *');
    assert.notEqual(await get(PERSISTENT_VOLUME_CLAIM, 'orders-postgres-backup'), undefined);
  });

  it('keeps its backups when they are switched off', async () => {
    await change(POSTGRES_CLUSTER, 'orders', { backup: { enabled: false } });
    await eventually(async () => (await get(CRON_JOB, 'orders-postgres-backup')) === undefined, 'the CronJob to go');
    assert.equal((await get(PERSISTENT_VOLUME_CLAIM, 'orders-postgres-backup'))?.metadata.deletionTimestamp, undefined);
  });

  it('keeps running and says why when its volumes cannot grow', async () => {
    await change(POSTGRES_CLUSTER, 'orders', { storage: { size: '2Gi' } });
    const cluster = await eventually(async () => {
      const found = await get(POSTGRES_CLUSTER, 'orders');
      return found !== undefined && condition(found, 'StorageGrown', 'status') === 'False' && found;
    }, 'the rejection to show');
    assert.match(condition(cluster, 'StorageGrown', 'message'), /data-orders-postgres-0 cannot grow to 2Gi/);
    assert.equal(condition(cluster, 'Ready', 'status'), 'True');
  });

  const rejections: readonly { readonly why: string; readonly spec: JsonObject; readonly message: RegExp }[] = [
    { why: 'a size that is missing', spec: {}, message: /spec\.storage: is required/ },
    { why: 'a size that no database fits in', spec: { storage: { size: '64Mi' } }, message: /storage must be at least 256Mi/ },
    {
      why: 'an owner who is no user',
      spec: { storage: { size: '1Gi' }, databases: [{ name: 'shop', owner: 'nobody' }] },
      message: /every database needs an owner that is listed in users/,
    },
    {
      why: 'waiting for more followers than there are',
      spec: { storage: { size: '1Gi' }, replication: { mode: 'Synchronous' } },
      message: /synchronous replication needs more instances/,
    },
    {
      why: 'backups without a destination',
      spec: { storage: { size: '1Gi' }, backup: { enabled: true } },
      message: /give a destination when backups are enabled/,
    },
    {
      why: 'a parameter that the operator sets itself',
      spec: { storage: { size: '1Gi' }, parameters: { port: '1' } },
      message: /addresses, folders and replication follow from other fields/,
    },
  ];
  for (const { why, spec, message } of rejections) {
    it(`is rejected for ${why}`, async () => {
      await assert.rejects(create(POSTGRES_CLUSTER, 'rejected', spec), invalid(message));
    });
  }

  it('rejects a smaller size and a move to another major version', async () => {
    await assert.rejects(change(POSTGRES_CLUSTER, 'orders', { storage: { size: '1Gi' } }), invalid(/storage may not shrink/));
    await assert.rejects(change(POSTGRES_CLUSTER, 'orders', { version: '16' }), invalid(/the major version cannot be changed/));
  });

  it('takes its volumes with it when it is deleted', async () => {
    const cluster = await get(POSTGRES_CLUSTER, 'orders');
    assert.ok(cluster !== undefined);
    await api.delete({ ...POSTGRES_CLUSTER, namespace: TEAM, name: cluster.metadata.name });
    await eventually(async () => {
      return (
        (await get(PERSISTENT_VOLUME_CLAIM, 'data-orders-postgres-0')) === undefined &&
        (await get(PERSISTENT_VOLUME_CLAIM, 'orders-postgres-backup')) === undefined
      );
    }, 'the volumes to go');
  });
});

/** Creates a pod in the environment of the test, without writing it. */
async function dryRunPod(name: string, spec: JsonObject): Promise<void> {
  const pod = { apiVersion: 'v1', kind: 'Pod', metadata: { namespace: TEAM, name }, spec };
  await api.apply(POD, pod, { dryRun: 'All', fieldManager: 'test' });
}

async function create(type: KnownType, name: string, spec: JsonObject): Promise<void> {
  await api.create(type, { apiVersion: apiVersionOf(type), kind: type.kind, metadata: { namespace: TEAM, name }, spec });
}

async function change(type: KnownType, name: string, spec: JsonObject): Promise<void> {
  await api.patch({ ...type, namespace: TEAM, name }, { type: 'merge', body: { spec } });
}

async function get(type: KnownType, name: string): Promise<LiveObject | undefined> {
  return ifFound(api.get({ ...type, namespace: TEAM, name }).then(asLive));
}

/** Waits until the operator says Ready about the latest spec. */
async function ready(type: KnownType, name: string): Promise<LiveObject> {
  return await eventually(async () => {
    const found = await get(type, name);
    if (found === undefined || numberAt(found.status, 'observedGeneration') !== found.metadata.generation) return false;
    return condition(found, 'Ready', 'status') === 'True' && found;
  }, `${name} to be Ready`);
}

function condition(object: LiveObject, type: string, field: 'status' | 'message'): string {
  const found = listAt(object.status, 'conditions').find((candidate) => textAt(candidate, 'type') === type);
  return textAt(found, field) ?? '';
}

function ownerUid(object: LiveObject | undefined): string | undefined {
  return object?.metadata.ownerReferences?.find(({ controller }) => controller === true)?.uid;
}

async function jobNames(instance: string): Promise<readonly string[]> {
  const { items } = await api.list(JOB, { namespace: TEAM, labelSelector: `app.kubernetes.io/instance=${instance}` });
  return items.map(({ metadata }) => metadata.name);
}

function invalid(message: RegExp): (error: unknown) => boolean {
  return (error) => {
    assert.ok(isAppError(error, 'InvalidInput'), String(error));
    assert.match(error.message, message);
    return true;
  };
}
