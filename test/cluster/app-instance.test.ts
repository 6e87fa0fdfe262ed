import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { numberAt, textAt } from '../../src/domain/core/read.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { CONFIG_MAP, DEPLOYMENT, JOB, NAMESPACE, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import type { ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { writersOfRelease } from '../support/audit.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { BINDING, CONFIG, configMapIn, CONNECTION, hookAs, PASSING, WEB } from '../support/instance-charts.ts';
import { type InstanceWorld, startInstanceWorld } from '../support/instance-world.ts';

const RUN = Date.now().toString(36).slice(-5);
const ONE = `inst-${RUN}-one`;
const TWO = `inst-${RUN}-two`;

const HELM_RUN = /helm has run .*? what=(.*?) exitCode=/g;

describe('an instance of a generated kind', () => {
  let testCluster: TestCluster;
  let world: InstanceWorld;
  let webs: ResourceType;
  let configs: ResourceType;
  /** `install of "a" in namespace "b"` */
  const helmRuns: string[] = [];
  before(async () => {
    testCluster = await sharedCluster();
    const log = (text: string): void => void helmRuns.push(...text.matchAll(HELM_RUN).map(([, what = '']) => what));
    world = await startInstanceWorld(testCluster, `inst-${RUN}`, { log });
    await Promise.all([world.environment(ONE), world.environment(TWO)]);
    webs = await world.offer(`web-${RUN}`, {
      '1.0.0': WEB,
      '1.1.0': { ...WEB, 'values.yaml': 'replicas: 2\nimage: nginx:2\npassword: ""\n' },
    });
    configs = await world.offer(
      `config-${RUN}`,
      { '1.0.0': CONFIG },
      { catalog: { defaults: { spec: { values: { text: 'of the catalogue' } } }, connection: CONNECTION } },
    );
  });
  after(async () => {
    await world?.stop();
    await testCluster?.stop();
  });

  const helm = async (...args: readonly string[]): Promise<string> => {
    return (await execa(testCluster.tools.helm, ['--kubeconfig', testCluster.kubeconfigPath, ...args])).stdout;
  };
  const releasesIn = async (namespace: string): Promise<unknown[]> =>
    (JSON.parse(await helm('list', '--namespace', namespace, '--output', 'json')) as unknown[]).map((release) => [
      textAt(release, 'name'),
      textAt(release, 'chart'),
      textAt(release, 'revision'),
    ]);
  const ready = { type: 'Ready', status: 'True' };

  it(
    'becomes a healthy Helm release in its environment, and another one with a change, written by the deployer alone',
    { timeout: 180_000 },
    async () => {
      const since = (await readFile(testCluster.auditLogPath)).length;
      const data = { password: Buffer.from('s3cret-word').toString('base64') };
      await world.kube.asController().create(SECRET, { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'web', namespace: ONE }, data });
      const from = [{ kind: 'Secret', name: 'web', key: 'password', targetPath: 'password' }];
      await world.create(webs, { namespace: ONE, name: 'shop', spec: { version: '1.0.0', values: { replicas: 2 }, valuesFrom: from } });
      await world.create(configs, { namespace: TWO, name: 'settings' });
      const [web, config] = [
        { namespace: ONE, name: 'shop' },
        { namespace: TWO, name: 'settings' },
      ];
      await Promise.all([world.condition(webs, web, ready), world.condition(configs, config, ready)]);
      const release = `web${RUN}-shop`;
      assert.deepEqual(await releasesIn(ONE), [[release, `web-${RUN}-1.0.0`, '1']]);
      assert.deepEqual(await releasesIn(TWO), [[`config${RUN}-settings`, `config-${RUN}-1.0.0`, '1']]);
      const made = await world.kube.asController().get({ ...CONFIG_MAP, namespace: TWO, name: `config${RUN}-settings` });
      assert.deepEqual(made['data'], { text: 'of the catalogue' });
      const status = await world.status(webs, web);
      assert.deepEqual([status.version, status.notes], ['1.0.0', `Open ${release} with [secret]`]);
      await world.merge(webs, web, { spec: { version: '1.1.0', values: { replicas: 3 } } });
      await eventually(
        async () => {
          const { history } = await world.status(webs, web);
          return history[0]?.revision === 2 && history[0].healthy === true;
        },
        'the upgrade is healthy',
        60,
      );
      assert.deepEqual(await releasesIn(ONE), [[release, `web-${RUN}-1.1.0`, '2']]);
      assert.deepEqual(
        helmRuns.filter((what) => what.includes(release)),
        ['install', 'upgrade'].map((verb) => `${verb} of "${release}" in namespace "${ONE}"`),
        'one run of helm a release',
      );
      assert.deepEqual(await writersOfRelease(testCluster.auditLogPath, { namespace: ONE, release, since }), [
        `system:serviceaccount:${ONE}:chandlery-deployer`,
      ]);
      const { uid = '', generation } = (await world.kube.asController().get({ ...webs, ...web })).metadata;
      const nothing = { created: [], changed: [], removed: [], hooks: [], more: 0 };
      assert.deepEqual(audited('shop'), [
        ['install release 1', `${uid}.1`, { ...nothing, created: [`Deployment ${release}`] }],
        ['upgrade release 2', `${uid}.${generation}`, { ...nothing, changed: [`Deployment ${release}`] }],
      ]);
    },
  );

  it('is ready without what need not exist: a Job that was removed when it was done, and addresses', { timeout: 180_000 }, async () => {
    const passing = await world.offer(`passing-${RUN}`, { '1.0.0': PASSING });
    const key = { namespace: TWO, name: 'run' };
    await world.create(passing, key);
    await world.condition(passing, key, { type: 'Released', status: 'True' });
    const job = { ...JOB, namespace: TWO, name: `passing${RUN}-run` };
    await eventually(async () => (await ifFound(world.kube.asController().get(job))) === undefined, 'the Job is gone', 60);
    await world.merge(passing, key, { metadata: { annotations: { 'chandlery.dev/reconcile-at': 'gone' } } });
    await eventually(async () => (await world.status(passing, key)).lastHandledReconcileAt === 'gone', 'it was compared', 30);
    await world.condition(passing, key, { type: 'Drifted', status: 'False' });
    const { message } = await world.condition(passing, key, { type: 'Healthy', status: 'True' });
    assert.match(
      message,
      /; Service passing\S+: The load balancer has no address yet; Ingress passing\S+: The ingress has no address yet$/,
    );
    await world.merge(passing, key, { spec: { health: { waitFor: ['Address'] } } });
    await world.condition(passing, key, { type: 'Ready', status: 'False', reason: 'Progressing' });
    assert.equal((await world.status(passing, key)).history[0]?.healthy, true);
    await world.kube.asController().delete({ ...passing, ...key });
  });

  /** What the audit log has of the releases of an instance, after checking who did it. */
  function audited(name: string): unknown[] {
    const entries = world.auditEntries.filter(({ target }) => target.endsWith(`/${name}`));
    return entries.map(({ user, via, environment, action, outcome, release, change, objects }) => {
      assert.deepEqual([via, user, outcome], ['controller', `system:serviceaccount:${environment}:chandlery-deployer`, 'succeeded']);
      return [`${action} ${release?.revision ?? ''}`, change, objects];
    });
  }

  it('shows what somebody changed by kubectl and by helm, and releases the spec again when asked to', { timeout: 180_000 }, async () => {
    const key = { namespace: ONE, name: 'shop' };
    const release = `web${RUN}-shop`;
    const deployment = { ...DEPLOYMENT, namespace: ONE, name: release };
    await world.kube.asController().patch(deployment, { type: 'merge', body: { spec: { replicas: 1 } } });
    const drifted = await world.condition(webs, key, { type: 'Drifted', status: 'True', reason: 'ObjectsChanged' });
    assert.match(drifted.message, /spec\.replicas/);
    await helm('rollback', release, '1', '--namespace', ONE, '--force-conflicts');
    const changed = await world.condition(webs, key, { type: 'Drifted', status: 'True', reason: 'ReleaseChanged' });
    assert.match(changed.message, /revision 3; the newest of Chandlery is 2/);
    await world.merge(webs, key, { metadata: { annotations: { 'chandlery.dev/force-at': 'now' } } });
    await world.condition(webs, key, { type: 'Drifted', status: 'False' });
    assert.deepEqual(await releasesIn(ONE), [[release, `web-${RUN}-1.1.0`, '4']]);
  });

  it('sleeps with no replicas, and has them again when it wakes; its release stays as it is', { timeout: 180_000 }, async () => {
    const key = { namespace: ONE, name: 'shop' };
    const release = `web${RUN}-shop`;
    const deployment = { ...DEPLOYMENT, namespace: ONE, name: release };
    const cluster = world.kube.asController();
    const replicas = async (): Promise<number | undefined> => numberAt((await cluster.get(deployment)).spec, 'replicas');
    await world.condition(webs, key, ready);
    const since = (await readFile(testCluster.auditLogPath)).length;
    // More than the release says, as an autoscaler sets it.
    await cluster.patch(deployment, { type: 'merge', body: { spec: { replicas: 4 } } });
    await world.merge(webs, key, { spec: { sleep: true } });
    const asleep = await world.condition(webs, key, { type: 'Asleep', status: 'True' });
    assert.match(asleep.message, /scaled to zero: Deployment web.*-shop \(4 replicas\)/);
    assert.equal(await replicas(), 0);
    await world.condition(webs, key, { type: 'Ready', status: 'False', reason: 'Asleep' });
    await cluster.patch(deployment, { type: 'merge', body: { spec: { replicas: 1 } } });
    await eventually(async () => (await replicas()) === 0, 'what somebody starts is put to sleep again', 30);
    await world.restart();
    await world.merge(webs, key, { spec: { sleep: false } });
    await world.condition(webs, key, { type: 'Asleep', status: 'False', reason: 'Awake' });
    await world.condition(webs, key, ready);
    assert.equal(await replicas(), 1);
    assert.deepEqual(await releasesIn(ONE), [[release, `web-${RUN}-1.1.0`, '4']]);
    const writers = await writersOfRelease(testCluster.auditLogPath, { namespace: ONE, release, since });
    assert.deepEqual(writers, ['chandlery-admin', `system:serviceaccount:${ONE}:chandlery-deployer`], 'this test and the deployer');
    await world.merge(webs, key, { metadata: { annotations: { 'chandlery.dev/force-at': 'awake' } } });
    await world.condition(webs, key, { type: 'Drifted', status: 'False' });
    await eventually(async () => (await replicas()) === 3, 'the release has its replicas', 30);
  });

  it(
    'names invalid values by their field and leaves the release alone, and rolls a failed upgrade back once',
    { timeout: 180_000 },
    async () => {
      const key = { namespace: ONE, name: 'shop' };
      await world.merge(webs, key, { spec: { values: { replicas: 9 } } });
      const invalid = await world.condition(webs, key, { type: 'Stalled', status: 'True', reason: 'ValuesInvalid' });
      assert.match(invalid.message, /replicas/);
      assert.equal((await world.status(webs, key)).release?.revision, 5);
      // The api-server rejects it when it is applied, and not before.
      await world.merge(webs, key, { spec: { values: { replicas: 2, image: '' } } });
      await world.condition(webs, key, { type: 'Released', status: 'False', reason: 'RolledBack' });
      const { history } = await world.status(webs, key);
      assert.deepEqual(
        history.slice(0, 2).map(({ revision, status }) => [revision, status]),
        [
          [7, 'deployed'],
          [6, 'rolled-back'],
        ],
      );
      const changed = { created: [], changed: [`Deployment web${RUN}-shop`], removed: [], hooks: [], more: 0 };
      assert.deepEqual(
        world.auditEntries.slice(-2).map(({ action, outcome, release, objects }) => [action, outcome, release?.revision, objects]),
        [
          ['upgrade release', 'failed', 6, changed],
          ['roll back release', 'succeeded', 7, changed],
        ],
      );
      await world.merge(webs, key, { spec: { values: { replicas: 2, image: null } } });
      await world.condition(webs, key, ready);
    },
  );

  const outside: readonly (readonly [title: string, text: string, reason: RegExp])[] = [
    ['a cluster-scoped object', BINDING, /ClusterRoleBinding "all": it is cluster-scoped/],
    ['an object of kube-system', configMapIn('kube-system'), /it is in namespace kube-system/],
    [
      'an object of another environment inside of a list',
      `apiVersion: v1\nkind: List\nitems:\n- ${JSON.stringify({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name: 'a', namespace: TWO } })}`,
      /it is in namespace inst-/,
    ],
    [
      'a cluster-scoped object among the items of a ConfigMap',
      `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: a}\nitems:\n- ${BINDING.trim().replaceAll('\n', '\n  ')}`,
      /ClusterRoleBinding "all": it is cluster-scoped/,
    ],
    ['a hook as another service account', hookAs('powerful'), /a hook cannot run as the service account "powerful"/],
    ['a hook as the deployer itself', hookAs('chandlery-deployer'), /no pod can run as the service account chandlery-deployer/],
    [
      'a CRD',
      'apiVersion: apiextensions.k8s.io/v1\nkind: CustomResourceDefinition\nmetadata: {name: as.example.com}\nspec: {group: example.com}',
      /cannot install a CRD/,
    ],
  ];

  it(
    'may have nothing outside of its environment: nothing of the release is written, and the reason is reported',
    { timeout: 180_000 },
    async () => {
      for (const [index, [title, extra, reason]] of outside.entries()) {
        const key = { namespace: ONE, name: `out${index}` };
        await world.create(configs, { ...key, spec: { values: { extra } } });
        const stalled = await world.condition(configs, key, { type: 'Stalled', status: 'True' });
        assert.equal(stalled.reason, 'ResourceNotAllowed', `${title}: ${stalled.message}`);
        assert.match(stalled.message, reason, title);
        assert.equal(
          await ifFound(world.kube.asController().get({ ...CONFIG_MAP, namespace: ONE, name: `config${RUN}-out${index}` })),
          undefined,
          title,
        );
      }
      const found = await helm('list', '--namespace', ONE, '--output', 'json');
      assert.doesNotMatch(found, /-out\d/);
    },
  );

  it('is checked once more as helm renders it, and looks up nothing that the deployer may not read', { timeout: 180_000 }, async () => {
    const secret = `{{ $s := lookup "v1" "Secret" "kube-system" "any" }}`;
    await world.create(configs, { namespace: ONE, name: 'curious', spec: { values: { extra: secret } } });
    const denied = await world.condition(
      configs,
      { namespace: ONE, name: 'curious' },
      { type: 'Released', status: 'False', reason: 'HelmFailed' },
    );
    assert.match(denied.message, /secrets "any" is forbidden: User "system:serviceaccount:inst-.*:chandlery-deployer"/);
    // Without a cluster it renders nothing; with one, something of another namespace.
    const late = `{{ if lookup "v1" "ConfigMap" "${ONE}" "kube-root-ca.crt" }}${configMapIn('kube-system')}{{ end }}`;
    await world.create(configs, { namespace: ONE, name: 'late', spec: { values: { extra: late } } });
    const late0 = await world.condition(
      configs,
      { namespace: ONE, name: 'late' },
      { type: 'Released', status: 'False', reason: 'ResourceNotAllowed' },
    );
    assert.match(late0.message, /it is in namespace kube-system/);
    const record = '{apiVersion: v1, kind: Secret, metadata: {name: forged}, type: helm.sh/release.v1}';
    const forged = `{{ if lookup "v1" "ConfigMap" "${ONE}" "kube-root-ca.crt" }}${record}{{ end }}`;
    await world.create(configs, { namespace: ONE, name: 'forger', spec: { values: { extra: forged } } });
    const forger = { namespace: ONE, name: 'forger' };
    const rejected = await world.condition(configs, forger, { type: 'Released', status: 'False', reason: 'ObjectReserved' });
    assert.match(rejected.message, /it is a release record, which only Helm writes/);
    assert.doesNotMatch(await helm('list', '--namespace', ONE, '--output', 'json'), /curious|late|forger/);
  });

  it(
    'leaves a release of somebody else alone unless its annotation says to adopt it, and needs an environment',
    { timeout: 180_000 },
    async () => {
      const key = { namespace: TWO, name: 'settings' };
      const { uid = '' } = (await world.kube.asController().get({ ...configs, ...key })).metadata;
      await world.kube.asController().delete({ ...configs, ...key });
      await eventually(async () => (await releasesIn(TWO)).length === 0, 'the release is gone', 60);
      assert.equal(
        await ifFound(world.kube.asController().get({ ...CONFIG_MAP, namespace: TWO, name: `config${RUN}-settings` })),
        undefined,
      );
      await eventually(
        async () => (await ifFound(world.kube.asController().get({ ...configs, ...key }))) === undefined,
        'the instance is gone',
        30,
      );
      const taken = { namespace: TWO, name: 'taken' };
      await helm('install', `config${RUN}-taken`, join(world.chartsDir, `config-${RUN}-1.0.0.tgz`), '--namespace', TWO);
      await world.create(configs, taken);
      await world.condition(configs, taken, { type: 'Stalled', status: 'True', reason: 'ReleaseConflict' });
      await world.merge(configs, taken, { metadata: { annotations: { 'chandlery.dev/adopt-release': 'true' } } });
      await world.condition(configs, taken, ready);
      assert.deepEqual(await releasesIn(TWO), [[`config${RUN}-taken`, `config-${RUN}-1.0.0`, '2']]);
      const [, removal] = audited('settings');
      assert.deepEqual(removal, [
        'uninstall release 1',
        `${uid}.deletion`,
        { created: [], changed: [], removed: [`ConfigMap config${RUN}-settings`], hooks: [], more: 0 },
      ]);
      const homeless = { namespace: `inst-${RUN}-none`, name: 'homeless' };
      await world.kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: homeless.namespace } });
      await world.create(configs, homeless);
      await world.condition(configs, homeless, { type: 'Stalled', status: 'True', reason: 'NoEnvironment' });
    },
  );

  it(
    'takes outputs of another instance: it waits until that one is ready, and is upgraded when an output changes',
    { timeout: 180_000 },
    async () => {
      const [reader, source] = [
        { namespace: ONE, name: 'reader' },
        { namespace: ONE, name: 'source' },
      ];
      const output = (name: string, key: string, targetPath: string): object => ({ kind: `Config${RUN}`, name, key, targetPath });
      const cluster = world.kube.asController();
      const textOf = async (name: string): Promise<unknown> =>
        (await ifFound(cluster.get({ ...CONFIG_MAP, namespace: ONE, name: `config${RUN}-${name}` })))?.['data'];
      const valuesFrom = [output('source', 'text', 'text'), output('source', 'password', 'hidden.password')];
      await world.create(configs, { ...reader, spec: { valuesFrom } });
      const waiting = await world.condition(configs, reader, { type: 'Ready', status: 'False', reason: 'DependencyNotReady' });
      assert.match(waiting.message, /source: it does not exist/);
      await world.create(configs, { ...source, spec: { values: { text: 'first' } } });
      await world.condition(configs, source, ready);
      const keyless = await eventually(async () => {
        const { message } = await world.condition(configs, reader, { type: 'Ready', status: 'False', reason: 'DependencyNotReady' });
        return message.includes('Secret') ? message : undefined;
      }, 'the Secret is missed');
      assert.match(keyless, /its Secret password-source does not exist yet/);
      const secret = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'password-source', namespace: ONE } };
      const passwordOf = (word: string): object => ({ password: Buffer.from(word).toString('base64') });
      await cluster.create(SECRET, { ...secret, data: passwordOf('out-put-1') });
      await world.condition(configs, reader, ready);
      assert.deepEqual(await textOf('reader'), { text: 'first' });
      await world.merge(configs, source, { spec: { values: { text: 'second' } } });
      await eventually(async () => stringifyJson(await textOf('reader')) === '{"text":"second"}', 'the reader has the new output', 60);
      await world.condition(configs, reader, ready);
      const { revision = 0 } = (await world.status(configs, reader)).release ?? {};
      await cluster.patch(
        { ...SECRET, namespace: ONE, name: 'password-source' },
        { type: 'merge', body: { data: passwordOf('out-put-2') } },
      );
      await eventually(
        async () => (await world.status(configs, reader)).release?.revision === revision + 1,
        'the new password is used',
        60,
      );
      assert.doesNotMatch(stringifyJson(await world.status(configs, reader)), /out-put/);
      await world.merge(configs, source, { spec: { valuesFrom: [output('reader', 'text', 'other')] } });
      for (const member of [reader, source]) {
        const cycle = await world.condition(configs, member, { type: 'Stalled', status: 'True', reason: 'DependencyCycle' });
        assert.match(cycle.message, new RegExp(`Config${RUN} ${member.name} → Config${RUN} \\w+ → Config${RUN} ${member.name};`));
      }
      await world.merge(configs, source, { spec: { valuesFrom: [] } });
      await Promise.all([world.condition(configs, source, ready), world.condition(configs, reader, ready)]);
    },
  );
});
