import { APP_DEFINITION_KIND } from '../../domain/app-definition/app-definition-kind.ts';
import { instanceLabelValue, parseInstanceSpec, parseInstanceStatus } from '../../domain/app-instance/instance.ts';
import type { RenderedChart } from '../../domain/chart/rendered-chart.ts';
import { AppError, isAppError } from '../../domain/core/errors.ts';
import { redact } from '../../domain/core/secret.ts';
import { specOf } from '../../domain/kind/kind.ts';
import type { Actor } from '../../domain/kubernetes/actor.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { type ChartSource, parseChartSource } from '../../domain/operator/operator-spec.ts';
import type { Finding, Findings } from '../../domain/preflight/findings.ts';
import { objectChanges } from '../../domain/upgrade/preview/object-changes.ts';
import type { PreviewedObjects } from '../../domain/upgrade/preview/previewed-objects.ts';
import { lowerOf, unlockedValues, valuesOfRelease } from '../../domain/values/instance-layers.ts';
import { mergeLayers } from '../../domain/values/layers.ts';
import type { FoundInstance } from '../instance/find-instance.ts';
import { layersOf } from '../instance/instance-layers.ts';
import type { Ports } from '../ports.ts';
import { instanceValues } from '../instance/instance-values.ts';
import { runQueued, type UpgradeChart } from '../upgrade/upgrade-ports.ts';

/** What a change does to the release of an instance: its objects as the chart renders them, without asking the cluster. */
export interface ReleasePreview {
  /** Absent where they could not be rendered. */
  readonly objects?: PreviewedObjects;
  readonly findings: Pick<Findings, 'warned' | 'unchecked'>;
}

type PreviewPorts = Pick<Ports, 'clusters' | 'catalog'> & Partial<Pick<Ports, 'upgrades'>>;

const TIMEOUT_MS = 20_000;

/**
 * Renders the release of an instance of a chart before and after a change, and compares the objects. Undefined for other instances, and where nothing is released yet.
 * What the templates look up in the cluster is not known.
 */
export async function previewRelease(
  ports: PreviewPorts,
  actor: Actor,
  { object, changed, ...found }: FoundInstance & { readonly changed: KubeObject },
): Promise<ReleasePreview | undefined> {
  const { upgrades } = ports;
  if (found.entry.summary.definition === undefined || upgrades === undefined) return undefined;
  if (parseInstanceStatus(object).release === undefined) return undefined;
  try {
    return await runQueued(upgrades, { actor, milliseconds: TIMEOUT_MS }, async (signal) => {
      const context = { ...found, ports: { ...ports, upgrades }, actor, object, signal };
      return compared(await renderSide(context, object), await renderSide(context, changed), found.ref.namespace);
    });
  } catch (error) {
    if (!isAppError(error)) throw error;
    if (error.code === 'ChartNotFound') return { findings: { warned: [line(error.message)], unchecked: [] } };
    return { findings: { warned: [], unchecked: [line(`The objects of the release could not be compared: ${error.message}`)] } };
  }
}

interface Side {
  readonly rendered: RenderedChart;
  readonly secrets: readonly string[];
  /** Sources of values that may not be read. */
  readonly unread: number;
}

function compared(from: Side, to: Side, namespace: string): ReleasePreview {
  const secrets = [...from.secrets, ...to.secrets];
  const warned = to.rendered.faults.map(({ message }) => line(redact(`The chart does not render with these values: ${message}`, secrets)));
  const unread = [line('Values come from Secrets that you may not read, so the objects of the release may differ')];
  const unchecked = to.unread > 0 ? unread : [];
  if (warned.length > 0 || from.rendered.faults.length > 0) return { findings: { warned, unchecked } };
  const objects = objectChanges({ from: from.rendered.objects, to: to.rendered.objects, namespace, secrets });
  return { objects, findings: { warned, unchecked } };
}

interface SideContext extends Omit<FoundInstance, 'object'> {
  readonly ports: Pick<Ports, 'clusters' | 'catalog' | 'upgrades'>;
  readonly actor: Actor;
  /** As it is live: its status says what runs. */
  readonly object: KubeObject;
  readonly signal: AbortSignal;
}

/** The release as a spec has it. */
async function renderSide(context: SideContext, wanted: KubeObject): Promise<Side> {
  const { ports, actor, entry, environment, ref, object, signal } = context;
  const spec = parseInstanceSpec(wanted);
  const status = parseInstanceStatus(object);
  const layers = layersOf(entry, environment);
  const [chart, overlaid] = await Promise.all([
    chartOf(context, spec.version ?? status.version ?? ''),
    instanceValues(ports, actor, { namespace: ref.namespace, spec, status }),
  ]);
  const base = { origin: 'AppDefinition', values: valuesOfRelease(lowerOf(layers)) };
  const given = overlaid.layers.map((layer) => ({ ...layer, values: unlockedValues(layer.values, layers) }));
  const { secrets } = overlaid;
  const release = { release: status.release?.name ?? '', namespace: ref.namespace };
  const how = { action: 'upgrade', legacyAPIs: 'Uplift', label: instanceLabelValue(ref, ref.name), invalidValues: 'Stop' } as const;
  const values = mergeLayers([base, ...given]);
  const rendered = await ports.upgrades.renderChart({ chart, values, secrets, ...release, ...how }, signal);
  return { rendered, secrets, unread: overlaid.missing.length };
}

/** The chart of a version that is offered. It is known by its digest, so one that is cached needs no network. */
async function chartOf({ ports, entry, object, signal }: SideContext, version: string): Promise<UpgradeChart> {
  const status = parseInstanceStatus(object);
  const running = version === status.version ? status.chart?.digest : undefined;
  const digest = running ?? status.versions.find((offered) => offered.version === version)?.digest;
  if (digest === undefined) throw new AppError('ChartNotFound', `spec.version: the version ${JSON.stringify(version)} is not offered`);
  const chart = await ports.upgrades.charts.fetch(sourceOf(entry.operator, { version, digest }), signal, {});
  if (chart.digest === digest) return chart;
  throw new AppError('DigestMismatch', `chart ${version}: its address holds another archive now`);
}

function sourceOf(definition: KubeObject, { version, digest }: { readonly version: string; readonly digest: string }): ChartSource {
  const { chart, chartURL } = specOf(APP_DEFINITION_KIND, definition);
  if (chartURL !== undefined) return { kind: 'url', url: chartURL };
  const source = parseChartSource(chart, definition);
  return source.kind === 'repository' ? { ...source, version, digest } : source;
}

function line(message: string): Finding {
  return { message, subject: 'Chart', evidence: 'exact' };
}
