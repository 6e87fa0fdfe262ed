import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { parseAllDocuments } from 'yaml';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { ifFound } from '../../src/domain/kubernetes/cluster.ts';
import { asLive, type LiveObject, type Manifest } from '../../charts/controller-runtime/kube-object.ts';
import {
  CLUSTER_ROLE,
  CLUSTER_ROLE_BINDING,
  CONFIG_MAP,
  CRD,
  DEPLOYMENT,
  NAMESPACE as NAMESPACE_TYPE,
  ROLE_BINDING,
  SECRET,
  SERVICE,
} from '../../src/domain/kubernetes/resource-types.ts';
import type { ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { parseConfig } from '../../src/config.ts';
import { loadTools, type ToolPaths } from '../../src/embedded/cluster/tools.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import { createKube, type Kube } from '../../src/kube/kube.ts';
import { openKeyFile } from '../../src/store/key-file.ts';
import { READY_TIMEOUT_MS } from '../../src/http/probes.ts';
import { repoRoot, startThrowawayCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { kubeconfigFor } from '../support/run-sample-operator.ts';
import { at, listAt, textAt } from '../../src/domain/core/read.ts';

const NAMESPACE = 'chandlery-system';
const CHART = join(repoRoot, 'charts', 'chandlery');
const REQUIRED = ['publicUrl=https://apps.example.com', 'oidc.issuer=https://login.example.com'];
const EVERYTHING = [
  ...REQUIRED,
  'oidc.clientSecret.name=chandlery-oidc',
  'adminGroups={oidc:platform}',
  'ingress.enabled=true',
  'ingress.className=web',
  'ingress.tlsSecret=chandlery-tls',
  'charts.allowEgress={10.0.0.0/8,192.168.0.0/16}',
  'trustedProxies=1',
];

let tools: ToolPaths;
let kubeconfig: string;
let accountKubeconfig: string;
let folder: string;
let kube: Kube;
let stopCluster: () => Promise<void>;

before(async () => {
  tools = await loadTools(repoRoot);
  const cluster = await startThrowawayCluster(tools);
  stopCluster = cluster.stop;
  kubeconfig = cluster.kubeconfigPath;
  kube = createKube({ kubeconfigPath: kubeconfig, userAgent: 'chart-test' });
  folder = await mkdtemp(join(tmpdir(), 'chandlery-chart-'));
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await kube.asController().create(NAMESPACE_TYPE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels } });
});

after(async () => {
  await kube?.close();
  await rm(folder, { recursive: true, force: true });
  await stopCluster?.();
});

async function helm(...args: readonly string[]): Promise<string> {
  const { stdout } = await execa(tools.helm, args);
  return stdout;
}

function sets(values: readonly string[]): readonly string[] {
  return values.flatMap((value) => ['--set', value]);
}

async function rendered(values: readonly string[]): Promise<readonly Manifest[]> {
  const text = await helm('template', 'chandlery', CHART, '--namespace', NAMESPACE, ...sets(values));
  return parseAllDocuments(text)
    .map((document) => document.toJS() as Manifest | null)
    .filter((manifest) => manifest !== null);
}

describe('The chart of Chandlery', () => {
  it('renders settings that Chandlery itself accepts', async () => {
    const settings = (await rendered([...REQUIRED, 'charts.imageRewrites.docker\\.io/=mirror.example.com/hub/'])).find(
      ({ metadata }) => metadata.name === 'chandlery-settings',
    );
    // The folder of the catalogue is a mount of the pod.
    const data = { ...settings?.data, CHANDLERY_CATALOG: folder };
    const config = parseConfig([], data);
    assert.deepEqual(config.cluster, { kind: 'in-cluster' });
    assert.equal(config.publicUrl?.href, 'https://apps.example.com/');
    assert.equal(config.listen, '0.0.0.0');
    assert.deepEqual(config.imageRewrites, [{ prefix: 'docker.io', target: 'mirror.example.com/hub' }]);
    assert.ok(config.otherHosts.includes(`chandlery.${NAMESPACE}.svc`), 'programs in the cluster call the Service');
  });

  it('waits longer for a probe than Chandlery takes to answer it', async () => {
    const deployment = (await rendered(REQUIRED)).find(({ kind }) => kind === 'Deployment');
    const [container] = listAt(at(deployment?.spec, 'template', 'spec'), 'containers');
    const timeout = Number(at(container, 'readinessProbe', 'timeoutSeconds'));
    assert.ok(timeout * 1000 >= READY_TIMEOUT_MS + 1_000, `${timeout} s`);
  });

  it('is rejected without an address and an issuer', async () => {
    await assert.rejects(helm('template', 'chandlery', CHART), /publicUrl/);
  });

  it('has every object with all options accepted by the api-server, without unknown fields', async () => {
    const manifests = await rendered(EVERYTHING);
    const listing = manifests.map(({ kind }) => kind).sort();
    assert.ok(listing.includes('Ingress') && listing.includes('PersistentVolumeClaim'), listing.join());
    for (const manifest of manifests) await dryRun(manifest);
  });

  it('runs pages and controllers in pods of their own with a database, of which only the pages have keys and client secret', async () => {
    const manifests = await rendered([...EVERYTHING, 'replicas=3', 'database.urlSecret.name=db', 'database.ca.configMap=db-ca']);
    for (const manifest of manifests) await dryRun(manifest);
    const of = (kind: string): readonly Manifest[] => manifests.filter((manifest) => manifest.kind === kind);
    const pods = of('Deployment').map(({ metadata, spec }) => {
      const [container] = listAt(at(spec, 'template', 'spec'), 'containers');
      const mounts = listAt(container, 'volumeMounts').map((mount) => textAt(mount, 'name'));
      const secrets = ['database', 'keys', 'oidc'].filter((name) => mounts.includes(name));
      return [metadata.name, at(spec, 'replicas'), at(container, 'args', 2), at(spec, 'template', 'spec', 'serviceAccountName'), secrets];
    });
    assert.deepEqual(pods, [
      ['chandlery-web', 3, 'web', 'chandlery', ['database', 'keys', 'oidc']],
      ['chandlery-controller', 2, 'controller', 'chandlery-controller', ['database']],
    ]);
    assert.equal(
      textAt(of('Service').find(({ metadata }) => metadata.name === 'chandlery')?.spec, 'selector', 'app.kubernetes.io/component'),
      'web',
    );
    assert.equal(of('PodDisruptionBudget').length, 2);
    assert.equal(of('PersistentVolumeClaim').length, 0);
    await assert.rejects(rendered([...REQUIRED, 'replicas=2']), /more than one replica needs a database\. Set database\.urlSecret\.name/);
  });

  it('makes sealing keys that Chandlery reads, once, and keeps those that are there', async () => {
    const [secret] = (await rendered([...REQUIRED, 'database.urlSecret.name=db'])).filter(({ kind }) => kind === 'Secret');
    const file = join(folder, 'keys.json');
    await writeFile(file, Buffer.from(String(at(secret, 'data', 'keys.json')), 'base64'));
    const { keys, close } = await openKeyFile({ file, missing: 'fail' });
    close();
    assert.equal(keys().length, 1);
    const own = await rendered([...REQUIRED, 'database.urlSecret.name=db', 'keys.existingSecret=ours']);
    assert.equal(own.filter(({ kind }) => kind === 'Secret').length, 0);
  });

  it('may impersonate no ServiceAccount but the deployers of Environments and those that its values name for sources', async () => {
    const impersonated = (objects: readonly Manifest[]): unknown[] =>
      objects
        .filter(({ kind }) => kind === 'Role' || kind === 'ClusterRole')
        .flatMap(({ metadata, rules }) =>
          listAt(rules)
            .filter((rule) => listAt(rule, 'verbs').some((verb) => verb === 'impersonate' || verb === 'impersonate:serviceaccount'))
            .filter((rule) => listAt(rule, 'resources').includes('serviceaccounts'))
            .map((rule) => [metadata.namespace, at(rule, 'resourceNames')]),
        );
    const deployer = [undefined, ['chandlery-deployer']];
    assert.deepEqual(impersonated(await rendered(REQUIRED)), [deployer]);
    const named = ['a.deployer', 'b.deployer', 'a.builder'].flatMap((account, index) => {
      const [namespace, name] = account.split('.');
      return [`rbac.sourceServiceAccounts[${index}].namespace=${namespace}`, `rbac.sourceServiceAccounts[${index}].name=${name}`];
    });
    assert.deepEqual(impersonated(await rendered([...REQUIRED, ...named])), [
      deployer,
      ['a', ['builder', 'deployer']],
      ['b', ['deployer']],
    ]);
  });

  it('opens the web port and the metrics port alone, and reaches no metadata service, unless configured', async () => {
    const policyOf = async (...values: readonly string[]): Promise<Manifest | undefined> =>
      (await rendered([...REQUIRED, ...values])).find(({ kind }) => kind === 'NetworkPolicy');
    const { spec } = (await policyOf()) ?? {};
    assert.deepEqual(at(spec, 'policyTypes'), ['Ingress', 'Egress']);
    const open = ['http', 'metrics'].map((port) => ({ ports: [{ port, protocol: 'TCP' }] }));
    assert.deepEqual(at(spec, 'ingress'), open);
    const [names, hosts, ...rest] = listAt(spec, 'egress');
    assert.deepEqual([at(names, 'to'), rest], [undefined, []]);
    assert.deepEqual(
      listAt(hosts, 'ports').map((port) => at(port, 'port')),
      [443, 6443, 8443, 9090],
    );
    const closed = listAt(hosts, 'to').flatMap((peer) => listAt(at(peer, 'ipBlock'), 'except'));
    assert.ok(closed.includes('169.254.0.0/16') && closed.includes('fd00:ec2::/32'), stringifyJson(closed));
    const from = await policyOf('networkPolicy.from[0].namespaceSelector.matchLabels.a=b', 'networkPolicy.egressPorts={443}');
    assert.deepEqual(at(listAt(from?.spec, 'ingress')[0], 'from'), [{ namespaceSelector: { matchLabels: { a: 'b' } } }]);
    await dryRun(from ?? assert.fail());
    assert.equal(await policyOf('networkPolicy.enabled=false'), undefined);
  });

  it('installs, and its pod becomes ready under the strictest Pod Security Standard', async () => {
    await helm('install', 'chandlery', CHART, '--namespace', NAMESPACE, '--kubeconfig', kubeconfig, ...sets(REQUIRED));
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

  it('impersonates without constraints where the cluster or its values ask for it', async () => {
    const verbs = async (...args: readonly string[]): Promise<readonly unknown[]> => {
      const text = await helm('template', 'chandlery', CHART, ...sets(REQUIRED), ...args);
      const roles = parseAllDocuments(text).map((document) => document.toJS() as Manifest | null);
      return roles
        .flatMap((role) => listAt(role?.rules).filter((rule) => listAt(rule, 'resources').includes('users')))
        .map((rule) => at(rule, 'verbs'));
    };
    assert.deepEqual(await verbs('--kube-version', '1.36.0'), [['impersonate:user-info']]);
    assert.deepEqual(await verbs('--kube-version', '1.35.4'), [['impersonate']]);
    assert.deepEqual(await verbs('--kube-version', '1.36.0', '--set', 'rbac.impersonation.mode=Legacy'), [['impersonate']]);
    assert.deepEqual(
      await verbs('--kube-version', '1.36.0', '--set', 'oidc.userIdentity=PassThrough'),
      [],
      'tokens of people pass through',
    );
  });
});

/** With the permissions of the service account that the chart made. */
async function asAccount<T>(act: (account: Kube) => Promise<T>): Promise<T> {
  const account = createKube({ kubeconfigPath: accountKubeconfig, userAgent: 'chart-test' });
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

describe('The example catalogue', () => {
  it('is accepted by the api-server, its examples of kinds included', async () => {
    const documents = await catalogDocuments();
    assert.deepEqual([...new Set(documents.map(({ kind }) => kind))].sort(), ['AppDefinition', 'Environment', 'Operator']);
    const examples = documents.flatMap(({ spec }) => listAt(spec, 'catalog', 'kinds')).map((kind) => at(kind, 'example') as Manifest);
    assert.equal(examples.length, 2);
    for (const manifest of [...documents, ...examples]) await dryRun(manifest);
  });

  it('names fields that its kinds have', async () => {
    for (const { metadata, spec } of await catalogDocuments()) {
      for (const entry of listAt(spec, 'catalog', 'kinds')) {
        const schema = await schemaOf(textAt(entry, 'kind') ?? '');
        for (const field of listAt(entry, 'fields')) {
          assert.ok(typeof field === 'string');
          const path = field.split('.').flatMap((name) => ['properties', name]);
          assert.notEqual(at(schema, ...path), undefined, `${metadata.name}: ${field}`);
        }
      }
    }
  });
});

async function catalogDocuments(): Promise<readonly Manifest[]> {
  const root = join(repoRoot, 'catalog');
  const files = (await readdir(root, { recursive: true })).filter((file) => file.endsWith('.yaml')).sort();
  const texts = await Promise.all(files.map((file) => readFile(join(root, file), 'utf8')));
  return texts.flatMap((text) => parseAllDocuments(text).map((document) => document.toJS() as Manifest));
}

async function schemaOf(kind: string): Promise<unknown> {
  const { items } = await kube.asController().list(CRD);
  const crd = items.find(({ spec }) => textAt(spec, 'names', 'kind') === kind);
  return at(listAt(crd?.spec, 'versions')[0], 'schema', 'openAPIV3Schema');
}

/** Applies without writing. Unknown fields are rejected. */
async function dryRun(manifest: Manifest): Promise<void> {
  const type = await kube.find(manifest.apiVersion, manifest.kind);
  assert.ok(type !== undefined, manifest.kind);
  const namespace = type.namespaced ? { namespace: manifest.metadata.namespace ?? NAMESPACE } : {};
  const object = { ...manifest, metadata: { ...manifest.metadata, ...namespace } };
  await kube.asController().apply(type, object, { dryRun: 'All', fieldManager: 'test' });
}
