import { AGE_COLUMN, type StaticKind } from '../kind/kind.ts';
import { generation, object, optional, text, type ValueOf } from '../kind/field.ts';
import { OURS } from '../kubernetes/names.ts';
import { APP_REVISION } from '../kubernetes/resource-types.ts';
import { chartField } from '../operator/kind/chart-fields.ts';

const chart = object(
  {
    name: text({ description: 'The name of the chart.' }),
    version: text({ description: 'The exact version of the chart.' }),
    appVersion: optional(text({ description: 'The version of what the chart installs.' })),
    kubeVersion: optional(text({ description: 'The versions of Kubernetes that the chart is for.' })),
  },
  { description: 'The chart as its Chart.yaml describes it.' },
);

const source = object(
  {
    chartURL: optional(text({ description: 'The address of the archive. Exclusive with chart.' })),
    chart: optional(chartField(`the namespace ${OURS.systemNamespace}`)),
  },
  { description: 'Where the chart comes from, with its exact version.' },
);

const spec = object(
  {
    definition: text({ description: 'The name of the AppDefinition.', minLength: 1, maxLength: 253 }),
    createdByGeneration: generation({ description: 'The generation of the AppDefinition that created the revision.' }),
    source,
    chart,
    digest: text({ description: 'The SHA-256 digest of the archive.', pattern: '^sha256:[0-9a-f]{64}$' }),
    schema: optional(
      text({
        description:
          'The JSON Schema of the values as JSON: values.schema.json of the chart, or the schema inferred from values.yaml. Absent where it is too large to store; the chart has it.',
        maxLength: 524_288,
      }),
    ),
  },
  {
    description: 'One version of the chart and the schema of its values. Immutable.',
    rules: [{ rule: 'self == oldSelf', message: 'an AppRevision is immutable' }],
  },
);

export type AppRevisionSpec = ValueOf<typeof spec>;

export const APP_REVISION_KIND: StaticKind<AppRevisionSpec> = {
  type: APP_REVISION,
  shortNames: ['apprev'],
  description: 'An AppRevision is one version of an AppDefinition: a chart by its digest, and the schema of its values.',
  columns: [
    { name: 'Definition', type: 'string', jsonPath: '.spec.definition' },
    { name: 'Chart', type: 'string', jsonPath: '.spec.chart.name' },
    { name: 'Version', type: 'string', jsonPath: '.spec.chart.version' },
    AGE_COLUMN,
  ],
  spec,
};
