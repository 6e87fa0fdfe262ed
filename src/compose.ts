import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import express, { type Express } from 'express';
import { createApiRouter } from './api/router.ts';
import type { ChartLibrary } from './chart/chart-library.ts';
import type { PictureLibrary } from './chart/fetch/pictures.ts';
import { programOfClone } from './cli/command.ts';
import { createSourceHooks, createSourcePreviews } from './compose/create-source-ports.ts';
import { cacheChartDescriptions, createCharts, createPictures, readChartValues } from './compose/create-charts.ts';
import {
  cliClient,
  createKubectlPort,
  createMetricPorts,
  createProposalPorts,
  createUpgradePreviews,
  storePorts,
} from './compose/create-ports.ts';
import { indexEnvironments } from './compose/index-environments.ts';
import { type Listeners, openListeners, type Readiness, readinessOf } from './compose/listen.ts';
import { openCluster, type OpenCluster, openIdentity } from './compose/open-cluster.ts';
import { openStore } from './compose/open-store.ts';
import { audiencesOf, readTrustedIssuers, type TrustedIssuers } from './compose/identity/trusted-issuers.ts';
import { confirmInstallation, type Dialog, requireInstalled } from './compose/leader/confirm-installation.ts';
import { adminGroupsOf, catalogDirOf, fetchSettings, workInBackground } from './compose/work-in-background.ts';
import { waitAtMost } from './domain/core/wait-at-most.ts';
import { savedConfigurationSpaces } from './compose/saved-configuration-spaces.ts';
import type { Config } from './config.ts';
import { AppError, messageOf } from './domain/core/errors.ts';
import { textAt } from './domain/core/read.ts';
import type { Seal } from './domain/core/seal.ts';
import { quoted } from './domain/instance/instance-commands.ts';
import { RESOURCE_METADATA_PATH, resourceMetadata } from './domain/kubectl/cli-client.ts';
import type { CatalogCache } from './domain/kubernetes/cluster.ts';
import { loadTools } from './embedded/cluster/tools.ts';
import type { EmbeddedIssuer } from './embedded/issuer/create-embedded-issuer.ts';
import { DEMO_PEOPLE } from './embedded/issuer/demo-people.ts';
import { createApp } from './http/create-app.ts';
import { delegatedCalls } from './http/delegated-calls.ts';
import { createHookRouter, type HookPort } from './http/hooks.ts';
import type { HttpDeps } from './http/http-deps.ts';
import { metricsListener, probes } from './http/probes.ts';
import { signedInOf } from './http/request-context.ts';
import type { Identity } from './identity/create-identity.ts';
import { createUserTokens } from './identity/user-tokens.ts';
import { createDelegateAccess } from './kube/delegate-access.ts';
import { explainWebhooks } from './kube/explain-webhooks.ts';
import { createScrapeAccess } from './kube/scrape-access.ts';
import { DELEGATED_PATH } from './kube/transport/transport.ts';
import { createCatalogCache, type LiveCatalog } from './kube/watch/catalog-cache.ts';
import type { Log } from './observe/log.ts';
import { createMetrics, type Metrics } from './observe/metrics.ts';
import { returnMemoryWhenIdle } from './observe/return-memory.ts';
import { catalogRules, createHealthEvaluator } from './operation/health/health-evaluator.ts';
import { createNamespaceMemory } from './operation/environment/namespace-memory.ts';
import { bindOperations } from './operation/operations.ts';
import type { Ports } from './operation/ports.ts';
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
  /** Writes to the standard output; absent: entries of the audit log are lines of `log`. */
  readonly print?: (text: string) => void;
  /** `throwaway` trades safety against a power cut for speed: for tests. */
  readonly durability: 'kept' | 'throwaway';
  /** Asks at the terminal; absent without one. */
  readonly dialog?: Dialog;
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
  /** For what pages carry on. */
  readonly formSeal: Seal;
  /** For command lines (RFC 9728). */
  readonly metadata: object;
  readonly readiness: Pick<Readiness, 'absences' | 'controllerStatus'>;
  /** For webhooks. */
  readonly hooks: HookPort;
  readonly scrapeAccess: NonNullable<HttpDeps['scrapeAccess']>;
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
    const publicUrl = config.publicUrl ?? new URL(`http://localhost:${listeners.pages.port}`);
    const issuers = await readTrustedIssuers(config, audiencesOf(config, publicUrl));
    const passed = config.userIdentity === 'PassThrough' ? { userTokens: createUserTokens() } : {};
    const opened = await openCluster({ ...input, ...passed, issuers, tools, metrics });
    const start = config.role === 'controller' ? startController : startOn;
    try {
      const confirmed = await confirmWrites(opened, { ...input, issuers });
      return await start(opened, { ...input, ...passed, publicUrl, issuers, listeners, tools, metrics, confirmed });
    } catch (error) {
      await opened.close();
      throw error;
    }
  } catch (error) {
    await listeners.close(0);
    log.debug('The start failed', { why: messageOf(error) });
    throw error;
  }
}

/** Asks before the first installation in a cluster of a kubeconfig; later if the cluster is away. */
async function confirmWrites(
  { kube }: OpenCluster,
  { config, repoRoot, issuers, dialog, log }: ChandleryInput & Pick<Started, 'issuers'>,
): Promise<Started['confirmed']> {
  if (config.cluster.kind !== 'kubeconfig' || config.role === 'web' || config.yes) return () => Promise.resolve();
  const first = { kube, repoRoot, adminGroups: adminGroupsOf({ config, issuers }), catalogDir: catalogDirOf({ config, repoRoot }) };
  const note = (line: string): void => log.info(line);
  const answer = await confirmInstallation({ ...first, dialog: dialog ?? { note } });
  return async (signal) => (answer === 'Confirmed' ? undefined : await requireInstalled(first, signal));
}

/** What people read of the cluster. */
function clusterPorts(
  kube: OpenCluster['kube'],
  catalog: LiveCatalog,
  { config, log, signal }: Pick<Started, 'config' | 'log'> & { readonly signal: AbortSignal },
): Pick<Ports, 'clusters' | 'index' | 'discovery' | 'namespaceMemory'> {
  const clusters = explainWebhooks(kube, catalog);
  const index = indexEnvironments({ kube, clusters, log, signal, ...(config.delegate === undefined ? {} : { account: 'Own' }) });
  return { clusters: index.awaitWrites(clusters), index, discovery: kube, namespaceMemory: createNamespaceMemory() };
}

type Started = ChandleryInput & {
  readonly publicUrl: URL;
  readonly issuers: TrustedIssuers;
  readonly listeners: Listeners;
  readonly tools: Awaited<ReturnType<typeof loadTools>>;
  readonly metrics: Metrics;
  /** Resolves when something may be written to the cluster. */
  readonly confirmed: (signal: AbortSignal) => Promise<void>;
};

/** What every role has. */
async function openPorts({ kube }: OpenCluster, input: Started, signal: AbortSignal) {
  const { config, publicUrl, repoRoot, stateDir, log } = input;
  const kept = await openStore({ config, stateDir, kube, log });
  const charts = await createCharts({ config, repoRoot, stateDir, log, kube });
  const catalog = createCatalogCache(kube, log, signal);
  const ports: Ports = {
    ...storePorts(kept, config, { log, ...(config.auditStdout && input.print !== undefined ? { print: input.print } : {}) }),
    ...clusterPorts(kube, catalog, { config, log, signal }),
    ...catalogPorts(catalog),
    savedConfigurations: savedConfigurationSpaces(kube),
    chart: cacheChartDescriptions(charts),
    chartValues: readChartValues(charts),
    ...(await previewPorts(input, { kube, charts })),
    metrics: await createMetricPorts(kube, config),
    kubectl: await createKubectlPort({ ...input, kube }),
    proposals: await createProposalPorts({ clusters: kube, config, stateDir, publicUrl }),
    publicUrl: publicUrl.origin,
  };
  return { kept, charts, catalog, ports };
}

async function startOn(opened: OpenCluster, input: Started): Promise<Chandlery> {
  const { config, publicUrl, repoRoot, log, listeners, metrics } = input;
  const { kube } = opened;
  const stopping = new AbortController();
  returnMemoryWhenIdle(stopping.signal);
  const assets = readAssets(join(repoRoot, 'views', 'static'));
  const { kept, charts, catalog, ports } = await openPorts(opened, input, stopping.signal);
  const { identity, issuer } = await openIdentity({ ...input, opened: kept, assets, embedded: opened.embedded });
  const readiness = readinessOf({ kube, catalog, identity, store: kept.store, metrics });
  const ours = { ports, identity, assets, metrics, pictures: await createPictures(input), formSeal: kept.formSeal };
  const metadata = resourceMetadata(publicUrl.origin, cliClient(config, input.issuers, publicUrl));
  const served = {
    config,
    metadata,
    repoRoot,
    publicUrl,
    ...ours,
    hooks: createSourceHooks({ kube, catalog, log }),
    scrapeAccess: createScrapeAccess(kube.asController()),
    log,
    stopping: stopping.signal,
  };
  listeners.pages.answerWith(buildApp({ ...served, ...(issuer === undefined ? {} : { issuer }), readiness }));
  const background = workInBackground({ ...input, opened, ports, kept, charts, catalog, readiness, signal: stopping.signal });
  const close = async (): Promise<void> => void (await Promise.all([kept.close(), issuer?.close()]));
  return running(publicUrl, { opened, input, background, stopping, close });
}

/** Starts the controllers without pages and REST: its port answers probes alone. */
async function startController(opened: OpenCluster, input: Started): Promise<Chandlery> {
  const { config, listeners, metrics } = input;
  const { kube } = opened;
  const stopping = new AbortController();
  returnMemoryWhenIdle(stopping.signal);
  const { kept, charts, catalog, ports } = await openPorts(opened, input, stopping.signal);
  const readiness = readinessOf({ kube, catalog, store: kept.store, metrics });
  const url = new URL(`http://localhost:${listeners.pages.port}`);
  const shown = {
    publicUrl: config.publicUrl ?? url,
    scrapeAccess: createScrapeAccess(kube.asController()),
    ...metricsOn(config, metrics),
  };
  listeners.pages.answerWith(
    express()
      .disable('x-powered-by')
      .use(DELEGATED_PATH, delegatedCallsFor(kube, config))
      .use(probes({ ready: readiness.absences, controllerStatus: readiness.controllerStatus, ...shown })),
  );
  const background = workInBackground({ ...input, opened, ports, kept, charts, catalog, readiness, signal: stopping.signal });
  return running(url, { opened, input, background, stopping, close: kept.close });
}

/** Nothing where no process delegates to this one. */
function delegatedCallsFor(kube: OpenCluster['kube'], { webAccount }: Config): express.Router {
  if (webAccount === undefined) return express.Router();
  return delegatedCalls({ isAllowed: createDelegateAccess(kube.asController(), webAccount), call: kube.forward });
}

interface Running {
  readonly opened: OpenCluster;
  readonly input: Started;
  readonly background: Promise<void>;
  readonly stopping: AbortController;
  close(): Promise<void>;
}

function running(url: URL, { opened, input, background, stopping, close }: Running): Chandlery {
  return {
    url,
    hint: hintOf(input),
    failed: failureOf(background, opened),
    stop: async () => {
      stopping.abort();
      await input.listeners.close(PATIENCE_MS);
      const inTime = await waitAtMost(background, BACKGROUND_PATIENCE_MS);
      if (!inTime) input.log.warn('Some work does not end before the shutdown', { seconds: BACKGROUND_PATIENCE_MS / 1000 });
      await close();
      await opened.close();
    },
  };
}

/** Upgrades and revisions of sources, before anything is written. */
async function previewPorts(
  { config, stateDir, tools, log, metrics }: Started,
  { kube, charts }: Pick<OpenCluster, 'kube'> & { readonly charts: ChartLibrary },
): Promise<Pick<Ports, 'upgrades' | 'sourcePreviews'>> {
  return {
    upgrades: await createUpgradePreviews({ kube, charts, helm: tools.helm, stateDir, imageRewrites: config.imageRewrites, log, metrics }),
    sourcePreviews: await createSourcePreviews({ stateDir, kube, kubectl: tools.kubectl ?? 'kubectl', ...(await fetchSettings(config)) }),
  };
}

function versionOf(repoRoot: string): string {
  return textAt(JSON.parse(readFileSync(join(repoRoot, 'package.json'), 'utf8')), 'version') ?? '';
}

function hintOf({ stateDir, config, repoRoot }: Started): string {
  if (config.role === 'controller') return '  Its pages are those of the processes with the role web.';
  const folder = catalogDirOf({ config, repoRoot });
  const people = `  Sign in as ${DEMO_PEOPLE.map(({ name }) => name).join(', ')}; no password is needed.`;
  const file = join(stateDir, 'kubeconfig');
  const kubeconfig = `  kubectl: export KUBECONFIG=${quoted(file)}`;
  const theirs = `  kubectl as one of them: ${programOfClone(repoRoot, process.cwd())} kubeconfig --as dev-a > dev-a.kubeconfig`;
  const lines = [
    ...(config.issuer.kind === 'embedded' ? [people] : []),
    ...(config.cluster.kind === 'embedded' ? [kubeconfig] : []),
    ...(config.cluster.kind === 'embedded' && config.issuer.kind === 'embedded' ? [theirs] : []),
    ...(folder === undefined ? ['  No catalogue folder is applied; name one with --catalog DIR.'] : []),
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
    appDefinitions: whenRead(live.appDefinitions),
    catalogSources: whenRead(live.catalogSources),
  };
}

/** The metrics on the port of the pages, unless they have one of their own. */
function metricsOn({ metricsPort }: Pick<Config, 'metricsPort'>, { text }: Pick<Metrics, 'text'>): Pick<HttpDeps, 'metrics'> {
  return metricsPort === undefined ? { metrics: text } : {};
}

/** The HTTP side of everything: the API and the pages over the same operations. */
function buildApp({ repoRoot, publicUrl, ports, identity, issuer, assets, log, metrics, ...rest }: AppInput): Express {
  const { trustedProxies, otherHosts } = rest.config;
  const views = createViews(join(repoRoot, 'views'), { asset: assets.url, now: Date.now });
  const operations = bindOperations(ports);
  const web = createWebRouter({
    operations,
    views,
    streams: createLiveStreams(rest.stopping),
    pictures: rest.pictures.find,
    publicUrl: publicUrl.origin,
    seal: createFormSeal(rest.formSeal, Date.now),
    controllerStatus: rest.readiness.controllerStatus,
    ...(issuer === undefined ? {} : { signInHint: 'This is a demo: choose one of three people on the next page. No password is needed.' }),
  });
  const api = createApiRouter({ operations, publicUrl: ports.publicUrl, actorOf: (res) => signedInOf(res).actor });
  return createApp({
    publicUrl,
    log: { ...log, info: log.debug },
    identity,
    ready: rest.readiness.absences,
    controllerStatus: rest.readiness.controllerStatus,
    ...metricsOn(rest.config, metrics),
    scrapeAccess: rest.scrapeAccess,
    observe: ({ seconds, ...answer }) => metrics.httpAnswered(answer, seconds),
    ...(issuer === undefined ? {} : { issuer: issuer.handler, ownCalls: issuer.ownCalls }),
    assets: [{ path: '/', handler: assets.router }],
    routers: [
      { path: RESOURCE_METADATA_PATH, handler: express.Router().get('/', (_req, res) => void res.json(rest.metadata)), access: 'anyone' },
      { path: '/hooks', handler: createHookRouter(rest.hooks), access: 'anyone' },
      { path: '/api/v1', handler: api, access: 'anyone' },
      { path: '/', handler: web, access: 'anyone' },
    ],
    renderError: createRenderError({ views, operations, controllerStatus: rest.readiness.controllerStatus }),
    trustedProxies,
    otherHosts,
  });
}
