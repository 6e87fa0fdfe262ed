import assert from 'node:assert/strict';
import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { parseAllDocuments } from 'yaml';
import { createApi, type Api } from '../../charts/controller-runtime/api.ts';
import type { Json, Manifest, Resource } from '../../charts/controller-runtime/kube-object.ts';
import { listAt, textAt, valueAt } from '../../charts/controller-runtime/read-json.ts';
import { SERVICE, SECRET } from '../../charts/controller-runtime/resources.ts';
import type { Transport } from '../../charts/controller-runtime/transport.ts';
import { parseConfig } from '../../src/config.ts';
import { loadTools, type ToolPaths } from '../../src/embedded/cluster/tools.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import { createKube } from '../../src/kube/kube.ts';
import { READY_PATIENCE_MS } from '../../src/http/probes.ts';
import { repoRoot, startThrowawayCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { adminTransport, kubeconfigFor } from '../support/run-sample-operator.ts';

const NAMESPACE = 'chandlery-system';
const CHART = join(repoRoot, 'charts', 'chandlery');
const DEPLOYMENT: Resource = { group: 'apps', version: 'v1', kind: 'Deployment', plural: 'deployments' };
const DEFINITION: Resource = {
  group: 'apiextensions.k8s.io',
  version: 'v1',
  kind: 'CustomResourceDefinition',
  plural: 'customresourcedefinitions',
};
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
let transport: Transport;
let api: Api;
let stopCluster: () => Promise<void>;

before(async () => {
  tools = await loadTools(repoRoot);
  const cluster = await startThrowawayCluster(tools);
  stopCluster = cluster.stop;
  kubeconfig = cluster.kubeconfigPath;
  transport = adminTransport(kubeconfig);
  api = createApi(transport, 'chart-test');
  folder = await mkdtemp(join(tmpdir(), 'chandlery-chart-'));
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  const body = { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels } };
  await transport({ method: 'POST', path: '/api/v1/namespaces?fieldValidation=Strict', body });
});

after(async () => {
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
    const settings = (await rendered(REQUIRED)).find(({ metadata }) => metadata.name === 'chandlery-settings');
    // The folder of the catalogue is a mount of the pod.
    const data = { ...settings?.data, CHANDLERY_CATALOG: folder };
    const config = parseConfig([], data);
    assert.deepEqual(config.cluster, { kind: 'in-cluster' });
    assert.equal(config.publicUrl?.href, 'https://apps.example.com/');
    assert.equal(config.listen, '0.0.0.0');
    assert.ok(config.otherHosts.includes(`chandlery.${NAMESPACE}.svc`), 'programs in the cluster call the Service');
  });

  it('waits longer for a probe than Chandlery takes to answer it', async () => {
    const deployment = (await rendered(REQUIRED)).find(({ kind }) => kind === 'Deployment');
    const [container] = listAt(valueAt(deployment?.spec, 'template', 'spec'), 'containers');
    const timeout = Number(valueAt(container, 'readinessProbe', 'timeoutSeconds'));
    assert.ok(timeout * 1000 >= READY_PATIENCE_MS + 1_000, `${timeout} s`);
  });

  it('is refused without an address and an issuer', async () => {
    await assert.rejects(helm('template', 'chandlery', CHART), /publicUrl/);
  });

  it('has every object with all options accepted by the api-server, without unknown fields', async () => {
    const manifests = await rendered(EVERYTHING);
    const listing = manifests.map(({ kind }) => kind).sort();
    assert.ok(listing.includes('Ingress') && listing.includes('PersistentVolumeClaim'), listing.join());
    for (const manifest of manifests) await dryRun(manifest);
  });

  it('opens the web port and the metrics port alone, and reaches no metadata service, unless told', async () => {
    const policyOf = async (...values: readonly string[]): Promise<Manifest | undefined> =>
      (await rendered([...REQUIRED, ...values])).find(({ kind }) => kind === 'NetworkPolicy');
    const { spec } = (await policyOf()) ?? {};
    assert.deepEqual(valueAt(spec, 'policyTypes'), ['Ingress', 'Egress']);
    const open = ['http', 'metrics'].map((port) => ({ ports: [{ port, protocol: 'TCP' }] }));
    assert.deepEqual(valueAt(spec, 'ingress'), open);
    const [names, hosts, ...rest] = listAt(spec, 'egress');
    assert.deepEqual([valueAt(names, 'to'), rest], [undefined, []]);
    assert.deepEqual(
      listAt(hosts, 'ports').map((port) => valueAt(port, 'port')),
      [443, 6443, 8443],
    );
    const closed = listAt(hosts, 'to').flatMap((peer) => listAt(valueAt(peer, 'ipBlock'), 'except'));
    assert.ok(closed.includes('169.254.0.0/16') && closed.includes('fd00:ec2::/32'), JSON.stringify(closed));
    const from = await policyOf('networkPolicy.from[0].namespaceSelector.matchLabels.a=b', 'networkPolicy.egressPorts={443}');
    assert.deepEqual(valueAt(listAt(from?.spec, 'ingress')[0], 'from'), [{ namespaceSelector: { matchLabels: { a: 'b' } } }]);
    await dryRun(from ?? assert.fail());
    assert.equal(await policyOf('networkPolicy.enabled=false'), undefined);
  });

  it('installs, and its pod becomes ready under the strictest Pod Security Standard', async () => {
    await helm('install', 'chandlery', CHART, '--namespace', NAMESPACE, '--kubeconfig', kubeconfig, ...sets(REQUIRED));
    const deployment = await eventually(async () => {
      const found = await api.get(DEPLOYMENT, NAMESPACE, 'chandlery');
      return valueAt(found?.status, 'readyReplicas') === 1 && found;
    }, 'the pod is ready');
    assert.equal(valueAt(deployment.spec, 'template', 'spec', 'enableServiceLinks'), false);
    assert.equal(textAt((await api.get(SERVICE, NAMESPACE, 'chandlery'))?.spec, 'type'), 'ClusterIP');
  });

  it('gives its service account what it needs to furnish the cluster', async () => {
    accountKubeconfig = join(folder, 'kubeconfig');
    await writeFile(accountKubeconfig, await kubeconfigFor('chandlery', NAMESPACE, kubeconfig), { mode: 0o600 });
    const kube = createKube({ kubeconfigPath: accountKubeconfig, userAgent: 'chart-test' });
    try {
      const files = { crds: join(CHART, 'crds'), roles: join(CHART, 'files', 'cluster-roles.yaml') };
      await bootstrapCluster(kube, files, AbortSignal.timeout(60_000));
    } finally {
      await kube.close();
    }
  });

  it('gives its service account what it needs to install the sample operators', async () => {
    for (const chart of ['cache-operator', 'postgres-operator']) {
      await helm('install', chart, join(repoRoot, 'charts', chart), '--namespace', NAMESPACE, '--kubeconfig', accountKubeconfig);
    }
  });

  it('lets its service account act for people, and for nobody else', async () => {
    const impersonates = async (resource: string): Promise<unknown> => {
      const args = { verb: 'impersonate', resource, version: 'v1' };
      const user = `system:serviceaccount:${NAMESPACE}:chandlery`;
      const body = { apiVersion: 'authorization.k8s.io/v1', kind: 'SubjectAccessReview', spec: { user, resourceAttributes: args } };
      const answer = await transport({ method: 'POST', path: '/apis/authorization.k8s.io/v1/subjectaccessreviews', body });
      return valueAt(((await answer.json()) as Manifest).status, 'allowed');
    };
    assert.deepEqual(
      [await impersonates('users'), await impersonates('groups'), await impersonates('serviceaccounts')],
      [true, true, false],
    );
    assert.equal(await api.get(SECRET, NAMESPACE, 'chandlery-oidc'), undefined, 'the chart makes no Secret of its own');
  });
});

describe('The example catalogue', () => {
  it('is accepted by the api-server, its examples of kinds included', async () => {
    const documents = await catalogDocuments();
    assert.deepEqual([...new Set(documents.map(({ kind }) => kind))].sort(), ['Environment', 'Operator']);
    const examples = documents
      .flatMap(({ spec }) => listAt(spec, 'catalog', 'kinds'))
      .map((kind) => valueAt(kind, 'example') as unknown as Manifest);
    assert.equal(examples.length, 2);
    for (const manifest of [...documents, ...examples]) await dryRun(manifest);
  });

  it('names fields that its kinds have', async () => {
    for (const { metadata, spec } of await catalogDocuments()) {
      for (const entry of listAt(spec, 'catalog', 'kinds')) {
        const schema = await schemaOf(textAt(entry, 'kind'));
        for (const field of listAt(entry, 'fields')) {
          assert.ok(typeof field === 'string');
          const path = field.split('.').flatMap((name) => ['properties', name]);
          assert.notEqual(valueAt(schema, ...path), undefined, `${metadata.name}: ${field}`);
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

async function schemaOf(kind: string): Promise<Json | undefined> {
  const { items } = await api.list(DEFINITION, '');
  const definition = items.find(({ spec }) => textAt(spec, 'names', 'kind') === kind);
  return valueAt(listAt(definition?.spec, 'versions')[0], 'schema', 'openAPIV3Schema');
}

const CLUSTER_SCOPED = new Set(['ClusterRole', 'ClusterRoleBinding', 'Environment']);

/** Applies without writing. Unknown fields are refused. */
async function dryRun(manifest: Manifest): Promise<void> {
  const [group, version] = manifest.apiVersion.includes('/') ? manifest.apiVersion.split('/') : ['', manifest.apiVersion];
  const root = group === '' ? `/api/${version}` : `/apis/${group}/${version}`;
  const plural = { Ingress: 'ingresses', NetworkPolicy: 'networkpolicies' }[manifest.kind] ?? `${manifest.kind.toLowerCase()}s`;
  const scope = CLUSTER_SCOPED.has(manifest.kind) ? '' : `/namespaces/${manifest.metadata.namespace ?? NAMESPACE}`;
  await transport({
    method: 'PATCH',
    path: `${root}${scope}/${plural}/${manifest.metadata.name}?dryRun=All&fieldManager=test&fieldValidation=Strict`,
    contentType: 'application/apply-patch+yaml',
    body: manifest,
  });
}
