import { parseAppDefinitionStatus } from '../../domain/app-definition/app-definition.ts';
import { APP_DEFINITION_KIND } from '../../domain/app-definition/app-definition-kind.ts';
import {
  dedicatedNamespaceName,
  type GeneratedKind,
  instanceLabelValue,
  parseInstanceSpec,
  parseInstanceStatus,
  releaseNameOf,
} from '../../domain/app-instance/instance.ts';
import type { InstanceSpec } from '../../domain/app-instance/instance-kind.ts';
import { releaseScope } from '../../domain/app-instance/release-scope.ts';
import { checkRange, isInChannel, newestVersion } from '../../domain/chart/chart-version.ts';
import type { RenderedChart } from '../../domain/chart/rendered-chart.ts';
import { AppError } from '../../domain/core/errors.ts';
import type { EnvironmentView } from '../../domain/environment/environment.ts';
import type { CatalogEntry } from '../../domain/catalog/app-catalog.ts';
import { specOf } from '../../domain/kind/kind.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { type ChartSource, parseChartSource } from '../../domain/operator/operator-spec.ts';
import { lowerOf, unlockedValues, valuesOfRelease } from '../../domain/values/instance-layers.ts';
import { mergeLayers } from '../../domain/values/layers.ts';
import { nodeSelectorOf } from '../../domain/workload/node-selector.ts';
import { layersOf } from '../instance/instance-layers.ts';
import { instanceValues } from '../instance/instance-values.ts';
import type { Ports } from '../ports.ts';
import type { UpgradeChart } from '../upgrade/upgrade-ports.ts';

/** The release of an instance as a spec has it. */
export interface RenderedRelease {
  readonly rendered: RenderedChart;
  /** The name of the release. */
  readonly release: string;
  readonly place: ReleasePlace;
  readonly secrets: readonly string[];
  /** Sources of values that the actor may not read. */
  readonly unread: number;
  /** Sources of values that nobody can read now, a sentence each. */
  readonly faults: readonly string[];
}

/** As many versions as a message names. */
const MAX_NAMED = 10;

export interface RenderContext {
  readonly ports: Pick<Ports, 'clusters' | 'catalog' | 'upgrades' | 'discovery'>;
  readonly actor: Actor;
  readonly entry: CatalogEntry;
  readonly kind: GeneratedKind;
  readonly environment: EnvironmentView;
  /** As it is live: its status says what runs. Absent: it is new. */
  readonly object?: KubeObject;
  readonly signal: AbortSignal;
}

/**
 * Renders the chart for an instance as the controller does, but with values that the actor may read, and without asking the cluster: what templates look up
 * is empty.
 *
 * @throws AppError `ChartNotFound` for a version that is not offered, and as fetching and rendering.
 */
export async function renderRelease(context: RenderContext, wanted: KubeObject): Promise<RenderedRelease> {
  const { ports, actor, entry, kind, environment, object, signal } = context;
  const { namespace } = environment;
  const { name } = wanted.metadata;
  const spec = parseInstanceSpec(wanted);
  const status = parseInstanceStatus(object ?? { ...wanted, status: {} });
  const layers = layersOf(entry, environment);
  const [chart, overlaid] = await Promise.all([chartOf(context, spec), instanceValues(ports, actor, { namespace, spec, status })]);
  const base = { origin: 'AppDefinition', values: valuesOfRelease(lowerOf(layers)) };
  const given = overlaid.layers.map((layer) => ({ ...layer, values: unlockedValues(layer.values, layers) }));
  const { secrets } = overlaid;
  const release = status.release?.name ?? releaseNameOf(kind, name);
  const action = status.release === undefined ? 'install' : 'upgrade';
  const how = { action, legacyAPIs: 'Uplift', label: instanceLabelValue(kind, name), invalidValues: 'Stop' } as const;
  const values = mergeLayers([base, ...given]);
  const place = releasePlaceOf(context, name);
  const { policy, allowedResources } = specOf(APP_DEFINITION_KIND, entry.operator);
  const nodes = nodeSelectorOf(policy, values);
  const scope = releaseScope(place.namespace, allowedResources, await ports.discovery.kinds(signal));
  const input = { chart, values, secrets, release, namespace: place.namespace, nodeSelector: nodes.labels, scope, ...how };
  const { faults, ...more } = await ports.upgrades.renderChart(input, signal);
  const rendered = { ...more, faults: [...nodes.faults.map((message) => ({ code: 'ValuesInvalid', message }) as const), ...faults] };
  return { rendered, release, place, secrets, unread: overlaid.missing.length, faults: overlaid.faults };
}

/** The namespace of a release; `Missing` when it is dedicated to the instance and still to be made. */
export interface ReleasePlace {
  readonly namespace: string;
  readonly state: 'Exists' | 'Missing';
}

/** Where the release of an instance is, or will be, as its controller decides it. */
export function releasePlaceOf(
  { entry, kind, environment: { namespace }, object }: Pick<RenderContext, 'entry' | 'kind' | 'environment' | 'object'>,
  name: string,
): ReleasePlace {
  const status = object && parseInstanceStatus(object);
  const isDedicated = status?.namespace !== undefined;
  const isNew = !isDedicated && status?.managedRevision === undefined;
  const wants = isNew && specOf(APP_DEFINITION_KIND, entry.operator).namespaceMode === 'Dedicated';
  if (!isDedicated && !wants) return { namespace, state: 'Exists' };
  return { namespace: dedicatedNamespaceName(kind, { namespace, name }), state: isDedicated ? 'Exists' : 'Missing' };
}

/** The chart of the version that is asked for, of the one that runs, or of the one that new instances get. It is known by its digest, so one that is cached needs no network. */
async function chartOf(context: RenderContext, { version: asked, channel }: InstanceSpec): Promise<UpgradeChart> {
  const { ports, entry, object, signal } = context;
  const offered = parseAppDefinitionStatus(entry.operator).chart;
  const running = object && parseInstanceStatus(object).version;
  const followed = asked === undefined && channel !== undefined ? await versionIn(context, channel) : undefined;
  const version = asked ?? followed ?? running ?? offered?.version ?? '';
  const digest = await digestOf(context, version);
  if (digest === undefined) throw await notOffered(context, version);
  const chart = await ports.upgrades.charts.fetch(sourceOf(entry.operator, { version, digest }), signal, {});
  if (chart.digest === digest) return chart;
  throw new AppError('DigestMismatch', `chart ${version}: its address holds another archive now`);
}

/** With a fault of its field where the instance itself asks for the version. */
async function notOffered({ ports, kind, signal }: RenderContext, version: string): Promise<AppError> {
  const offered = await ports.upgrades.known.chartVersions({ definition: kind.definition }, signal);
  const why = `the version ${JSON.stringify(version)} is not offered`;
  const message = offered.length === 0 ? why : `${why}; choose one of ${offered.slice(0, MAX_NAMED).join(', ')}`;
  const faults = offered.length === 0 ? [] : [{ field: 'spec.version', message }];
  return new AppError('ChartNotFound', `spec.version: ${message}`, { faults });
}

/** The newest version of a channel, as the controller takes it; where versions are rolled out, the one that runs as long as it belongs to the channel. */
async function versionIn({ ports, entry, kind, object, signal }: RenderContext, channel: string): Promise<string> {
  checkRange({ range: channel }, 'spec.channel');
  const running = object && parseInstanceStatus(object).version;
  const isRolledOut = specOf(APP_DEFINITION_KIND, entry.operator).updatePolicy === 'Automatic';
  if (isRolledOut && running !== undefined && isInChannel(running, { version: channel })) return running;
  const versions = await ports.upgrades.known.chartVersions({ definition: kind.definition }, signal);
  const found = newestVersion(versions, { version: channel });
  if (found !== undefined) return found;
  throw new AppError('ChartNotFound', `spec.channel: no version is within ${JSON.stringify(channel)}; there are ${versions.join(', ')}`);
}

/** Undefined when the AppDefinition does not offer the version. */
async function digestOf({ ports, entry, kind, object, signal }: RenderContext, version: string): Promise<string | undefined> {
  const status = object && parseInstanceStatus(object);
  if (status?.chart !== undefined && version === status.version) return status.chart.digest;
  const { chart } = parseAppDefinitionStatus(entry.operator);
  const known = [...(status?.versions ?? []), ...(chart === undefined ? [] : [chart])].find(
    (offered) => offered.version === version,
  )?.digest;
  return known ?? (await ports.upgrades.known.chartDigest({ definition: kind.definition, version }, signal));
}

function sourceOf(definition: KubeObject, { version, digest }: { readonly version: string; readonly digest: string }): ChartSource {
  const { chart, chartURL } = specOf(APP_DEFINITION_KIND, definition);
  if (chartURL !== undefined) return { kind: 'url', url: chartURL };
  const source = parseChartSource(chart, definition);
  return source.kind === 'repository' ? { ...source, version, digest } : source;
}
