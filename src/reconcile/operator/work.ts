import { OURS } from '../../domain/names.ts';
import { operatorLabelValue, parseOperatorSpec, RECONCILE_AT, type OperatorSpec } from '../../domain/operator-spec.ts';
import { parseOperatorStatus, type OperatorStatus } from '../../domain/operator-status.ts';
import type { KubeObject } from '../../domain/resource.ts';
import type { OperatorPorts, ReleaseRef } from './ports.ts';

/** One Operator while it is being worked on. */
export interface Work {
  readonly ports: OperatorPorts;
  readonly operator: KubeObject;
  readonly spec: OperatorSpec;
  /** As it was when the Operator was read. */
  readonly status: OperatorStatus;
  readonly release: ReleaseRef;
  /** The value of the label `chandlery.dev/operator` on all that it brings. */
  readonly label: string;
  /** The annotation `chandlery.dev/reconcile-at`; empty when there is none. */
  readonly requestedAt: string;
  readonly generation: number;
  /** A digest over the versions of the Secrets and ConfigMaps that it refers to, taken before they were read; absent when unknown. */
  readonly references?: string;
  readonly signal: AbortSignal;
}

export function workOn(ports: OperatorPorts, operator: KubeObject, signal: AbortSignal): Work {
  const { metadata } = operator;
  const spec = parseOperatorSpec(operator);
  const references = ports.references?.revisionOf(operator);
  return {
    ports,
    operator,
    spec,
    status: parseOperatorStatus(operator),
    release: { release: spec.releaseName, namespace: spec.targetNamespace },
    label: operatorLabelValue(metadata.namespace ?? 'default', metadata.name),
    requestedAt: metadata.annotations?.[RECONCILE_AT] ?? '',
    generation: metadata.generation ?? 0,
    ...(references === undefined ? {} : { references }),
    signal,
  };
}

export function isGuarded({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(OURS.finalizer) === true;
}

/** RFC 3339, whole seconds. */
export function nowOf({ ports }: Work): string {
  return `${ports.now().toISOString().slice(0, 19)}Z`;
}
