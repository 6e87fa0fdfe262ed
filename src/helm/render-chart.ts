import { extractCrds, type ExtractedCrds } from '../domain/chart/extract-crds.ts';
import {
  conversionsSentence,
  type RenderChart,
  type RenderChartInput,
  type RenderedChart,
  type RenderFault,
} from '../domain/chart/rendered-chart.ts';
import { objectFaults } from '../domain/chart/object-faults.ts';
import { refersToItself } from '../domain/chart/schema-references.ts';
import { isAppError } from '../domain/core/errors.ts';
import { redact } from '../domain/core/secret.ts';
import type { Discovery } from '../domain/kubernetes/cluster.ts';
import { apiVersionOf, type KubeObject } from '../domain/kubernetes/resource.ts';
import { type ImageRewrite, rewriteImages } from '../domain/workload/image-rewrite.ts';
import { selectNodes } from '../domain/workload/node-selector.ts';
import { checkChartValues } from '../schema/values/check-values.ts';
import type { Helm } from './helm.ts';
import type { RenderInput } from './render.ts';

export interface RenderChartPorts {
  readonly render: Helm['render'];
  readonly discovery: Pick<Discovery, 'kinds'>;
  /** E.g. `1.36.3`. */
  readonly kubernetesVersion: (options: { readonly signal: AbortSignal }) => Promise<string>;
  /** As `HelmOptions` has them, for the same objects. Default: images stay. */
  readonly imageRewrites?: readonly ImageRewrite[];
}

const NOTHING: Omit<RenderedChart, 'faults' | 'unchecked'> = {
  crds: [],
  objects: [],
  conversions: [],
  failedConversions: [],
  rewrittenImages: [],
};

/** Makes the one pipeline from a chart and its values to the objects that are applied. */
export function createChartRenderer(ports: RenderChartPorts): RenderChart {
  return async (input, signal) => {
    const { chart, secrets } = input;
    const { rendered, invalid, unchecked } = await renderChecked(ports, input, signal);
    if (rendered === undefined) return redacted({ ...NOTHING, faults: invalid, unchecked }, secrets);
    if ('code' in rendered) return redacted({ ...NOTHING, faults: [...invalid, rendered], unchecked }, secrets);
    const extracted = extractCrds(rendered, chart.contents, input.label);
    const forbidden = objectFaults([...extracted.crds, ...extracted.objects], input.scope);
    const faults = [...invalid, ...forbidden, ...upliftFaults(input, extracted)];
    const { objects, rewritten: rewrittenImages } = rewriteImages(extracted.objects, ports.imageRewrites ?? []);
    const placed = selectNodes(objects, input.nodeSelector);
    return redacted({ ...extracted, objects: placed, rewrittenImages, faults, unchecked }, secrets);
  };
}

interface CheckedRendering {
  /** Absent: not rendered, because the values are invalid. */
  readonly rendered?: readonly KubeObject[] | RenderFault;
  /** What a schema rejects. */
  readonly invalid: readonly RenderFault[];
  readonly unchecked: readonly string[];
}

/**
 * Holds the values against the schemas of the chart, and renders it. Helm validates in the same run, as it lays values over one another and takes them from subcharts. Where
 * a schema refers to something else, which Helm would fetch, Chandlery validates.
 */
async function renderChecked(ports: RenderChartPorts, input: RenderChartInput, signal: AbortSignal): Promise<CheckedRendering> {
  const { chart, values, invalidValues } = input;
  const stops = (invalid: readonly RenderFault[]): boolean => invalid.length > 0 && invalidValues === 'Stop';
  if (refersToItself(chart.contents)) {
    const rendered = await renderForCluster(ports, { ...input, validation: 'Helm' }, signal);
    if (!('faults' in rendered)) return { rendered, invalid: [], unchecked: [] };
    const invalid = rendered.faults;
    return stops(invalid) ? { invalid, unchecked: [] } : { ...(await renderAnyway(ports, input, signal)), invalid, unchecked: [] };
  }
  const { faults, unchecked } = await checkChartValues(chart, values);
  const invalid = faults.map((message): RenderFault => ({ code: 'ValuesInvalid', message }));
  return stops(invalid) ? { invalid, unchecked } : { ...(await renderAnyway(ports, input, signal)), invalid, unchecked };
}

async function renderAnyway(
  ports: RenderChartPorts,
  input: RenderChartInput,
  signal: AbortSignal,
): Promise<Pick<CheckedRendering, 'rendered'>> {
  const rendered = await renderForCluster(ports, input, signal);
  return 'faults' in rendered ? {} : { rendered };
}

/** Values that Helm rejects. */
interface InvalidValues {
  readonly faults: readonly RenderFault[];
}

/** What helm renders as this cluster would get it, or why it does not render. */
async function renderForCluster(
  { render, discovery, kubernetesVersion }: RenderChartPorts,
  { chart, values, release, namespace, action, secrets, validation }: RenderChartInput & Pick<RenderInput, 'validation'>,
  signal: AbortSignal,
): Promise<readonly KubeObject[] | RenderFault | InvalidValues> {
  const [kubeVersion, kinds] = await Promise.all([kubernetesVersion({ signal }), discovery.kinds(signal)]);
  // What `.Capabilities.APIVersions` is made of: group versions, and their kinds.
  const apiVersions = [...new Set(kinds.flatMap((kind) => [apiVersionOf(kind), `${apiVersionOf(kind)}/${kind.kind}`]))].sort();
  const isUpgrade = action === 'upgrade';
  const request = { release, namespace, chartPath: chart.path, values, kubeVersion, apiVersions, secrets, isUpgrade };
  try {
    return await render({ ...request, crds: 'include', ...(validation === undefined ? {} : { validation }) }, signal);
  } catch (error) {
    if (isAppError(error, 'ValuesInvalid')) return { faults: error.faults.map(({ message }) => ({ code: 'ValuesInvalid', message })) };
    if (!isAppError(error, 'HelmFailed', 'InvalidInput')) throw error;
    return { code: error.code === 'HelmFailed' ? 'HelmFailed' : 'InvalidInput', message: error.message };
  }
}

function upliftFaults({ legacyAPIs }: RenderChartInput, { conversions, failedConversions }: ExtractedCrds): readonly RenderFault[] {
  const messages = failedConversions.map(
    ({ kind, name, apiVersion, reason }) => `${kind} "${name}" (${apiVersion}) cannot be converted to a current API: ${reason}`,
  );
  if (legacyAPIs === 'Reject' && conversions.length > 0) {
    messages.push(
      `the chart uses deprecated APIs (${conversionsSentence(conversions)}), which spec.legacyAPIs rejects; use a newer chart, or set it to Uplift`,
    );
  }
  return messages.map((message) => ({ code: 'UpliftFailed', message }));
}

/** A chart can put a secret anywhere, so into the name of an object, too. */
function redacted(rendered: RenderedChart, secrets: readonly string[]): RenderedChart {
  const { conversions, failedConversions, faults } = rendered;
  const named = <T extends { readonly name: string }>(conversion: T): T => ({ ...conversion, name: redact(conversion.name, secrets) });
  return {
    ...rendered,
    conversions: conversions.map(named),
    failedConversions: failedConversions.map(named),
    faults: faults.map(({ code, message }) => ({ code, message: redact(message, secrets) })),
  };
}
