import assert from 'node:assert/strict';
import { rm } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { createChartLibrary } from '../../src/chart/chart-library.ts';
import { parseAppDefinitionStatus } from '../../src/domain/app-definition/app-definition.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { APP_DEFINITION, APP_REVISION, CONFIG_MAP, ENVIRONMENT } from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';
import { createAppDefinitionReconciler } from '../../src/reconcile/app-definition/reconcile-app-definition.ts';
import { chartFiles, packChart, writeFiles } from '../support/charts.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type InstanceWorld, startInstanceWorld } from '../support/instance-world.ts';
import { RUN } from '../support/run-name.ts';
import { inAll } from '../support/test-set.ts';

/** With a digit first, of which a kind has no capital. */
const OWN = `0${RUN}`;
const NAME = `roll-${OWN}`;
const SITES = { group: 'apps.chandlery.dev', version: 'v1alpha1', resource: `roll${OWN}s` };
const [DEV, STAGE, PROD] = ['dev', 'stage', 'prod'].map((tier) => `roll-${OWN}-${tier}`) as [string, string, string];
const TEMPLATE = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: {{ .Release.Name }}}\ndata: {text: {{ .Values.text | quote }}}\n';

describe('the roll-out of a new chart version', () => {
  let testCluster: TestCluster;
  let world: InstanceWorld;
  let reconcile: ReturnType<typeof createAppDefinitionReconciler>;
  before(async () => {
    testCluster = await sharedCluster();
    world = await startInstanceWorld(testCluster, `roll-${OWN}`);
    await Promise.all([DEV, STAGE, PROD].map(async (name) => await world.environment(name)));
    for (const [name, tier] of Object.entries({ [DEV]: 'development', [STAGE]: 'staging', [PROD]: 'production' }))
      await world.kube.asController().patch({ ...ENVIRONMENT, name }, { type: 'merge', body: { spec: { tier } } });
    reconcile = await definitionReconciler();
  });
  after(async () => {
    await world?.stop();
    await rm(cacheDir(), { recursive: true, force: true });
    await testCluster?.stop();
  });

  const cacheDir = (): string => join(world.chartsDir, '..', 'cache-of-definitions');
  async function definitionReconciler(): Promise<typeof reconcile> {
    const cluster = world.kube.asController();
    const roots = { samples: world.chartsDir };
    const charts = await createChartLibrary({ cacheDir: cacheDir(), roots, mirrors: [], allowEgress: [] });
    const environments = (await cluster.list(ENVIRONMENT)).items;
    const events = { record: () => Promise.resolve() };
    const none = { all: () => [] };
    const watched = { environments: { all: () => environments }, definitions: none, crds: none };
    return createAppDefinitionReconciler({ cluster, charts, ...watched, events, now: () => new Date() });
  }

  /** Puts a version into the repository, and offers it. */
  async function offer(version: string, template = TEMPLATE, updatePolicy = 'Automatic'): Promise<void> {
    const files = chartFiles(NAME, version, { 'values.yaml': `text: ${version}\nowner: nobody\n`, 'templates/a.yaml': template });
    await writeFiles(world.chartsDir, { [`${NAME}-${version}.tgz`]: await packChart(NAME, files) });
    const chart = { repoURL: 'file://samples', name: NAME, version };
    const spec = { chart, updatePolicy, rollout: { maxConcurrent: 2 } };
    const definition = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'AppDefinition', metadata: { name: NAME }, spec };
    await world.kube.asController().apply(APP_DEFINITION, definition, { fieldManager: 'test', force: 'force' });
  }

  /** Reconciles the definition until its condition has a reason for a version. */
  const rolledOut = async (reason: string, version: string) =>
    await eventually(
      async () => {
        await reconcile(NAME, AbortSignal.timeout(60_000)).catch((error: unknown) => {
          if (!isAppError(error, 'Conflict', 'AlreadyExists')) throw error;
        });
        const status = parseAppDefinitionStatus(await world.kube.asController().get({ ...APP_DEFINITION, name: NAME }));
        const condition = findCondition(status.conditions, 'RolledOut');
        return status.rollout?.version === version && condition?.reason === reason && { condition, rollout: status.rollout };
      },
      `${NAME} ${version}: ${reason}`,
      90,
    );
  const keys = {
    a: { namespace: DEV, name: 'a' },
    pinned: { namespace: DEV, name: 'pinned' },
    b: { namespace: STAGE, name: 'b' },
    c: { namespace: PROD, name: 'c' },
  };
  const seen = async (): Promise<Record<string, string | undefined>> => {
    const found = await Promise.all(
      Object.entries(keys).map(async ([name, key]) => [name, (await world.status(SITES, key)).version] as const),
    );
    return Object.fromEntries(found);
  };
  const ready = { type: 'Ready', status: 'True' };

  it('reaches development before production, leaves pins and values alone', { timeout: 180_000 }, async () => {
    await offer('1.0.0');
    await rolledOut('RolledOut', '1.0.0');
    await eventually(async () => {
      world.kube.invalidate();
      return (await world.kube.kinds()).some(({ resource }) => resource === SITES.resource);
    }, 'the kind is served');
    await world.create(SITES, { ...keys.a, spec: { values: { owner: 'team' } } });
    await world.create(SITES, { ...keys.pinned, spec: { version: '1.0.0' } });
    await world.create(SITES, keys.b);
    await world.create(SITES, { ...keys.c, spec: { values: { text: 'of production' } } });
    for (const key of Object.values(keys)) await world.condition(SITES, key, ready);
    await offer('1.1.0');
    const { rollout } = await rolledOut('RolledOut', '1.1.0');
    assert.deepEqual(await seen(), { a: '1.1.0', pinned: '1.0.0', b: '1.1.0', c: '1.1.0' });
    assert.deepEqual([rollout.updated, rollout.pinned, rollout.admitted], [3, 1, []]);
    const begun = await Promise.all([keys.a, keys.b, keys.c].map(async (key) => (await world.status(SITES, key)).history[0]?.time ?? ''));
    assert.deepEqual(begun, [...begun].sort(), 'in the order of the tiers');
    assert.equal((await world.status(SITES, keys.pinned)).availableVersion, '1.1.0');
    const production = await world.kube.asController().get({ ...SITES, ...keys.c });
    assert.deepEqual((production as KubeObject & { spec: object }).spec, {
      sleep: false,
      suspend: false,
      values: { text: 'of production' },
    });
  });

  it('stops at the first failure, also over a restart, and goes on with a version that works', { timeout: 240_000 }, async () => {
    await offer('1.2.0', `{{ if hasSuffix "stage" .Release.Namespace }}{{ fail "no luck in staging" }}{{ end }}\n${TEMPLATE}`);
    const { condition } = await rolledOut('InstanceFailed', '1.2.0');
    assert.match(condition.message, new RegExp(`^Stopped in tier staging: instance ${STAGE}/b failed: .*no luck in staging`, 's'));
    reconcile = await definitionReconciler();
    await world.restart();
    const { rollout } = await rolledOut('InstanceFailed', '1.2.0');
    assert.deepEqual([rollout.updated, rollout.failed, rollout.pending, rollout.pinned], [1, 1, 1, 1]);
    assert.deepEqual(await seen(), { a: '1.2.0', pinned: '1.0.0', b: '1.1.0', c: '1.1.0' });
    await world.merge(SITES, keys.c, { spec: { valuesFrom: [{ kind: 'ConfigMap', name: 'text' }] } });
    await offer('1.3.0');
    const { condition: unread } = await rolledOut('InstanceFailed', '1.3.0');
    assert.match(
      unread.message,
      new RegExp(`^Stopped in tier production: instance ${PROD}/c failed: values: ConfigMap "${PROD}/text": it does not exist`, 's'),
    );
    const data = { 'values.yaml': 'text: of its own' };
    const configMap = { apiVersion: 'v1', kind: 'ConfigMap', metadata: { namespace: PROD, name: 'text' }, data };
    await world.kube.asController().create(CONFIG_MAP, configMap);
    await rolledOut('RolledOut', '1.3.0');
    assert.deepEqual(await seen(), { a: '1.3.0', pinned: '1.0.0', b: '1.3.0', c: '1.3.0' });
  });

  it('begins with an instance whose version is no longer its own', { timeout: 120_000 }, async () => {
    await world.merge(SITES, keys.pinned, { spec: { version: null } });
    await eventually(async () => {
      await rolledOut('RolledOut', '1.3.0');
      return (await seen())['pinned'] === '1.3.0';
    }, 'the instance has the version of the definition');
  });

  it(
    'installs no more instances than its limits let in, the oldest first, and keeps the revisions that they use',
    { timeout: 120_000 },
    async () => {
      const limited = (spec: object) =>
        world.kube.asController().patch({ ...APP_DEFINITION, name: NAME }, { type: 'merge', body: { spec } });
      await limited({ limits: { maxInstances: 5 }, revisionHistoryLimit: 0 });
      await rolledOut('RolledOut', '1.3.0');
      const [first, second] = [
        { namespace: DEV, name: 'first' },
        { namespace: PROD, name: 'second' },
      ] as const;
      await world.create(SITES, first);
      await rolledOut('RolledOut', '1.3.0');
      await world.create(SITES, second);
      await rolledOut('RolledOut', '1.3.0');
      const rejected = await world.condition(SITES, second, { type: 'Stalled', status: 'True', reason: 'LimitExceeded' });
      assert.match(rejected.message, /at most 5 instances, and there are as many/);
      await world.condition(SITES, first, ready);
      const { conditions } = parseAppDefinitionStatus(await world.kube.asController().get({ ...APP_DEFINITION, name: NAME }));
      assert.match(findCondition(conditions, 'WithinLimits')?.message ?? '', new RegExp(`Not installed: ${PROD}/second`));
      await world.kube.asController().delete({ ...SITES, ...first });
      await eventually(
        async () => {
          await rolledOut('RolledOut', '1.3.0');
          return findCondition((await world.status(SITES, second)).conditions, 'Ready')?.status === 'True';
        },
        'the next one has the place',
        60,
      );
      const revisions = await world.kube.asController().list(APP_REVISION, { labelSelector: `chandlery.dev/app-definition=${NAME}` });
      assert.equal(revisions.items.length, 1, 'no instance has an earlier one');
    },
  );

  it(
    'takes an instance with a channel along within its range alone, and without a roll-out at once',
    { ...inAll('it is another choice of versions by the same roll-out'), timeout: 240_000 },
    async () => {
      const channel = async (range: string): Promise<void> => await world.merge(SITES, keys.pinned, { spec: { channel: range } });
      await channel('~1.3');
      await offer('2.0.0');
      const { rollout } = await rolledOut('RolledOut', '2.0.0');
      assert.deepEqual(await seen(), { a: '2.0.0', pinned: '1.3.0', b: '2.0.0', c: '2.0.0' });
      assert.deepEqual([rollout.updated, rollout.pinned], [4, 1]);
      await offer('1.3.1');
      assert.deepEqual((await rolledOut('RolledOut', '1.3.1')).rollout.pinned, 0);
      assert.deepEqual(await seen(), { a: '1.3.1', pinned: '1.3.1', b: '1.3.1', c: '1.3.1' });
      await channel('3.x');
      const missing = await world.condition(SITES, keys.pinned, { type: 'Released', status: 'False', reason: 'NotFound' });
      assert.match(missing.message, /^spec\.channel: no version of AppDefinition "roll-\w+" is within "3\.x"; it has .*1\.3\.1/);
      await offer('3.1.0', TEMPLATE, 'Manual');
      await eventually(
        async () => {
          await reconcile(NAME, AbortSignal.timeout(60_000));
          return (await seen())['pinned'] === '3.1.0';
        },
        'the instance follows its channel',
        60,
      );
      await world.condition(SITES, keys.pinned, ready);
      assert.equal((await seen())['a'], '1.3.1', 'the others stay, as the policy is Manual');
      await channel('a word');
      await world.condition(SITES, keys.pinned, { type: 'Stalled', status: 'True', reason: 'InvalidInput' });
      await world.merge(SITES, keys.pinned, { spec: { version: '1.3.1' } });
      await eventually(async () => (await seen())['pinned'] === '1.3.1', 'the version of its own wins', 60);
    },
  );
});
