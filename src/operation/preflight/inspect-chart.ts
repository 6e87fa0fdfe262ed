import { inspectRendering } from '../../domain/chart/inspection/inspect-rendering.ts';
import type { ChartInspection, InspectedChart, Rendering } from '../../domain/chart/inspection/inspection.ts';
import { isAppError } from '../../domain/core/errors.ts';
import type { ChartSource } from '../../domain/operator/operator-spec.ts';
import type { JsonObject, KubeObject } from '../../domain/kubernetes/resource.ts';
import { isCustomResourceDefinition } from '../../domain/uplift/uplift.ts';
import { schemaWarnings } from './schema-warnings.ts';

/** A chart that is here. */
export interface ChartAtHand {
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
  readonly fetch: (source: ChartSource, signal: AbortSignal) => Promise<ChartAtHand>;
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
