import { schemaOf, versionsOf } from '../../domain/catalog/app-catalog.ts';
import type { ChartWarning } from '../../domain/chart/inspection/inspection.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { formRoot } from '../../form/model/app-form.ts';
import { contentSchema } from '../../form/model/content-schema.ts';
import { buildForm } from '../../form/model/form-model.ts';
import { checkChartValues } from '../../schema/values/check-chart-values.ts';

/** What the schemas of a chart give rise to: whether its own values fit its values.schema.json, and kinds that are too large for a form. */
export async function schemaWarnings(
  chart: Parameters<typeof checkChartValues>[0],
  definitions: readonly KubeObject[],
): Promise<ChartWarning[]> {
  const { faults, unchecked } = await checkChartValues(chart, {});
  const where = 'values.schema.json';
  return [
    ...faults.map((message) => ({ code: 'OwnValuesRefused', where, message }) as const),
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
