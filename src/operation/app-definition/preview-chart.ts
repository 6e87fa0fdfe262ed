import { chartRequirements, type ChartRequirements } from '../../domain/app-definition/chart-requirements.ts';
import { readDeployerRules } from '../../domain/environment/deployer-rules.ts';
import { FIRST_RELEASE } from '../../domain/app-definition/first-release.ts';
import type { Changelog } from '../../domain/chart/changelog.ts';
import { readChartAccess } from '../../domain/chart/read-chart-access.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import { isDnsSubdomain, OURS } from '../../domain/kubernetes/names.ts';
import type { JsonObject } from '../../domain/kubernetes/resource.ts';
import type { ChartSource } from '../../domain/operator/operator-spec.ts';
import { releaseImages } from '../../domain/workload/pod-template.ts';
import { findSecret } from '../operator/find-secret.ts';
import type { Ports } from '../ports.ts';
import { runQueued, type UpgradeChart } from '../upgrade/upgrade-ports.ts';
import { missingForNewAppDefinition } from './app-definitions.ts';
import { findScopeDefaults, type ScopeCount } from './find-scope-defaults.ts';

/** The chart that somebody wants to look at. Empty texts: not given. */
export interface ChartQuery {
  /** `https://…`, `oci://…`, `file://ROOT` for a configured folder, or `file://uploaded` for uploaded charts. */
  readonly repoURL: string;
  readonly name: string;
  /** Empty: the newest one that is no pre-release. */
  readonly version: string;
  /** A Secret in chandlery-system with credentials for the repository. */
  readonly secret: string;
}

/** What a chart says about itself, before it is offered. All of it is foreign. */
export interface ChartPreview {
  readonly repoURL: string;
  readonly name: string;
  readonly version: string;
  readonly appVersion: string;
  readonly description: string;
  readonly home: string;
  /** The range of Kubernetes versions that it asks for; empty without one. */
  readonly kubeVersion: string;
  readonly deprecated: boolean;
  readonly keywords: readonly string[];
  /** Absent when the chart has none for the version. */
  readonly changelog?: Changelog;
  readonly digest: string;
  /** The versions that the repository offers, newest first. */
  readonly versions: readonly string[];
  /** Of the pods that it renders with its own values, sorted. */
  readonly images: readonly string[];
  /** How many objects of each kind it renders with its own values, sorted by kind. */
  readonly objects: readonly { readonly kind: string; readonly count: number }[];
  /** What is wrong with rendering it with its own values, a sentence each. */
  readonly faults: readonly string[];
  /** Requirements of its releases that environments do not meet by default. */
  readonly requirements: ChartRequirements;
  /** Values with which it needs less of the cluster, and what it needs then; absent: none were found, none are needed, or an AppDefinition cannot offer the chart. */
  readonly scopeDefaults?: { readonly values: JsonObject; readonly requirements: ChartRequirements };
  /** Where the form of the values comes from. */
  readonly schema: 'values.schema.json' | 'values.yaml';
  /** Markdown; empty when there is none. */
  readonly readme: string;
}

const PATIENCE_MS = 60_000;
const MAX_VERSIONS = 50;

type PreviewPorts = Pick<Ports, 'clusters' | 'discovery' | 'upgrades'>;

/**
 * Fetches and renders a chart, for whoever may create AppDefinitions: nobody else makes Chandlery fetch addresses.
 *
 * @throws AppError `Forbidden`, and as fetching a chart does.
 */
export async function previewChart(ports: PreviewPorts, actor: Actor, query: ChartQuery): Promise<ChartPreview> {
  const missing = await missingForNewAppDefinition(ports, actor);
  if (missing !== undefined)
    throw new AppError('Forbidden', 'chart: only people who may create AppDefinitions can preview charts', { missing });
  const source = sourceOf(query);
  const namespace = OURS.systemNamespace;
  const { access } = await readChartAccess({ source, namespace, find: (name) => findSecret(ports.clusters, actor, { namespace, name }) });
  const { charts, renderChart } = ports.upgrades;
  return await runQueued(ports.upgrades, { actor, milliseconds: PATIENCE_MS }, async (signal) => {
    const versions = await charts.versions(source, signal, access);
    const version = query.version === '' ? newestOf(versions) : query.version;
    const chart = await charts.fetch({ ...source, version }, signal, access);
    const rendering = await renderChart({ ...FIRST_RELEASE, chart }, signal);
    const needed = await requirementsOf(ports, actor, { chart, rendering, signal });
    return { ...describe(query, chart), versions: versions.slice(0, MAX_VERSIONS), ...describeRendering(rendering), ...needed };
  });
}

interface Rendered {
  readonly chart: UpgradeChart;
  readonly rendering: Rendering;
  readonly signal: AbortSignal;
}

/** Time limit of the search for values, in milliseconds. */
const SEARCH_MS = 10_000;

async function requirementsOf(
  ports: PreviewPorts,
  actor: Actor,
  { chart, rendering, signal }: Rendered,
): Promise<Pick<ChartPreview, 'requirements' | 'scopeDefaults'>> {
  const [served, rules] = await Promise.all([ports.discovery.kinds(signal), deployerRules(ports, actor)]);
  const { release, namespace } = FIRST_RELEASE;
  const about = { release, namespace, served, ...(rules === undefined ? {} : { deployerRules: rules }) };
  const counted = async (rendered: Rendering): Promise<ScopeCount & { readonly requirements: ChartRequirements }> => {
    const requirements = await chartRequirements({ ...rendered, ...about });
    const { length } = requirements.outside;
    const [outside, inside] = [length + rendered.crds.length, rendered.objects.length - length];
    return { outside, inside, faults: rendered.faults.length, requirements };
  };
  const initial = await counted(rendering);
  const { requirements } = initial;
  // CRDs in the folder crds/ are no template's to leave out.
  if (chart.contents.crds.length > 0) return { requirements };
  const search = AbortSignal.any([signal, AbortSignal.timeout(SEARCH_MS)]);
  const found = await findScopeDefaults(chart.contents.values, initial, {
    render: async (values) => await ports.upgrades.renderChart({ ...FIRST_RELEASE, chart, values }, search).then(counted, () => undefined),
    isOver: () => search.aborted,
  });
  return { requirements, ...(found && { scopeDefaults: { values: found.values, requirements: found.count.requirements } }) };
}

/** What the deployer of an Environment may do by default; undefined for an actor who may not read its roles. */
async function deployerRules({ clusters }: PreviewPorts, actor: Actor): Promise<readonly unknown[] | undefined> {
  try {
    return await readDeployerRules(clusters.asActor(actor));
  } catch (error) {
    if (isAppError(error, 'Forbidden')) return undefined;
    throw error;
  }
}

type Repository = Extract<ChartSource, { kind: 'repository' }>;

function sourceOf({ repoURL, name, version, secret }: ChartQuery): Repository {
  const empty = [
    ...(/^(https?|oci|file):\/\/./.test(repoURL)
      ? []
      : [{ field: 'repoURL', message: 'Enter an address that begins with https://, oci:// or file://' }]),
    ...(/^[A-Za-z0-9]([-A-Za-z0-9_.]*[A-Za-z0-9])?$/.test(name) && name.length <= 250
      ? []
      : [{ field: 'name', message: 'Enter the name of a chart' }]),
    ...(secret === '' || isDnsSubdomain(secret) ? [] : [{ field: 'secret', message: 'Enter the name of a Secret' }]),
  ];
  const [first] = empty;
  if (first !== undefined) throw new AppError('InvalidInput', `chart: ${first.message}`, { faults: empty });
  return {
    kind: 'repository',
    repoURL,
    name,
    version: version === '' ? '*' : version,
    ...(secret === '' ? {} : { secretRef: { name: secret } }),
  };
}

function newestOf(versions: readonly string[]): string {
  return versions.find((version) => !version.includes('-')) ?? versions[0] ?? '*';
}

function describe(
  { repoURL, name }: ChartQuery,
  { digest, contents }: UpgradeChart,
): Omit<ChartPreview, 'versions' | 'images' | 'objects' | 'faults' | 'requirements' | 'scopeDefaults'> {
  const {
    version,
    appVersion = '',
    description = '',
    home = '',
    kubeVersion = '',
    deprecated = false,
    keywords = [],
    changelog,
  } = contents.metadata;
  const schema = contents.schema === undefined ? 'values.yaml' : 'values.schema.json';
  return {
    repoURL,
    name,
    version,
    appVersion,
    description,
    home,
    kubeVersion,
    deprecated,
    keywords,
    ...(changelog === undefined ? {} : { changelog }),
    digest,
    schema,
    readme: contents.readme ?? '',
  };
}

type Rendering = Awaited<ReturnType<Ports['upgrades']['renderChart']>>;

function describeRendering({ objects, faults }: Rendering): Pick<ChartPreview, 'images' | 'objects' | 'faults'> {
  const counts = [...Map.groupBy(objects, ({ kind }) => kind)].map(([kind, own]) => ({ kind, count: own.length }));
  return {
    images: releaseImages(objects).map(({ image }) => image),
    objects: counts.sort((a, b) => a.kind.localeCompare(b.kind)),
    faults: faults.map(({ message }) => message),
  };
}
