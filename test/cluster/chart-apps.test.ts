import assert from 'node:assert/strict';
import { readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import { execa } from 'execa';
import { createChartLibrary } from '../../src/chart/chart-library.ts';
import { createUpgradePreviews } from '../../src/compose/create-ports.ts';
import { indexEnvironments } from '../../src/compose/index-environments.ts';
import { isAppError } from '../../src/domain/core/errors.ts';
import { stringifyJson } from '../../src/domain/core/exact-json.ts';
import { listAt, textAt } from '../../src/domain/core/read.ts';
import type { Actor } from '../../src/domain/kubernetes/actor.ts';
import { parseActor } from '../../src/domain/kubernetes/actor.ts';
import { APP_DEFINITION, CLUSTER_ROLE, DEPLOYMENT, ENVIRONMENT, RESOURCE_QUOTA } from '../../src/domain/kubernetes/resource-types.ts';
import type { JsonObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import type { Preflight } from '../../src/domain/instance/instance.ts';
import { parseAppDefinitionStatus } from '../../src/domain/app-definition/app-definition.ts';
import { parseImageRewrites } from '../../src/domain/workload/image-rewrite.ts';
import { createCatalogCache } from '../../src/kube/watch/catalog-cache.ts';
import { createLog } from '../../src/observe/log.ts';
import { previewEnvironmentDeletion } from '../../src/operation/environment/preview-environment-deletion.ts';
import { createNamespaceMemory } from '../../src/operation/environment/namespace-memory.ts';
import { createInstance } from '../../src/operation/instance/write-instance.ts';
import { preflightChange } from '../../src/operation/preflight/preflight-change.ts';
import { preflightInstance } from '../../src/operation/preflight/preflight-instance.ts';
import { scaleResource, showScale } from '../../src/operation/resource/act-on-resource.ts';
import { showResource } from '../../src/operation/resource/show-resource.ts';
import type { Ports } from '../../src/operation/ports.ts';
import { createAppDefinitionReconciler } from '../../src/reconcile/app-definition/reconcile-app-definition.ts';
import { sampleChart, SMALL_CHARTS, WORKER_POLICY as POLICY } from '../support/app-charts.ts';
import { admitClerk } from '../support/clerk.ts';
import { type ChartFiles, packChart, writeFiles } from '../support/charts.ts';
import { sharedCluster, type TestCluster } from '../support/cluster.ts';
import { eventually } from '../support/eventually.ts';
import { type InstanceWorld, startInstanceWorld } from '../support/instance-world.ts';
import { RUN } from '../support/run-name.ts';
import { ASKING, NO_DEPLOYMENTS, sampleAuditLog } from '../support/sample-audit-log.ts';

// Runs in test:all: it installs ten charts as apps in turn.

const [ONE, TWO] = [`apps-${RUN}-one`, `apps-${RUN}-two`] as const;
const SAMPLES = ['job-runner', 'object-store', 'postgresql', 'queue', 'static-site', 'web-app'];
const CHARTS = [...SAMPLES, ...Object.keys(SMALL_CHARTS)];
const DEV_ONE = parseActor(`test:ann-${RUN}`, [`test:one-${RUN}`]);
const DEV_TWO = parseActor(`test:bob-${RUN}`, [`test:two-${RUN}`]);
/** May have instances and read no Secrets. */
const CLERK = parseActor(`test:cle-${RUN}`, [`test:clerks-${RUN}`]);
const REWRITES = parseImageRewrites(['registry.example.com:5000/=mirror.example.com/team-registry/']);
const ADMISSION = { group: 'admissionregistration.k8s.io', version: 'v1' };

type AppPorts = Pick<
  Ports,
  'clusters' | 'catalog' | 'discovery' | 'upgrades' | 'auditLog' | 'deployments' | 'publicUrl' | 'health' | 'namespaceMemory' | 'index'
>;

describe('ten charts as apps, with two environments and two developers', () => {
  const ending = new AbortController();
  let testCluster: TestCluster;
  let world: InstanceWorld;
  let ports: AppPorts;
  before(async () => {
    testCluster = await sharedCluster();
    world = await startInstanceWorld(testCluster, `apps-${RUN}`, { imageRewrites: REWRITES });
    await Promise.all([ONE, TWO].map(async (name) => await world.environment(name)));
    await shareEnvironments();
    ports = await openPorts();
    await offerAll();
    for (const actor of [DEV_ONE, CLERK]) await eventually(async () => await mayInstall(actor), `${actor.user} may install`);
  });
  after(async () => {
    ending.abort();
    for (const [plural, { metadata }] of Object.entries(POLICY))
      await world?.kube
        .asController()
        .delete({ ...ADMISSION, resource: plural, name: metadata.name })
        .catch(() => undefined);
    if (world !== undefined) await rm(stateDir(), { recursive: true, force: true });
    await world?.stop();
    await testCluster?.stop();
  });

  const stateDir = (): string => join(world.chartsDir, '..', 'state');
  const nameOf = (chart: string): string => `${chart}-${RUN}`;
  const typeOf = (chart: string): ResourceType => {
    const resource = `${nameOf(chart).replaceAll('-', '')}s`;
    return { group: 'apps.chandlery.dev', version: 'v1alpha1', resource };
  };
  const draftOf = (environment: string, chart: string, values: JsonObject, name = 'one') => {
    const { resource, group } = typeOf(chart);
    return { environment, app: `${resource}.${group}`, name, spec: Object.keys(values).length === 0 ? {} : { values } };
  };
  const check = async (actor: Actor, environment: string, chart: string, values: JsonObject): Promise<Preflight> =>
    await preflightInstance(ports, actor, draftOf(environment, chart, values, 'checked')).catch((error: unknown) => {
      // The catalogue may not have it yet.
      if (isAppError(error, 'NotFound')) return { verdict: 'Blocked', faults: [{ message: error.message }] } as unknown as Preflight;
      throw error;
    });
  const mayInstall = async (actor: Actor): Promise<true> => {
    const { verdict, faults } = await check(actor, ONE, 'worker', {});
    assert.equal(verdict, 'Ready', stringifyJson(faults));
    return true;
  };
  const messages = ({ findings }: Preflight, group: 'blocked' | 'warned' | 'unchecked' | 'changed' | 'created'): string =>
    findings[group].map(({ message }) => message).join('\n');

  async function shareEnvironments(): Promise<void> {
    const cluster = world.kube.asController();
    for (const [name, { groups }] of Object.entries({ [ONE]: DEV_ONE, [TWO]: DEV_TWO })) {
      const body = { spec: { groups: groups.map((group) => ({ name: group, role: 'developer' })) } };
      await cluster.patch({ ...ENVIRONMENT, name }, { type: 'merge', body });
    }
    await admitClerk(cluster, { name: `clerk-${RUN}`, environment: ONE, groups: CLERK.groups });
  }

  const chartsIn = async (cache: string): ReturnType<typeof createChartLibrary> =>
    await createChartLibrary({ cacheDir: join(stateDir(), cache), roots: { samples: world.chartsDir }, mirrors: [], allowEgress: [] });

  async function openPorts(): Promise<AppPorts> {
    const { kube } = world;
    const log = createLog({ level: 'silent', format: 'lines', write: () => undefined });
    const catalog = createCatalogCache(kube, log, ending.signal);
    const charts = await chartsIn('cache');
    const metrics = { helmRan: () => undefined };
    const program = { helm: testCluster.tools.helm, imageRewrites: REWRITES };
    const upgrades = await createUpgradePreviews({ kube, charts, ...program, stateDir: stateDir(), log, metrics });
    await catalog.waitForSync(AbortSignal.timeout(30_000));
    const health = { evaluate: async () => undefined, faults: () => [] };
    const kept = { auditLog: sampleAuditLog(), deployments: NO_DEPLOYMENTS, health, namespaceMemory: createNamespaceMemory() };
    const index = indexEnvironments({ kube, clusters: kube, log, signal: ending.signal });
    return { clusters: kube, index, discovery: kube, catalog, upgrades, ...kept, publicUrl: 'http://localhost:8080' };
  }

  /** Each chart by its own AppDefinition, which its controller makes a kind of. */
  async function offerAll(): Promise<void> {
    const cluster = world.kube.asController();
    const charts = await chartsIn('definitions');
    const environments = (await cluster.list(ENVIRONMENT)).items;
    const none = { all: () => [] };
    const watched = { environments: { all: () => environments }, definitions: none, crds: none };
    const events = { record: async () => undefined };
    const reconcile = createAppDefinitionReconciler({ cluster, charts, ...watched, events, now: () => new Date() });
    for (const chart of CHARTS) {
      const name = nameOf(chart);
      const plain: ChartFiles = { 'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: 1.0.0\n`, ...SMALL_CHARTS[chart] };
      const files = SAMPLES.includes(chart) ? await sampleChart(chart, name) : plain;
      const version = /^version: (\S+)$/m.exec(files['Chart.yaml'] ?? '')?.[1] ?? '';
      await writeFiles(world.chartsDir, { [`${name}-${version}.tgz`]: await packChart(name, files) });
      const scale = chart === 'web-app' ? { scale: { specReplicasPath: 'spec.values.replicas' } } : {};
      const spec = { chart: { repoURL: 'file://samples', name, version }, ...scale };
      await cluster.create(APP_DEFINITION, { apiVersion: 'chandlery.dev/v1alpha1', kind: 'AppDefinition', metadata: { name }, spec });
    }
    const lodge = {
      chart: { repoURL: 'file://samples', name: nameOf('worker'), version: '1.0.0' },
      names: { kind: `Lodge${RUN}`, plural: `lodge${RUN}s`, singular: `lodge${RUN}` },
      namespaceMode: 'Dedicated',
    };
    const object = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'AppDefinition', metadata: { name: nameOf('lodge') }, spec: lodge };
    await cluster.create(APP_DEFINITION, object);
    const isReady = async (name: string): Promise<boolean> => {
      await reconcile(name, AbortSignal.timeout(60_000)).catch((error: unknown) => {
        if (!isAppError(error, 'Conflict', 'AlreadyExists')) throw error;
      });
      const { conditions } = parseAppDefinitionStatus(await cluster.get({ ...APP_DEFINITION, name }));
      return conditions.some(({ type, status }) => type === 'Ready' && status === 'True');
    };
    for (const chart of [...CHARTS, 'lodge']) await eventually(async () => await isReady(nameOf(chart)), `${chart} is an app`, 60);
  }

  const kubectl = async (actor: Actor, ...args: readonly string[]): Promise<string> => {
    const groups = actor.groups.map((group) => `--as-group=${group}`);
    const { kubectl: program = 'kubectl' } = testCluster.tools;
    return (await execa(program, ['--kubeconfig', testCluster.kubeconfigPath, `--as=${actor.user}`, ...groups, ...args])).stdout;
  };
  const helmList = async (...as: readonly string[]): Promise<string[]> => {
    const { stdout } = await execa(testCluster.tools.helm, ['--kubeconfig', testCluster.kubeconfigPath, 'list', '--output', 'json', ...as]);
    return (JSON.parse(stdout) as unknown[]).map((release) => `${textAt(release, 'name')} ${textAt(release, 'status')}`).sort();
  };

  it(
    'become healthy, by the page in one environment and by kubectl in the other, and helm lists the same releases',
    { timeout: 240_000 },
    async () => {
      const keyIn = (namespace: string) => ({ namespace, name: 'one' });
      for (const chart of CHARTS) {
        await createInstance(ports, DEV_ONE, { ...draftOf(ONE, chart, {}), ...ASKING });
        const { commands } = await preflightInstance(ports, DEV_TWO, draftOf(TWO, chart, {}));
        const file = join(stateDir(), `${chart}.yaml`);
        await writeFile(file, commands.yaml);
        await kubectl(DEV_TWO, 'apply', '--server-side', '--filename', file);
      }
      for (const namespace of [ONE, TWO])
        for (const chart of CHARTS) await world.condition(typeOf(chart), keyIn(namespace), { type: 'Ready', status: 'True' });
      for (const chart of CHARTS) {
        const [made, applied] = await Promise.all(
          [ONE, TWO].map(async (namespace) => await world.kube.asController().get({ ...typeOf(chart), ...keyIn(namespace) })),
        );
        assert.deepEqual(applied?.spec, made?.spec, chart);
        const [page, file] = [await world.status(typeOf(chart), keyIn(ONE)), await world.status(typeOf(chart), keyIn(TWO))];
        assert.deepEqual([file.release?.name, file.chart, file.version], [page.release?.name, page.chart, page.version], chart);
      }
      const wanted = CHARTS.map((chart) => `${typeOf(chart).resource.slice(0, -1)}-one deployed`).sort();
      for (const [namespace, { user, groups }] of [
        [ONE, DEV_ONE],
        [TWO, DEV_TWO],
      ] as const) {
        assert.deepEqual(
          await helmList('--namespace', namespace, '--kube-as-user', `system:serviceaccount:${namespace}:chandlery-deployer`),
          wanted,
        );
        assert.deepEqual(await helmList('--namespace', namespace, '--kube-as-user', user, '--kube-as-group', groups[0] ?? ''), wanted);
      }
    },
  );

  it('pull their images from the registry that a rewrite names, which is no drift', { timeout: 60_000 }, async () => {
    const deployment = await world.kube.asController().get({ ...DEPLOYMENT, namespace: ONE, name: `worker${RUN}-one` });
    const [container] = listAt(deployment.spec, 'template', 'spec', 'containers');
    assert.equal(textAt(container, 'image'), 'mirror.example.com/team-registry/team/worker:1.0.0');
    await world.condition(typeOf('worker'), { namespace: ONE, name: 'one' }, { type: 'Drifted', status: 'False' });
  });

  it('have a scale where their definition names the replicas, for whoever may change them', { timeout: 60_000 }, async () => {
    const { app, ...rest } = draftOf(ONE, 'web-app', {});
    const address = { environment: ONE, resource: app, name: rest.name };
    const { resource } = await showResource(ports, DEV_ONE, address);
    assert.deepEqual([resource.replicas, resource.actions.map(({ action }) => action)], [2, ['scale']]);
    await scaleResource(ports, DEV_ONE, { ...address, replicas: 3, ...ASKING });
    assert.equal((await showScale(ports, DEV_ONE, address)).replicas, 3);
    await eventually(async () => (await world.status(typeOf('web-app'), { namespace: ONE, name: 'one' })).replicas === 3, 'three pods', 60);
  });

  it('are tried object by object as the deployer before anything is written, with their images', { timeout: 60_000 }, async () => {
    const since = (await readFile(testCluster.auditLogPath)).length;
    const found = await check(DEV_ONE, ONE, 'worker', {});
    assert.equal(found.verdict, 'Ready', messages(found, 'blocked'));
    const release = `worker${RUN}-checked`;
    assert.deepEqual(
      found.findings.created.map(({ message }) => message).filter((message) => message.includes(release)),
      [`Secret ${ONE}/${release}`, `Deployment ${ONE}/${release}`],
    );
    assert.deepEqual(
      found.images?.map(({ registry, repository, tag, rewrittenFrom }) => [registry, repository, tag, rewrittenFrom]),
      [['mirror.example.com', 'team-registry/team/worker', '1.0.0', ['registry.example.com:5000/team/worker:1.0.0']]],
    );
    assert.deepEqual(
      found.objects?.changes.map(({ kind, change }) => `${kind} ${change}`),
      ['Secret added', 'Deployment added'],
    );
    const written = (await readFile(testCluster.auditLogPath)).subarray(since).toString().split('\n');
    const tried = written.filter((line) => line.includes(release)).map((line): unknown => JSON.parse(line));
    const writes = tried.filter((event) => ['create', 'patch'].includes(textAt(event, 'verb') ?? ''));
    assert.ok(writes.length >= 3);
    for (const event of writes) {
      assert.match(textAt(event, 'requestURI') ?? '', /dryRun=All/);
      assert.equal(textAt(event, 'impersonatedUser', 'username'), `system:serviceaccount:${ONE}:chandlery-deployer`);
      assert.match(textAt(event, 'userAgent') ?? '', new RegExp(`\\(dry run for ${DEV_ONE.user}\\)`));
    }
  });

  it('have pages and actions for their objects in a namespace of their own, as the person', { timeout: 120_000 }, async () => {
    const found = await check(DEV_ONE, ONE, 'lodge', {});
    assert.equal(found.verdict, 'Ready', messages(found, 'blocked'));
    assert.match(messages(found, 'unchecked'), /Pods, quotas .* the namespace apps-\S+-checked-\w+ is created with the instance/);
    assert.match(
      messages(found, 'created'),
      new RegExp(`^Deployment apps-\\S+-checked-\\w+/lodge${RUN}-checked, after its namespace is created$`, 'm'),
    );
    const negative = await check(DEV_ONE, ONE, 'lodge', { replicas: -1 });
    assert.match(messages(negative, 'blocked'), /^Deployment apps-\S+: .*replicas.*greater than or equal to 0/m);
    assert.ok(!messages(negative, 'blocked').includes('preflight-'), messages(negative, 'blocked'));
    const hint = 'apiVersion: v1\nkind: ConfigMap\nmetadata: {name: hint}\ndata: {hint: "{{ .Values.token }}"}\n';
    await createInstance(ports, DEV_ONE, { ...draftOf(ONE, 'lodge', { token: 'w0rker-secret', extra: hint }), ...ASKING });
    await world.condition(typeOf('lodge'), { namespace: ONE, name: 'one' }, { type: 'Ready', status: 'True' });
    const { namespace = '' } = await world.status(typeOf('lodge'), { namespace: ONE, name: 'one' });
    const { app } = draftOf(ONE, 'lodge', {});
    const address = { environment: ONE, resource: 'deployments.apps', name: `lodge${RUN}-one`, dedicatedTo: `${app}/one` };
    const { resource } = await showResource(ports, DEV_ONE, address);
    assert.deepEqual([resource.namespace, resource.dedicatedTo], [namespace, `${app}/one`]);
    const repeated = await showResource(ports, DEV_ONE, { ...address, resource: 'configmaps', name: 'hint' });
    assert.deepEqual(repeated.resource.object['data'], { hint: '[secret]' });
    const allowed = resource.actions.flatMap((one) => (one.allowed ? [one.action] : []));
    assert.deepEqual(allowed, ['restart', 'scale']);
    await scaleResource(ports, DEV_ONE, { ...address, replicas: 2, ...ASKING });
    assert.equal((await showScale(ports, DEV_ONE, address)).replicas, 2);
    await assert.rejects(showResource(ports, DEV_TWO, address), { code: 'NotFound' });
    await assert.rejects(scaleResource(ports, CLERK, { ...address, replicas: 1, ...ASKING }), { code: 'Forbidden' });
    const shared = { ...address, dedicatedTo: `${draftOf(ONE, 'worker', {}).app}/one` };
    await assert.rejects(showResource(ports, DEV_ONE, shared), { code: 'NotFound', message: /it has no namespace of its own/ });
    const { goes } = await previewEnvironmentDeletion(ports, DEV_ONE, { environment: ONE });
    assert.ok(goes.includes(`The namespace dedicated to its instance, with everything in it: ${namespace}`), goes.join('\n'));
  });

  it('are tried as the deployer to be, where they are of no namespace, before it exists', { timeout: 120_000 }, async () => {
    const cluster = world.kube.asController();
    const allowedResources = [{ group: 'rbac.authorization.k8s.io', kind: 'ClusterRole' }];
    await cluster.patch({ ...APP_DEFINITION, name: nameOf('lodge') }, { type: 'merge', body: { spec: { allowedResources } } });
    const extra = `{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRole, metadata: {name: lodge-${RUN}}, rules: []}`;
    const review = async (): Promise<Preflight> => await check(DEV_ONE, ONE, 'lodge', { extra });
    const lacks = /:apps-\S+-checked-\w+:chandlery-deployer, may not get, create, patch, delete clusterroles.* ClusterRoleBinding$/;
    await eventually(async () => lacks.test(messages(await review(), 'blocked')), 'its permission is missing', 60);
    const { grant = '' } = await review();
    await execa(testCluster.tools.kubectl ?? 'kubectl', ['--kubeconfig', testCluster.kubeconfigPath, 'apply', '-f', '-'], { input: grant });
    await eventually(async () => (await review()).verdict === 'Ready', 'it has the permission', 30);
    assert.match(messages(await review(), 'created'), new RegExp(`^ClusterRole lodge-${RUN}$`, 'm'));
    await createInstance(ports, DEV_ONE, { ...draftOf(ONE, 'lodge', { extra }, 'checked'), ...ASKING });
    await world.condition(typeOf('lodge'), { namespace: ONE, name: 'checked' }, { type: 'Ready', status: 'True' });
    await cluster.get({ ...CLUSTER_ROLE, name: `lodge-${RUN}` });
  });

  it('are blocked by what the release may not have, the deployer may not do, or a policy denies', { timeout: 90_000 }, async () => {
    const inChannel = async (channel: string): Promise<Preflight> =>
      await preflightInstance(ports, DEV_ONE, { ...draftOf(ONE, 'worker', {}, 'checked'), spec: { channel } });
    assert.equal((await inChannel('1.x')).verdict, 'Ready');
    assert.match(messages(await inChannel('2.x'), 'warned'), /spec\.channel: no version is within "2\.x"; there are 1\.0\.0/);
    const binding =
      '{apiVersion: rbac.authorization.k8s.io/v1, kind: ClusterRoleBinding, metadata: {name: all}, roleRef: {apiGroup: rbac.authorization.k8s.io, kind: ClusterRole, name: view}}';
    const wide = await check(DEV_ONE, ONE, 'worker', { extra: binding });
    assert.match(messages(wide, 'blocked'), /ClusterRoleBinding "all": it is cluster-scoped/);
    assert.deepEqual(
      wide.findings.created.filter(({ message }) => message.startsWith('Deployment')),
      [],
      'nothing else is tried',
    );
    const foreign = await check(DEV_ONE, ONE, 'worker', {
      extra: `{apiVersion: v1, kind: ConfigMap, metadata: {name: a, namespace: ${TWO}}}`,
    });
    assert.match(messages(foreign, 'blocked'), new RegExp(`ConfigMap "a": it is in namespace ${TWO}`));
    const limits = '{apiVersion: v1, kind: LimitRange, metadata: {name: open}, spec: {limits: []}}';
    const beyond = await check(DEV_ONE, ONE, 'worker', { extra: limits });
    assert.match(
      messages(beyond, 'blocked'),
      /The deployer of the environment, .*chandlery-deployer, may not .*limitranges.*An AppDefinition cannot grant it: .*the Environment decides them.*aggregate-to-deployer/,
    );
    assert.match(beyond.grant ?? '', /limitranges/);
    const cluster = world.kube.asController();
    for (const [resource, object] of Object.entries(POLICY)) await cluster.create({ ...ADMISSION, resource }, object);
    const denied = async (): Promise<string> => messages(await check(DEV_ONE, ONE, 'worker', { replicas: 4 }), 'blocked');
    await eventually(async () => /four workers are too many/.test(await denied()), 'the policy denies it', 60);
  });

  it('may have NetworkPolicies, which an isolated environment reports or denies', { timeout: 90_000 }, async () => {
    const cluster = world.kube.asController();
    const extra = '{apiVersion: networking.k8s.io/v1, kind: NetworkPolicy, metadata: {name: open}, spec: {podSelector: {}, ingress: [{}]}}';
    const isolate = async (networkPolicy: object | null): Promise<void> =>
      void (await cluster.patch({ ...ENVIRONMENT, name: TWO }, { type: 'merge', body: { spec: { networkPolicy } } }));
    const review = async (): Promise<Preflight> => await check(DEV_TWO, TWO, 'worker', { extra });
    const opens = /^NetworkPolicy open allows connections to all pods of the namespace from every source, beyond the isolation/m;
    assert.doesNotMatch(messages(await review(), 'warned'), opens);
    await isolate({});
    assert.match(messages(await review(), 'warned'), opens);
    await isolate({ chartPolicies: 'Deny' });
    const denied = /chandlery-deployer, may not .*networkpolicies.*NetworkPolicy/;
    await eventually(async () => denied.test(messages(await review(), 'blocked')), 'the environment denies it', 60);
    await isolate(null);
    await eventually(async () => (await review()).verdict === 'Ready', 'it is allowed again', 60);
  });

  it('warn of quotas, nodes and Pod Security, with what is missing', { timeout: 90_000 }, async () => {
    const found = await check(DEV_TWO, TWO, 'worker', { cpu: '300', nodeSelector: { disk: 'none' } });
    assert.match(messages(found, 'warned'), /No node could take the pods of Deployment worker/);
    const policy = { nodeSelectorFrom: { 'kubernetes.io/hostname': 'nodeName' } };
    await world.kube.asController().patch({ ...APP_DEFINITION, name: nameOf('worker') }, { type: 'merge', body: { spec: { policy } } });
    const select = async (nodeName: string): Promise<Preflight> => await check(DEV_TWO, TWO, 'worker', { nodeName });
    const unknown = /No node could take the pods of Deployment worker.* without the labels that they select/;
    await eventually(async () => unknown.test(messages(await select('node-7'), 'warned')), 'the node is selected', 60);
    assert.match(messages(await select('node 7'), 'blocked'), /nodeName: it selects the node by the label kubernetes\.io\/hostname/);
    const [metadata, spec] = [{ name: 'few', namespace: TWO }, { hard: { 'requests.cpu': '1' } }];
    await world.kube.asController().create(RESOURCE_QUOTA, { apiVersion: 'v1', kind: 'ResourceQuota', metadata, spec });
    const short = /The release needs requests\.cpu=2, and the quota few has \S+ of 1 left \(\S+ short\)/;
    await eventually(
      async () => short.test(messages(await check(DEV_TWO, TWO, 'worker', { cpu: '500m', replicas: 4 }), 'warned')),
      'the quota is counted',
      60,
    );
    const rejected = await check(DEV_ONE, ONE, 'worker', { privileged: true });
    assert.match(messages(rejected, 'warned'), /Pods of Deployment .* will be rejected: .*PodSecurity/);
  });

  it('tell nobody whether a guess is what a Secret holds that they may not read', { timeout: 60_000 }, async () => {
    const draft = draftOf(ONE, 'worker', { token: 'first' });
    const guesses = ['first', 'another'].map((token) => ({ ...draft, spec: { values: { token, replicas: 2 } } }));
    const [right, wrong] = await Promise.all(guesses.map(async (guess) => await preflightChange(ports, CLERK, guess)));
    const secret = { message: `Secret ${ONE}/worker${RUN}-one`, subject: 'Object', evidence: 'estimate' };
    for (const { findings } of [right, wrong].filter((one) => one !== undefined)) {
      assert.deepEqual(
        findings.changed.filter(({ message }) => message.startsWith('Secret')),
        [secret],
      );
    }
    const reported = await preflightChange(ports, DEV_ONE, guesses[0] ?? draft);
    assert.doesNotMatch(messages(reported, 'changed'), /Secret/, 'who may read it sees that it stays');
  });

  it('are checked within bounds: of two thousand objects, the first hundred', { timeout: 60_000 }, async () => {
    const found = await check(DEV_ONE, ONE, 'worker', { objects: 2_000 });
    assert.match(messages(found, 'unchecked'), /1902 more objects were not checked|The release was not checked/);
    assert.ok((found.objects?.changes.length ?? 0) <= 200);
  });
});
