import type { Discovery } from '../../domain/kubernetes/cluster.ts';
import { isAppError } from '../../domain/core/errors.ts';
import type { OperatorSpec } from '../../domain/operator/operator-spec.ts';
import { textAt } from '../../domain/core/read.ts';
import { redact } from '../../domain/core/redact.ts';
import { reservedObjects } from '../../domain/kubernetes/reserved-objects.ts';
import { apiVersionOf, type KubeObject } from '../../domain/kubernetes/resource.ts';
import type { Conversion } from '../../domain/uplift/conversion.ts';
import { describeFromOpenApiSpec } from '../../domain/uplift/openapi-spec.ts';
import { isCustomResourceDefinition, uplift } from '../../domain/uplift/uplift.ts';
import { mergeLayers } from '../../domain/values/layers.ts';
import { checkChartValues } from '../../schema/values/check-chart-values.ts';
import type { OverlaidValues } from './preview-values.ts';
import type { Ports } from '../ports.ts';
import type { ReleaseRecord, UpgradeChart } from './upgrade-ports.ts';
import { RELEASE_TOO_LARGE, SECRET_BYTES } from '../../domain/chart/inspection/inspection.ts';

/** What a chart renders, carried over to today's APIs. */
export interface Rendering {
  readonly objects: readonly KubeObject[];
  readonly definitions: readonly KubeObject[];
  readonly conversions: readonly Conversion[];
  /** Why it cannot be installed, a sentence each. */
  readonly faults: readonly string[];
  /** What could not be looked at, a sentence each. */
  readonly unchecked: readonly string[];
}

export const RENDERED_NOTHING: Rendering = { objects: [], definitions: [], conversions: [], faults: [], unchecked: [] };

/** `<group>/<kind>` of the definitions that a chart brings. */
export function broughtBy({ definitions }: Pick<Rendering, 'definitions'>): ReadonlySet<string> {
  return new Set(definitions.map(({ spec }) => `${textAt(spec, 'group') ?? ''}/${textAt(spec, 'names', 'kind') ?? ''}`));
}

export interface RenderInput {
  readonly spec: OperatorSpec;
  readonly values: OverlaidValues;
  readonly signal: AbortSignal;
}

/** What a chart renders here, carried over to today's APIs, its definitions taken out. */
export async function renderPreview(
  ports: Pick<Ports, 'discovery' | 'upgrades'>,
  { spec, values, signal }: RenderInput,
  chart: UpgradeChart,
): Promise<Rendering> {
  const { secrets } = values;
  const [kubeVersion, apiVersions] = await Promise.all([
    ports.upgrades.kubernetesVersion({ signal }),
    apiVersionsOf(ports.discovery, signal),
  ]);
  const release = { release: spec.releaseName, namespace: spec.targetNamespace };
  const merged = mergeLayers(values.layers);
  const { faults: misfits, unchecked } = await checkChartValues(chart, merged);
  const request = { ...release, chartPath: chart.path, values: merged, kubeVersion, apiVersions, secrets };
  try {
    const rendered = await ports.upgrades.render({ ...request, isUpgrade: true, crds: 'include' }, signal);
    const { objects, conversions, refusals } = uplift(rendered);
    const definitions = objects.filter((object) => isCustomResourceDefinition(object));
    const refused = refusals.map(
      ({ kind, name, apiVersion, reason }) => `${kind} ${name} (${apiVersion}) cannot be carried over: ${reason}`,
    );
    const rejected =
      spec.legacyAPIs === 'Reject' && conversions.length > 0 ? ['The chart uses legacy APIs, which spec.legacyAPIs refuses'] : [];
    const others = objects.filter((object) => !isCustomResourceDefinition(object));
    const size = await sizeFaults(ports, { chart, values: merged, objects: others }, signal);
    return {
      objects: others,
      definitions: definitions.map((object) => describeFromOpenApiSpec(object, chart.contents.openApiSpec ?? '')),
      conversions: conversions.map((conversion) => ({ ...conversion, name: redact(conversion.name, secrets) })),
      faults: [...misfits, ...reservedObjects(rendered), ...refused, ...rejected, ...size].map((sentence) => redact(sentence, secrets)),
      unchecked,
    };
  } catch (error) {
    if (!isAppError(error, 'HelmFailed', 'InvalidInput')) throw error;
    const faults = [...misfits, `The chart does not render with these values: ${error.message}`];
    return { ...RENDERED_NOTHING, faults: faults.map((sentence) => redact(sentence, secrets)), unchecked };
  }
}

/** What Helm would find only at the end of an installation, when its objects are there. */
async function sizeFaults({ upgrades }: Pick<Ports, 'upgrades'>, record: ReleaseRecord, signal: AbortSignal): Promise<readonly string[]> {
  const bytes = await upgrades.recordBytes(record, signal);
  if (bytes <= SECRET_BYTES) return [];
  return [
    `The release does not fit into its Secret: its record takes about ${Math.ceil(bytes / 1024)} KiB of 1024 KiB. ${RELEASE_TOO_LARGE}`,
  ];
}

/** What `.Capabilities.APIVersions` is made of: group versions, and their kinds. */
async function apiVersionsOf(discovery: Pick<Discovery, 'kinds'>, signal: AbortSignal): Promise<string[]> {
  const kinds = await discovery.kinds(signal);
  return [...new Set(kinds.flatMap((kind) => [apiVersionOf(kind), `${apiVersionOf(kind)}/${kind.kind}`]))].sort();
}
