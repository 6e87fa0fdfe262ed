import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { asLive, type LiveObject } from '../../charts/controller-runtime/kube-object.ts';
import {
  CLUSTER_ROLE,
  CLUSTER_ROLE_BINDING,
  CONFIG_MAP,
  DEPLOYMENT,
  NAMESPACE as NAMESPACE_TYPE,
  ROLE_BINDING,
  SECRET,
  SERVICE,
} from '../../src/domain/kubernetes/resource-types.ts';
import type { ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { loadTools } from '../../src/embedded/cluster/tools.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { CHART, helm, REQUIRED, setValues } from '../support/chandlery-chart.ts';
import { repoRoot, startThrowawayCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { kubeconfigFor } from '../support/kubeconfig-for.ts';
import { openKube } from '../support/open-kube.ts';
import { at, textAt } from '../../src/domain/core/read.ts';

// Runs in test:all: it installs the chart into a cluster of its own.

const NAMESPACE = 'chandlery-system';

let kubeconfig: string;
let accountKubeconfig: string;
let folder: string;
let kube: Kube;
let stopCluster: () => Promise<void>;

before(async () => {
  const cluster = await startThrowawayCluster(await loadTools(repoRoot));
  stopCluster = cluster.stop;
  kubeconfig = cluster.kubeconfigPath;
  kube = openKube(kubeconfig, { userAgent: 'chart-test' });
  folder = await mkdtemp(join(tmpdir(), 'chandlery-chart-'));
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await kube.asController().create(NAMESPACE_TYPE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels } });
});

after(async () => {
  await kube?.close();
  await rm(folder, { recursive: true, force: true });
  await stopCluster?.();
});

describe('The chart of Chandlery in a cluster', () => {
  it('installs, and its pod becomes ready under the strictest Pod Security Standard', async () => {
    await helm('install', 'chandlery', CHART, '--namespace', NAMESPACE, '--kubeconfig', kubeconfig, ...setValues(REQUIRED));
    const deployment = await eventually(async () => {
      const found = await find(DEPLOYMENT, 'chandlery');
      return at(found?.status, 'readyReplicas') === 1 && found;
    }, 'the pod is ready');
    assert.equal(at(deployment.spec, 'template', 'spec', 'enableServiceLinks'), false);
    assert.equal(textAt((await find(SERVICE, 'chandlery'))?.spec, 'type'), 'ClusterIP');
  });

  it('gives its service account what it needs to install CRDs and roles', async () => {
    accountKubeconfig = join(folder, 'kubeconfig');
    await writeFile(accountKubeconfig, await kubeconfigFor('chandlery', NAMESPACE, kubeconfig), { mode: 0o600 });
    await asAccount(async (account) => {
      const files = { crds: join(CHART, 'crds'), roles: join(CHART, 'files', 'cluster-roles.yaml') };
      await bootstrapCluster(account, files, AbortSignal.timeout(60_000));
    });
  });

  it('gives its service account what it needs to install the sample operators', async () => {
    for (const chart of ['cache-operator', 'postgres-operator']) {
      await helm('install', chart, join(repoRoot, 'charts', chart), '--namespace', NAMESPACE, '--kubeconfig', accountKubeconfig);
    }
  });

  it('lets its service account do for people what its pages do, and nothing else that they may', async () => {
    await kube.asController().create(CLUSTER_ROLE_BINDING, {
      apiVersion: 'rbac.authorization.k8s.io/v1',
      kind: 'ClusterRoleBinding',
      metadata: { name: 'ada-may-everything' },
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'cluster-admin' },
      subjects: [{ kind: 'User', apiGroup: 'rbac.authorization.k8s.io', name: 'oidc:ada' }],
    });
    const configMap = (name: string) => ({ apiVersion: 'v1', kind: 'ConfigMap', metadata: { name, namespace: NAMESPACE } });
    await asAccount(async (account) => {
      const ada = account.asActor({ user: 'oidc:ada', groups: ['oidc:platform'] });
      assert.ok((await eventually(() => ada.list(SECRET, { namespace: NAMESPACE }), 'the roles are aggregated')).items.length > 0);
      await ada.create(CONFIG_MAP, configMap('hers'));
      assert.ok((await ada.review({ verb: 'create', group: 'rbac.authorization.k8s.io', resource: 'clusterrolebindings' })).allowed);
      const role = { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'ClusterRole', metadata: { name: 'hers' }, rules: [] };
      await assert.rejects(ada.create(CLUSTER_ROLE, role), {
        code: 'Forbidden',
        message: /own account may not create clusterroles\.rbac\.authorization\.k8s\.io for people.*extraRules/,
      });
      const stranger = account.asActor({ user: 'oidc:ben', groups: ['oidc:team-b'] });
      await assert.rejects(stranger.create(CONFIG_MAP, configMap('his')), { code: 'Forbidden', message: /oidc:ben|not allow/ });
      const robot = account.asServiceAccount({ namespace: NAMESPACE, name: 'default' });
      await assert.rejects(robot.list(CONFIG_MAP, { namespace: NAMESPACE }), { code: 'ConfigInvalid', message: /may not impersonate/ });
    });
    assert.equal(await find(SECRET, 'chandlery-oidc'), undefined, 'the chart makes no Secret of its own');
  });

  it('lets its service account run helm as the deployer of a namespace, and the deployer do what it is bound to', async () => {
    const subjects = [{ kind: 'ServiceAccount', name: 'chandlery-deployer', namespace: NAMESPACE }];
    const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'chandlery-deployer' };
    const metadata = { name: 'chandlery-deployer', namespace: NAMESPACE };
    await kube
      .asController()
      .create(ROLE_BINDING, { apiVersion: 'rbac.authorization.k8s.io/v1', kind: 'RoleBinding', metadata, roleRef, subjects });
    const as = ['--kubeconfig', accountKubeconfig, '--kube-as-user', `system:serviceaccount:${NAMESPACE}:chandlery-deployer`];
    await eventually(() => helm('list', '--namespace', NAMESPACE, ...as), 'the deployer reads releases');
    await assert.rejects(helm('list', '--namespace', 'kube-system', ...as), /cannot list resource "secrets"/);
  });
});

/** With the permissions of the service account that the chart made. */
async function asAccount<T>(act: (account: Kube) => Promise<T>): Promise<T> {
  const account = openKube(accountKubeconfig, { userAgent: 'chart-test' });
  try {
    return await act(account);
  } finally {
    await account.close();
  }
}

async function find(type: ResourceType, name: string): Promise<LiveObject | undefined> {
  return ifFound(
    kube
      .asController()
      .get({ ...type, namespace: NAMESPACE, name })
      .then(asLive),
  );
}
