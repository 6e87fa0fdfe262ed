import { schemaOf, versionsOf } from '../../domain/catalog/app-catalog.ts';
import { inspectRendering } from '../../domain/chart/inspection/inspect-rendering.ts';
import type { ChartInspection, ChartWarning, InspectedChart } from '../../domain/chart/inspection/inspection.ts';
import type { RenderableChart, RenderChart } from '../../domain/chart/rendered-chart.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import type { ChartSource } from '../../domain/operator/operator-spec.ts';
import { formRoot } from '../../form/model/app-form.ts';
import { contentSchema } from '../../form/model/content-schema.ts';
import { buildForm } from '../../form/model/form-model.ts';

/** A chart that is here. */
interface CachedChart extends RenderableChart {
  /** Who signed it; only where a signature was asked for. */
  readonly signer?: string;
  readonly contents: RenderableChart['contents'] & {
    readonly metadata: Omit<InspectedChart, 'digest' | 'signer' | 'packedBytes' | 'files'>;
    readonly values: JsonObject;
    readonly readme: string;
    readonly crds: readonly KubeObject[];
  };
}

interface RecordParts {
  readonly metadata: object;
  readonly values: JsonObject;
  readonly files: ReadonlyMap<string, Buffer>;
  readonly objects: readonly KubeObject[];
}

/** What inspecting a chart needs of the outside. */
export interface InspectChartPorts {
  readonly fetch: (source: ChartSource, signal: AbortSignal) => Promise<CachedChart>;
  /** All files of a packed chart, and the size of the archive. */
  readonly unpack: (
    path: string,
    signal: AbortSignal,
  ) => Promise<{ readonly files: ReadonlyMap<string, Buffer>; readonly packedBytes: number }>;
  readonly renderChart: RenderChart;
  /** Bytes of the record that Helm would write. */
  readonly recordBytes: (parts: RecordParts) => Promise<number>;
}

const NAMESPACE = 'default';

/** The chart with its own values, as a first release. */
const FIRST_RELEASE = {
  values: {},
  secrets: [],
  release: 'release-name',
  namespace: NAMESPACE,
  action: 'install',
  legacyAPIs: 'Uplift',
  label: '',
  invalidValues: 'Render',
} as const;

/**
 * Tells what a chart is, brings and asks for, without a cluster.
 *
 * @throws AppError as fetching a chart does; a chart that does not render is a warning.
 */
export async function inspectChart(ports: InspectChartPorts, source: ChartSource, signal: AbortSignal): Promise<ChartInspection> {
  const chart = await ports.fetch(source, signal);
  const { digest, path, contents, signer } = chart;
  const { files, packedBytes } = await ports.unpack(path, signal);
  const rendering = await ports.renderChart({ ...FIRST_RELEASE, chart }, signal);
  const { metadata, values, crds } = contents;
  const templates = [...files].filter(([name]) => /(^|\/)templates\/.*\.(ya?ml|tpl|txt)$/.test(name));
  const inspection = inspectRendering({
    chart: { ...metadata, digest, ...(signer === undefined ? {} : { signer }), packedBytes, files: files.size },
    text: {
      hasSchema: contents.schema !== undefined,
      readme: contents.readme,
      description: metadata.description ?? '',
      templates: new Map(templates.map(([name, content]) => [name, content.toString('utf8')])),
    },
    crds,
    rendering,
    namespace: NAMESPACE,
    recordBytes: await ports.recordBytes({ metadata, values, files, objects: rendering.objects }),
  });
  const definitions = rendering.crds.length > 0 ? rendering.crds : crds;
  return { ...inspection, warnings: [...inspection.warnings, ...definitions.flatMap(formWarnings)] };
}

/** Kinds that are too large for a form. */
function formWarnings(crd: KubeObject): ChartWarning[] {
  return versionsOf(crd).flatMap(({ name, served }) => {
    const schema = schemaOf(crd, name);
    const { reduced } = buildForm({ schema: contentSchema(schema), ...formRoot(schema), curated: [], mode: 'create' });
    return served && reduced !== undefined
      ? [{ code: 'FormReduced', where: `${crd.metadata.name} ${name}`, message: reduced } as const]
      : [];
  });
}
