import assert from 'node:assert/strict';
import { execFile } from 'node:child_process';
import { dirname, join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { promisify } from 'node:util';
import { parseAllDocuments } from 'yaml';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { CLUSTER_ROLE, ENVIRONMENT, LIMIT_RANGE, NAMESPACE, RESOURCE_QUOTA } from '../../src/domain/kubernetes/resource-types.ts';
import { parseActor, type Actor } from '../../src/domain/kubernetes/actor.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import type { Preflight } from '../../src/domain/instance/instance.ts';
import type { Finding, Findings } from '../../src/domain/preflight/findings.ts';
import { textAt } from '../../src/domain/core/read.ts';
import type { JsonObject, KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { indexEnvironments } from '../../src/compose/index-environments.ts';
import type { EnvironmentPorts } from '../../src/operation/environment/read-environment.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import { createCatalogCache } from '../../src/kube/watch/catalog-cache.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from '../support/open-kube.ts';
import { createLog } from '../../src/observe/log.ts';
import { createInstance, makeInstance } from '../../src/operation/instance/write-instance.ts';
import { explainWebhooks } from '../../src/kube/explain-webhooks.ts';
import { preflightChange } from '../../src/operation/preflight/preflight-change.ts';
import { preflightDeletion } from '../../src/operation/preflight/preflight-deletion.ts';
import { preflightInstance } from '../../src/operation/preflight/preflight-instance.ts';
import { createNamespaceMemory } from '../../src/operation/environment/namespace-memory.ts';
import { showTree } from '../../src/operation/instance/show-tree.ts';
import type { Ports } from '../../src/operation/ports.ts';
import { admissionPolicy } from '../support/admission-policy.ts';
import { silentServer, whileDead } from '../support/dead-webhook.ts';
import { trialsFor } from '../support/audit.ts';
import { repoRoot, sharedCluster, type TestCluster } from '../support/cluster.ts';
import { runEnvironmentController } from '../support/environment-controller.ts';
import { eventually } from '../support/eventually.ts';
import { ASKING, NO_DEPLOYMENTS, sampleAuditLog } from '../support/sample-audit-log.ts';
import { installVats } from '../support/vats.ts';

const run = promisify(execFile);
const RUN = process.pid.toString(36);
const [NS, OTHER] = [`pf-${RUN}`, `pf-other-${RUN}`];
const GROUP = `pf-${RUN}.example.com`;
const APP = `vats.${GROUP}`;
const VATS: ResourceType = { group: GROUP, version: 'v1', resource: 'vats' };
const DEV = parseActor(`test:dev-${RUN}`, [`test:devs-${RUN}`]);
const VIEWER = parseActor(`test:view/er-${RUN}`, [`test:viewers-${RUN}`]);
const STRANGER = parseActor(`test:nobody-${RUN}`, [`test:strangers-${RUN}`]);

const log = createLog({ level: 'silent', format: 'lines', write: () => undefined });
const ending = new AbortController();
let testCluster: TestCluster;
let kube: Kube;
let ports: EnvironmentPorts & Pick<Ports, 'publicUrl'>;
let running: Promise<void>;

before(async () => {
  testCluster = await sharedCluster();
  kube = openKube(testCluster.kubeconfigPath);
  const ours = (path: string): string => join(repoRoot, 'charts', 'chandlery', path);
  await bootstrapCluster(kube, { crds: ours('crds'), roles: ours('files/cluster-roles.yaml') }, ending.signal);
  const catalog = createCatalogCache(kube, log, ending.signal);
  const environments = { sources: [catalog.reflectors.environments], isOwn: (name: string): boolean => [NS, OTHER].includes(name) };
  running = runEnvironmentController({ kube, ...environments, log, signal: ending.signal });
  const clusters = explainWebhooks(kube, catalog);
  const index = indexEnvironments({ kube, clusters, log, signal: ending.signal });
  const known = { catalog, health: { evaluate: async () => undefined, faults: () => [] }, namespaceMemory: createNamespaceMemory() };
  ports = { clusters, index, discovery: kube, ...known, publicUrl: 'http://localhost:8080' };
  await installVats(kube.asController(), { namespaces: [NS, OTHER], group: GROUP, members: [DEV, VIEWER] });
  await eventually(async () => (await check(DEV, {})).verdict === 'Ready', 'a developer may create', 60);
});
after(async () => {
  ending.abort();
  await running;
  await kube.close();
  await testCluster.stop();
});

describe('the check of a new instance', () => {
  it('says what will be created, on the word of the api-server', async () => {
    const { findings, result } = await check(DEV, {});
    const created = { message: `Vat probe in the namespace ${NS}`, subject: 'Object', evidence: 'exact' };
    assert.deepEqual([findings.created[0], result?.metadata.name, findings.unchecked], [created, 'probe', []]);
  });

  it('warns of pods that a limit range will reject, with both numbers, and they are rejected', async () => {
    await apply(LIMIT_RANGE, object('v1', 'LimitRange', 'limits', { limits: [{ type: 'Container', max: { memory: '2Gi' } }] }));
    const { verdict, findings } = await check(DEV, { resources: { limits: { memory: '4Gi' } } });
    const [line] = findings.warned;
    assert.match(line?.message ?? '', /memory 4Gi is above the limit of 2Gi for a container/);
    assert.deepEqual([verdict, line?.evidence, line?.field], ['Ready', 'estimate', 'spec.resources.limits.memory']);
    const containers = [{ name: 'c', image: 'i', resources: { limits: { memory: '4Gi' } } }];
    await assert.rejects(
      kube.asController().create(type('', 'v1', 'pods'), object('v1', 'Pod', 'p', { containers }), { dryRun: 'All' }),
      /2Gi/,
    );
    assert.deepEqual((await check(DEV, { resources: { limits: { memory: '2Gi' } } })).findings.warned, []);
  });

  it('compares what its fields ask for with what the quota has left, read anew each time', async () => {
    await quota({ 'requests.memory': '3Gi' });
    const big = { replicas: 2, resources: { requests: { memory: '1800Mi' } } };
    const { findings } = await check(DEV, big);
    assert.match(findings.warned[0]?.message ?? '', /about requests\.memory=3600Mi, and the quota plenty has 3Gi of 3Gi left/);
    await quota({ 'requests.memory': '30Gi' });
    assert.deepEqual((await check(DEV, big)).findings.warned, []);
  });

  it('counts instances exactly, and is blocked when there are too many', async () => {
    await quota({ [`count/${APP}`]: '1' });
    const counted = (await check(DEV, {})).findings.created.find(({ message }) => message.includes('number 1 of the 1 instances of Vat'));
    assert.equal(counted?.evidence, 'exact');
    await quota({ [`count/${APP}`]: '0' });
    const full = await eventually(async () => {
      const found = await check(DEV, {});
      return found.verdict === 'Blocked' ? found : undefined;
    }, 'the quota is full');
    assert.deepEqual([full.findings.blocked[0]?.subject, full.findings.blocked[0]?.evidence], ['Quota', 'exact']);
    await quota({ pods: '100' });
    await eventually(async () => (await check(DEV, {})).verdict === 'Ready', 'the quota has room again');
  });

  it('is blocked where the environment does not allow the app, and the app is not created', async () => {
    const allow = async (allowedApps: object | null) =>
      await kube.asController().patch({ ...ENVIRONMENT, name: NS }, { type: 'merge', body: { spec: { allowedApps } } });
    await allow({ allow: ['category:Databases', '*.example.org'] });
    assert.match((await check(DEV, {})).findings.blocked[0]?.message ?? '', /its allowedApps do not allow vats\./);
    const writing = makeInstance({ ...ports, auditLog: sampleAuditLog() }, DEV, { environment: NS, app: APP, name: 'forbidden', spec: {} });
    await assert.rejects(writing, (error) => isAppError(error, 'AppNotAllowed'));
    await allow(null);
  });

  it('shows what a policy denies with its name and words, and what it only warns of', async () => {
    await policy('deny', ['Deny'], 'object.spec.replicas <= 3', 'at most three replicas here');
    await policy('warn', ['Warn'], 'object.spec.replicas <= 1', 'one replica is usual here');
    const denied = await eventually(async () => {
      const found = await check(DEV, { replicas: 4 });
      return found.verdict === 'Blocked' ? found : undefined;
    }, 'the policy denies');
    const [line] = denied.findings.blocked;
    assert.deepEqual([line?.subject, line?.evidence], ['Policy', 'exact']);
    assert.match(line?.message ?? '', new RegExp(`deny-${RUN}.*at most three replicas here`));
    const warned = await eventually(async () => (await check(DEV, { replicas: 2 })).findings.warned.at(0), 'the policy warns');
    assert.match(warned.message, /one replica is usual here/);
    assert.equal((await check(DEV, { replicas: 2 })).verdict, 'Ready');
  });

  it('is blocked by a webhook that does not answer, names who brought it, and so is the write itself', async () => {
    const { url, server } = await silentServer();
    const hooks = [
      { name: `gone-${RUN}`, clientConfig: { service: { name: 'gone', namespace: NS, path: '/v' } }, timeoutSeconds: 10 },
      { name: `rejecting-${RUN}`, clientConfig: { url: 'https://127.0.0.1:9/v' }, timeoutSeconds: 10 },
      { name: `slow-${RUN}`, clientConfig: { url }, timeoutSeconds: 1 },
    ];
    const says = [/service "gone" not found.*calls the Service pf-\w+\/gone/, /connection refused/, /no answer within 1 s/];
    const auditLog = sampleAuditLog();
    await create({ replicas: 1 }, 'hooked');
    for (const [index, hook] of hooks.entries()) {
      const dead = { ...hook, group: GROUP, objects: 'hooked', release: `${NS}/vat` };
      await whileDead(kube.asController(), dead, async () => {
        const draft = { ...at(`hooked-${index}`), spec: {} };
        const blocked = await eventually(async () => {
          const found = await preflightInstance(ports, DEV, draft);
          return found.verdict === 'Blocked' ? found : undefined;
        }, 'the api-server knows the webhook');
        const [line] = blocked.findings.blocked;
        assert.deepEqual([line?.subject, line?.evidence, blocked.missing], ['Webhook', 'exact', []]);
        for (const part of [
          new RegExp(`webhook "${hook.name}\\.example\\.com" of the ValidatingWebhookConfiguration ${hook.name} does not answer`),
          new RegExp(`belongs to the Operator ${NS}/vat`),
          says[index] ?? /./,
        ])
          assert.match(line?.message ?? '', part);
        const rejected = { code: 'WebhookUnavailable', status: 409, message: new RegExp(`Operator ${NS}/vat`) };
        await assert.rejects(createInstance({ ...ports, auditLog, deployments: NO_DEPLOYMENTS }, DEV, { ...draft, ...ASKING }), rejected);
        const { specVersion } = await live('hooked');
        const change = await preflightChange(ports, DEV, { ...at('hooked'), specVersion, spec: { replicas: 2 } });
        const deletion = await preflightDeletion(ports, DEV, at('hooked'));
        for (const { verdict, findings } of [change, deletion])
          assert.deepEqual([verdict, findings.blocked[0]?.subject], ['Blocked', 'Webhook']);
      });
    }
    server.close();
  });

  it('names the level of Pod Security that the namespace enforces', async () => {
    await level(NS, 'restricted');
    assert.match((await check(DEV, {})).findings.unchecked[0]?.message ?? '', /enforces the Pod Security level restricted/);
    await level(NS, null);
  });

  it('goes by the pods of other instances, here and in other environments, where there are any', async () => {
    await create({}, 'old');
    const owner = { apiVersion: `${GROUP}/v1`, kind: 'Vat', name: 'old', uid: (await live('old')).uid };
    const labels = { app: 'old' };
    const containers = [{ name: 'main', image: 'example.com/vat:1', resources: { limits: { memory: '1Gi' } } }];
    const template = { metadata: { labels }, spec: { serviceAccountName: 'default', hostNetwork: true, containers } };
    const spec = { serviceName: 'old', replicas: 1, selector: { matchLabels: labels }, template };
    await own(type('apps', 'v1', 'statefulsets'), object('apps/v1', 'StatefulSet', 'old', spec), owner);
    const controller = kube.asController();
    await eventually(() => controller.get({ ...type('', 'v1', 'pods'), namespace: NS, name: 'old-0' }), 'its pod is there');

    await level(NS, 'baseline');
    const rejected = await eventually(async () => {
      const found = await check(DEV, {});
      return aboutPods(found.findings).length > 0 && found;
    }, 'Pod Security knows the level');
    assert.equal(rejected.verdict, 'Ready');
    const [line] = aboutPods(rejected.findings);
    assert.match(
      line?.message ?? '',
      /^Pods like those of old would be rejected: .*violates PodSecurity "baseline:latest": host namespaces/,
    );
    assert.deepEqual([line?.subject, line?.evidence], ['PodSecurity', 'estimate']);
    assert.deepEqual(rejected.findings.unchecked, []);
    const change = await preflightChange(ports, DEV, { ...at('old'), specVersion: (await live('old')).specVersion, spec: { replicas: 2 } });
    assert.deepEqual(aboutPods(change.findings), [line]);

    const other = { ...at('probe'), environment: OTHER, spec: {} };
    await level(OTHER, 'restricted');
    const elsewhere = await eventually(async () => {
      const { findings } = await preflightInstance(ports, DEV, other);
      return findings.warned.find(({ subject }) => subject === 'PodSecurity');
    }, 'the other environment is there');
    assert.match(elsewhere.message, new RegExp(`^Pods like those of old in ${NS} would be rejected: .*restricted`));

    const old = { ...type('apps', 'v1', 'statefulsets'), namespace: NS, name: 'old' };
    await controller.patch(old, { type: 'merge', body: { spec: { template: { spec: { hostNetwork: null } } } } });
    const letIn = await eventually(async () => {
      const { findings } = await check(DEV, {});
      return aboutPods(findings).length === 0 ? findings : undefined;
    }, 'its new pod is let in');
    assert.deepEqual(letIn.unchecked, []);
    assert.doesNotMatch(stringifyJson((await check(VIEWER, {})).findings), /Pods like those of old/);
    await level(NS, null);
    const uris = await trialsFor(testCluster.auditLogPath, DEV.user);
    assert.ok(uris.length > 0 && uris.every((uri) => uri.includes('dryRun=All')), uris.join('\n'));
    assert.deepEqual(await trialsFor(testCluster.auditLogPath, VIEWER.user), []);
  });

  it('says that a class is not there, or that nobody may tell', async () => {
    const spec = { storage: { size: '1Gi', storageClassName: `none-${RUN}` } };
    const lines = async (actor: Actor): Promise<string> => stringifyJson((await check(actor, spec)).findings);
    assert.match(await lines(DEV), /StorageClass .*(?:is not known: you may not read|there is no StorageClass)|there is no StorageClass/);
    await grant(DEV, `pf-classes-${RUN}`, [{ apiGroups: ['storage.k8s.io'], resources: ['storageclasses'], verbs: ['get'] }]);
    await eventually(async () => /there is no StorageClass/.test(await lines(DEV)), 'the class is known to be missing');
  });

  it('names the missing permission of a viewer and the smallest grant, which helps when kubectl runs it', async () => {
    const rejected = await check(VIEWER, {});
    assert.equal(rejected.verdict, 'Blocked');
    assert.deepEqual(rejected.missing, [{ verb: 'create', group: GROUP, resource: 'vats', namespace: NS }]);
    const [remedy] = rejected.remedies;
    assert.match(remedy?.role ?? '', new RegExp(`ClusterRole chandlery-app-${APP.replaceAll('.', '\\.')}-edit in the namespace ${NS}`));
    for (const document of parseAllDocuments(remedy?.yaml ?? ''))
      await kube
        .asController()
        .create(type('rbac.authorization.k8s.io', 'v1', 'rolebindings'), document.toJS() as KubeObject, { dryRun: 'All' });
    const PATH = `${dirname(testCluster.tools.kubectl ?? 'kubectl')}:${process.env['PATH'] ?? ''}`;
    await run('sh', ['-c', remedy?.kubectl ?? 'false'], { env: { PATH, KUBECONFIG: testCluster.kubeconfigPath } });
    await eventually(async () => (await check(VIEWER, {})).verdict === 'Ready', 'the viewer may create now');
  });

  it('shows a stranger nothing', async () => {
    await assert.rejects(check(STRANGER, {}), { code: 'NotFound' });
  });
});

describe('the check of a change', () => {
  it('names each field, and compares only what is added', async () => {
    await create({ replicas: 1, resources: { requests: { memory: '1Gi' } } }, 'steady');
    await quota({ 'requests.memory': '1Gi' });
    const { specVersion } = await live('steady');
    const { verdict, findings } = await preflightChange(ports, DEV, {
      ...at('steady'),
      specVersion,
      spec: { replicas: 3, resources: { requests: { memory: '1Gi' } } },
    });
    assert.equal(verdict, 'Ready');
    assert.ok(findings.changed.some(({ message, evidence }) => message === 'spec.replicas changes from 1 to 3' && evidence === 'exact'));
    assert.ok(findings.warned.some(({ message }) => message.includes('about requests.memory=2Gi')));
    await quota({ pods: '100' });
  });
});

describe('the tree of an instance', () => {
  it('names of the kinds that cannot be listed only those that may belong to it', async () => {
    await create({}, 'rooted');
    const { unreadable } = await showTree(ports, VIEWER, at('rooted'));
    const foreign = ['Lease', 'LimitRange', 'ResourceQuota', 'ControllerRevision', 'Operator', 'LocalSubjectAccessReview'];
    const named = unreadable.filter((kind) => foreign.includes(kind));
    assert.ok(named.length === 0 && unreadable.length < 15, unreadable.join(', '));
  });
});

describe('the check of a deletion', () => {
  it('names what goes, and of its data what the actor may know', async () => {
    await create({ replicas: 1 }, 'leaving');
    const { uid } = await live('leaving');
    const owner = { apiVersion: `${GROUP}/v1`, kind: 'Vat', name: 'leaving', uid };
    const claim = { accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } };
    await own(type('', 'v1', 'configmaps'), { ...object('v1', 'ConfigMap', 'leaving-config', undefined), data: {} }, owner);
    await own(type('', 'v1', 'persistentvolumeclaims'), object('v1', 'PersistentVolumeClaim', 'leaving-data', claim), owner);
    const { verdict, findings, commands } = await preflightDeletion(ports, DEV, at('leaving'));
    assert.equal(verdict, 'Ready');
    const lines = findings.removed.map(({ message }) => message);
    assert.ok(lines.includes('Vat leaving') && lines.includes('ConfigMap leaving-config'), lines.join('\n'));
    assert.ok(
      lines.some((line) => line.startsWith('PersistentVolumeClaim leaving-data (1Gi): its data will be deleted')),
      lines.join('\n'),
    );
    assert.equal(commands.kubectl, `kubectl delete ${APP} leaving --namespace ${NS}`);
    assert.ok((await live('leaving')).uid === uid, 'nothing was deleted');
  });

  it('is blocked for who may only look', async () => {
    const actor = parseActor(`test:other-${RUN}`, VIEWER.groups);
    const { verdict, missing, remedies } = await preflightDeletion(ports, actor, at('leaving'));
    assert.deepEqual([verdict, missing[0]?.verb, remedies.length], ['Blocked', 'delete', 1]);
  });
});

async function level(namespace: string, value: string | null): Promise<void> {
  const labels = { 'pod-security.kubernetes.io/enforce': value };
  await kube.asController().patch({ ...NAMESPACE, name: namespace }, { type: 'merge', body: { metadata: { labels } } });
}

const at = (name: string) => ({ environment: NS, app: APP, name });

async function check(actor: Actor, spec: JsonObject): Promise<Preflight> {
  return await preflightInstance(ports, actor, { ...at('probe'), spec });
}

/** Policies of other tests may still be in force for a moment. */
function aboutPods({ warned }: Findings): readonly Finding[] {
  return warned.filter(({ subject }) => subject === 'PodSecurity');
}

const type = (group: string, version: string, resource: string): ResourceType => ({ group, version, resource });

function object(apiVersion: string, kind: string, name: string, spec: unknown): KubeObject {
  return { apiVersion, kind, metadata: { name, namespace: NS }, ...(spec === undefined ? {} : { spec }) };
}

async function apply(of: ResourceType, wanted: KubeObject): Promise<void> {
  await kube.asController().apply(of, wanted, { fieldManager: 'test', force: 'force' });
}

async function own(
  of: ResourceType,
  wanted: KubeObject,
  owner: { uid: string; apiVersion: string; kind: string; name: string },
): Promise<void> {
  await apply(of, { ...wanted, metadata: { ...wanted.metadata, ownerReferences: [owner] } });
}

async function create(spec: JsonObject, name: string): Promise<void> {
  await kube.asController().create(VATS, object(`${GROUP}/v1`, 'Vat', name, spec));
}

async function live(name: string): Promise<{ uid: string; specVersion: string }> {
  const { metadata } = await kube.asController().get({ ...VATS, namespace: NS, name });
  return { uid: metadata.uid ?? '', specVersion: `${metadata.uid ?? ''}.${metadata.generation ?? 0}` };
}

/** One quota, counted. The cluster learns to count a new kind only minutes later, so the test writes it. */
async function quota(hard: Readonly<Record<string, string>>): Promise<void> {
  const cluster = kube.asController();
  const ref = { ...RESOURCE_QUOTA, namespace: NS, name: 'plenty' };
  try {
    await cluster.delete(ref);
  } catch (error) {
    if (!isAppError(error, 'NotFound')) throw error;
  }
  await cluster.create(RESOURCE_QUOTA, object('v1', 'ResourceQuota', 'plenty', { hard }));
  await eventually(async () => {
    if (hard[`count/${APP}`] !== undefined) {
      const used = { [`count/${APP}`]: '0' };
      await cluster.patch(ref, { type: 'merge', body: { status: { hard, used } } }, { subresource: 'status' });
    }
    const { status } = await cluster.get(ref);
    return Object.keys(hard).every((key) => textAt(status, 'used', key) !== undefined);
  }, 'the quota is counted');
}

async function policy(name: string, validationActions: readonly string[], expression: string, message: string): Promise<void> {
  const parts = admissionPolicy({ name: `${name}-${RUN}`, validationActions, group: GROUP, resource: 'vats', expression, message });
  for (const [resource, part] of Object.entries(parts)) await apply(type('admissionregistration.k8s.io', 'v1', resource), part);
}

async function grant({ user }: Actor, name: string, rules: readonly object[]): Promise<void> {
  const rbac = 'rbac.authorization.k8s.io';
  await apply(CLUSTER_ROLE, { apiVersion: `${rbac}/v1`, kind: 'ClusterRole', metadata: { name }, rules });
  await apply(type(rbac, 'v1', 'clusterrolebindings'), {
    apiVersion: `${rbac}/v1`,
    kind: 'ClusterRoleBinding',
    metadata: { name },
    subjects: [{ kind: 'User', apiGroup: rbac, name: user }],
    roleRef: { apiGroup: rbac, kind: 'ClusterRole', name },
  });
}
