import { createHash } from 'node:crypto';
import { mkdtemp, realpath, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { createChartLibrary } from '../../src/chart/chart-library.ts';
import { instanceController } from '../../src/compose/app-instance/instance-controller.ts';
import { watchRecords } from '../../src/compose/watch-records.ts';
import { runController } from '../../src/controller/controller.ts';
import { generatedCrd } from '../../src/domain/app-definition/generated-crd.ts';
import type { Scale } from '../../src/domain/app-definition/scale.ts';
import type { AuditEntry } from '../../src/domain/audit/audit-log.ts';
import { type Condition, findCondition } from '../../src/domain/kubernetes/condition.ts';
import { OURS } from '../../src/domain/kubernetes/names.ts';
import { APP_DEFINITION, APP_REVISION, CRD, ENVIRONMENT } from '../../src/domain/kubernetes/resource-types.ts';
import type { KubeObject, ResourceType } from '../../src/domain/kubernetes/resource.ts';
import { parseInstanceStatus } from '../../src/domain/app-instance/instance.ts';
import type { InstanceStatus } from '../../src/domain/app-instance/instance-kind.ts';
import type { ImageRewrite } from '../../src/domain/workload/image-rewrite.ts';
import { createHelm, type HelmProgram } from '../../src/helm/helm.ts';
import { bootstrapCluster } from '../../src/kube/bootstrap.ts';
import type { Kube } from '../../src/kube/kube.ts';
import { openKube } from './open-kube.ts';
import { startReflector } from '../../src/kube/watch/reflector.ts';
import { createLog } from '../../src/observe/log.ts';
import { type ChartFiles, packChart, writeFiles } from './charts.ts';
import { repoRoot, type TestCluster } from './cluster.ts';
import { runEnvironmentController } from './environment-controller.ts';
import { eventually } from './eventually.ts';
import { sampleAuditLog } from './sample-audit-log.ts';

/** What the spec of an AppDefinition has beside the chart. */
type OfferedSpec = Readonly<Record<string, unknown>> & { readonly scale?: Scale };

/** Instances of charts at work on a real cluster, with real helm. Of the definitions, the tests write what their controller would. */
export interface InstanceWorld {
  readonly kube: Kube;
  /** What its controller wrote into the audit log. */
  readonly auditEntries: readonly AuditEntry[];
  readonly chartsDir: string;
  /** Offers a chart of so many versions as a kind; the last version is the current one. */
  offer(name: string, versions: Readonly<Record<string, ChartFiles>>, spec?: OfferedSpec): Promise<ResourceType>;
  environment(name: string): Promise<void>;
  create(
    type: ResourceType,
    instance: { readonly namespace: string; readonly name: string; readonly spec?: object; readonly annotations?: Record<string, string> },
  ): Promise<void>;
  merge(type: ResourceType, key: Key, body: Readonly<Record<string, unknown>>): Promise<void>;
  status(type: ResourceType, key: Key): Promise<InstanceStatus>;
  /** Waits until a condition has a status, and a reason where one is given. */
  condition(type: ResourceType, key: Key, wanted: { type: string; status: string; reason?: string }): Promise<Condition>;
  /** Ends the controller of instances as a killed process would, and starts another one. */
  restart(): Promise<void>;
  stop(): Promise<void>;
}

interface Key {
  readonly namespace: string;
  readonly name: string;
}

const SECONDS = 60;

/** What the controller of instances works with. */
interface WorldOutside {
  readonly kube: Kube;
  readonly helm: HelmProgram;
}

export interface InstanceWorldOptions {
  /** The folder behind `file://samples`; a fresh one when it is left out. */
  readonly chartsDir?: string;
  /** `Elsewhere`: another process has the controllers. Default: they run here. */
  readonly controllers?: 'Elsewhere';
  /** Default: images stay. */
  readonly imageRewrites?: readonly ImageRewrite[];
  /** Gets every line of the log, debug lines included. */
  readonly log?: (text: string) => void;
  /** Comes between the controller of instances and its outside. */
  readonly wrap?: (outside: WorldOutside) => WorldOutside;
}

interface WorldCluster extends Pick<TestCluster, 'kubeconfigPath'> {
  readonly tools: Pick<TestCluster['tools'], 'helm'>;
}

/** @param prefix the beginning of the names of its environments and definitions. */
export async function startInstanceWorld(
  { kubeconfigPath, tools }: WorldCluster,
  prefix: string,
  options: InstanceWorldOptions = {},
): Promise<InstanceWorld> {
  const folder = await mkdtemp(join(await realpath(tmpdir()), 'chandlery-instances-'));
  const { imageRewrites = [] } = options;
  const level = options.log !== undefined || process.env['CHANDLERY_TEST_LOG'] === 'on' ? 'debug' : 'silent';
  const log = createLog({ level, format: 'lines', write: options.log ?? ((text) => process.stderr.write(text)) });
  const ending = new AbortController();
  const { signal } = ending;
  const kube = openKube(kubeconfigPath);
  const cluster = kube.asController();
  const chart = join(repoRoot, 'charts', 'chandlery');
  await bootstrapCluster(kube, { crds: join(chart, 'crds'), roles: join(chart, 'files', 'cluster-roles.yaml') }, signal);
  const helm = await createHelm({
    program: tools.helm,
    homeDir: join(folder, 'helm'),
    kubeconfigPath,
    maxChildren: 4,
    imageRewrites,
    log: { debug: (keys, message) => log.debug(message, { ...keys }) },
  });
  const roots = { samples: options.chartsDir ?? join(folder, 'charts') };
  const charts = await createChartLibrary({ cacheDir: join(folder, 'cache'), roots, mirrors: [], allowEgress: [] });
  const environments = startReflector({ cluster, type: ENVIRONMENT, signal, log });
  const definitions = startReflector({ cluster, type: CRD, signal, log });
  const isOwn = (name: string): boolean => name.startsWith(prefix);
  const { controllers = 'Here', wrap = (outside: WorldOutside): WorldOutside => outside } = options;
  const running = controllers === 'Here' ? [runEnvironmentController({ kube, sources: [environments], isOwn, log, signal })] : [];
  const auditEntries: AuditEntry[] = [];
  let worker = new AbortController();
  const start = (): void => {
    worker = new AbortController();
    const until = AbortSignal.any([signal, worker.signal]);
    const controller = instanceController({
      ...wrap({ kube, helm }),
      charts,
      definitions,
      environments,
      appDefinitions: startReflector({ cluster: kube.asController(), type: APP_DEFINITION, log, signal: until }),
      records: watchRecords({ kube, log, signal: until }),
      imageRewrites,
      isOwn,
      auditLog: sampleAuditLog(auditEntries),
      log,
      signal: until,
    });
    running.push(controller.ready().then(async () => await runController({ ...controller, log, signal: until })));
  };
  if (controllers === 'Here') start();
  const status = async (type: ResourceType, key: Key): Promise<InstanceStatus> =>
    parseInstanceStatus(await cluster.get({ ...type, ...key }));
  return {
    kube,
    auditEntries,
    chartsDir: roots.samples,
    offer: async (name, versions, spec = {}) => {
      const type = { group: OURS.appsGroup, version: OURS.appsVersion, resource: `${name.replaceAll('-', '')}s` };
      await cluster.create(CRD, crdOf(name, type, spec.scale));
      const definition = { ...objectOf(APP_DEFINITION, 'AppDefinition', name), spec: { chart: sourceOf(name, '*'), ...spec } };
      await cluster.create(APP_DEFINITION, definition);
      let revision = '';
      for (const [version, files] of Object.entries(versions)) {
        const all = { ...files, 'Chart.yaml': `apiVersion: v2\nname: ${name}\nversion: ${version}\n` };
        await writeFiles(roots.samples, { [`${name}-${version}.tgz`]: await packChart(name, all) });
        const { digest } = await charts.fetch({ kind: 'repository', ...sourceOf(name, version) }, signal);
        revision = `${name}-${createHash('sha256').update(digest).digest('hex').slice(0, 12)}`;
        const made = {
          definition: name,
          createdByGeneration: 1,
          source: { chart: sourceOf(name, version) },
          chart: { name, version },
          digest,
        };
        const metadata = { name: revision, labels: { [OURS.appDefinitionLabel]: name } };
        await cluster.create(APP_REVISION, { ...objectOf(APP_REVISION, 'AppRevision', revision), metadata, spec: made });
      }
      const current = { ...objectOf(APP_DEFINITION, 'AppDefinition', name), status: { revision } };
      await cluster.applyStatus(APP_DEFINITION, current, { fieldManager: 'test' });
      await eventually(async () => {
        kube.invalidate();
        return (await kube.kinds()).some(({ resource, group }) => resource === type.resource && group === type.group);
      }, 'the kind is served');
      return type;
    },
    environment: async (name) => {
      await cluster.create(ENVIRONMENT, { ...objectOf(ENVIRONMENT, 'Environment', name), spec: { reclaim: 'Delete' } });
      await eventually(async () => isReady(await cluster.get({ ...ENVIRONMENT, name })), `the environment ${name} is ready`, SECONDS);
    },
    create: async (type, { namespace, name, spec = {}, annotations = {} }) => {
      const kind = kindOf(type);
      await cluster.create(type, { ...objectOf(type, kind, name), metadata: { name, namespace, annotations }, spec });
    },
    merge: async (type, key, body) => void (await cluster.patch({ ...type, ...key }, { type: 'merge', body })),
    status,
    condition: (type, key, { type: wanted, status: word, reason }) =>
      eventually(
        async () => {
          const found = findCondition((await status(type, key)).conditions, wanted);
          return found?.status === word && (reason === undefined || found.reason === reason) ? found : undefined;
        },
        `${wanted}=${word} ${reason ?? ''} of ${key.namespace}/${key.name}`,
        SECONDS,
      ),
    restart: async () => {
      worker.abort();
      await running.pop();
      start();
    },
    stop: async () => {
      ending.abort();
      await Promise.all(running);
      await kube.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}

function objectOf({ group, version }: ResourceType, kind: string, name: string): KubeObject {
  return { apiVersion: `${group}/${version}`, kind, metadata: { name } };
}

function kindOf({ resource }: ResourceType): string {
  return `${resource.charAt(0).toUpperCase()}${resource.slice(1, -1)}`;
}

function sourceOf(name: string, version: string): { repoURL: string; name: string; version: string } {
  return { repoURL: 'file://samples', name, version };
}

function isReady({ status }: KubeObject): boolean {
  const conditions = (status as { conditions?: Condition[] } | undefined)?.conditions ?? [];
  return findCondition(conditions, 'Ready')?.status === 'True';
}

function crdOf(definition: string, { resource, ...type }: ResourceType, scale: Scale | undefined): KubeObject {
  const names = { kind: kindOf({ ...type, resource }), plural: resource, singular: resource.slice(0, -1), shortNames: [] };
  const values = { type: 'object', 'x-kubernetes-preserve-unknown-fields': true };
  return generatedCrd({ definition, names, description: '', values, revision: '', ...(scale === undefined ? {} : { scale }) });
}
