import assert from 'node:assert/strict';
import { mkdtemp, realpath, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { parse } from 'yaml';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { CLUSTER_ROLE, CRD, DEPLOYMENT, NAMESPACE, SECRET } from '../../src/domain/kubernetes/resource-types.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { createKube, type Kube } from '../../src/kube/kube.ts';
import { repoRoot, startThrowawayCluster, type TestCluster } from '../support/cluster.ts';
import { type OperatorWorld, startOperatorWorld } from '../support/operator-world.ts';
import { kubeconfigFor } from '../support/run-sample-operator.ts';

const SYSTEM = 'hybrid';
const OPERATORS = 'hybrid-operators';

describe('The chart of Chandlery with listed permissions', () => {
  let cluster: TestCluster;
  let folder: string;
  let kube: Kube;
  let world: OperatorWorld;

  before(async () => {
    const tools = await loadTools(repoRoot);
    cluster = { ...(await startThrowawayCluster(tools)), tools };
    folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-listed-'));
    kube = createKube({ kubeconfigPath: cluster.kubeconfigPath, userAgent: 'chart-test' });
    for (const name of [SYSTEM, OPERATORS])
      await kube.asController().create(NAMESPACE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name } });
    const values = {
      publicUrl: 'https://apps.example.com',
      oidc: { issuer: 'https://login.example.com' },
      rbac: { operators: { mode: 'Listed', namespaces: [OPERATORS] } },
    };
    await writeFile(join(folder, 'values.yaml'), JSON.stringify(values));
    await upgrade('--values', join(folder, 'values.yaml'));
    const account = join(folder, 'account');
    await writeFile(account, await kubeconfigFor('chandlery', SYSTEM, cluster.kubeconfigPath), { mode: 0o600 });
    // The controller of Operators with the permissions of the chart, and no other.
    world = await startOperatorWorld({
      kubeconfigPath: account,
      helm: cluster.tools.helm,
      namespaces: OPERATORS,
      chartsDir: join(repoRoot, 'charts'),
    });
  });
  after(async () => {
    await world?.stop();
    await kube?.close();
    await rm(folder, { recursive: true, force: true });
    await cluster?.stop();
  });

  it('lets the account neither escalate nor bind, nor write workloads and Secrets elsewhere', async () => {
    const [RBAC, account] = ['rbac.authorization.k8s.io', world.kube.asController()];
    const denied = [
      { verb: '*', group: '*', resource: '*' },
      { verb: 'escalate', group: RBAC, resource: 'clusterroles', name: 'chandlery-developer' },
      { verb: 'bind', group: RBAC, resource: 'clusterroles', name: 'cluster-admin' },
      { verb: 'create', group: 'apps', resource: 'deployments', namespace: OPERATORS },
      { verb: 'create', group: '', resource: 'secrets', namespace: 'kube-system' },
      { verb: 'create', group: '', resource: 'pods', namespace: OPERATORS },
      { verb: 'delete', group: '', resource: 'services' },
    ];
    for (const attributes of denied) assert.equal((await account.review(attributes)).allowed, false, JSON.stringify(attributes));
    assert.ok((await account.review({ verb: 'create', group: '', resource: 'secrets', namespace: OPERATORS })).allowed);
    // The controller of instances watches what charts mostly consist of.
    assert.ok((await account.review({ verb: 'watch', group: 'networking.k8s.io', resource: 'ingresses' })).allowed);
  });

  it('installs nothing of an Operator that needs more, names what to list, and installs it once that is listed', async () => {
    await world.create(OPERATORS, 'cache', operatorOf('cache-operator'));
    const { message } = await world.condition(OPERATORS, 'cache', { type: 'Released', status: 'False', reason: 'PermissionsMissing' });
    assert.match(
      message,
      /may not create, patch, delete deployments\.apps in the namespace hybrid-operators, so it cannot install Deployment/,
    );
    assert.match(message, /create, patch, delete poddisruptionbudgets\.policy, so it cannot install ClusterRole \S+, which grants it;/);
    assert.equal(await ifFound(kube.asController().get({ ...CRD, name: 'caches.samples.chandlery.dev' })), undefined);
    assert.deepEqual(await installed('cache'), []);
    const values = join(folder, 'add.yaml');
    const lists = message.split("values of Chandlery's chart: ")[1]?.split(' and rbac.') ?? [];
    const [rules, apiGroups] = lists.map((list) => parse(list.slice(list.indexOf(': ') + 2)) as unknown);
    assert.deepEqual(apiGroups, ['samples.chandlery.dev']);
    await writeFile(values, JSON.stringify({ rbac: { operators: { rules, apiGroups } } }));
    await upgrade('--reuse-values', '--values', values);
    await world.condition(OPERATORS, 'cache', { type: 'Ready', status: 'True' });
    assert.ok((await installed('cache')).length > 0);
  });

  it('rejects an Operator with a Role that grants what nobody listed', async () => {
    await world.create(OPERATORS, 'postgres', operatorOf('postgres-operator'));
    const { message } = await world.condition(OPERATORS, 'postgres', { type: 'Released', status: 'False', reason: 'PermissionsMissing' });
    assert.match(message, /rbac\.operators\.rules: /);
    assert.deepEqual(await installed('postgres'), []);
  });

  function operatorOf(chart: string): object {
    return { chart: { repoURL: 'file://samples', name: chart, version: '0.1.0' }, targetNamespace: OPERATORS };
  }

  /** Whatever carries the name of a release, and its records. */
  async function installed(release: string): Promise<readonly string[]> {
    const labelled = await Promise.all(
      [DEPLOYMENT, CLUSTER_ROLE, SECRET].map(async (type) => (await kube.asController().list(type)).items),
    );
    return labelled.flat().flatMap(({ kind, metadata }) => {
      const owner = metadata.annotations?.['meta.helm.sh/release-name'] ?? metadata.labels?.['name'];
      return owner === release && metadata.namespace !== SYSTEM ? [`${kind} ${metadata.name}`] : [];
    });
  }

  async function upgrade(...args: readonly string[]): Promise<void> {
    const release = ['upgrade', '--install', 'chandlery', join(repoRoot, 'charts', 'chandlery'), '--namespace', SYSTEM];
    await execa(cluster.tools.helm, [...release, '--kubeconfig', cluster.kubeconfigPath, ...args]);
  }
});
