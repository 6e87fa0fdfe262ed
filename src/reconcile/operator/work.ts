import { OURS } from '../../domain/kubernetes/names.ts';
import { referencesOf } from './memory/references-of.ts';
import { FORCE_AT, operatorLabelValue, parseOperatorSpec, type OperatorSpec } from '../../domain/operator/operator-spec.ts';
import { type OperatorStatus, parseOperatorStatus } from '../../domain/operator/operator-status.ts';
import { type KubeObject, timestamp } from '../../domain/kubernetes/resource.ts';
import { APPROVED_UPGRADE } from '../../domain/upgrade/upgrade-approval.ts';
import type { OperatorPorts } from './ports.ts';
import type { ReleaseRef } from '../helm-release/ports.ts';

/** One Operator while it is being worked on. */
export interface Work {
  readonly ports: OperatorPorts;
  readonly operator: KubeObject;
  readonly spec: OperatorSpec;
  /** As it was when the Operator was read. */
  readonly status: OperatorStatus;
  readonly release: ReleaseRef;
  /** The value of the label `chandlery.dev/operator` on its CRDs and ClusterRoles. */
  readonly label: string;
  /** What a person asks for: the annotation `chandlery.dev/reconcile-at`, `chandlery.dev/force-at` behind it, and an approval behind that; empty when there is none. */
  readonly requestedAt: string;
  /** The annotation `chandlery.dev/force-at` while it has not been carried out; else empty. */
  readonly forcedAt: string;
  /** The annotation `chandlery.dev/approved-upgrade`; empty when there is none. */
  readonly approved: string;
  readonly generation: number;
  /** A digest over the versions of the Secrets and ConfigMaps that it refers to, taken before they were read; absent when unknown. */
  readonly references?: string;
  readonly signal: AbortSignal;
}

export function workOn(ports: OperatorPorts, operator: KubeObject, signal: AbortSignal): Work {
  const { metadata } = operator;
  const { annotations = {} } = metadata;
  const spec = parseOperatorSpec(operator);
  const status = parseOperatorStatus(operator);
  const forcedAt = annotations[FORCE_AT] ?? '';
  const approved = annotations[APPROVED_UPGRADE] ?? '';
  const references = ports.references?.revisionOf(referencesOf(operator));
  return {
    ports,
    operator,
    spec,
    status,
    release: { release: spec.releaseName, namespace: spec.targetNamespace },
    label: operatorLabelValue(metadata.namespace ?? 'default', metadata.name),
    requestedAt: requestOf(annotations[OURS.reconcileAt] ?? '', forcedAt, approved),
    forcedAt: forcedAt === status.lastAttempted?.forcedAt ? '' : forcedAt,
    approved,
    generation: metadata.generation ?? 0,
    ...(references === undefined ? {} : { references }),
    signal,
  };
}

function requestOf(reconcileAt: string, forcedAt: string, approved: string): string {
  const asked = [reconcileAt, forcedAt].filter((text) => text !== '').join(', forced ');
  return [asked, approved === '' ? '' : `approved ${approved.slice(0, 200)}`].filter((text) => text !== '').join(', ');
}

/** RFC 3339, whole seconds. */
export function nowOf({ ports }: Work): string {
  return timestamp(ports.now());
}
