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
