import assert from 'node:assert/strict';
import { cp } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ADMISSION_POLICY, CLUSTER_ROLE, NAMESPACE, ROLE, ROLE_BINDING, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { applyManifests, readManifests } from '../../src/kube/bootstrap.ts';
import { chartCommand } from '../../src/compose/chart-command.ts';
import { SECRET_BYTES, type ChartInspection } from '../../src/domain/chart/inspection/inspection.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { deleteWithIntent } from '../../src/domain/kubernetes/deletion-intent.ts';
import { textAt } from '../../src/domain/core/read.ts';
import { notesOf } from '../../src/domain/operator/release-notes.ts';
import { repoRoot } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { RUN } from '../support/run-name.ts';
import { startTestWorld } from '../support/operator-test-world.ts';
import type { OperatorWorld } from '../support/operator-world.ts';

const NS = `record-${RUN}`;
let world: OperatorWorld;

before(async () => {
  world = await startTestWorld(NS);
});
after(() => world.stop());

describe('the record of a release', () => {
  for (const name of ['cache-operator', 'postgres-operator']) {
    it(`of ${name} is as large as inspecting the chart says, a tenth more or less`, async () => {
      const chartPath = join(repoRoot, 'charts', name);
      const said = await chartCommand({ argv: ['inspect', chartPath, '-o', 'json'], env: {}, repoRoot }, AbortSignal.timeout(60_000));
      const { release, chart } = JSON.parse(said) as ChartInspection;
      await cp(chartPath, join(world.chartsDir, name), { recursive: true });
      await world.create(NS, name, { chart: { repoURL: 'file://samples', name, version: chart.version } });
      await world.condition(NS, name, { type: 'Released', status: 'True' });
      const record = await world.kube.asController().get({ ...SECRET, namespace: NS, name: `sh.helm.release.v1.${name}.v1` });
      const bytes = Buffer.from(textAt(record, 'data', 'release') ?? '', 'base64').length;
      assert.match(notesOf(record), new RegExp(`^The operator ${name} is installed\\. [^]*kubectl explain \\w+\\.spec$`));
      assert.ok(Math.abs(bytes - release.bytes) < bytes / 10, `${bytes} bytes, said ${release.bytes}`);
    });
  }

  it('must fit into what the api-server counts once in base64', async () => {
    const secret = (name: string, bytes: number) => {
      const data = { release: Buffer.alloc(bytes, 'a').toString('base64') };
      return world.kube.asController().create(SECRET, { apiVersion: 'v1', kind: 'Secret', metadata: { name, namespace: NS }, data });
    };
    await secret('largest', SECRET_BYTES);
    await assert.rejects(secret('larger', SECRET_BYTES + 1), (error) => isAppError(error, 'InvalidInput'));
  });

  describe('in an Environment', () => {
    const here = `record-env-${RUN}`;
    const POLICY = 'chandlery-environment-release-records';
    const RBAC = 'rbac.authorization.k8s.io';
    const person = (name: string) => world.kube.asActor({ user: `oidc:${name}-${RUN}`, groups: [`oidc:${name}-${RUN}`] });
    const secret = (name: string, more: object = {}, labels: Record<string, string> = {}) => ({
      apiVersion: 'v1',
      kind: 'Secret',
      metadata: { name, namespace: here, labels },
      ...more,
    });
    const record = (name: string) => secret(`sh.helm.release.v1.${name}.v1`, { type: 'helm.sh/release.v1' }, { owner: 'helm', name });

    before(async () => {
      const cluster = world.kube.asController();
      const signal = AbortSignal.timeout(60_000);
      const files = join(repoRoot, 'charts', 'chandlery', 'files');
      const named = async (file: string, wanted: readonly string[]) =>
        (await readManifests(join(files, file))).filter(({ metadata }) => wanted.includes(metadata.name));
      await applyManifests(world.kube, await named('admission-policies.yaml', [POLICY]), signal);
      await applyManifests(world.kube, await named('cluster-roles.yaml', ['chandlery-helm-user']), signal);
      const labels = { 'chandlery.dev/environment': here };
      await cluster.create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: here, labels } });
      const verbs = ['create', 'update', 'patch', 'delete', 'get'];
      const meta = { name: 'secrets', namespace: here };
      const rules = [{ apiGroups: [''], resources: ['secrets'], verbs }];
      await cluster.create(ROLE, { apiVersion: `${RBAC}/v1`, kind: 'Role', metadata: meta, rules });
      const group = (name: string) => ({ kind: 'Group', apiGroup: RBAC, name: `oidc:${name}-${RUN}` });
      const bind = async (name: string, roleRef: object, subjects: readonly object[]) =>
        await cluster.create(ROLE_BINDING, {
          apiVersion: `${RBAC}/v1`,
          kind: 'RoleBinding',
          metadata: { name, namespace: here },
          roleRef: { apiGroup: RBAC, ...roleRef },
          subjects,
        });
      await bind('secrets', { kind: 'Role', name: 'secrets' }, [
        group('developer'),
        group('helm-user'),
        { kind: 'ServiceAccount', name: 'chandlery-deployer', namespace: here },
      ]);
      await bind('helm', { kind: 'ClusterRole', name: 'chandlery-helm-user' }, [group('helm-user')]);
      await eventually(
        async () => await isRejected(person('developer').create(SECRET, record('probe'), { dryRun: 'All' })),
        'the policy is in force',
      );
    });
    after(async () => {
      const cluster = world.kube.asController();
      await deleteWithIntent(cluster, { type: NAMESPACE, object: await cluster.get({ ...NAMESPACE, name: here }) });
      await world.kube.asController().delete({ ...CLUSTER_ROLE, name: 'chandlery-helm-user' });
      await world.kube.asController().delete({ ...ADMISSION_POLICY, name: POLICY });
    });

    const isRejected = async (attempt: Promise<unknown>): Promise<boolean> =>
      await attempt.then(
        () => false,
        (error: unknown) =>
          isAppError(error, 'AdmissionDenied') && error.message.includes('written by the service account chandlery-deployer'),
      );

    it('is created, changed and deleted by the deployer, not by a developer', async () => {
      const deployer = world.kube.asServiceAccount({ namespace: here, name: 'chandlery-deployer' });
      const developer = person('developer');
      await deployer.create(SECRET, record('shop'));
      const shop = { ...SECRET, namespace: here, name: 'sh.helm.release.v1.shop.v1' };
      const plain = { ...SECRET, namespace: here, name: 'plain' };
      await developer.create(SECRET, secret('plain'));
      const merge = (ref: typeof plain, body: Record<string, unknown>) => developer.patch(ref, { type: 'merge', body });
      const attempts: readonly (readonly [string, () => Promise<unknown>])[] = [
        ['a record', () => developer.create(SECRET, record('forged'))],
        ['only the name', () => developer.create(SECRET, secret('sh.helm.release.v1.named.v1'))],
        ['only the label', () => developer.create(SECRET, secret('labelled', {}, { owner: 'helm', name: 'shop', version: '9' }))],
        ['only the type', () => developer.create(SECRET, secret('typed', { type: 'helm.sh/release.v1' }))],
        ['a label later', () => merge(plain, { metadata: { labels: { owner: 'helm' } } })],
        ['its data', () => merge(shop, { data: { release: 'YQ==' } })],
        ['its label taken away', () => merge(shop, { metadata: { labels: { owner: null } } })],
        ['its deletion', () => developer.delete(shop)],
      ];
      for (const [what, attempt] of attempts) assert.ok(await isRejected(attempt()), what);
      await developer.delete(plain);
      await person('helm-user').patch(shop, { type: 'merge', body: { data: { release: 'YQ==' } } });
      await deployer.delete(shop);
    });

    it('of another namespace is not for a deployer, nor for a controller that makes Secrets on the word of a developer', async () => {
      const others = [
        { namespace: 'elsewhere', name: 'chandlery-deployer' },
        { namespace: 'kube-system', name: 'sealed-secrets' },
      ];
      for (const account of others) {
        await world.kube.asController().create(ROLE_BINDING, {
          apiVersion: `${RBAC}/v1`,
          kind: 'RoleBinding',
          metadata: { name: `to-${account.name}`, namespace: here },
          roleRef: { apiGroup: RBAC, kind: 'Role', name: 'secrets' },
          subjects: [{ kind: 'ServiceAccount', ...account }],
        });
        const deputy = world.kube.asServiceAccount(account);
        await eventually(
          async () => await isRejected(deputy.create(SECRET, record('forged'))),
          `${account.name} is rejected by the policy`,
        );
      }
    });
  });
});
