import { createHash } from 'node:crypto';
import { specOf, statusOf } from '../kind/kind.ts';
import { OURS } from '../kubernetes/names.ts';
import { apiVersionOf, type KubeObject } from '../kubernetes/resource.ts';
import { APP_DEFINITION, APP_REVISION } from '../kubernetes/resource-types.ts';
import { type ChartSource, parseChartSource } from '../operator/operator-spec.ts';
import { APP_DEFINITION_KIND, type AppDefinitionFields, type AppDefinitionStatus } from './app-definition-kind.ts';
import type { AppRevisionSpec } from './app-revision-kind.ts';
import { isUploadedCharts } from './uploaded-chart.ts';

/** The spec of an AppDefinition with every default filled in. */
export interface AppDefinitionSpec extends Omit<AppDefinitionFields, 'chart' | 'chartURL'> {
  /** Absent where the AppDefinition publishes CRDs. */
  readonly chart?: ChartSource;
}

/** The spec of an AppDefinition. Throws as `specOf`. */
export function parseAppDefinition(definition: KubeObject): AppDefinitionSpec {
  const { chart, chartURL, ...fields } = specOf(APP_DEFINITION_KIND, definition);
  if (fields.crds !== undefined) return fields;
  return { ...fields, chart: chartURL === undefined ? parseChartSource(chart, definition) : { kind: 'url', url: chartURL } };
}

/** The status of an AppDefinition. Throws as `statusOf`. */
export function parseAppDefinitionStatus(definition: KubeObject): AppDefinitionStatus {
  return statusOf(APP_DEFINITION_KIND, definition);
}

/** A longer one would not fit beside the rest of an object of etcd. */
const MAX_SCHEMA = 524_288;

interface RevisionInput {
  readonly definition: KubeObject;
  readonly chart: AppRevisionSpec['chart'];
  /** `sha256:<hex>` of the archive. */
  readonly digest: string;
  /** The JSON Schema of the values, as JSON. */
  readonly schema: string;
}

/** The AppRevision of a chart, by a name that stands for its source and its content. */
export function appRevision({ definition, chart, digest, schema }: RevisionInput): KubeObject {
  const { name, uid, generation = 0 } = definition.metadata;
  const content = {
    definition: name,
    source: exactSource(definition, chart.version, digest),
    chart,
    digest,
    ...(schema.length > MAX_SCHEMA ? {} : { schema }),
  };
  const hash = createHash('sha256').update(JSON.stringify(content)).digest('hex').slice(0, 12);
  const owner = { apiVersion: apiVersionOf(APP_DEFINITION), kind: APP_DEFINITION.kind, name, uid: uid ?? '' };
  return {
    apiVersion: apiVersionOf(APP_REVISION),
    kind: APP_REVISION.kind,
    metadata: { name: `${name}-${hash}`, labels: { [OURS.appDefinitionLabel]: name }, ownerReferences: [owner] },
    spec: { ...content, createdByGeneration: generation },
  };
}

/** The source with the version that a range has come to, and its bytes. A pinned digest can be that of a manifest in a registry, so it stays. */
function exactSource(definition: KubeObject, version: string, digest: string): AppRevisionSpec['source'] {
  const { chart, chartURL } = specOf(APP_DEFINITION_KIND, definition);
  if (chart === undefined) return chartURL === undefined ? {} : { chartURL };
  const isArchive = !chart.repoURL.startsWith('file:') || isUploadedCharts(chart.repoURL);
  return { chart: { ...chart, version, ...(chart.digest === undefined && isArchive ? { digest } : {}) } };
}
