import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { after, before, describe, it } from 'node:test';
import { isDeepStrictEqual } from 'node:util';
import { execa } from 'execa';
import { dedicatedNamespaceName } from '../../src/domain/app-instance/instance.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { objectAt } from '../../src/domain/core/read.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import {
  APP_DEFINITION,
  CONFIG_MAP,
  CRON_JOB,
  ENVIRONMENT,
  JOB,
  NAMESPACE,
  RESOURCE_QUOTA,
  ROLE_BINDING,
} from '../../src/domain/kubernetes/resource-types.ts';
import { apiVersionOf, type JsonObject, type KubeObject, type ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { writersOfRelease } from '../support/audit.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type InstanceWorld, startInstanceWorld } from '../support/instance-world.ts';
import { createCronJobReconciler } from '../../src/reconcile/resource/reconcile-cron-job.ts';
import { deleteWithIntent } from '../../src/domain/kubernetes/deletion-intent.ts';

const RUN = Date.now().toString(36).slice(-5);
const ONE = `home-${RUN}-one`;
const TWO = `home-${RUN}-two`;

const CONFIG = {
  'values.yaml': 'text: a\nextra: ""\n',
  'templates/config.yaml':
    'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata: {text: {{ .Values.text | quote }}}\n',
  'templates/extra.yaml': '{{ tpl .Values.extra . }}',
};

const TIDY = `apiVersion: batch/v1
kind: CronJob
metadata: {name: tidy}
spec:
  schedule: '0 0 1 1 *'
  jobTemplate:
    spec:
      template:
        spec: {restartPolicy: Never, nodeSelector: {disk: slow, zone: a}, containers: [{name: tidy, image: tidy}]}
`;

describe('an instance with a namespace of its own', () => {
  const ready = { type: 'Ready', status: 'True' };
  const TEAM = { user: `oidc:${RUN}-anna`, groups: [`oidc:${RUN}-team`] };
  const key = { namespace: ONE, name: 'den' };
  const policy = { quota: { pods: '3' }, podSecurity: { enforce: 'restricted' } };
  let testCluster: TestCluster;
  let world: InstanceWorld;
  let homes: ResourceType;
  let den: string;
  before(async () => {
    testCluster = await sharedCluster();
    world = await startInstanceWorld(testCluster, `home-${RUN}`);
    await Promise.all([world.environment(ONE), world.environment(TWO)]);
    homes = await world.offer(`home-${RUN}`, { '1.0.0': CONFIG }, { namespaceMode: 'Dedicated', policy });
    den = dedicatedNamespaceName(homes, key);
    const groups = [{ name: TEAM.groups[0], role: 'developer' }];
    await world.kube.asController().patch({ ...ENVIRONMENT, name: ONE }, { type: 'merge', body: { spec: { groups } } });
  });
  after(async () => {
    await world?.stop();
    await testCluster?.stop();
  });
  const cluster = (): ReturnType<InstanceWorld['kube']['asController']> => world.kube.asController();
  const quotaOf = async (namespace: string): Promise<unknown> =>
    (await ifFound(cluster().get({ ...RESOURCE_QUOTA, namespace, name: 'chandlery' })))?.spec;

  /** A member requests a run, and the Job is that of the CronJob as it is now. */
  const runsTidy = async (): Promise<void> => {
    const annotations = { 'chandlery.dev/run-at': new Date().toISOString() };
    await world.kube
      .asActor(TEAM)
      .patch({ ...CRON_JOB, namespace: den, name: 'tidy' }, { type: 'merge', body: { metadata: { annotations } } });
    const run = createCronJobReconciler({
      cluster: cluster(),
      asDeployer: (namespace) => world.kube.asServiceAccount({ namespace, name: 'chandlery-deployer' }),
      events: { record: async () => undefined },
      now: () => new Date(),
    });
    await run(`${den}/tidy`, new AbortController().signal);
    const selectors = (await cluster().list(JOB, { namespace: den })).items.map(({ spec }) =>
      objectAt(spec, 'template', 'spec', 'nodeSelector'),
    );
    assert.deepEqual(selectors, [{ disk: 'slow', zone: 'a' }]);
  };

  it('is released there, with the policy of its definition and the roles of its environment', { timeout: 180_000 }, async () => {
    const since = (await readFile(testCluster.auditLogPath)).length;
    await cluster().create(CONFIG_MAP, {
      apiVersion: 'v1',
      kind: 'ConfigMap',
      metadata: { name: 'words', namespace: ONE },
      data: { a: 'b' },
    });
    const valuesFrom = [{ kind: 'ConfigMap', name: 'words', key: 'a', targetPath: 'text' }];
    await world.create(homes, { ...key, spec: { valuesFrom } });
    await world.condition(homes, key, ready);
    const release = `home${RUN}-den`;
    const { stdout } = await execa(testCluster.tools.helm, [
      '--kubeconfig',
      testCluster.kubeconfigPath,
      'list',
      '--namespace',
      den,
      '--short',
    ]);
    assert.equal(stdout, release);
    const status = await world.status(homes, key);
    assert.deepEqual([status.namespace, status.release?.namespace], [den, den]);
    const { labels = {} } = (await cluster().get({ ...NAMESPACE, name: den })).metadata;
    assert.equal(labels['chandlery.dev/environment'], ONE);
    assert.equal(labels['pod-security.kubernetes.io/enforce'], 'restricted');
    assert.deepEqual(await quotaOf(den), { hard: { pods: '3' } });
    const made = await world.kube.asActor(TEAM).get({ ...CONFIG_MAP, namespace: den, name: release });
    assert.deepEqual(made['data'], { text: 'b' });
    assert.deepEqual(await writersOfRelease(testCluster.auditLogPath, { namespace: den, release, since }), [
      `system:serviceaccount:${den}:chandlery-deployer`,
    ]);
    await assert.rejects(world.kube.asActor(TEAM).get({ ...CONFIG_MAP, namespace: TWO, name: 'any' }), { code: 'Forbidden' });
  });

  it('may not release into its environment, whose namespace is another one', { timeout: 180_000 }, async () => {
    await world.merge(homes, key, {
      spec: { values: { extra: `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: foreign, namespace: ${ONE}}` } },
    });
    const stalled = await world.condition(homes, key, { type: 'Stalled', status: 'True', reason: 'ResourceNotAllowed' });
    assert.match(stalled.message, /it is in namespace home-.*-one, not in home-.*-one-den-/);
    await world.merge(homes, key, { spec: { values: { extra: null } } });
    await world.condition(homes, key, ready);
  });

  it('runs on the nodes that its definition selects, by labels and by a value of the instance', { timeout: 180_000 }, async () => {
    const hostname = 'kubernetes.io/hostname';
    const define = async (more: JsonObject): Promise<void> =>
      void (await cluster().patch({ ...APP_DEFINITION, name: `home-${RUN}` }, { type: 'merge', body: { spec: { policy: more } } }));
    const selected = async (): Promise<unknown> => {
      const job = await ifFound(cluster().get({ ...CRON_JOB, namespace: den, name: 'tidy' }));
      return objectAt(job?.spec, 'jobTemplate', 'spec', 'template', 'spec', 'nodeSelector');
    };
    const isSelected = async (wanted: JsonObject): Promise<void> =>
      void (await eventually(async () => isDeepStrictEqual(await selected(), wanted), stringifyJson(wanted), 60));
    await define({ nodeSelector: { disk: 'ssd' }, nodeSelectorFrom: { [hostname]: 'place.node' } });
    await world.merge(homes, key, { spec: { values: { extra: TIDY, place: { node: 7 } } } });
    await isSelected({ disk: 'ssd', [hostname]: '7', zone: 'a' });
    await world.condition(homes, key, { type: 'Drifted', status: 'False' });
    await world.merge(homes, key, { spec: { values: { place: { node: 'node 7' } } } });
    const rejected = await world.condition(homes, key, { type: 'Ready', status: 'False', reason: 'ValuesInvalid' });
    assert.match(rejected.message, /place\.node: it selects the node by the label kubernetes\.io\/hostname/);
    await world.merge(homes, key, { spec: { values: { place: null } } });
    await define({ nodeSelector: null, nodeSelectorFrom: null });
    await isSelected({ disk: 'slow', zone: 'a' });
    await runsTidy();
    await assert.rejects(define({ nodeSelector: { 'a b': 'c' } }), { code: 'InvalidInput', message: /a label of nodes/ });
    const shared = (more: object): KubeObject => ({
      apiVersion: apiVersionOf(APP_DEFINITION),
      kind: APP_DEFINITION.kind,
      metadata: { name: `shared-${RUN}` },
      spec: { chartURL: 'https://charts.example.com/a.tgz', policy: { nodeSelector: { disk: 'ssd' }, ...more } },
    });
    await cluster().create(APP_DEFINITION, shared({}), { dryRun: 'All' });
    const mixed = cluster().create(APP_DEFINITION, shared({ quota: { pods: '3' } }), { dryRun: 'All' });
    await assert.rejects(mixed, { code: 'InvalidInput', message: /are those of dedicated namespaces/ });
    await world.merge(homes, key, { spec: { values: { extra: null } } });
    await world.condition(homes, key, ready);
  });

  it('keeps its quota and its members as they are to be, also while it is suspended', { timeout: 180_000 }, async () => {
    await world.merge(homes, key, { spec: { suspend: true } });
    await cluster().patch(
      { ...RESOURCE_QUOTA, namespace: den, name: 'chandlery' },
      { type: 'merge', body: { spec: { hard: { pods: '300' } } } },
    );
    await eventually(async () => isDeepStrictEqual(await quotaOf(den), { hard: { pods: '3' } }), 'the quota is corrected', 30);
    await cluster().patch({ ...ENVIRONMENT, name: ONE }, { type: 'merge', body: { spec: { groups: [] } } });
    const seen = async (): Promise<boolean> => {
      const { allowed } = await world.kube.asActor(TEAM).review({ verb: 'list', group: '', resource: 'secrets', namespace: den });
      return allowed;
    };
    await eventually(async () => !(await seen()), 'a former member has no permission any more', 30);
    await world.merge(homes, key, { spec: { suspend: false } });
  });

  it('never takes a namespace over that is not its own, and leaves it when it goes', { timeout: 180_000 }, async () => {
    const stolen = { namespace: ONE, name: 'stolen' };
    const name = dedicatedNamespaceName(homes, stolen);
    // Somebody who may label namespaces, but not change the Environment.
    const labels = { 'chandlery.dev/instance-uid': 'forged' };
    await cluster().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name, labels } });
    const before = (await cluster().get({ ...NAMESPACE, name })).metadata;
    await world.create(homes, stolen);
    const taken = await world.condition(homes, stolen, { type: 'Stalled', status: 'True', reason: 'NamespaceTaken' });
    assert.match(taken.message, /it exists and is not that of this instance; ask an admin to delete the namespace/);
    const { uid = '' } = (await cluster().get({ ...homes, ...stolen })).metadata;
    await cluster().patch({ ...NAMESPACE, name }, { type: 'merge', body: { metadata: { labels: { 'chandlery.dev/instance-uid': uid } } } });
    await world.merge(homes, stolen, { metadata: { annotations: { 'chandlery.dev/reconcile-at': 'now' } } });
    await eventually(async () => (await world.status(homes, stolen)).lastHandledReconcileAt === 'now', 'it is looked at again', 30);
    await world.condition(homes, stolen, { type: 'Stalled', status: 'True', reason: 'NamespaceTaken' });
    await cluster().delete({ ...homes, ...stolen });
    await eventually(async () => (await ifFound(cluster().get({ ...homes, ...stolen }))) === undefined, 'the instance is gone', 30);
    const after = (await cluster().get({ ...NAMESPACE, name })).metadata;
    assert.deepEqual([after.uid, after.deletionTimestamp, await quotaOf(name)], [before.uid, undefined, undefined]);
    assert.deepEqual((await cluster().list(ROLE_BINDING, { namespace: name })).items, []);
    await deleteWithIntent(cluster(), { type: NAMESPACE, object: { metadata: { name } } });
  });

  it('keeps its mode while there are instances, and takes its namespace along', { timeout: 180_000 }, async () => {
    const definition = { ...APP_DEFINITION, name: `home-${RUN}` };
    const object = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'AppDefinition', metadata: { name: definition.name } };
    await cluster().applyStatus(APP_DEFINITION, { ...object, status: { instances: 1 } }, { fieldManager: 'test-instances' });
    const shared = { type: 'merge', body: { spec: { namespaceMode: 'Shared', policy: null } } } as const;
    await assert.rejects(cluster().patch(definition, shared), /namespaceMode cannot be changed while there are instances/);
    await world.condition(homes, key, ready);
    await cluster().delete({ ...homes, ...key });
    await eventually(async () => (await ifFound(cluster().get({ ...homes, ...key }))) === undefined, 'the instance is gone', 60);
    assert.equal(await ifFound(cluster().get({ ...NAMESPACE, name: den })), undefined);
  });
});
