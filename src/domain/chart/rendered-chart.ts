import type { JsonObject } from '../kubernetes/resource.ts';
import type { ReleaseScope } from '../app-instance/release-scope.ts';
import type { Conversion } from '../uplift/conversion.ts';
import type { RewrittenImage } from '../workload/image-rewrite.ts';
import type { ErrorCode } from '../core/errors.ts';
import type { CrdSource, ExtractedCrds } from './extract-crds.ts';
import type { ObjectFault } from './object-faults.ts';
import type { Dependency, Subchart } from './subcharts.ts';

/** What the pipeline needs of a chart in the cache. */
export interface RenderableChart {
  /** `sha256:<hex>` */
  readonly digest: string;
  readonly path: string;
  readonly contents: CrdSource & {
    readonly metadata: { readonly name: string; readonly dependencies?: readonly Dependency[] };
    readonly values?: JsonObject;
    /** Names of all files; absent: unknown. */
    readonly files?: readonly string[];
    /** values.schema.json. */
    readonly schema?: JsonObject;
    readonly subcharts?: readonly Subchart[];
  };
}

export interface RenderChartInput {
  readonly chart: RenderableChart;
  /** Laid over the values of the chart. */
  readonly values: JsonObject;
  readonly release: string;
  readonly namespace: string;
  /** Decides `.Release.IsInstall` and `.Release.IsUpgrade`. */
  readonly action: 'install' | 'upgrade';
  readonly legacyAPIs: 'Uplift' | 'Reject';
  /** The value of the label `chandlery.dev/operator`. */
  readonly label: string;
  /** What the objects may be, for the release of an instance. Default: anything that is not Chandlery's. */
  readonly scope?: ReleaseScope;
  /** Labels of the nodes that pods have to run on. Default: none. */
  readonly nodeSelector?: Readonly<Record<string, string>>;
  /** `Stop`: values that a schema rejects end the pipeline. `Render`: helm runs all the same, for a preview that shows everything at once. */
  readonly invalidValues: 'Stop' | 'Render';
  /** Texts that must not show in any message. */
  readonly secrets: readonly string[];
}

/** Why a chart cannot be installed. */
export interface RenderFault {
  readonly code: Extract<ErrorCode, 'ValuesInvalid' | 'HelmFailed' | 'InvalidInput' | ObjectFault['code'] | 'UpliftFailed'>;
  readonly message: string;
}

/** What a chart renders for this cluster, as it is applied. Messages and names of conversions hold no secrets. */
export interface RenderedChart extends ExtractedCrds {
  /** The images in the objects that a configured rewrite has changed. */
  readonly rewrittenImages: readonly RewrittenImage[];
  /** In the order of the pipeline; empty when the chart can be installed. */
  readonly faults: readonly RenderFault[];
  /** What could not be checked, a sentence each. */
  readonly unchecked: readonly string[];
}

/**
 * Checks the values of a chart, renders it for the cluster, converts legacy APIs, takes the CRDs out, rewrites images and selects nodes. The controller, every preview and
 * `chandlery chart inspect` call the same function. Throws as running helm does when there is no verdict: a time-out, no room, the cluster away.
 */
export type RenderChart = (input: RenderChartInput, signal: AbortSignal) => Promise<RenderedChart>;

/** `Deployment "a" from apps/v1beta1 to apps/v1 (selector added); …` */
export function conversionsSentence(conversions: readonly Conversion[]): string {
  return conversions
    .map(({ kind, name, from, to, note }) => `${kind} "${name}" from ${from} to ${to}${note === '' ? '' : ` (${note})`}`)
    .join('; ');
}
