import { extractCrds, type ExtractedCrds } from '../domain/chart/extract-crds.ts';
import {
  conversionsSentence,
  type RenderChart,
  type RenderChartInput,
  type RenderedChart,
  type RenderFault,
} from '../domain/chart/rendered-chart.ts';
import { objectFaults } from '../domain/chart/object-faults.ts';
import { isAppError } from '../domain/core/errors.ts';
import { redact } from '../domain/core/secret.ts';
import type { Discovery } from '../domain/kubernetes/cluster.ts';
import { apiVersionOf, type KubeObject } from '../domain/kubernetes/resource.ts';
import { type ImageRewrite, rewriteImages } from '../domain/workload/image-rewrite.ts';
import { selectNodes } from '../domain/workload/node-selector.ts';
import { checkChartValues } from '../schema/values/check-values.ts';
import type { Helm } from './helm.ts';

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
    const { chart, values, secrets } = input;
    const verdict = await checkChartValues(chart, values);
    const invalid = verdict.faults.map((message): RenderFault => ({ code: 'ValuesInvalid', message }));
    const { unchecked } = verdict;
    if (invalid.length > 0 && input.invalidValues === 'Stop') return redacted({ ...NOTHING, faults: invalid, unchecked }, secrets);
    const rendered = await renderForCluster(ports, input, signal);
    if ('code' in rendered) return redacted({ ...NOTHING, faults: [...invalid, rendered], unchecked }, secrets);
    const extracted = extractCrds(rendered, chart.contents, input.label);
    const forbidden = objectFaults([...extracted.crds, ...extracted.objects], input.scope);
    const faults = [...invalid, ...forbidden, ...upliftFaults(input, extracted)];
    const { objects, rewritten: rewrittenImages } = rewriteImages(extracted.objects, ports.imageRewrites ?? []);
    const placed = selectNodes(objects, input.nodeSelector);
    return redacted({ ...extracted, objects: placed, rewrittenImages, faults, unchecked }, secrets);
  };
}

/** What helm renders as this cluster would get it, or why it does not render. */
async function renderForCluster(
  { render, discovery, kubernetesVersion }: RenderChartPorts,
  { chart, values, release, namespace, action, secrets }: RenderChartInput,
  signal: AbortSignal,
): Promise<readonly KubeObject[] | RenderFault> {
  const [kubeVersion, kinds] = await Promise.all([kubernetesVersion({ signal }), discovery.kinds(signal)]);
  // What `.Capabilities.APIVersions` is made of: group versions, and their kinds.
  const apiVersions = [...new Set(kinds.flatMap((kind) => [apiVersionOf(kind), `${apiVersionOf(kind)}/${kind.kind}`]))].sort();
  const isUpgrade = action === 'upgrade';
  const request = { release, namespace, chartPath: chart.path, values, kubeVersion, apiVersions, secrets, isUpgrade };
  try {
    return await render({ ...request, crds: 'include' }, signal);
  } catch (error) {
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
