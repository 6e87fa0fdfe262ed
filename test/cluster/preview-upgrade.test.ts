import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { CATALOG_RELEASE, CLUSTER_ROLE, NAMESPACE, OPERATOR, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { parseActor } from '../../src/domain/kubernetes/actor.ts';
import type { Finding, Findings } from '../../src/domain/preflight/findings.ts';
import type { UpgradePreview } from '../../src/domain/upgrade/preview/upgrade-preview.ts';
import { APPROVED_UPGRADE } from '../../src/domain/upgrade/upgrade-approval.ts';
import { approveUpgrade } from '../../src/operation/upgrade/approve-upgrade.ts';
import { listReleases, previewRelease, showRelease } from '../../src/operation/release/catalog-releases.ts';
import { previewUpgrade } from '../../src/operation/upgrade/preview-upgrade.ts';
import { ASKING } from '../support/sample-audit-log.ts';
import { eventually } from '../support/eventually.ts';
import { offerChart } from '../support/offer-chart.ts';
import { kindsOf } from '../support/operator-charts.ts';
import { RUN } from '../support/run-name.ts';
import type { OperatorWorld } from '../support/operator-world.ts';
import { startPreviewWorld, type PreviewWorld } from '../support/preview-world.ts';
import { deleteWithIntent } from '../../src/domain/kubernetes/deletion-intent.ts';

const NS = `preview-${RUN}`;
const PASSWORD = 'hunter22-of-the-sea';
const ROOT = parseActor(`test:root-${RUN}`, [`test:roots-${RUN}`]);
const ADMIN = parseActor(`test:admin-${RUN}`, [`test:admins-${RUN}`]);
const READER = parseActor(`test:reader-${RUN}`, [`test:readers-${RUN}`]);
const DEVELOPER = parseActor(`test:dev-${RUN}`, [`test:devs-${RUN}`]);
const ADDRESS = { namespace: NS, name: 'crate' };

let previews: PreviewWorld;
let world: OperatorWorld;
let ports: PreviewWorld['ports'];

before(async () => {
  previews = await startPreviewWorld(NS);
  ({ operators: world, ports } = previews);
  const { kube } = world;
  await kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NS } });
  await bind(ROOT.groups[0] ?? '', 'cluster-admin');
  await bind(ADMIN.groups[0] ?? '', 'chandlery-admin');
  await kube.asController().create(CLUSTER_ROLE, {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: `operator-reader-${RUN}` },
    rules: [{ apiGroups: ['operatorcontroller.kubeplus'], resources: ['operators'], verbs: ['get'] }],
  });
  await bind(READER.groups[0] ?? '', `operator-reader-${RUN}`);
  await prepareCluster();
  await previews.catalogSynced();
});
after(async () => await previews.stop());

describe('the preview of an upgrade', () => {
  it('is safe where nothing is lost, and shows what changes', async () => {
    const preview = await previewUpgrade(ports, ROOT, { ...ADDRESS, version: '1.1.0' });
    assert.equal(preview.to.version, '1.1.0');
    assert.deepEqual(preview.availableVersions, ['1.2.0', '1.1.0']);
    assert.deepEqual([preview.verdict.kind, preview.verdict.blockers, preview.verdict.unchecked], ['Safe', [], []]);
    assert.equal(preview.timing.step, 'AwaitingApproval');
    const deployment = changeOf(preview, 'Deployment');
    assert.equal(deployment?.restarts, true);
    assert.ok(deployment?.lines.some((line) => line.startsWith('+') && line.includes('example.com/operator:2')));
    assert.ok(preview.values.items.some(({ path, change, to }) => path === 'extra' && change === 'added' && to === 'true'));
    assert.deepEqual(
      preview.instances.namespaces.map(({ kind, namespace, count }) => ({ kind, namespace, count })),
      [{ kind: 'Crate', namespace: NS, count: 2 }],
    );
    assert.ok(preview.commands.some(({ text }) => text.includes(`${APPROVED_UPGRADE}=1.1.0@${preview.to.digest}`)));
  });

  it('has the word of a dry run on each object: what is new, changes, goes, or stays as it is', async () => {
    const said = async (version: string): Promise<Partial<Findings>> => {
      const { created, changed, removed, blocked, unchecked } = (await previewUpgrade(ports, ROOT, { ...ADDRESS, version })).findings;
      return { created, changed, removed, blocked, unchecked };
    };
    const nothing = { created: [], changed: [], removed: [], blocked: [], unchecked: [] };
    const exact = (message: string): Finding => ({ message, subject: 'Object', evidence: 'exact' });
    const [secret, deployment] = [exact(`Secret ${NS}/crate`), exact(`Deployment ${NS}/crate`)];
    assert.deepEqual(await said('1.0.0'), nothing);
    assert.deepEqual(await said('1.1.0'), { ...nothing, changed: [secret, deployment] });
    assert.deepEqual(await said('1.2.0'), {
      ...nothing,
      changed: [deployment],
      removed: [secret],
      created: [exact(`ConfigMap ${NS}/crate`)],
    });
  });

  it('says what other values would do, without writing them', async () => {
    const asked = { ...ADDRESS, version: '1.0.0', values: { password: 'another-one' } };
    const { findings, proposedValues, commands, values, timing } = await previewUpgrade(ports, ROOT, asked);
    const secret: Finding = { message: `Secret ${NS}/crate`, subject: 'Object', evidence: 'exact' };
    assert.deepEqual([findings.changed, findings.created, findings.removed, findings.blocked], [[secret], [], [], []]);
    assert.deepEqual([proposedValues, timing.step], [asked.values, 'Installed']);
    assert.ok(values.items.some(({ path, origin, change }) => path === 'password' && origin === 'spec.values' && change === 'changed'));
    assert.equal(
      commands[0]?.text,
      `kubectl patch kop crate --namespace ${NS} --type merge --patch '{"spec":{"values":{"password":"another-one"}}}'`,
    );
    assert.equal((await world.read(NS, 'crate')).metadata.generation, 1);
    const wrong = await previewUpgrade(ports, ROOT, { ...asked, values: { name: 'Not A Name' } });
    assert.deepEqual([wrong.verdict.kind, wrong.fields.rejections[0]?.object], ['Blocked', `Secret ${NS}/Not A Name`]);
  });

  it('is found for each Operator that a CatalogRelease changes, with its base values', async () => {
    const cluster = world.kube.asController();
    const name = `p${RUN}-v2.0.0`;
    const components = [
      { name: 'crate', version: '1.1.0', values: { password: 'of-the-release' } },
      { name: 'absent', version: '1.0.0' },
    ];
    const spec = { version: 'v2.0.0', state: 'wip', components };
    await cluster.create(CATALOG_RELEASE, { apiVersion: 'chandlery.dev/v1alpha1', kind: 'CatalogRelease', metadata: { name }, spec });
    const labels = { 'chandlery.dev/release': `p${RUN}-v1.0.0`, 'chandlery.dev/release-target': 'gauss.peu01' };
    await cluster.patch({ ...OPERATOR, ...ADDRESS }, { type: 'merge', body: { metadata: { labels } } });
    try {
      const { items, omitted } = await previewRelease(ports, ROOT, { name });
      assert.deepEqual(
        [omitted, items.map(({ preview: _preview, ...item }) => item)],
        [
          0,
          [
            {
              component: 'crate',
              operator: ADDRESS,
              target: 'gauss.peu01',
              release: labels['chandlery.dev/release'],
              from: '1.0.0',
              to: '1.1.0',
              changesValues: true,
            },
          ],
        ],
      );
      const [{ preview } = {}] = items;
      assert.equal(preview?.to.version, '1.1.0');
      assert.ok(preview.values.items.some(({ path, change }) => path === 'password' && change === 'changed'));
      assert.deepEqual((await previewRelease(ports, ROOT, { name, target: 'gauss.other' })).items, []);
      const shown = await showRelease(ports, ADMIN, { name });
      assert.deepEqual(shown.components[0], { name: 'crate', version: '1.1.0', dependsOn: [] });
      assert.ok((await listReleases(ports, ADMIN)).some((release) => release.name === name));
      await assert.rejects(showRelease(ports, DEVELOPER, { name }), /catalogreleases/);
    } finally {
      await deleteWithIntent(cluster, { type: CATALOG_RELEASE, object: { metadata: { name } } });
      await cluster.patch(
        { ...OPERATOR, ...ADDRESS },
        { type: 'merge', body: { metadata: { labels: { 'chandlery.dev/release': null, 'chandlery.dev/release-target': null } } } },
      );
    }
  });

  it('is stopped where new pods would not be let in', async () => {
    const level = async (value: string | null): Promise<unknown> => {
      const labels = { 'pod-security.kubernetes.io/enforce': value };
      return await world.kube.asController().patch({ ...NAMESPACE, name: NS }, { type: 'merge', body: { metadata: { labels } } });
    };
    await level('restricted');
    const { verdict } = await previewUpgrade(ports, ADMIN, { ...ADDRESS, version: '1.1.0' });
    assert.match(
      verdict.blockers.join('\n'),
      new RegExp(`^Pods of Deployment ${NS}/crate will be rejected: .*violates PodSecurity "restricted`),
    );
    assert.equal((await previewUpgrade(ports, ADMIN, { ...ADDRESS, version: '1.0.0' })).verdict.blockers.length, 0);
    await level(null);
  });

  it('shows nothing of a Secret but where it goes', async () => {
    const preview = await previewUpgrade(ports, ROOT, { ...ADDRESS, version: '1.1.0' });
    const leaf = preview.values.items.find(({ path }) => path === 'password');
    assert.deepEqual(leaf, { path: 'password', origin: 'Secret login key password', change: 'same', secret: true });
    assert.match(changeOf(preview, 'Secret')?.lines.join('\n') ?? '', /version: "\[secret, another one\]"/);
    const text = stringifyJson(preview);
    assert.equal(text.includes(PASSWORD), false);
    assert.equal(text.includes(Buffer.from(PASSWORD).toString('base64')), false);
  });

  it('names an unsafe CRD with the instance that would not fit, and a field that cannot change', async () => {
    const preview = await previewUpgrade(ports, ROOT, { ...ADDRESS, version: '2.0.0' });
    assert.equal(preview.verdict.kind, 'Blocked');
    const [definition] = preview.crds.items;
    assert.deepEqual(
      definition?.faults.map(({ instance }) => instance),
      [`Crate ${NS}/large`],
    );
    assert.ok(definition?.findings.some(({ message, severity }) => severity === 'Unsafe' && message.includes('there is a maximum now: 3')));
    const [rejection] = preview.fields.rejections;
    assert.equal(rejection?.object, `Deployment ${NS}/crate`);
    assert.deepEqual([rejection?.source, rejection?.recreate], ['DryRun', true]);
    assert.equal(preview.verdict.blockers.length, 2);
    assert.ok(preview.warnings.some((warning) => warning.includes('another major version')));
    assert.equal(preview.timing.step, 'OutOfRange');
    assert.equal((await world.status(NS, 'crate')).chart?.version, '1.0.0');
  });

  it('is tried as the controller for anybody who may change the Operator, and reads the rest as them', async () => {
    const preview = await previewUpgrade(ports, ADMIN, { ...ADDRESS, version: '2.0.0' });
    assert.equal(preview.verdict.kind, 'Blocked');
    assert.ok(preview.verdict.unchecked.some((sentence) => sentence.includes(`get secrets in the namespace ${NS}`)));
    assert.deepEqual(preview.fields.missing, []);
    assert.deepEqual(
      preview.fields.rejections.map(({ field, source }) => ({ field, source })),
      [{ field: 'spec.selector', source: 'DryRun' }],
    );
    assert.match(preview.findings.blocked[0]?.message ?? '', new RegExp(`^Deployment ${NS}/crate: .*immutable`));
    assert.equal(preview.values.items.find(({ path }) => path === 'password')?.secret, true);
    assert.equal(stringifyJson(preview).includes(PASSWORD), false);
  });

  it('says which permissions are missing, and shows the rest', async () => {
    const preview = await previewUpgrade(ports, READER, { ...ADDRESS, version: '2.0.0' });
    assert.equal(preview.verdict.kind, 'Blocked');
    assert.ok(preview.verdict.unchecked.some((sentence) => sentence.includes(`get secrets in the namespace ${NS}`)));
    assert.ok(preview.verdict.unchecked.some((sentence) => sentence.includes('get deployments.apps')));
    assert.deepEqual(
      preview.fields.rejections.map(({ field, source }) => ({ field, source })),
      [{ field: 'spec.selector', source: 'Rule' }],
    );
    assert.equal(preview.values.items.find(({ path }) => path === 'password')?.secret, true);
    assert.equal(preview.timing.missing?.verb, 'patch');
    assert.equal(stringifyJson(preview).includes(PASSWORD), false);
  });

  it('is for those alone who may read the Operator', async () => {
    await assert.rejects(previewUpgrade(ports, DEVELOPER, { ...ADDRESS, version: '' }), { code: 'Forbidden' });
    await assert.rejects(previewUpgrade(ports, ADMIN, { ...ADDRESS, name: 'nobody', version: '' }), { code: 'NotFound' });
  });

  it('knows what is no version, and what nobody offers', async () => {
    await assert.rejects(previewUpgrade(ports, ADMIN, { ...ADDRESS, version: 'newest' }), { code: 'InvalidInput' });
    await assert.rejects(previewUpgrade(ports, ADMIN, { ...ADDRESS, version: '1.9.9' }), { code: 'ChartNotFound' });
  });
});

describe('an approval', () => {
  it('is rejected where it would have no effect, and for those without the permission', async () => {
    const approve = (version: string, digest = '') => approveUpgrade(ports, ADMIN, { ...ADDRESS, version, digest, ...ASKING });
    await assert.rejects(approve('2.0.0'), { code: 'ApprovalInvalid', message: /not in the range/ });
    await assert.rejects(approve('1.0.0'), { code: 'ApprovalInvalid', message: /is already installed/ });
    await assert.rejects(approve('newest'), { code: 'InvalidInput' });
    await assert.rejects(approve('1.1.0', 'sha256:1'), { code: 'InvalidInput' });
    await assert.rejects(approveUpgrade(ports, DEVELOPER, { ...ADDRESS, version: '1.1.0', digest: '', ...ASKING }), { code: 'Forbidden' });
    assert.equal((await world.read(NS, 'crate')).metadata.annotations?.[APPROVED_UPGRADE], undefined);
  });

  it('of what the preview showed is carried out by the controller', async () => {
    const { to } = await previewUpgrade(ports, ADMIN, { ...ADDRESS, version: '1.1.0' });
    await approveUpgrade(ports, ADMIN, { ...ADDRESS, ...to, ...ASKING });
    const { metadata } = await world.read(NS, 'crate');
    assert.equal(metadata.annotations?.[APPROVED_UPGRADE], `1.1.0@${to.digest}`);
    const installed = async (): Promise<boolean> => {
      const { chart, status } = await world.status(NS, 'crate');
      return chart?.version === '1.1.0' && status === 'READY';
    };
    await eventually(installed, '1.1.0 is installed', 60);
    assert.equal((await previewUpgrade(ports, ADMIN, { ...ADDRESS, version: '1.1.0' })).timing.step, 'Installed');
  });
});

/** An Operator in 1.0.0 with two instances, and two newer charts: one that only adds, and one that nobody should install. */
async function prepareCluster(): Promise<void> {
  const values = 'replicas: 1\nextra: true\n';
  await offerChart(world.chartsDir, { name: 'crate', version: '1.0.0' });
  await offerChart(world.chartsDir, {
    name: 'crate',
    version: '1.1.0',
    image: '2',
    values,
    properties: 'size: {type: integer}, lid: {type: string}',
  });
  await offerChart(world.chartsDir, { name: 'crate', version: '1.2.0', image: '3', holds: 'ConfigMap' });
  await offerChart(world.chartsDir, {
    name: 'crate',
    version: '2.0.0',
    selector: 'other',
    properties: 'size: {type: integer, maximum: 3}',
  });
  const login = { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'login', namespace: NS }, stringData: { password: PASSWORD } };
  await world.kube.asController().create(SECRET, login);
  await world.create(NS, 'crate', {
    chart: { repoURL: 'file://samples', name: 'crate', version: '1.0.0' },
    valuesFrom: [{ kind: 'Secret', name: 'login', key: 'password', targetPath: 'password' }],
    upgrade: { range: '^1' },
  });
  await world.condition(NS, 'crate', { type: 'Ready', status: 'True' });
  const { kind, plural, group } = kindsOf('crate');
  for (const [name, size] of [['large', 9] as const, ['small', 1] as const]) {
    const object = { apiVersion: `${group}/v1`, kind, metadata: { name, namespace: NS }, spec: { size } };
    await world.kube.asController().create({ group, version: 'v1', resource: plural }, object);
  }
}

async function bind(group: string, role: string): Promise<void> {
  const apiGroup = 'rbac.authorization.k8s.io';
  const type = { group: apiGroup, version: 'v1', resource: 'clusterrolebindings' };
  await world.kube.asController().create(type, {
    apiVersion: `${apiGroup}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name: `${role}-${RUN}` },
    subjects: [{ kind: 'Group', apiGroup, name: group }],
    roleRef: { apiGroup, kind: 'ClusterRole', name: role },
  });
}

function changeOf({ objects }: UpgradePreview, kind: string): UpgradePreview['objects']['changes'][number] | undefined {
  return objects.changes.find((change) => change.kind === kind);
}
