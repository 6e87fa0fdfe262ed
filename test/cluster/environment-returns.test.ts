import assert from 'node:assert/strict';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { isAppError } from '../../src/domain/core/errors.ts';
import { listAt } from '../../src/domain/core/read.ts';
import { LAST_ENVIRONMENT, LAST_ENVIRONMENT_UID, LAST_INSTALLATION } from '../../src/domain/environment/last-environment.ts';
import { type Condition, findCondition } from '../../src/domain/kubernetes/condition.ts';
import {
  CLUSTER_ROLE,
  CLUSTER_ROLE_BINDING,
  ENVIRONMENT,
  NAMESPACE,
  ROLE_BINDING,
  SERVICE_ACCOUNT,
} from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { watchGenerated } from '../../src/compose/environment/watch-generated.ts';
import { watchGrants } from '../../src/compose/environment/watch-grants.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { startReflector } from '../../src/kube/watch/reflector.ts';
import { createLog } from '../../src/observe/log.ts';
import { repoRoot, sharedCluster, type TestCluster } from '../support/cluster.ts';
import { runEnvironmentController } from '../support/environment-controller.ts';
import { eventually } from '../support/eventually.ts';
import { openKube } from '../support/open-kube.ts';

const GROUP = { name: 'oidc:envback', role: 'developer' };
const SECRETS = { verb: 'create', group: '', resource: 'secrets' };
const log = createLog({ level: 'silent', format: 'lines', write: () => undefined });
const ending = new AbortController();
let testCluster: TestCluster;
let kube: Kube;
let running: Promise<void>;

before(async () => {
  testCluster = await sharedCluster();
  kube = openKube(testCluster.kubeconfigPath);
  const chart = join(repoRoot, 'charts', 'chandlery');
  const [roles, policies] = ['cluster-roles.yaml', 'admission-policies.yaml'].map((file) => join(chart, 'files', file)) as [string, string];
  await bootstrapCluster(kube, { crds: join(chart, 'crds'), roles, policies }, ending.signal);
  const none = { onChange: () => () => undefined };
  const environments = startReflector({ cluster: kube.asController(), type: ENVIRONMENT, log, signal: ending.signal });
  const also = { definitions: none, operators: none, appDefinitions: { ...none, get: () => undefined } };
  const grants = watchGrants({ kube, log, signal: ending.signal });
  const generated = watchGenerated({ kube, grants, environments, ...also, log, signal: ending.signal });
  const isOwn = (name: string): boolean => name.startsWith('envback-');
  running = runEnvironmentController({ kube, isOwn, sources: [environments, ...generated], grants, log, signal: ending.signal });
});

after(async () => {
  ending.abort();
  await running;
  await kube.close();
  await testCluster.stop();
});

async function create(name: string, spec: object = {}, metadata: object = {}): Promise<KubeObject> {
  const object = {
    apiVersion: 'chandlery.dev/v1alpha1',
    kind: 'Environment',
    metadata: { name, ...metadata },
    spec: { groups: [GROUP], ...spec },
  };
  return (await kube.asController().create(ENVIRONMENT, object)).object;
}

async function untilReason(name: string, reason: string): Promise<Condition> {
  return await eventually(async () => {
    const { status } = await kube.asController().get({ ...ENVIRONMENT, name });
    const ready = findCondition(listAt(status, 'conditions') as Condition[], 'Ready');
    return ready?.reason === reason ? ready : undefined;
  }, `environment ${name} with reason ${reason}`);
}

async function find(type: ResourceType, name: string): Promise<KubeObject | undefined> {
  try {
    return await kube.asController().get({ ...type, name });
  } catch (error) {
    if (isAppError(error, 'NotFound')) return undefined;
    throw error;
  }
}

async function gone(type: ResourceType, name: string): Promise<void> {
  await eventually(async () => ((await find(type, name)) === undefined ? true : undefined), `${type.resource} ${name} gone`);
}

async function remove(name: string): Promise<void> {
  await kube.asController().delete({ ...ENVIRONMENT, name });
}

const member = () => kube.asActor({ user: 'oidc:envback-user', groups: [GROUP.name] });

async function mayWork(namespace: string): Promise<boolean> {
  return (await member().review({ ...SECRETS, namespace })).allowed;
}

describe('an environment that was deleted and is made again', () => {
  test('takes its namespace back by itself, with the permissions of its members', async () => {
    const name = 'envback-again';
    const first = await create(name);
    await untilReason(name, 'Ready');
    const { uid } = await kube
      .asController()
      .get({ ...NAMESPACE, name })
      .then(({ metadata }) => metadata);
    await remove(name);
    await gone(ENVIRONMENT, name);
    const { annotations = {}, labels = {} } = (await kube.asController().get({ ...NAMESPACE, name })).metadata;
    const system = await kube.asController().get({ ...NAMESPACE, name: 'chandlery-system' });
    assert.deepEqual(
      [annotations[LAST_ENVIRONMENT], annotations[LAST_ENVIRONMENT_UID], annotations[LAST_INSTALLATION]],
      [name, first.metadata.uid, system.metadata.uid],
    );
    assert.equal(labels['chandlery.dev/environment'], undefined);
    await create(name);
    await untilReason(name, 'Ready');
    const { metadata } = await kube.asController().get({ ...NAMESPACE, name });
    assert.deepEqual([metadata.uid, metadata.annotations?.[LAST_ENVIRONMENT]], [uid, undefined]);
    await eventually(async () => (await mayWork(name)) || undefined, 'the permissions of a developer');
  });

  test('has its members back before anything else, also when a part of its spec is rejected', async () => {
    const name = 'envback-half';
    await create(name);
    await untilReason(name, 'Ready');
    await remove(name);
    await gone(ENVIRONMENT, name);
    await create(name, { quota: { 'no such/resource/at/all': 1 } });
    await untilReason(name, 'InvalidSpec');
    await eventually(async () => (await mayWork(name)) || undefined, 'the permissions of a developer');
  });

  test('leaves its members their permissions until it really goes', async () => {
    const name = 'envback-held';
    await create(name, {}, { finalizers: ['example.com/hold'] });
    await untilReason(name, 'Ready');
    await eventually(async () => (await mayWork(name)) || undefined, 'the permissions of a developer');
    await remove(name);
    const { message } = await untilReason(name, 'FinalizersRemaining');
    assert.match(message, /example\.com\/hold/);
    assert.equal(await mayWork(name), true);
    const finalizers = ['chandlery.dev/finalizer'];
    await kube.asController().patch({ ...ENVIRONMENT, name }, { type: 'merge', body: { metadata: { finalizers } } });
    await gone(ENVIRONMENT, name);
    await eventually(async () => !(await mayWork(name)) || undefined, 'the permissions are gone');
  });

  test('does not take a namespace that another environment, or one of another installation, left', async () => {
    const annotations = { [LAST_ENVIRONMENT]: 'envback-foreign', [LAST_INSTALLATION]: 'of-another-cluster' };
    await kube
      .asController()
      .create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'envback-foreign', annotations } });
    await create('envback-foreign');
    await untilReason('envback-foreign', 'NamespaceExists');
    await create('envback-other', { namespace: 'envback-foreign' });
    await untilReason('envback-other', 'NamespaceExists');
  });

  test('cannot be made to take a namespace by somebody who may change namespaces, and no environment', async () => {
    const cluster = kube.asController();
    const metadata = { name: 'envback-labeller' };
    const rbac = { apiVersion: 'rbac.authorization.k8s.io/v1', metadata };
    const rules = [{ apiGroups: [''], resources: ['namespaces'], verbs: ['get', 'patch'] }];
    await cluster.create(CLUSTER_ROLE, { ...rbac, kind: 'ClusterRole', rules });
    const apiGroup = 'rbac.authorization.k8s.io';
    const roleRef = { apiGroup, kind: 'ClusterRole', name: metadata.name };
    const subjects = [{ apiGroup, kind: 'User', name: metadata.name }];
    await cluster.create(CLUSTER_ROLE_BINDING, { ...rbac, kind: 'ClusterRoleBinding', roleRef, subjects });
    await cluster.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: 'envback-mine' } });
    const labeller = kube.asActor({ user: metadata.name, groups: ['envback-labellers'] });
    const mark = async (annotations: object): Promise<unknown> =>
      await labeller.patch({ ...NAMESPACE, name: 'envback-mine' }, { type: 'merge', body: { metadata: { annotations } } });
    await eventually(async () => await mark({ 'example.com/note': 'mine' }).catch(() => undefined), 'the permission on namespaces');
    await eventually(
      async () =>
        await mark({ [LAST_ENVIRONMENT]: 'envback-again' }).then(
          () => undefined,
          (error: unknown) =>
            isAppError(error, 'AdmissionDenied') && /update environments\.chandlery\.dev "envback-again"/.test(error.message),
        ),
      'the policy rejects it',
    );
  });
});

describe('an environment that is renamed', () => {
  const [old, name, dedicated] = ['envback-old', 'envback-new', 'envback-dedicated'];
  const spec = { namespace: 'envback-shop', reclaim: 'Delete', serviceAccounts: [{ name: 'robot', role: 'viewer' }] };
  const movedFrom = (former: string) => ({ annotations: { 'chandlery.dev/moved-from': former } });
  const inNamespace = async (type: ResourceType, one: string, namespace = spec.namespace): Promise<KubeObject> =>
    await kube.asController().get({ ...type, namespace, name: one });
  /** What must stay the same objects, because people and their tokens go by them. */
  const kept = async (): Promise<unknown> => [
    (await kube.asController().get({ ...NAMESPACE, name: spec.namespace })).metadata.uid,
    (await inNamespace(ROLE_BINDING, 'chandlery-developer')).metadata.uid,
    (await inNamespace(SERVICE_ACCOUNT, 'robot')).metadata.uid,
    (await inNamespace(SERVICE_ACCOUNT, 'chandlery-deployer')).metadata.uid,
  ];
  const ownerOf = ({ metadata }: KubeObject): unknown => [
    metadata.labels?.['chandlery.dev/environment'],
    metadata.ownerReferences?.map((owner) => owner.name),
  ];

  test('waits for its former name, takes everything over when that is deleted, and lets it go', async () => {
    await create(old, { ...spec, subjects: [{ kind: 'User', name: 'oidc:lead', role: 'maintainer' }] });
    await untilReason(old, 'Ready');
    const before = await kept();
    await makeDedicated(await kube.asController().get({ ...ENVIRONMENT, name: old }));
    await create(name, spec, movedFrom(old));
    assert.match((await untilReason(name, 'MovePending')).message, /moves when the environment envback-old is deleted/);
    await remove(old);
    await untilReason(name, 'Ready');
    await gone(ENVIRONMENT, old);
    await gone(CLUSTER_ROLE, `chandlery-environment-${old}`);
    assert.deepEqual(await kept(), before);
    assert.deepEqual(ownerOf(await inNamespace(ROLE_BINDING, 'chandlery-developer')), [name, [name]]);
    assert.deepEqual(ownerOf(await inNamespace(ROLE_BINDING, 'chandlery-developer', dedicated)), [name, [name]]);
    assert.deepEqual(ownerOf(await kube.asController().get({ ...NAMESPACE, name: dedicated })), [name, undefined]);
    await assert.rejects(inNamespace(ROLE_BINDING, 'chandlery-maintainer'), (error) => isAppError(error, 'NotFound'));
    assert.equal((await member().get({ ...ENVIRONMENT, name })).metadata.name, name);
  });

  test('moves back the same way', async () => {
    const before = await kept();
    await create(old, spec, movedFrom(name));
    await remove(name);
    await untilReason(old, 'Ready');
    await gone(ENVIRONMENT, name);
    assert.deepEqual(await kept(), before);
    assert.deepEqual(ownerOf(await inNamespace(ROLE_BINDING, 'chandlery-developer')), [old, [old]]);
    assert.equal(await mayWork(spec.namespace), true);
  });

  async function makeDedicated(environment: KubeObject): Promise<void> {
    const { uid = '' } = environment.metadata;
    const labels = { 'app.kubernetes.io/managed-by': 'chandlery', 'chandlery.dev/environment': old, 'chandlery.dev/instance-uid': 'u1' };
    const ownerReferences = [{ apiVersion: environment.apiVersion, kind: environment.kind, name: old, uid }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'chandlery-developer' };
    await kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: dedicated, labels } });
    await kube.asController().create(ROLE_BINDING, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'RoleBinding',
      metadata: { name: 'chandlery-developer', namespace: dedicated, labels, ownerReferences },
      roleRef,
    });
  }
});
