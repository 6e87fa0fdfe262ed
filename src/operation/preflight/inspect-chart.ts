import { schemaOf, versionsOf } from '../../domain/catalog/app-catalog.ts';
import { inspectRendering } from '../../domain/chart/inspection/inspect-rendering.ts';
import type { ChartInspection, ChartWarning, InspectedChart, Rendering } from '../../domain/chart/inspection/inspection.ts';
import { isAppError } from '../../domain/core/errors.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import type { ChartSource } from '../../domain/operator/operator-spec.ts';
import { isCustomResourceDefinition } from '../../domain/uplift/uplift.ts';
import { formRoot } from '../../form/model/app-form.ts';
import { contentSchema } from '../../form/model/content-schema.ts';
import { buildForm } from '../../form/model/form-model.ts';
import { checkChartValues } from '../../schema/values/check-values.ts';

/** A chart that is here. */
export interface CachedChart {
  readonly digest: string;
  readonly path: string;
  /** Who signed it; only where a signature was asked for. */
  readonly signer?: string;
  readonly contents: {
    readonly metadata: Omit<InspectedChart, 'digest' | 'signer' | 'packedBytes' | 'files'>;
    readonly values: JsonObject;
    readonly schema?: JsonObject;
    readonly readme: string;
    readonly crds: readonly KubeObject[];
  };
}

export interface RecordParts {
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
  /** The chart's objects with its own values, as for a first release in the namespace. */
  readonly render: (chartPath: string, namespace: string, signal: AbortSignal) => Promise<readonly KubeObject[]>;
  /** Bytes of the record that Helm would write. */
  readonly recordBytes: (parts: RecordParts) => Promise<number>;
}

const NAMESPACE = 'default';

/**
 * Tells what a chart is, brings and asks for, without a cluster.
 *
 * @throws AppError as fetching a chart does; a chart that does not render is a warning.
 */
export async function inspectChart(ports: InspectChartPorts, source: ChartSource, signal: AbortSignal): Promise<ChartInspection> {
  const { digest, path, contents, signer } = await ports.fetch(source, signal);
  const { files, packedBytes } = await ports.unpack(path, signal);
  const rendering = await render(ports, path, signal);
  const { metadata, values, crds } = contents;
  const objects = rendering.kind === 'Rendered' ? rendering.objects.filter((object) => !isCustomResourceDefinition(object)) : [];
  const templates = [...files].filter(([name]) => /(^|\/)templates\/.*\.(ya?ml|tpl|txt)$/.test(name));
  const definitions = rendering.kind === 'Rendered' ? rendering.objects.filter(isCustomResourceDefinition) : crds;
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
    recordBytes: await ports.recordBytes({ metadata, values, files, objects }),
  });
  return { ...inspection, warnings: [...inspection.warnings, ...(await schemaWarnings({ digest, contents }, definitions))] };
}

async function render(ports: InspectChartPorts, path: string, signal: AbortSignal): Promise<Rendering> {
  try {
    return { kind: 'Rendered', objects: await ports.render(path, NAMESPACE, signal) };
  } catch (error) {
    if (!isAppError(error, 'HelmFailed', 'InvalidInput')) throw error;
    return { kind: 'Failed', why: error.message };
  }
}

/** What the schemas of a chart give rise to: whether its own values fit its values.schema.json, and kinds that are too large for a form. */
async function schemaWarnings(chart: Parameters<typeof checkChartValues>[0], definitions: readonly KubeObject[]): Promise<ChartWarning[]> {
  const { faults, unchecked } = await checkChartValues(chart, {});
  const where = 'values.schema.json';
  return [
    ...faults.map((message) => ({ code: 'DefaultValuesInvalid', where, message }) as const),
    ...unchecked.map((message) => ({ code: 'ValuesUnchecked', where, message }) as const),
    ...definitions.flatMap(formWarnings),
  ];
}

function formWarnings(crd: KubeObject): ChartWarning[] {
  return versionsOf(crd).flatMap(({ name, served }) => {
    const schema = schemaOf(crd, name);
    const { reduced } = buildForm({ schema: contentSchema(schema), ...formRoot(schema), curated: [], mode: 'create' });
    return served && reduced !== undefined
      ? [{ code: 'FormReduced', where: `${crd.metadata.name} ${name}`, message: reduced } as const]
      : [];
  });
}
