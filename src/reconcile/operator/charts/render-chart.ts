import type { Discovery } from '../../../domain/kubernetes/cluster.ts';
import { AppError } from '../../../domain/core/errors.ts';
import { redact } from '../../../domain/core/redact.ts';
import { reservedObjects } from '../../../domain/kubernetes/reserved-objects.ts';
import { apiVersionOf, type JsonObject } from '../../../domain/kubernetes/resource.ts';
import type { Conversion } from '../../../domain/uplift/conversion.ts';
import { checkChartValues } from '../../../schema/values/check-chart-values.ts';
import type { Chart } from '../ports.ts';
import { extractCrds, type ExtractedCrds } from './extract-crds.ts';
import type { DeployVerb, Target } from '../state.ts';
import type { Work } from '../work.ts';

/**
 * Renders a chart as this cluster would get it, its CustomResourceDefinitions carried over and taken out.
 *
 * @throws AppError `ObjectReserved` when it holds what belongs to Chandlery; `ValuesInvalid` when its schema refuses the values; `HelmFailed` when it does not render; `UpliftRefused` when something in it cannot, or must not, be carried over.
 */
export async function renderChart(work: Work, { chart, values: { values, secrets } }: Target, verb: DeployVerb): Promise<ExtractedCrds> {
  const { ports, spec, release, label, signal } = work;
  await refuseValues(work, { chart, values });
  const [kubeVersion, apiVersions] = await Promise.all([ports.kubernetesVersion({ signal }), apiVersionsOf(ports.discovery, signal)]);
  const rendered = await ports.helm.render(
    { ...release, chartPath: chart.path, values, secrets, kubeVersion, apiVersions, isUpgrade: verb !== 'install', crds: 'include' },
    signal,
  );
  const reserved = reservedObjects(rendered);
  if (reserved.length > 0) throw new AppError('ObjectReserved', redact(`chart: ${reserved.join('; ')}`, secrets));
  const gathered = extractCrds(rendered, chart, label);
  const [refusal] = gathered.refusals;
  if (refusal !== undefined)
    throw new AppError('UpliftRefused', `uplift: ${refusal.kind} "${refusal.name}" (${refusal.apiVersion}): ${refusal.reason}`);
  if (spec.legacyAPIs === 'Reject' && gathered.conversions.length > 0) {
    const message = `uplift: the chart uses legacy APIs (${conversionsSentence(gathered.conversions)}), which spec.legacyAPIs refuses; use a newer chart, or set it to Uplift`;
    throw new AppError('UpliftRefused', message);
  }
  return { ...gathered, conversions: gathered.conversions.map((conversion) => shown(conversion, secrets)) };
}

/** Holds the values against the schema of the chart as a preview does. A remembered chart has no schema, so it is read from the archive. */
async function refuseValues({ ports }: Work, { chart: { digest }, values }: { chart: Chart; values: JsonObject }): Promise<void> {
  const contents = await ports.charts.contents(digest);
  if (contents === undefined) throw new AppError('ChartUnreachable', 'chart: its file is gone from our cache; it is fetched again');
  const { faults, unchecked } = await checkChartValues({ digest, contents }, values);
  if (faults.length > 0) throw new AppError('ValuesInvalid', `values: ${faults.join('; ')}`);
  for (const sentence of unchecked) ports.log.warn(sentence, { chart: digest });
}

/** The name of an object may hold a secret, too. */
function shown(conversion: Conversion, secrets: readonly string[]): Conversion {
  return { ...conversion, name: redact(conversion.name, secrets) };
}

/** `Deployment "a" from apps/v1beta1 to apps/v1 (selector added); …` */
export function conversionsSentence(conversions: readonly Conversion[]): string {
  return conversions
    .map(({ kind, name, from, to, note }) => `${kind} "${name}" from ${from} to ${to}${note === '' ? '' : ` (${note})`}`)
    .join('; ');
}

/** What `.Capabilities.APIVersions` is made of: group versions, and their kinds. */
async function apiVersionsOf(discovery: Pick<Discovery, 'kinds'>, signal: AbortSignal): Promise<string[]> {
  const kinds = await discovery.kinds(signal);
  return [...new Set(kinds.flatMap((kind) => [apiVersionOf(kind), `${apiVersionOf(kind)}/${kind.kind}`]))].sort();
}
