import assert from 'node:assert/strict';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { NAMESPACE, OPERATOR, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { findCondition } from '../../src/domain/kubernetes/condition.ts';
import { parseManifest } from '../../src/domain/kubernetes/manifest.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { startOperatorWorld, type OperatorWorld } from '../support/operator-world.ts';
import { RUN } from '../support/run-name.ts';
import { SEED_ADDRESS, SEED_OPERATORS, writeSeedCharts } from '../support/seed.ts';

// Other files have documents of Operators in "default", whose status they write themselves.
const NS = `seed-${RUN}`;

describe('the three Operators of 2018', () => {
  let charts: string;
  let testCluster: TestCluster;
  let world: OperatorWorld;
  let website: Server;

  before(async () => {
    testCluster = await sharedCluster();
    charts = await mkdtemp(join(tmpdir(), 'chandlery-seed-'));
    await writeSeedCharts(charts);
    website = createServer((_request, response) =>
      response.setHeader('content-type', 'text/html').end('<!doctype html><title>Sign in</title>'),
    );
    await new Promise<void>((done) => {
      website.listen(0, '127.0.0.1', done);
    });
    const { port } = website.address() as AddressInfo;
    world = await startOperatorWorld({
      kubeconfigPath: testCluster.kubeconfigPath,
      helm: testCluster.tools.helm,
      namespaces: `${NS}/`,
      mirrors: [
        { prefix: SEED_ADDRESS, target: charts },
        { prefix: 'https://gitlab.com/', target: `http://127.0.0.1:${port}/` },
      ],
    });
    await world.kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NS } });
    for (const operator of parseManifest(SEED_OPERATORS)) {
      const object = { ...operator, metadata: { ...operator.metadata, namespace: NS } };
      await world.kube.asController().apply(OPERATOR, object, { fieldManager: 'kubectl', fieldValidation: 'Strict', force: 'force' });
    }
  });
  after(async () => {
    await world.stop();
    website.closeAllConnections();
    website.close();
    await testCluster.stop();
    await rm(charts, { recursive: true, force: true });
  });

  const good = [
    {
      name: 'postgres-operator',
      kind: 'Postgres',
      crd: 'postgreses.postgrescontroller.kubeplus',
      converted: ['Deployment', 'CustomResourceDefinition'],
    },
    {
      name: 'moodle-operator',
      kind: 'Moodle',
      crd: 'moodles.moodlecontroller.kubeplus',
      converted: ['Deployment', 'CustomResourceDefinition', 'ClusterRoleBinding'],
    },
  ];
  for (const { name, kind, crd, converted } of good) {
    it(`${name} is READY, its kind is served and each conversion is listed`, async () => {
      await world.condition(NS, name, { type: 'Ready', status: 'True' });
      const status = await world.status(NS, name);
      assert.equal(status.status, 'READY');
      assert.deepEqual(status.customResourceDefinitions, [crd]);
      const uplifted = findCondition(status.conditions, 'Uplifted');
      assert.equal(uplifted?.reason, 'DeprecatedAPIsConverted');
      for (const each of converted) assert.match(uplifted.message, new RegExp(`${each} "`));
      world.kube.invalidate();
      const served = await world.kube.find(`${crd.slice(crd.indexOf('.') + 1)}/v1`, kind);
      assert.equal(served?.resource, crd.split('.')[0]);
    });
  }

  it('gitlab-operator says what was fetched and why it is no chart', async () => {
    const condition = await world.condition(NS, 'gitlab-operator', { type: 'Fetched', status: 'False', reason: 'ChartInvalid' });
    assert.match(condition.message, /https:\/\/gitlab\.com\/charts\/gitlab-operator/);
    assert.match(condition.message, /HTML/i);
    const status = await world.status(NS, 'gitlab-operator');
    assert.equal(status.status, 'ERROR');
    assert.equal(findCondition(status.conditions, 'Stalled')?.status, 'True');
    assert.doesNotMatch(stringifyJson(status), /xpxVwtj3/);
  });

  it('go without a trace but their kinds when they are deleted', async () => {
    const cluster = world.kube.asController();
    for (const name of ['postgres-operator', 'moodle-operator', 'gitlab-operator'])
      await cluster.delete({ ...OPERATOR, namespace: NS, name });
    const left = async (): Promise<number> => {
      const { items } = await cluster.list(OPERATOR, { namespace: NS });
      return items.filter(({ metadata }) => metadata.name.endsWith('-operator')).length;
    };
    await eventually(async () => (await left()) === 0, 'the three are gone', 60);
    const { items } = await cluster.listMetadata(SECRET, {
      namespace: NS,
      labelSelector: 'owner=helm,name in (postgres-operator,moodle-operator)',
    });
    assert.deepEqual(items, []);
  });
});
