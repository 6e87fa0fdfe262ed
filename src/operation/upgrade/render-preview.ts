import { RELEASE_TOO_LARGE, SECRET_BYTES } from '../../domain/chart/inspection/inspection.ts';
import type { RenderChartInput, RenderedChart, RenderFault } from '../../domain/chart/rendered-chart.ts';
import { redact } from '../../domain/core/secret.ts';
import { textAt } from '../../domain/core/read.ts';
import type { OperatorSpec } from '../../domain/operator/operator-spec.ts';
import { mergeLayers } from '../../domain/values/layers.ts';
import type { Ports } from '../ports.ts';
import type { OverlaidValues } from './preview-values.ts';
import type { ReleaseRecord, UpgradeChart } from './upgrade-ports.ts';

/** What a chart renders, and why it cannot be installed, a sentence each. */
export interface Rendering extends Omit<RenderedChart, 'sent' | 'faults' | 'failedConversions'> {
  readonly faults: readonly string[];
}

/** Faults after which nothing is rendered. */
const UNRENDERED: ReadonlySet<RenderFault['code']> = new Set(['HelmFailed', 'InvalidInput']);

export const EMPTY_RENDERING: Rendering = { objects: [], crds: [], conversions: [], faults: [], unchecked: [] };

/** `<group>/<kind>` of the CRDs of a chart. */
export function kindsOfChart({ crds }: Pick<Rendering, 'crds'>): ReadonlySet<string> {
  return new Set(crds.map(({ spec }) => `${textAt(spec, 'group') ?? ''}/${textAt(spec, 'names', 'kind') ?? ''}`));
}

export interface RenderInput extends Pick<RenderChartInput, 'action' | 'label'> {
  readonly spec: OperatorSpec;
  readonly values: OverlaidValues;
  readonly signal: AbortSignal;
}

/** Renders a chart as the controller will, and predicts whether its release fits into a Secret. */
export async function renderPreview(
  { upgrades }: Pick<Ports, 'upgrades'>,
  { spec, values, action, label, signal }: RenderInput,
  chart: UpgradeChart,
): Promise<Rendering> {
  const { secrets } = values;
  const merged = mergeLayers(values.layers);
  const { releaseName: release, targetNamespace: namespace, legacyAPIs } = spec;
  const input = { chart, values: merged, release, namespace, action, legacyAPIs, label, invalidValues: 'Render', secrets } as const;
  const { sent: _sent, failedConversions: _inFaults, faults, ...rendered } = await upgrades.renderChart(input, signal);
  const sentences = faults.map(({ code, message }) =>
    UNRENDERED.has(code) ? `The chart does not render with these values: ${message}` : message,
  );
  const record = { chart, values: merged, objects: rendered.objects };
  const size = faults.some(({ code }) => UNRENDERED.has(code)) ? [] : await sizeFaults({ upgrades }, record, signal);
  return { ...rendered, faults: [...sentences, ...size.map((sentence) => redact(sentence, secrets))] };
}

/** What Helm would find only at the end of an installation, when its objects are there. */
async function sizeFaults({ upgrades }: Pick<Ports, 'upgrades'>, record: ReleaseRecord, signal: AbortSignal): Promise<readonly string[]> {
  const bytes = await upgrades.recordBytes(record, signal);
  if (bytes <= SECRET_BYTES) return [];
  return [
    `The release does not fit into its Secret: its record takes about ${Math.ceil(bytes / 1024)} KiB of 1024 KiB. ${RELEASE_TOO_LARGE}`,
  ];
}
