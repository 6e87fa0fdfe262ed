import type { Actor } from '../../domain/kubernetes/actor.ts';
import { parseOperatorSpec, type OperatorSpec } from '../../domain/operator/operator-spec.ts';
import { type OperatorStatus, parseOperatorStatus } from '../../domain/operator/operator-status.ts';
import { readChartAccess } from '../../domain/chart/read-chart-access.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import { findOperator, type OperatorAddress } from '../operator/find-operator.ts';
import { findSecret } from '../operator/find-secret.ts';
import { chartsToCompare, type ComparedCharts } from './upgrade-charts.ts';
import { overlaidValues, type OverlaidValues } from './preview-values.ts';
import type { Ports } from '../ports.ts';

/** What a preview of an upgrade is made of, read as the actor. */
export interface UpgradeInputs {
  readonly operator: KubeObject;
  readonly spec: OperatorSpec;
  readonly status: OperatorStatus;
  readonly charts: ComparedCharts;
  readonly values: OverlaidValues;
}

/** @throws AppError as `findOperator`; `InvalidInput` for what is no version; as fetching a chart does when there is none. */
export async function loadUpgradeInputs(
  ports: Pick<Ports, 'clusters' | 'upgrades'>,
  actor: Actor,
  { address, version, signal }: { readonly address: OperatorAddress; readonly version: string; readonly signal: AbortSignal },
): Promise<UpgradeInputs> {
  const operator = await findOperator(ports, actor, address);
  const [spec, status] = [parseOperatorSpec(operator), parseOperatorStatus(operator)];
  const { namespace } = address;
  const { access } = await readChartAccess({
    source: spec.chart,
    namespace,
    find: (name) => findSecret(ports.clusters, actor, { namespace, name }),
  });
  const charts = await chartsToCompare(ports.upgrades, { spec, status, access, version }, signal);
  const values = await overlaidValues(ports, actor, { namespace, spec, status });
  return { operator, spec, status, charts, values };
}
