import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import {
  ADMISSION_POLICY,
  ADMISSION_POLICY_BINDING,
  CLUSTER_ROLE,
  CRD,
  ENVIRONMENT,
  EVENT,
  LEASE,
  NAMESPACE,
  RESOURCE_QUOTA,
  ROLE_BINDING,
} from '../../src/domain/kubernetes/resource-types.ts';
import { findCondition, type Condition } from '../../src/domain/kubernetes/condition.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { watchGenerated } from '../../src/compose/environment/watch-generated.ts';
import { watchGrants } from '../../src/compose/environment/watch-grants.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { startMetadataReflector, startReflector } from '../../src/kube/watch/reflector.ts';
import { createLog } from '../../src/observe/log.ts';
import { ADOPT_ANNOTATION } from '../../src/domain/environment/environment.ts';
import { repoRoot, sharedCluster, type TestCluster } from '../support/cluster.ts';
import { runEnvironmentController } from '../support/environment-controller.ts';
import { generatedIn, HAND_CHANGES, KEPT, LEASES, PEER_AUTHENTICATIONS, WITHOUT_ALL } from '../support/environment-parts.ts';
import { eventually } from '../support/eventually.ts';
import { assertForeignGrantsFound } from '../support/foreign-grants.ts';
import { assertPartsOfOperatorsAlone, SHOP_OPERATOR } from '../support/parts-of-operators.ts';

const log = createLog({ level: 'silent', format: 'lines', write: () => undefined });
const ending = new AbortController();
let testCluster: TestCluster;
let kube: Kube;
let running: Promise<void>;

before(async () => {
  testCluster = await sharedCluster();
  kube = openKube(testCluster.kubeconfigPath);
  const chart = join(repoRoot, 'charts', 'chandlery');
  await bootstrapCluster(kube, { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') }, ending.signal);
  const cluster = kube.asController();
  const scope = { cluster, signal: ending.signal, log };
  const environments = startReflector({ ...scope, type: ENVIRONMENT });
  const definitions = startMetadataReflector({ ...scope, type: CRD });
  const grants = watchGrants({ kube, log, signal: ending.signal });
  const generated = watchGenerated({
    kube,
    grants,
    environments,
    definitions,
    operators: { onChange: () => () => undefined },
    appDefinitions: { get: () => undefined, onChange: () => () => undefined },
    log,
    signal: ending.signal,
  });
  running = runEnvironmentController({
    kube,
    apps: () => [LEASES],
    operatorKinds: () => [SHOP_OPERATOR],
    isOwn: (name) => name.startsWith('envtest-'),
    sources: [environments, ...generated],
    grants,
    log,
    signal: ending.signal,
  });
});

after(async () => {
  ending.abort();
  await running;
  await kube.close();
  await testCluster.stop();
});

function environment(name: string, spec: object, annotations: Record<string, string> = {}): KubeObject {
  return { apiVersion: 'chandlery.dev/v1alpha1', kind: 'Environment', metadata: { name, annotations }, spec };
}

async function create(object: KubeObject): Promise<void> {
  await kube.asController().create(ENVIRONMENT, object);
}

function conditionsOf(object: KubeObject): Condition[] {
  return [...listAt(object.status, 'conditions')] as Condition[];
}

/** The Environment once its condition Ready has a reason. */
async function untilReason(name: string, reason: string): Promise<KubeObject> {
  return eventually(async () => {
    const object = await kube.asController().get({ ...ENVIRONMENT, name });
    const ready = findCondition(conditionsOf(object), 'Ready');
    return ready?.reason === reason && ready.observedGeneration === object.metadata.generation ? object : undefined;
  }, `environment ${name} with reason ${reason}`);
}

async function gone(type: ResourceType, name: string, namespace?: string): Promise<void> {
  await eventually(async () => {
    try {
      await kube.asController().get({ ...type, name, ...(namespace === undefined ? {} : { namespace }) });
      return undefined;
    } catch (error) {
      if (isAppError(error, 'NotFound')) return true;
      throw error;
    }
  }, `${type.resource} ${name} gone`);
}

const person = (team: string) => kube.asActor({ user: `oidc:envtest-${team}`, groups: [`oidc:envtest-team-${team}`] });

describe('an environment', () => {
  test('reports RoleBindings to roles of Chandlery that it did not make, and removes those of former members where it says so', async () => {
    const name = 'envtest-grants';
    await create(environment(name, { groups: [{ name: 'oidc:grants-members', role: 'developer' }] }));
    await untilReason(name, 'Ready');
    await assertForeignGrantsFound(kube.asController(), name);
  });

  test('makes its namespace, its permissions and its quota, and says that it is ready', async () => {
    await create(
      environment('envtest-team-a', { groups: [{ name: 'oidc:envtest-team-a', role: 'developer' }], quota: { 'count/configmaps': 3 } }),
    );
    const object = await untilReason('envtest-team-a', 'Ready');
    const cluster = kube.asController();
    const namespace = await cluster.get({ ...NAMESPACE, name: 'envtest-team-a' });
    const quota = await cluster.get({ ...RESOURCE_QUOTA, namespace: 'envtest-team-a', name: 'chandlery' });
    assert.equal(namespace.metadata.labels?.['chandlery.dev/environment'], 'envtest-team-a');
    assert.equal(textAt(object.status, 'namespaceUID'), namespace.metadata.uid);
    assert.deepEqual(
      conditionsOf(object).map(({ type, status }) => [type, status]),
      [['Ready', 'True']],
    );
    assert.equal(textAt(quota.spec, 'hard', 'count/configmaps'), '3');
  });

  test('lets its developers see it and work in it, and nobody else', async () => {
    await create(environment('envtest-team-b', { groups: [{ name: 'oidc:envtest-team-b', role: 'developer' }] }));
    await untilReason('envtest-team-b', 'Ready');
    const a = person('a');
    const seen = await a.get({ ...ENVIRONMENT, name: 'envtest-team-a' });
    assert.equal(seen.metadata.name, 'envtest-team-a');
    await assert.rejects(a.get({ ...ENVIRONMENT, name: 'envtest-team-b' }), (error) => isAppError(error, 'Forbidden'));
    await assert.rejects(a.get({ ...ENVIRONMENT, name: 'no-such' }), (error) => isAppError(error, 'Forbidden'));
    await assert.rejects(a.list(ENVIRONMENT), (error) => isAppError(error, 'Forbidden'));
    const secrets = { verb: 'create', group: '', resource: 'secrets' };
    await eventually(
      async () => ((await a.review({ ...secrets, namespace: 'envtest-team-a' })).allowed ? true : undefined),
      'the permissions of a developer',
    );
    assert.equal((await a.review({ ...secrets, namespace: 'envtest-team-b' })).allowed, false);
    assert.equal((await a.review({ verb: 'delete', group: '', resource: 'pods', namespace: 'envtest-team-a' })).allowed, false);
  });

  test('takes the permissions of a group away that it no longer names', async () => {
    await create(
      environment('envtest-shrinking', {
        groups: [
          { name: 'oidc:envtest-team-x', role: 'maintainer' },
          { name: 'oidc:envtest-team-y', role: 'viewer' },
        ],
        quota: { pods: '1' },
      }),
    );
    await untilReason('envtest-shrinking', 'Ready');
    const body = { spec: { groups: [{ name: 'oidc:envtest-team-y', role: 'viewer' }], quota: null } };
    await kube.asController().patch({ ...ENVIRONMENT, name: 'envtest-shrinking' }, { type: 'merge', body });
    await gone(ROLE_BINDING, 'chandlery-maintainer', 'envtest-shrinking');
    await gone(RESOURCE_QUOTA, 'chandlery', 'envtest-shrinking');
    await untilReason('envtest-shrinking', 'Ready');
    await assert.rejects(person('x').get({ ...ENVIRONMENT, name: 'envtest-shrinking' }), (error) => isAppError(error, 'Forbidden'));
    assert.equal((await person('y').get({ ...ENVIRONMENT, name: 'envtest-shrinking' })).metadata.name, 'envtest-shrinking');
  });

  test('has everything that it consists of again after somebody changed or deleted it', async () => {
    const name = 'envtest-everything';
    await create(
      environment(name, {
        groups: [{ name: 'oidc:envtest-team-e', role: 'maintainer' }],
        projects: [{ name: 'envtest/project' }],
        serviceAccounts: [{ name: 'robot', role: 'viewer' }],
        quota: { pods: '4' },
        limitRange: [{ type: 'Container', max: { cpu: '1' } }],
        networkPolicy: { ingress: { environments: ['envtest-team-a'] }, egress: { mode: 'Restricted' } },
        mesh: { provider: 'Linkerd' },
      }),
    );
    await untilReason(name, 'Ready');
    const { seen } = generatedIn(kube.asController(), name);
    const before = await seen();
    const cluster = kube.asController();
    for (const ref of generatedIn(kube.asController(), name).refs) {
      if (ref.resource === 'rolebindings' || ref.resource === 'serviceaccounts') await cluster.delete(ref);
      else await cluster.patch(ref, { type: 'merge', body: HAND_CHANGES[ref.resource] ?? {} });
    }
    assert.notDeepEqual(await seen().catch(() => undefined), before);
    await eventually(async () => isDeepStrictEqual(await seen().catch(() => undefined), before) || undefined, 'everything as before');
    await cluster.patch({ ...ENVIRONMENT, name }, { type: 'merge', body: { spec: WITHOUT_ALL } });
    for (const { name: one, ...type } of generatedIn(kube.asController(), name).refs)
      if (!KEPT.includes(type.resource)) await gone(type, one, type.namespace);
    const { annotations = {} } = (await cluster.get({ ...NAMESPACE, name })).metadata;
    assert.equal(annotations['linkerd.io/inject'], undefined);
  });

  test('asks for mutual TLS as soon as the cluster serves the mesh, and says so until then', async () => {
    const name = 'envtest-mesh';
    await create(environment(name, { mesh: { provider: 'Istio' } }));
    const mesh = async (status: string): Promise<Condition> =>
      await eventually(async () => {
        const found = findCondition(conditionsOf(await kube.asController().get({ ...ENVIRONMENT, name })), 'MeshReady');
        return found?.status === status ? found : undefined;
      }, `MeshReady ${status}`);
    const missing = await mesh('False');
    assert.deepEqual([missing.reason, /Istio is not installed/.test(missing.message)], ['MeshNotServed', true]);
    assert.equal((await kube.asController().get({ ...NAMESPACE, name })).metadata.labels?.['istio-injection'], 'enabled');
    await kube.asController().create(CRD, PEER_AUTHENTICATIONS);
    try {
      await mesh('True');
      const type = { group: 'security.istio.io', version: 'v1', resource: 'peerauthentications' };
      const authentication = await kube.asController().get({ ...type, namespace: name, name: 'chandlery' });
      assert.equal(textAt(authentication.spec, 'mtls', 'mode'), 'STRICT');
    } finally {
      await kube.asController().delete({ ...CRD, name: PEER_AUTHENTICATIONS.metadata.name });
    }
  });

  test('rejects new instances of apps that it does not allow, whoever creates them, and lets the existing ones change', async () => {
    const name = 'envtest-allowed';
    const cluster = kube.asController();
    await create(
      environment(name, { subjects: [{ kind: 'ServiceAccount', namespace: SHOP_OPERATOR.namespace, name: 'member', role: 'developer' }] }),
    );
    await untilReason(name, 'Ready');
    const lease = (one: string): KubeObject => ({
      apiVersion: 'coordination.k8s.io/v1',
      kind: 'Lease',
      metadata: { name: one, namespace: name },
    });
    await cluster.create(LEASE, lease('old'));
    const denied = async (): Promise<void> => {
      await eventually(
        async () =>
          await cluster.create(LEASE, lease('new'), { dryRun: 'All' }).then(
            () => undefined,
            (error: unknown) =>
              isAppError(error, 'AdmissionDenied') &&
              /envtest-allowed.*allowedApps do not allow leases\.coordination\.k8s\.io/.test(error.message)
                ? true
                : undefined,
          ),
        'the app is rejected',
      );
    };
    await cluster.patch({ ...ENVIRONMENT, name }, { type: 'merge', body: { spec: { allowedApps: { deny: ['leases.*'] } } } });
    await denied();
    await assertPartsOfOperatorsAlone(kube, name);
    const patch = { type: 'merge', body: { spec: { holderIdentity: 'a' } } } as const;
    await cluster.patch({ ...LEASE, namespace: name, name: 'old' }, patch);
    const policy = { ...ADMISSION_POLICY, name: `chandlery-environment-apps-${name}` };
    const exempt = { type: 'merge', body: { spec: { matchConditions: [{ name: 'nobody', expression: 'false' }] } } } as const;
    await cluster.patch(policy, exempt);
    await eventually(
      async () => textAt((await cluster.get(policy)).spec, 'matchConditions', 0, 'name') !== 'nobody' || undefined,
      'the policy is restored',
    );
    await cluster.delete({ ...ADMISSION_POLICY_BINDING, name: policy.name });
    await eventually(
      async () => (await cluster.get({ ...ADMISSION_POLICY_BINDING, name: policy.name }).catch(() => undefined)) !== undefined || undefined,
      'the binding is restored',
    );
    await denied();
    await cluster.patch({ ...ENVIRONMENT, name }, { type: 'merge', body: { spec: { allowedApps: null } } });
    await gone(ADMISSION_POLICY, policy.name);
    await eventually(
      async () =>
        await cluster.create(LEASE, lease('new')).then(
          () => true,
          () => undefined,
        ),
      'everything is allowed',
    );
  });

  test('warns before it expires, stays for its grace period, and is then deleted as reclaim says', async () => {
    const name = 'envtest-expiring';
    const cluster = kube.asController();
    const expired = async (reason: string): Promise<Condition> =>
      await eventually(async () => {
        const found = findCondition(conditionsOf(await cluster.get({ ...ENVIRONMENT, name })), 'Expired');
        return found?.reason === reason ? found : undefined;
      }, `Expired with reason ${reason}`);
    const expires = async (spec: object) =>
      await cluster.patch({ ...ENVIRONMENT, name }, { type: 'merge', body: { spec: { expires: spec } } });
    await create(environment(name, { reclaim: 'Delete', expires: { after: '48h' } }));
    assert.equal((await expired('NotDue')).status, 'False');
    await expires({ after: '1h' });
    assert.match((await expired('ExpiresSoon')).message, /change spec.expires to keep it/);
    await expires({ after: null, at: '2026-01-01T00:00:00Z', gracePeriod: '8760h' });
    assert.equal((await expired('Expired')).status, 'True');
    assert.equal(textAt((await cluster.get({ ...ENVIRONMENT, name })).status, 'expiresAt'), '2026-01-01T00:00:00Z');
    const events = await cluster.list(EVENT, { namespace: 'default', fieldSelector: `involvedObject.name=${name},type=Warning` });
    assert.deepEqual(new Set(events.items.map((event) => textAt(event, 'reason'))), new Set(['Expired', 'ExpiresSoon']));
    await expires({ gracePeriod: '0s' });
    await gone(ENVIRONMENT, name);
    await gone(NAMESPACE, name);
  });

  test('does not take a namespace that exists already, unless it is asked to', async () => {
    const cluster = kube.asController();
    await cluster.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'envtest-old-namespace' } });
    await create(environment('envtest-newcomer', { namespace: 'envtest-old-namespace' }));
    const rejected = await untilReason('envtest-newcomer', 'NamespaceExists');
    assert.deepEqual(
      conditionsOf(rejected).map(({ type, status }) => [type, status]),
      [
        ['Ready', 'False'],
        ['Stalled', 'True'],
      ],
    );
    const { labels } = (await cluster.get({ ...NAMESPACE, name: 'envtest-old-namespace' })).metadata;
    assert.equal(labels?.['chandlery.dev/environment'], undefined);
    await cluster.patch(
      { ...ENVIRONMENT, name: 'envtest-newcomer' },
      { type: 'merge', body: { metadata: { annotations: { [ADOPT_ANNOTATION]: 'true' } } } },
    );
    await untilReason('envtest-newcomer', 'Ready');
  });

  test('never takes the namespace of another environment, whatever it is asked', async () => {
    await create(environment('envtest-first', { namespace: 'envtest-contested' }));
    await untilReason('envtest-first', 'Ready');
    await create(environment('envtest-second', { namespace: 'envtest-contested' }, { [ADOPT_ANNOTATION]: 'true' }));
    const rejected = await untilReason('envtest-second', 'NamespaceTaken');
    assert.match(findCondition(conditionsOf(rejected), 'Ready')?.message ?? '', /belongs to the environment envtest-first/);
    await kube.asController().delete({ ...ENVIRONMENT, name: 'envtest-second' });
    await gone(ENVIRONMENT, 'envtest-second');
    const kept = await kube.asController().get({ ...NAMESPACE, name: 'envtest-contested' });
    assert.equal(kept.metadata.labels?.['chandlery.dev/environment'], 'envtest-first');
  });

  test('keeps the namespace and what is in it when it is deleted with reclaim Retain, without its permissions', async () => {
    const cluster = kube.asController();
    await create(environment('envtest-kept', { groups: [{ name: 'oidc:envtest-team-k', role: 'developer' }] }));
    await untilReason('envtest-kept', 'Ready');
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'precious', namespace: 'envtest-kept' } };
    await cluster.create({ group: '', version: 'v1', resource: 'configmaps' }, configMap);
    await cluster.delete({ ...ENVIRONMENT, name: 'envtest-kept' });
    await gone(ENVIRONMENT, 'envtest-kept');
    const namespace = await cluster.get({ ...NAMESPACE, name: 'envtest-kept' });
    assert.equal(namespace.metadata.labels?.['chandlery.dev/environment'], undefined);
    assert.equal(namespace.metadata.deletionTimestamp, undefined);
    await cluster.get({ group: '', version: 'v1', resource: 'configmaps', namespace: 'envtest-kept', name: 'precious' });
    assert.deepEqual((await cluster.list(ROLE_BINDING, { namespace: 'envtest-kept' })).items, []);
    await gone(CLUSTER_ROLE, 'chandlery-environment-envtest-kept');
  });

  test('takes its namespace along when it is deleted with reclaim Delete', async () => {
    await create(environment('envtest-dropped', { reclaim: 'Delete' }));
    await untilReason('envtest-dropped', 'Ready');
    await kube.asController().delete({ ...ENVIRONMENT, name: 'envtest-dropped' });
    await gone(ENVIRONMENT, 'envtest-dropped');
    await gone(NAMESPACE, 'envtest-dropped');
  });

  test('says in its conditions what is wrong with its quota', async () => {
    await create(environment('envtest-wrong-quota', { quota: { 'no such/resource/at/all': 1 } }));
    const rejected = await untilReason('envtest-wrong-quota', 'InvalidSpec');
    assert.match(findCondition(conditionsOf(rejected), 'Stalled')?.message ?? '', /no such\/resource/);
  });

  test('cannot move to another namespace, and cannot have one of the cluster', async () => {
    const move = { type: 'merge', body: { spec: { namespace: 'elsewhere' } } } as const;
    await assert.rejects(kube.asController().patch({ ...ENVIRONMENT, name: 'envtest-team-a' }, move), /namespace is immutable/);
    await assert.rejects(create(environment('thief', { namespace: 'kube-system' })), /cannot be the namespace of an environment/);
    await assert.rejects(create(environment('chandlery-system', {})), /cannot be the namespace of an environment/);
  });
});
