import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';
import type { Cluster } from '../../src/domain/kubernetes/cluster.ts';
import { textAt } from '../../src/domain/core/read.ts';
import type { ResourceType } from '../../src/domain/kubernetes/resource.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';

const run = promisify(execFile);
const namespace = `embedded-${process.pid}`;
const core = (resource: string): ResourceType => ({ group: '', version: 'v1', resource });
const apps = (resource: string): ResourceType => ({ group: 'apps', version: 'v1', resource });
const labels = { app: 'demo' };
const container = { name: 'main', image: 'registry.example/demo:1' };
const template = { metadata: { labels }, spec: { containers: [container] } };

let world: TestCluster;
let kube: Kube;
let cluster: Cluster;

before(async () => {
  world = await sharedCluster();
  kube = openKube(world.kubeconfigPath, { userAgent: 'chandlery/test' });
  cluster = kube.asController();
  await cluster.create(core('namespaces'), { apiVersion: 'v1', kind: 'Namespace', metadata: { name: namespace } });
});
after(async () => {
  await cluster.delete({ ...core('namespaces'), name: namespace });
  await kube.close();
  await world.stop();
});

test('a Deployment becomes available and its Service gets endpoints', async () => {
  await create(apps('deployments'), 'apps/v1', 'Deployment', {
    name: 'web',
    spec: { replicas: 2, selector: { matchLabels: labels }, template },
  });
  await create(core('services'), 'v1', 'Service', { name: 'web', spec: { selector: labels, ports: [{ port: 80 }] } });
  await eventually(async () => status(apps('deployments'), 'web', 'availableReplicas', 2), 'two replicas are available');
  await eventually(async () => {
    const slices = await cluster.list({ group: 'discovery.k8s.io', version: 'v1', resource: 'endpointslices' }, { namespace });
    const endpoints = slices.items.flatMap((slice) => slice['endpoints'] as { conditions: { ready: boolean } }[]);
    return endpoints.filter(({ conditions }) => conditions.ready).length === 2;
  }, 'the Service has two ready endpoints');
});

test('a StatefulSet becomes ready on claims that are bound by the default storage class', async () => {
  const claim = { metadata: { name: 'data' }, spec: { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } };
  const spec = { replicas: 2, serviceName: 'db', selector: { matchLabels: { app: 'db' } }, volumeClaimTemplates: [claim] };
  const mounting = {
    metadata: { labels: { app: 'db' } },
    spec: { containers: [{ ...container, volumeMounts: [{ name: 'data', mountPath: '/data' }] }] },
  };
  await create(apps('statefulsets'), 'apps/v1', 'StatefulSet', { name: 'db', spec: { ...spec, template: mounting } });
  await eventually(async () => status(apps('statefulsets'), 'db', 'readyReplicas', 2), 'two replicas are ready');
  const events = await cluster.list(core('events'), { namespace });
  assert.deepEqual(
    events.items.map((event) => textAt(event, 'reason')).filter((reason) => reason === 'ClaimLost'),
    [],
    'no claim was bound before its volume was known',
  );
  const claims = await cluster.list(core('persistentvolumeclaims'), { namespace });
  assert.deepEqual(
    claims.items.map((item) => [item.metadata.name, (item.status as { phase: string }).phase]),
    [
      ['data-db-0', 'Bound'],
      ['data-db-1', 'Bound'],
    ],
  );
});

test('a Job completes', async () => {
  const spec = { template: { spec: { containers: [container], restartPolicy: 'Never' } } };
  await create({ group: 'batch', version: 'v1', resource: 'jobs' }, 'batch/v1', 'Job', { name: 'once', spec });
  await eventually(
    async () => status({ group: 'batch', version: 'v1', resource: 'jobs' }, 'once', 'succeeded', 1),
    'the job has succeeded',
  );
});

test('a Pod that runs once completes without a Job, and one that stays keeps running', async () => {
  await create(core('pods'), 'v1', 'Pod', { name: 'single', spec: { containers: [container], restartPolicy: 'Never' } });
  await create(core('pods'), 'v1', 'Pod', { name: 'staying', spec: { containers: [container] } });
  await eventually(async () => status(core('pods'), 'single', 'phase', 'Succeeded'), 'the single pod has succeeded');
  await eventually(async () => status(core('pods'), 'staying', 'phase', 'Running'), 'the other pod runs');
});

test('a Pod that asks for more than a node has stays Pending, and an event says why', async () => {
  const resources = { requests: { cpu: '64' } };
  await create(core('pods'), 'v1', 'Pod', { name: 'huge', spec: { containers: [{ ...container, resources }] } });
  const event = await eventually(async () => {
    const events = await cluster.list(core('events'), { namespace, fieldSelector: 'involvedObject.name=huge' });
    return events.items.find((item) => item['reason'] === 'FailedScheduling');
  }, 'an event about the pod');
  assert.match(String(event['message']), /Insufficient cpu/);
  assert.equal(await status(core('pods'), 'huge', 'phase', 'Pending'), true);
});

test('the audit log carries who was impersonated, with groups, also for reads', async () => {
  const actor = kube.asActor({ user: `oidc:${namespace}`, groups: ['oidc:team-a'] });
  await assert.rejects(actor.list(core('configmaps'), { namespace }));
  const line = await eventually(async () => {
    const lines = (await readFile(world.auditLogPath, 'utf8')).split('\n');
    return lines.find((text) => text.includes('"resource":"configmaps"') && text.includes(`oidc:${namespace}`));
  }, 'the line of the rejected read');
  const { user, impersonatedUser, verb, responseStatus } = JSON.parse(line) as Record<
    string,
    { username: string; groups: string[]; code: number }
  >;
  assert.deepEqual([user?.username, verb, responseStatus?.code], ['chandlery-admin', 'list', 403]);
  assert.equal(impersonatedUser?.username, `oidc:${namespace}`);
  assert.ok(impersonatedUser.groups.includes('oidc:team-a'));
});

test('a service account gets a token that is worth what RBAC gives it', async () => {
  const account = { namespace, name: 'default' };
  const token = await eventually(() => kube.requestToken(account, 600), 'a token');
  const { issuer, subject } = claimsOf(token);
  assert.deepEqual([issuer, subject], ['https://kubernetes.default.svc.cluster.local', `system:serviceaccount:${namespace}:default`]);
});

test('kubectl and helm of the pinned versions speak to it', async () => {
  const { kubectl, helm } = world.tools;
  assert.ok(kubectl !== undefined);
  const env = { KUBECONFIG: world.kubeconfigPath, HOME: world.stateDir };
  const nodes = await run(kubectl, ['get', 'nodes', '-o', 'name'], { env });
  assert.equal(nodes.stdout, 'node/node-1\nnode/node-2\n');
  const releases = await run(helm, ['list', '--namespace', namespace, '--output', 'json'], { env });
  assert.equal(releases.stdout.trim(), '[]');
});

async function create(type: ResourceType, apiVersion: string, kind: string, { name, spec }: { name: string; spec: object }): Promise<void> {
  await eventually(() => cluster.create(type, { apiVersion, kind, metadata: { namespace, name }, spec }), `${kind} ${name} is accepted`);
}

async function status(type: ResourceType, name: string, field: string, expected: unknown): Promise<boolean> {
  const object = await cluster.get({ ...type, namespace, name });
  return (object.status as Record<string, unknown> | undefined)?.[field] === expected;
}

function claimsOf(token: string): { issuer: unknown; subject: unknown } {
  const { iss, sub } = JSON.parse(Buffer.from(token.split('.')[1] ?? '', 'base64url').toString()) as { iss: unknown; sub: unknown };
  return { issuer: iss, subject: sub };
}
