import { statusOf } from '../kind/kind.ts';
import type { ValueOf } from '../kind/field.ts';
import type { KubeObject } from '../kubernetes/resource.ts';
import { OPERATOR_KIND } from './kind/operator-kind.ts';
import { CRD_ORIGINS, type CrdOrigin, type CrdStatus } from './kind/status-fields.ts';

type StatusFields = ValueOf<typeof OPERATOR_KIND.status>;
export interface OperatorStatus extends StatusFields {
  /** Since the last success. */
  readonly failures: number;
}

/** The status of an Operator. Throws as `statusOf`. */
export function parseOperatorStatus(operator: KubeObject): OperatorStatus {
  const status = statusOf(OPERATOR_KIND, operator);
  return { ...status, failures: status.failures ?? 0 };
}

/** Whether the chart of today holds the CRD. */
export function isInChart({ origin }: Pick<CrdStatus, 'origin'>): boolean {
  return origin !== 'runtime' && origin !== 'former';
}

/** The origin that a text names; `runtime` for anything unknown. */
export function parseCrdOrigin(text: string | undefined): CrdOrigin {
  return CRD_ORIGINS.find((origin) => origin === text) ?? 'runtime';
}

/** What the newest deployed revision was made of; undefined when nothing is installed. */
export function installedChart({ history, chart, release }: OperatorStatus): OperatorStatus['chart'] {
  const deployed = history.find(({ status }) => status === 'deployed');
  if (deployed?.chartDigest !== undefined && deployed.version !== '') {
    const { chart: name, version, appVersion, chartDigest: digest } = deployed;
    return { name, version, ...(appVersion === undefined ? {} : { appVersion }), digest };
  }
  return release === undefined ? undefined : chart;
}
