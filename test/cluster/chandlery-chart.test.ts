import assert from 'node:assert/strict';
import { readdir, readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { parseAllDocuments } from 'yaml';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import type { Manifest } from '../../charts/controller-runtime/kube-object.ts';
import { CLUSTER_ROLE, CLUSTER_ROLE_BINDING, CRD, NAMESPACE as NAMESPACE_TYPE } from '../../src/domain/kubernetes/resource-types.ts';
import type { ResourceAttributes } from '../../src/domain/kubernetes/cluster.ts';
import type { JsonObject } from '../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { renderChandlery, REQUIRED } from '../support/chandlery-chart.ts';
import { repoRoot } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { openKube } from '../support/open-kube.ts';
import { RUN } from '../support/run-name.ts';
import { sharedProduct, type SharedProduct } from '../support/shared-product.ts';
import { at, listAt, textAt } from '../../src/domain/core/read.ts';

const NAMESPACE = `chart-${RUN}`;
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

const DATABASE = ['database.urlSecret.name=db', 'rbac.impersonation.everybody=true'];

/** Whose roles are written; other releases have roles of other names. */
const RELEASE = `roles-${RUN}`;
/** `verb resource.group name`: what the service account may do, and what it may not. */
const ALLOWED = [
  'create customresourcedefinitions.apiextensions.k8s.io',
  'patch clusterroles.rbac.authorization.k8s.io',
  'escalate clusterroles.rbac.authorization.k8s.io',
  'bind clusterroles.rbac.authorization.k8s.io',
  'create deployments.apps',
  'create serviceaccounts',
  'create secrets',
  'impersonate:user-info users.authentication.k8s.io oidc:ada',
  'impersonate-on:user-info:list secrets',
  'impersonate-on:user-info:create configmaps',
  'impersonate-on:user-info:create selfsubjectaccessreviews.authorization.k8s.io',
  'impersonate:serviceaccount serviceaccounts.authentication.k8s.io chandlery-deployer',
  'impersonate-on:serviceaccount:create deployments.apps',
];
const DENIED = [
  '* *.*',
  'impersonate users oidc:ada',
  'impersonate-on:user-info:create clusterroles.rbac.authorization.k8s.io',
  'impersonate-on:user-info:create deployments.apps',
  'impersonate:serviceaccount serviceaccounts.authentication.k8s.io default',
];

let product: SharedProduct;
let kube: Kube;

before(async () => {
  product = await sharedProduct();
  kube = openKube(product.kubeconfigPath, { userAgent: 'chart-test' });
  const labels = { 'pod-security.kubernetes.io/enforce': 'restricted' };
  await kube.asController().create(NAMESPACE_TYPE, { apiVersion: 'v1', kind: 'Namespace', metadata: { name: NAMESPACE, labels } });
});

after(async () => {
  await kube?.close();
  await product?.stop();
});

/** As for the cluster of the tests, which constrains impersonation. */
async function rendered(values: readonly string[], release = 'chandlery'): Promise<readonly Manifest[]> {
  return await renderChandlery(values, { release, namespace: NAMESPACE, args: ['--kube-version', '1.36.0'] });
}

describe('The chart of Chandlery', () => {
  it('has every object with all options accepted by the api-server, without unknown fields', async () => {
    const manifests = await rendered(EVERYTHING);
    const listing = manifests.map(({ kind }) => kind).sort();
    assert.ok(listing.includes('Ingress') && listing.includes('PersistentVolumeClaim'), listing.join());
    for (const manifest of manifests) await dryRun(manifest);
  });

  it('runs pages and controllers in pods of their own with a database, of which only the pages have keys and client secret', async () => {
    const manifests = await rendered([...EVERYTHING, 'replicas=3', ...DATABASE, 'database.ca.configMap=db-ca']);
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

  it('runs its pod under the strictest Pod Security Standard', async () => {
    const [deployment] = (await rendered(REQUIRED)).filter(({ kind }) => kind === 'Deployment');
    const { serviceAccountName, ...pod } = at(deployment?.spec, 'template', 'spec') as JsonObject;
    assert.deepEqual([serviceAccountName, at(pod, 'enableServiceLinks')], ['chandlery', false]);
    await dryRun({ apiVersion: 'v1', kind: 'Pod', metadata: { namespace: NAMESPACE, name: 'chandlery' }, spec: pod });
  });

  it('lets its service account write CRDs, roles and Operators, and impersonate people for what the pages do alone', async () => {
    const roles = (await rendered(REQUIRED, RELEASE)).filter(({ kind }) => kind === 'ClusterRole' || kind === 'ClusterRoleBinding');
    const cluster = kube.asController();
    for (const role of roles) await cluster.create(role.kind === 'ClusterRole' ? CLUSTER_ROLE : CLUSTER_ROLE_BINDING, role);
    const account = kube.asServiceAccount({ namespace: NAMESPACE, name: RELEASE });
    const isAllowed = async (permission: string): Promise<boolean> => (await account.review(attributesOf(permission))).allowed;
    // Kubernetes aggregates the role of impersonation.
    for (const permission of ALLOWED) await eventually(async () => await isAllowed(permission), `it may ${permission}`);
    for (const permission of DENIED) assert.equal(await isAllowed(permission), false, permission);
    for (const { kind, metadata } of roles)
      await cluster.delete({ ...(kind === 'ClusterRole' ? CLUSTER_ROLE : CLUSTER_ROLE_BINDING), name: metadata.name });
  });
});

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
        const schema = await schemaOf(at(entry, 'example') as Manifest);
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

async function schemaOf(example: Manifest): Promise<unknown> {
  const type = (await kube.find(example.apiVersion, example.kind)) ?? assert.fail(example.kind);
  const crd = await kube.asController().get({ ...CRD, name: `${type.resource}.${type.group}` });
  return at(listAt(crd.spec, 'versions')[0], 'schema', 'openAPIV3Schema');
}

function attributesOf(permission: string): ResourceAttributes {
  const [verb = '', type = '', name] = permission.split(' ');
  const [resource = '', ...group] = type.split('.');
  return { verb, resource, group: group.join('.'), ...(name === undefined ? {} : { name }) };
}

/** Applies without writing. Unknown fields are rejected. */
async function dryRun(manifest: Manifest): Promise<void> {
  const type = await kube.find(manifest.apiVersion, manifest.kind);
  assert.ok(type !== undefined, manifest.kind);
  const namespace = type.namespaced ? { namespace: manifest.metadata.namespace ?? NAMESPACE } : {};
  const object = { ...manifest, metadata: { ...manifest.metadata, ...namespace } };
  await kube.asController().apply(type, object, { dryRun: 'All', fieldManager: 'test' });
}
