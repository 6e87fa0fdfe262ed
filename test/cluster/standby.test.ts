import assert from 'node:assert/strict';
import { mkdir, readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { objectAt, textAt } from '../../src/domain/core/read.ts';
import { CATALOG_SOURCE, CLUSTER_ROLE_BINDING, LEASE, SERVICE_ACCOUNT } from '../../src/domain/kubernetes/resource-types.ts';
import type { EmbeddedCluster } from '../../src/embedded/cluster/embedded-cluster.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { inAll } from '../support/test-set.ts';
import { createReplica, type Replica } from '../replicas/replica-process.ts';
import { repoRoot, startThrowawayCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { freePort } from '../support/free-port.ts';
import { kubeconfigFor } from '../support/kubeconfig-for.ts';
import { openKube } from '../support/open-kube.ts';
import { startProduct, type Product } from '../support/product.ts';

// Runs in test:all: it starts several products on a cluster of its own.

const SECOND_ACCOUNT = 'system:serviceaccount:default:second';
const OURS = ['--installation', 'team-one/chandlery'];
const LEASE_REF = { ...LEASE, namespace: 'chandlery-system', name: 'chandlery-controller' };

describe('two Chandleries on one cluster', { timeout: 300_000 }, () => {
  let cluster: EmbeddedCluster;
  let kube: Kube;
  let first: Product;
  let second: Product;
  const replicas: Replica[] = [];
  let options: (account: string, catalog: string) => readonly string[];

  before(async () => {
    cluster = await startThrowawayCluster(await loadTools(repoRoot));
    kube = openKube(cluster.kubeconfigPath);
    const kubeconfig = await secondKubeconfig();
    for (const catalog of ['one', 'two']) await mkdir(join(cluster.stateDir, catalog));
    options = (account, catalog) => ['--kubeconfig', account, '--yes', '--catalog', join(cluster.stateDir, catalog)];
    first = await startProduct([...options(cluster.kubeconfigPath, 'one'), ...OURS]);
    second = await startProduct([...options(kubeconfig, 'two'), ...OURS]);
  });
  after(async () => {
    await Promise.all(replicas.map(async (replica) => await replica.stop()));
    await second?.stop();
    await first?.stop();
    await kube?.close();
    await cluster?.stop();
  });

  /** An account of its own with all permissions, by which the audit log of the api-server tells the second process from the first. */
  async function secondKubeconfig(): Promise<string> {
    const controller = kube.asController();
    const subject = { kind: 'ServiceAccount', name: 'second', namespace: 'default' };
    await controller.create(SERVICE_ACCOUNT, {
      apiVersion: 'v1',
      kind: 'ServiceAccount',
      metadata: { name: 'second', namespace: 'default' },
    });
    await controller.create(CLUSTER_ROLE_BINDING, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'second' },
      subjects: [subject],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
    });
    const file = join(cluster.stateDir, 'second.kubeconfig');
    await writeFile(file, await kubeconfigFor('second', 'default', cluster.kubeconfigPath), { mode: 0o600 });
    return file;
  }

  it('have one controller: the second serves pages and REST on standby, and says so to programs and admins', async () => {
    const holder = await leaseHolder();
    assert.match(holder, /\S/);
    assert.equal(await controllerOf(first.origin), 'leader');
    assert.equal(await controllerOf(second.origin), `standby, held by ${holder}`);
    assert.equal((await second.api('admin', '/apps')).status, 200);
    assert.match(await operatorsPage(second, 'admin'), /this process is on standby/);
    assert.doesNotMatch(await operatorsPage(first, 'admin'), /standby/);
  });

  it('do not write both: the second has written nothing, and the catalogue follows the folder of the first', async () => {
    assert.deepEqual(await writesOf(SECOND_ACCOUNT), []);
    const source = await kube.asController().get({ ...CATALOG_SOURCE, name: 'catalog' });
    assert.equal(textAt(source, 'spec', 'folder', 'path'), join(cluster.stateDir, 'one'));
  });

  it('have another controller within seconds when the first ends', async () => {
    await first.stop();
    await eventually(async () => (await controllerOf(second.origin)) === 'leader', 'the second leads', 6);
    await eventually(async () => {
      const source = await kube.asController().get({ ...CATALOG_SOURCE, name: 'catalog' });
      return textAt(source, 'spec', 'folder', 'path') === join(cluster.stateDir, 'two');
    }, 'the catalogue follows the folder of the second');
  });

  it('of two installations do not replace each other: the other one names both, and what to do', async () => {
    const other = await startProduct(options(cluster.kubeconfigPath, 'one'));
    try {
      const said = (await controllerOf(other.origin)) ?? '';
      assert.match(
        said,
        /^standby, held by \S+; this cluster is managed by "team-one\/chandlery"; this is the process on .* with state folder/,
      );
      assert.match(said, /: stop one of them, or start this one with --take-over$/);
      assert.match(await operatorsPage(other, 'admin'), /managed by (&quot;|")team-one/);
      assert.equal(await controllerOf(second.origin), 'leader');
    } finally {
      await other.stop();
    }
  });

  it(
    'replace a process that was killed: one of its installation by itself, another one if told so',
    inAll('it kills processes'),
    async () => {
      const killed = await startReplica('killed', OURS);
      await second.stop();
      await leads(killed, 10);
      const waiting = await startReplica('waiting', OURS);
      await killed.kill();
      const died = performance.now();
      await leads(waiting, 16);
      assert.ok(performance.now() - died < 15_500);
      const stranger = await startReplica('stranger', []);
      await waiting.kill();
      await waiting.start();
      await leads(waiting, 8);
      assert.match((await controllerOf(stranger.origin)) ?? '', /managed by/);
      await stranger.stop();
      const heir = await startReplica('stranger', ['--take-over']);
      await leads(heir, 20);
      await eventually(async () => (await controllerOf(waiting.origin))?.includes('managed by the process'), 'the other one stands by', 10);
    },
  );

  async function startReplica(name: string, more: readonly string[]): Promise<Replica> {
    const given = [...options(cluster.kubeconfigPath, 'one'), '--state', join(cluster.stateDir, name), ...more];
    const replica = createReplica({ name, port: await freePort(), options: given });
    replicas.push(replica);
    await replica.start();
    await replica.ready();
    return replica;
  }

  async function leads({ name, origin }: Replica, seconds: number): Promise<void> {
    await eventually(async () => (await controllerOf(origin)) === 'leader', `${name} leads`, seconds);
  }

  async function leaseHolder(): Promise<string> {
    return textAt(await kube.asController().get(LEASE_REF), 'spec', 'holderIdentity') ?? '';
  }

  /** What an account has written, dry runs and reviews aside, by the audit log of the api-server. */
  async function writesOf(user: string): Promise<readonly string[]> {
    const lines = (await readFile(cluster.auditLogPath, 'utf8')).split('\n').filter((line) => line.includes(user));
    return lines
      .map((line) => JSON.parse(line) as unknown)
      .filter(
        (entry) =>
          textAt(entry, 'user', 'username') === user && ['create', 'update', 'patch', 'delete'].includes(textAt(entry, 'verb') ?? ''),
      )
      .filter(
        (entry) =>
          textAt(entry, 'objectRef', 'resource')?.endsWith('reviews') !== true && !(textAt(entry, 'requestURI') ?? '').includes('dryRun='),
      )
      .map((entry) => `${textAt(entry, 'verb') ?? ''} ${stringifyJson(objectAt(entry, 'objectRef'))}`);
  }
});

async function controllerOf(origin: string): Promise<string | undefined> {
  return textAt(await (await fetch(`${origin}/readyz`)).json(), 'controller');
}

async function operatorsPage({ origin, token }: Product, person: string): Promise<string> {
  const answer = await fetch(`${origin}/operators`, { headers: { Authorization: `Bearer ${await token(person)}`, Accept: 'text/html' } });
  assert.equal(answer.status, 200);
  return await answer.text();
}
