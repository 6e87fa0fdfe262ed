import { ifFound } from '../../../domain/kubernetes/if-found.ts';
import { SECRET } from '../../../domain/kubernetes/resource-types.ts';
import { readChartAccess as readAccess, type AccessRead } from '../../../domain/chart/read-chart-access.ts';
import type { Work } from '../work.ts';

/** Reads the Secrets that the chart of an Operator names, as the controller reads `valuesFrom`. Throws AppError `ChartSecretInvalid`. */
export async function readChartAccess({ ports, operator, spec, signal }: Work): Promise<AccessRead> {
  const namespace = operator.metadata.namespace ?? 'default';
  const find = (name: string) => ifFound(ports.cluster.get({ ...SECRET, namespace, name }, { signal }));
  return readAccess({ source: spec.chart, namespace, find });
}
