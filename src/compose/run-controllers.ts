import { operatorsIn } from '../domain/kubernetes/reserved-namespace.ts';
import { randomUUID } from 'node:crypto';
import { availableParallelism } from 'node:os';
import { join } from 'node:path';
import { CATALOG_RELEASE, CHANGE_REQUEST, SECRET } from '../domain/kubernetes/resource-types.ts';
import type { ChartLibrary } from '../chart/chart-library.ts';
import { deletedInstances } from './app-instance/deleted-instances.ts';
import { appDefinitions, compositionController } from './app-definition/app-definition-controllers.ts';
import { type UploadWatch, watchUploads } from './create-charts.ts';
import { helmChildren } from './create-ports.ts';
import { instanceController } from './app-instance/instance-controller.ts';
import { cronJobController } from './environment/cron-job-controller.ts';
import { environmentControllers } from './environment/environment-controllers.ts';
import { gitLabControllers } from './environment/gitlab-controllers.ts';
import { countInstances, type InstanceCounts, instancesInNamespaces, operatorsCounted } from './app-instance/count-instances.ts';
import { policyFile } from './install-crds-and-roles.ts';
import { chartRenderer, pinCachedCharts } from './pin-cached-charts.ts';
import { namespaceOf } from './environment/watch-generated.ts';
import { watchOperators } from './watch-operators.ts';
import { watchRecords } from './watch-records.ts';
import { type ControllerParts, type KeySource, mapSource, runController } from '../controller/controller.ts';
import type { AppSummary } from '../domain/app/app.ts';
import { buildCatalog } from '../domain/catalog/app-catalog.ts';
import { textAt } from '../domain/core/read.ts';
import type { NamePrefixes } from '../domain/gitlab/gitlab-deployment.ts';
import { OURS } from '../domain/kubernetes/names.ts';
import { isReservedCrdName } from '../domain/kubernetes/reserved-objects.ts';
import type { KubeObject, ObjectMeta } from '../domain/kubernetes/resource.ts';
import { CATALOG_SOURCE_KIND } from '../domain/source/catalog-source.ts';
import { dependentsOf } from '../domain/source/dependencies.ts';
import type { ImageRewrite } from '../domain/workload/image-rewrite.ts';
import type { EmbeddedCluster } from '../embedded/cluster/embedded-cluster.ts';
import { runLocalControllers } from '../embedded/controllers/local-controllers.ts';
import type { Artifacts } from '../chart/oci/artifact.ts';
import type { Git } from '../git/git.ts';
import { createHelm, type HelmProgram } from '../helm/helm.ts';
import { readManifests } from '../kube/bootstrap.ts';
import { createEventRecorder } from '../kube/events.ts';
import type { Kube } from '../kube/kube.ts';
import type { LiveCatalog } from '../kube/watch/catalog-cache.ts';
import { type Reflector, startMetadataReflector, startReflector } from '../kube/watch/reflector.ts';
import { packCrds } from '../kube/watch/packed-schemas.ts';
import type { Log } from '../observe/log.ts';
import type { Metrics } from '../observe/metrics.ts';
import { applyChangeRequest, secretsInRequest } from '../operation/change-request/apply-change-request.ts';
import type { HealthEvaluator } from '../operation/health/health-evaluator.ts';
import type { Ports } from '../operation/ports.ts';
import type { FailedRules } from '../reconcile/health-rules.ts';
import { createAdminAccessReconciler } from '../reconcile/admin-access/reconcile-admin-access.ts';
import {
  createAdmissionPolicyReconciler,
  isPolicyInForce,
  POLICY_TYPES,
} from '../reconcile/admission-policy/reconcile-admission-policies.ts';
import { createChangeRequestReconciler } from '../reconcile/change-request/reconcile-change-request.ts';
import { createKeptReconciler } from '../reconcile/keep/reconcile-kept.ts';
import { operatorsMovedWith } from '../domain/operator/operator-move.ts';
import { createOperatorReconciler } from '../reconcile/operator/reconcile-operator.ts';
import { watchReferences } from '../reconcile/helm-release/watch-references.ts';
import { operatorReferrers } from '../reconcile/operator/memory/references-of.ts';
import { createSourceReconciler } from '../reconcile/source/reconcile-source.ts';
import { createReleaseReconciler, releasesNaming } from '../reconcile/release/reconcile-release.ts';
import { sourcesOwning, sourcesWaiting } from '../reconcile/source/ownership.ts';
import { createFolderReader } from '../folder/read-source-folder.ts';
import { watchFolder } from '../folder/watch-folder.ts';

export interface ControllersInput {
  readonly kube: Kube;
  readonly catalog: LiveCatalog;
  readonly charts: ChartLibrary;
  /** Of the operations, by which approved change requests are applied. */
  readonly ports: Ports;
  /** The helm program. */
  readonly helm: string;
  /** The kubectl program. */
  readonly kubectl: string;
  readonly stateDir: string;
  readonly imageRewrites: readonly ImageRewrite[];
  readonly repoRoot: string;
  /** Of the names of people and their groups. */
  readonly prefixes: NamePrefixes;
  /** For the repositories of CatalogSources. */
  readonly git: Git;
  /** For the OCI artifacts of CatalogSources. */
  readonly artifacts: Artifacts;
  readonly embedded?: EmbeddedCluster;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly signal: AbortSignal;
}

interface Controller extends ControllerParts {
  /** Resolves when it may begin; at once when there is none. */
  readonly ready?: () => Promise<void>;
}

interface WatchFoldersInput {
  /** The CatalogSources, live. */
  readonly sources: { get(key: string): KubeObject | undefined } & KeySource;
  readonly signal: AbortSignal;
}

/** Runs all controllers until the signal aborts. */
export async function runControllers(input: ControllersInput): Promise<void> {
  const helm = await helmOf(input);
  const records = watchRecords(input);
  const { health } = input.ports;
  const instances = appInstances(input, { helm, records, health });
  const uploads = watchUploads(input);
  const { customResourceDefinitions: definitions } = input.catalog.reflectors;
  const counts = countInstances({ kube: input.kube, definitions, log: input.log, signal: input.signal });
  const inNamespaces = instancesInNamespaces(counts, instances);
  const controllers = [
    ...environmentControllers({ ...input, failedRules: health.faults }, { ...instances, ...inNamespaces }),
    ...gitLabControllers({ ...input, environments: input.catalog.reflectors.environments }),
    compositionController({ ...input, definitions: input.catalog.reflectors.appDefinitions }),
    catalogSources(input),
    catalogReleases(input),
    appDefinitions({ ...input, failedRules: health.faults, uploads, counted: instances.counted, renderChart: chartRenderer(input, helm) }),
    await operators(input, { helm, records, uploads, counts, failedRules: health.faults }),
    instances,
    keptObjects(input),
    deletedInstances(input),
    adminAccess(input),
    await admissionPolicies(input),
    await changeRequests(input),
    cronJobController(input),
  ];
  await Promise.all([...controllers.map((controller) => run(input, controller)), localControllers(input)]);
}

function appsIn(catalog: ControllersInput['catalog']): readonly AppSummary[] {
  return buildCatalog(catalog.operators(), catalog.customResourceDefinitions(), catalog.appDefinitions()).map(({ summary }) => summary);
}

function catalogSources({ kube, catalog, git, artifacts, kubectl, log, signal }: ControllersInput): Controller {
  const { catalogSources: sources, operators, environments, appDefinitions, customResourceDefinitions: crds } = catalog.reflectors;
  const cluster = kube.asController();
  const { reconcile, forget } = createSourceReconciler({
    cluster,
    cached: (name) => sources.get(name),
    appKinds: () => appsIn(catalog),
    events: createEventRecorder({ cluster, log, signal }),
    asServiceAccount: kube.asServiceAccount,
    discovery: kube,
    readFolder: createFolderReader(kubectl),
    git,
    artifacts,
    log,
    now,
  });
  // A resource that is deleted although its document is there comes back, and what its source has given away goes to the one that waits for it.
  const lostFrom = (reflector: Reflector, kind: string): KeySource => {
    const isNews = oncePerDeletion();
    return mapSource(reflector, (key) => {
      const live = reflector.get(key);
      if (live !== undefined && isNews(live)) return sourcesOwning(kind, key, sources.all());
      if (live?.metadata.labels?.[OURS.sourceLabel] !== undefined) return [];
      return [...(live === undefined ? sourcesOwning(kind, key, sources.all()) : []), ...sourcesWaiting(kind, key, sources.all())];
    });
  };
  const lost = [lostFrom(operators, 'Operator'), lostFrom(environments, 'Environment'), lostFrom(appDefinitions, 'AppDefinition')];
  // A kind of ours that was lost is served again, and all its objects are to be made anew.
  const restored = mapSource(crds, (name) =>
    isReservedCrdName(name) && !name.endsWith(`.${OURS.appsGroup}`) ? sources.all().map(({ metadata }) => metadata.name) : [],
  );
  const reapplied = [...lost, restored].map((changed) =>
    mapSource(changed, (name) => {
      forget(name);
      return [name];
    }),
  );
  // Those that depend on a source are looked at as soon as it may have become ready.
  const dependents = mapSource(sources, (name) => dependentsOf(name, sources.all()));
  return { name: 'source', sources: [sources, watchFolders({ sources, signal }), ...reapplied, dependents], reconcile, workers: 2 };
}

/** Tells the first sight of an object that is being deleted from all others. */
function oncePerDeletion(): (object: KubeObject) => boolean {
  const seen = new Set<string>();
  return ({ metadata: { uid = '', deletionTimestamp } }) => {
    if (deletionTimestamp === undefined || seen.has(uid)) return false;
    if (seen.size >= 1_000) seen.clear();
    seen.add(uid);
    return true;
  };
}

function catalogReleases({ kube, catalog, log, signal }: ControllersInput): Controller {
  const cluster = kube.asController();
  const releases = startReflector({ cluster, type: CATALOG_RELEASE, log, signal });
  const { operators, environments } = catalog.reflectors;
  const resources = (): KubeObject[] => [...operators.all(), ...environments.all()];
  const reconcile = createReleaseReconciler({ cluster, releases: releases.all, resources, now });
  const concerned = (reflector: Reflector, kind: string): KeySource =>
    mapSource(reflector, (key) =>
      releasesNaming(`${kind} ${key}`, reflector.get(key)?.metadata.labels?.[OURS.releaseLabel], releases.all()),
    );
  // A new release may be the next of every other one.
  const all = mapSource(releases, () => releases.all().map(({ metadata }) => metadata.name));
  return {
    name: 'release',
    sources: [all, concerned(operators, 'Operator'), concerned(environments, 'Environment')],
    reconcile,
    workers: 1,
  };
}

/** What Operators and instances are both made with. */
interface ReleaseParts {
  readonly helm: HelmProgram;
  /** The records of all releases. */
  readonly records: Reflector;
}

async function operators(
  input: ControllersInput,
  parts: ReleaseParts & { readonly uploads: UploadWatch; readonly counts: InstanceCounts; readonly failedRules: FailedRules },
): Promise<Controller> {
  const { kube, catalog, charts, imageRewrites, log, signal } = input;
  const { records, uploads, counts } = parts;
  const cluster = packCrds(kube.asController());
  const references = watchReferences({
    referrers: operatorReferrers(catalog.reflectors.operators),
    watch: (place, until) => startMetadataReflector({ ...place, cluster, signal: until, log }),
    signal,
  });
  const { operators: all, customResourceDefinitions: definitions } = catalog.reflectors;
  const { cache, ready } = watchOperators({ kube, operators: all, definitions, records, log, signal });
  const helm = pinCachedCharts(parts.helm, charts);
  const ports = {
    cluster,
    discovery: kube,
    kubernetesVersion: kube.kubernetesVersion,
    charts,
    uploads,
    failedRules: parts.failedRules,
    renderChart: chartRenderer(input, parts.helm),
    imageRewrites,
    helm,
    references,
    environments: catalog.environments,
    events: createEventRecorder({ cluster, log, signal }),
    log,
    now,
    holder: randomUUID(),
    leaseLost: input.metrics.leaseLost,
    watchedCrd: sameVersion(definitions.get),
    instancesOf: counts.ofCrd,
  };
  const moved = mapSource(all, (key) => operatorsMovedWith(all.all(), key));
  const counted = operatorsCounted(counts, { definitions, operators: all });
  const sources = [all, moved, references, cache, neighbours(catalog.reflectors.environments, all), uploads.keysOf(all.all), counted];
  return { name: 'operator', sources, reconcile: createOperatorReconciler(ports, cache), workers: 8, ready };
}

/** The Operators of a namespace where an Environment has come: nothing of theirs is written there. */
function neighbours(environments: Reflector, operators: Reflector): KeySource {
  return mapSource(environments, (name) => {
    const namespace = textAt(environments.get(name)?.status, 'namespace');
    return namespace === undefined ? [] : operatorsIn(namespace, operators.all());
  });
}

function sameVersion(watched: (key: string) => KubeObject | undefined): (version: ObjectMeta) => KubeObject | undefined {
  return ({ name, uid, resourceVersion }) => {
    const found = watched(name);
    return found?.metadata.uid === uid && found?.metadata.resourceVersion === resourceVersion ? found : undefined;
  };
}

function appInstances(
  { kube, catalog, charts, imageRewrites, metrics, ports: { auditLog }, log, signal }: ControllersInput,
  parts: ReleaseParts & { readonly health: HealthEvaluator },
): ReturnType<typeof instanceController> {
  const { customResourceDefinitions: definitions, operators, environments, appDefinitions } = catalog.reflectors;
  const watched = { definitions, operators, environments, appDefinitions };
  return instanceController({ kube, ...parts, charts, ...watched, imageRewrites, leaseLost: metrics.leaseLost, auditLog, log, signal });
}

/** Creates again what was deleted and is kept. */
function keptObjects({ kube, log, signal }: ControllersInput): Controller {
  const cluster = kube.asController();
  const scope = { namespace: OURS.systemNamespace, labelSelector: OURS.keptObjectLabel };
  const records = startMetadataReflector({ cluster, type: SECRET, ...scope, log, signal });
  const reconcile = createKeptReconciler({ cluster, events: createEventRecorder({ cluster, log, signal }), log });
  return { name: 'kept-object', sources: [records], reconcile, workers: 2 };
}

/** What admins may read of their Operators at work. */
function adminAccess({ kube, catalog }: ControllersInput): Controller {
  const { operators, environments: reserved } = catalog.reflectors;
  const isReserved = (namespace: string): boolean => reserved.all().some((environment) => namespaceOf(environment) === namespace);
  const operator = (key: string): KubeObject | undefined => operators.get(key);
  const reconcile = createAdminAccessReconciler({ cluster: kube.asController(), operator, isReserved, now });
  return { name: 'admin-access', sources: [operators], reconcile, workers: 1 };
}

/** Keeps the admission policies of Environments in force. */
async function admissionPolicies({ kube, repoRoot, log, signal }: ControllersInput): Promise<Controller> {
  const cluster = kube.asController();
  const reconcile = createAdmissionPolicyReconciler({ cluster, policies: await readManifests(policyFile(repoRoot)), log });
  const labelSelector = 'app.kubernetes.io/part-of=chandlery';
  const sources = Object.values(POLICY_TYPES).map((type) => startReflector({ cluster, type, labelSelector, log, signal }));
  return { name: 'admission-policy', sources, reconcile, workers: 1 };
}

/** Closes change requests, and applies approved ones as whoever approved them. */
async function changeRequests({ kube, ports, repoRoot, log, signal }: ControllersInput): Promise<Controller> {
  const cluster = kube.asController();
  const policies = await readManifests(policyFile(repoRoot));
  const requests = startReflector({ cluster, type: CHANGE_REQUEST, log, signal });
  const reconcile = createChangeRequestReconciler({
    cluster,
    requests: requests.all,
    applyAs: async (approver, changeRequest, digest) => await applyChangeRequest(ports, approver, { changeRequest, digest }),
    secretsIn: (spec) => secretsInRequest(ports, spec),
    isGuarded: async (until) => await isPolicyInForce({ cluster, policies }, 'chandlery-change-requests', until),
    events: createEventRecorder({ cluster, log, signal }),
    now,
  });
  return { name: 'change-request', sources: [requests], reconcile, workers: 4 };
}

/** Helm acts as we do, by a kubeconfig of its own. */
async function helmOf({ kube, helm, stateDir, imageRewrites, log, metrics }: ControllersInput): Promise<HelmProgram> {
  const kubeconfigPath = join(stateDir, 'helm.kubeconfig');
  await kube.writeKubeconfig(kubeconfigPath);
  const helmLog = { debug: (keys: object, message: string) => log.debug(message, { ...keys }) };
  return await createHelm({
    program: helm,
    homeDir: join(stateDir, 'helm'),
    kubeconfigPath,
    imageRewrites,
    // Most of them wait, for hooks that take long.
    maxChildren: helmChildren(4 * availableParallelism(), 3 / 4),
    log: helmLog,
    observe: metrics.helmRan,
  });
}

async function run({ log, metrics, signal }: ControllersInput, { ready, ...controller }: Controller): Promise<void> {
  await ready?.();
  const observe = (outcome: string, seconds: number): void => metrics.reconciled(controller.name, outcome, seconds);
  await runController({
    ...controller,
    log,
    signal,
    observe,
    measure: (read) => {
      const forget = metrics.measure(() => {
        const keys = read();
        const of = (state: 'waiting' | 'active') =>
          ({ gauge: 'chandlery_queue_keys', labels: { controller: controller.name, state }, value: keys[state] }) as const;
        return [of('waiting'), of('active')];
      });
      signal.addEventListener('abort', forget, { once: true });
    },
  });
}

/** The pods of the embedded cluster are simulated, so the controllers of the sample operators run beside it. */
async function localControllers({ kube, embedded, repoRoot, log, signal }: ControllersInput): Promise<void> {
  if (embedded === undefined) return;
  const programOf = (chart: string): string => join(repoRoot, 'charts', chart, 'controller', 'main.ts');
  const programs = { 'cache-operator': programOf('cache-operator'), 'postgres-operator': programOf('postgres-operator') };
  await runLocalControllers({ cluster: kube.asController(), embedded, programs, log, signal });
}

function now(): Date {
  return new Date();
}

/** The keys of CatalogSources whose folder changes: one watch for each folder, following the resources. */
function watchFolders({ sources, signal }: WatchFoldersInput): KeySource {
  const watches = new Map<string, { readonly path: string; readonly stop: AbortController }>();
  const listeners = new Set<(key: string) => void>();
  const follow = (key: string): void => {
    const path = CATALOG_SOURCE_KIND.spec.read(sources.get(key)?.spec)?.folder?.path;
    const known = watches.get(key);
    if (known?.path === path) return;
    known?.stop.abort();
    watches.delete(key);
    if (path === undefined) return;
    const stop = new AbortController();
    watches.set(key, { path, stop });
    const notify = (): void => listeners.forEach((listener) => listener(key));
    void watchFolder(path, notify, AbortSignal.any([signal, stop.signal]));
  };
  const unfollow = sources.onChange(follow);
  signal.addEventListener('abort', unfollow, { once: true });
  return {
    onChange: (listener) => {
      listeners.add(listener);
      return () => listeners.delete(listener);
    },
  };
}
