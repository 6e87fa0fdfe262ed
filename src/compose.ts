import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import type { Express } from 'express';
import { createApiRouter } from './api/router.ts';
import type { ChartLibrary } from './chart/chart-library.ts';
import type { PictureLibrary } from './chart/fetch/pictures.ts';
import { createSourceHooks, createSourcePreviews } from './compose/create-source-ports.ts';
import { readAuthorities, createCharts, createPictures, cacheChartDescriptions } from './compose/create-charts.ts';
import { createMetricPorts, createProposalPorts, createUpgradePreviews, storePorts } from './compose/create-ports.ts';
import { installCrdsAndRoles, restoreOwnCrds } from './compose/install-crds-and-roles.ts';
import { type Listeners, openListeners, readinessOf } from './compose/listen.ts';
import { openCluster, type OpenCluster, openIdentity } from './compose/open-cluster.ts';
import { runControllers } from './compose/run-controllers.ts';
import { waitAtMost } from './compose/wait-at-most.ts';
import type { Config } from './config.ts';
import { legacyStatusOf } from './domain/catalog/operator-view.ts';
import { AppError, messageOf } from './domain/core/errors.ts';
import { textAt } from './domain/core/read.ts';
import { quoted } from './domain/instance/instance-commands.ts';
import { statusOf } from './domain/kind/kind.ts';
import type { CatalogCache } from './domain/kubernetes/cluster.ts';
import { LEGACY_STATUSES } from './domain/operator/kind/status-fields.ts';
import { CATALOG_SOURCE_KIND } from './domain/source/catalog-source.ts';
import { loadTools } from './embedded/cluster/tools.ts';
import type { EmbeddedIssuer } from './embedded/issuer/create-embedded-issuer.ts';
import { DEMO_PEOPLE } from './embedded/issuer/demo-people.ts';
import { type ArtifactOptions, createArtifacts } from './chart/oci/artifact.ts';
import { createGit } from './git/git.ts';
import { createApp } from './http/create-app.ts';
import { createHookRouter, type HookPort } from './http/hooks.ts';
import type { UnavailableComponent } from './http/http-deps.ts';
import { metricsListener } from './http/probes.ts';
import { signedInOf } from './http/request-context.ts';
import type { Identity } from './identity/create-identity.ts';
import { explainWebhooks } from './kube/explain-webhooks.ts';
import { createCatalogCache, type LiveCatalog } from './kube/watch/catalog-cache.ts';
import { createSharedWatches } from './kube/watch/shared-watches.ts';
import type { Log } from './observe/log.ts';
import { createMetrics, type Measured, type Metrics } from './observe/metrics.ts';
import { returnMemoryWhenIdle } from './observe/return-memory.ts';
import { catalogRules, createHealthEvaluator } from './operation/health/health-evaluator.ts';
import { createGroupMemory } from './operation/instance/group-memory.ts';
import { bindOperations } from './operation/operations.ts';
import type { Ports } from './operation/ports.ts';
import { createStore } from './store/create-store.ts';
import { createLiveStreams } from './web/live/live-streams.ts';
import { type Assets, readAssets } from './web/page/assets.ts';
import { createFormSeal } from './web/page/sealed-inputs.ts';
import { createViews } from './web/page/view-engine.ts';
import { createRenderError, createWebRouter } from './web/router.ts';

export interface ChandleryInput {
  readonly config: Config;
  readonly repoRoot: string;
  readonly stateDir: string;
  readonly log: Log;
  /** `throwaway` trades safety against a power cut for speed: for tests. */
  readonly durability: 'kept' | 'throwaway';
  /** Gives up the start. */
  readonly signal?: AbortSignal;
}

/** The running product. */
export interface Chandlery {
  /** Where the pages are. */
  readonly url: URL;
  /** A few lines for whoever started it. */
  readonly hint: string;
  /** Resolves with a sentence when it cannot go on by itself. */
  readonly failed: Promise<string>;
  stop(): Promise<void>;
}

const PATIENCE_MS = 2_000;
const BACKGROUND_PATIENCE_MS = 10_000;

interface AppInput {
  readonly config: Pick<Config, 'trustedProxies' | 'otherHosts' | 'metricsPort'>;
  readonly repoRoot: string;
  readonly publicUrl: URL;
  readonly ports: Ports;
  readonly identity: Identity;
  readonly issuer?: EmbeddedIssuer;
  readonly assets: Assets;
  readonly pictures: PictureLibrary;
  /** 32 bytes that all replicas share: what pages carry on is sealed with them. */
  readonly sealKey: Uint8Array;
  readonly ready: () => Promise<readonly UnavailableComponent[]>;
  /** For webhooks. */
  readonly hooks: HookPort;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly stopping: AbortSignal;
}

/** Starts the whole product. Resolves when the pages answer; the cluster may still be on its way, and `/readyz` says so. */
export async function startChandlery(input: ChandleryInput): Promise<Chandlery> {
  const { config, log } = input;
  const listeners = await openListeners(config);
  try {
    const tools = await loadTools(input.repoRoot);
    const metrics = createMetrics({ version: versionOf(input.repoRoot) });
    listeners.metrics?.answerWith(metricsListener(metrics.text));
    const opened = await openCluster({ ...input, tools, metrics });
    return await startOn(opened, { ...input, listeners, tools, metrics }).catch(async (error: unknown) => {
      await opened.close();
      throw error;
    });
  } catch (error) {
    await listeners.close(0);
    log.debug('The start failed', { why: messageOf(error) });
    throw error;
  }
}

/** What people read of the cluster. */
function clusterPorts(
  kube: OpenCluster['kube'],
  catalog: LiveCatalog,
  log: Log,
): Pick<Ports, 'clusters' | 'watches' | 'discovery' | 'groupMemory'> {
  const clusters = explainWebhooks(kube, catalog);
  const watches = createSharedWatches(clusters, log);
  return { clusters, watches, discovery: kube, groupMemory: createGroupMemory() };
}

type Started = ChandleryInput & {
  readonly listeners: Listeners;
  readonly tools: Awaited<ReturnType<typeof loadTools>>;
  readonly metrics: Metrics;
};

async function startOn(opened: OpenCluster, input: Started): Promise<Chandlery> {
  const { config, repoRoot, stateDir, log, listeners, metrics } = input;
  const { kube } = opened;
  const stopping = new AbortController();
  returnMemoryWhenIdle(stopping.signal);
  const publicUrl = config.publicUrl ?? new URL(`http://localhost:${listeners.pages.port}`);
  const assets = readAssets(join(repoRoot, 'views', 'static'));
  const store = await createStore({ file: join(stateDir, 'store.json') });
  const { identity, issuer } = await openIdentity({ config, stateDir, publicUrl, store, assets, clusterIssuer: opened.embedded?.issuer });
  const charts = await createCharts({ config, repoRoot, stateDir, log });
  const catalog = createCatalogCache(kube, log, stopping.signal);
  const readiness = readinessOf({ kube, catalog, identity, metrics });
  const ports = {
    ...storePorts(kube, store, log),
    ...clusterPorts(kube, catalog, log),
    ...catalogPorts(catalog),
    chart: cacheChartDescriptions(charts),
    ...(await previewPorts(input, { kube, charts })),
    metrics: await createMetricPorts(kube, config),
    proposals: await createProposalPorts({ clusters: kube, config, stateDir, publicUrl }),
    publicUrl: publicUrl.origin,
  };
  const ours = { ports, identity, assets, metrics, pictures: await createPictures(input), sealKey: await store.secret('form-seal') };
  const served = { config, repoRoot, publicUrl, ...ours, hooks: createSourceHooks({ kube, catalog, log }), log, stopping: stopping.signal };
  listeners.pages.answerWith(buildApp({ ...served, ...(issuer === undefined ? {} : { issuer }), ready: readiness.absences }));
  const background = workInBackground({ opened, input, charts, catalog, metrics, readiness, signal: stopping.signal });
  return {
    url: publicUrl,
    hint: hintOf(input),
    failed: failureOf(background, opened),
    stop: async () => {
      stopping.abort();
      await listeners.close(PATIENCE_MS);
      const inTime = await waitAtMost(background, BACKGROUND_PATIENCE_MS);
      if (!inTime) log.warn('Some work does not end before the shutdown', { seconds: BACKGROUND_PATIENCE_MS / 1000 });
      await Promise.all([store.close(), issuer?.close()]);
      await opened.close();
    },
  };
}

/** Upgrades and revisions of sources, before anything is written. */
async function previewPorts(
  { config, stateDir, tools, log, metrics }: Started,
  { kube, charts }: Pick<OpenCluster, 'kube'> & Pick<Background, 'charts'>,
): Promise<Pick<Ports, 'upgrades' | 'sourcePreviews'>> {
  return {
    upgrades: await createUpgradePreviews({ kube, charts, helm: tools.helm, stateDir, log, metrics }),
    sourcePreviews: await createSourcePreviews({ stateDir, kubectl: tools.kubectl ?? 'kubectl', ...(await fetchSettings(config)) }),
  };
}

interface Background {
  readonly opened: OpenCluster;
  readonly input: Started;
  readonly charts: ChartLibrary;
  readonly catalog: LiveCatalog;
  readonly metrics: Metrics;
  readonly readiness: ReturnType<typeof readinessOf>;
  readonly signal: AbortSignal;
}

/** Furnishes the cluster, however long it is away, and then runs the controllers. Rejects only with what nobody expected. */
async function workInBackground({ opened, input, readiness, signal, ...rest }: Background): Promise<void> {
  const { config, repoRoot, stateDir, log, tools } = input;
  const { kube, embedded } = opened;
  rest.metrics.measure(() => measuresOf(rest.catalog));
  const catalogDir = config.catalogDir ?? join(repoRoot, 'catalog');
  const adminGroups = config.issuer.kind === 'embedded' ? demoAdmins(config) : [];
  try {
    const ours = { kube, repoRoot, catalogDir, adminGroups, log };
    const installed = await installCrdsAndRoles(ours, signal);
    readiness.installed();
    const fetching = await fetchSettings(config);
    const git = createGit({ ...fetching, homeDir: join(stateDir, 'git') });
    const artifacts = createArtifacts({ ...fetching, homeDir: join(stateDir, 'artifacts') });
    const local = embedded === undefined ? {} : { embedded };
    await Promise.all([
      restoreOwnCrds({ ...ours, installed, definitions: rest.catalog.reflectors.customResourceDefinitions }, signal),
      runControllers({
        kube,
        ...rest,
        git,
        artifacts,
        helm: tools.helm,
        kubectl: tools.kubectl ?? 'kubectl',
        stateDir,
        repoRoot,
        log,
        signal,
        ...local,
      }),
    ]);
  } catch (error) {
    if (!signal.aborted) throw error;
  }
}

/** For the content of sources: where connections may lead, and whom they trust. */
async function fetchSettings({ allowEgress, mirrors, chartCaFiles }: Config): Promise<Omit<ArtifactOptions, 'homeDir'>> {
  return { allowEgress, mirrors, certificateAuthorities: await readAuthorities(chartCaFiles) };
}

function versionOf(repoRoot: string): string {
  return textAt(JSON.parse(readFileSync(join(repoRoot, 'package.json'), 'utf8')), 'version') ?? '';
}

function demoAdmins({ groupsPrefix }: Config): string[] {
  const [admin] = DEMO_PEOPLE;
  return (admin?.groups ?? []).map((group) => `${groupsPrefix}${group}`);
}

function hintOf({ stateDir, config }: Started): string {
  const people = `  Sign in as ${DEMO_PEOPLE.map(({ name }) => name).join(', ')}; no password is needed.`;
  const file = join(stateDir, 'kubeconfig');
  const kubeconfig = `  kubectl: export KUBECONFIG=${quoted(file)}`;
  const theirs = '  kubectl as one of them: npx chandlery kubeconfig --as dev-a > dev-a.kubeconfig';
  const lines = [
    ...(config.issuer.kind === 'embedded' ? [people] : []),
    ...(config.cluster.kind === 'embedded' ? [kubeconfig] : []),
    ...(config.cluster.kind === 'embedded' && config.issuer.kind === 'embedded' ? [theirs] : []),
    '  Ctrl-C stops it; the state is kept.',
  ];
  return lines.join('\n');
}

function failureOf(background: Promise<unknown>, { embedded }: OpenCluster): Promise<string> {
  const broken = background.then(() => new Promise<string>(() => undefined), messageOf);
  const exited = embedded?.exited.then(
    ({ program }) => `${program} of the embedded cluster ended too often; its log is in the state folder`,
  );
  return exited === undefined ? broken : Promise.race([broken, exited]);
}

/** The catalogue, and the health rules in it. */
function catalogPorts(catalog: LiveCatalog): Pick<Ports, 'catalog' | 'health'> {
  return { catalog: onceRead(catalog), health: createHealthEvaluator({ rules: catalogRules(catalog) }) };
}

/**
 * The catalogue for people. Before it was read once, everything would seem to be missing, so whoever asks gets a 503.
 *
 * @returns a catalogue whose members throw AppError `ClusterUnavailable` until then
 */
function onceRead(live: Pick<LiveCatalog, 'synced' | keyof CatalogCache>): CatalogCache {
  const whenRead =
    <T>(read: () => T): (() => T) =>
    () => {
      if (live.synced()) return read();
      throw new AppError('ClusterUnavailable', 'catalogue: still loading from the cluster; try again in a few seconds');
    };
  return {
    operators: whenRead(live.operators),
    customResourceDefinitions: whenRead(live.customResourceDefinitions),
    environments: whenRead(live.environments),
    catalogSources: whenRead(live.catalogSources),
  };
}

/** The HTTP side of everything: the API and the pages over the same operations. */
function buildApp({ repoRoot, publicUrl, ports, identity, issuer, assets, log, metrics, ...rest }: AppInput): Express {
  const { trustedProxies, otherHosts, metricsPort } = rest.config;
  const views = createViews(join(repoRoot, 'views'), { asset: assets.url, now: Date.now });
  const operations = bindOperations(ports);
  const web = createWebRouter({
    operations,
    views,
    streams: createLiveStreams(rest.stopping),
    pictures: rest.pictures.find,
    publicUrl: publicUrl.origin,
    seal: createFormSeal(rest.sealKey, Date.now),
    ...(issuer === undefined ? {} : { signInHint: 'This is a demo: choose one of three people on the next page. No password is needed.' }),
  });
  const api = createApiRouter({ operations, publicUrl: ports.publicUrl, actorOf: (res) => signedInOf(res).actor });
  return createApp({
    publicUrl,
    log: { ...log, info: log.debug },
    identity,
    ready: rest.ready,
    ...(metricsPort === undefined ? { metrics: metrics.text } : {}),
    observe: ({ seconds, ...answer }) => metrics.httpAnswered(answer, seconds),
    ...(issuer === undefined ? {} : { issuer: issuer.handler, ownCalls: issuer.ownCalls }),
    assets: [{ path: '/', handler: assets.router }],
    routers: [
      { path: '/hooks', handler: createHookRouter(rest.hooks), access: 'anyone' },
      { path: '/api/v1', handler: api, access: 'anyone' },
      { path: '/', handler: web, access: 'anyone' },
    ],
    renderError: createRenderError({ views, operations }),
    trustedProxies,
    otherHosts,
  });
}

/** How many Operators have each status, and how many faults the files of each CatalogSource have, as far as we know the cluster. */
function measuresOf(catalog: Pick<CatalogCache, 'operators' | 'catalogSources'>): readonly Measured[] {
  const statuses = catalog.operators().map((operator) => legacyStatusOf(operator));
  return [
    ...LEGACY_STATUSES.map((status): Measured => {
      const value = statuses.filter((one) => one === status).length;
      return { gauge: 'chandlery_operators', labels: { status }, value };
    }),
    ...catalog.catalogSources().map((source): Measured => {
      const { faults } = statusOf(CATALOG_SOURCE_KIND, source);
      return { gauge: 'chandlery_catalog_faults', labels: { source: source.metadata.name }, value: faults.length };
    }),
  ];
}
