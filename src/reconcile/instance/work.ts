import { FORCE_AT } from '../../domain/operator/operator-spec.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import type { KubeObject } from '../../domain/kubernetes/resource.ts';
import {
  type GeneratedKind,
  instanceLabelValue,
  parseInstanceSpec,
  parseInstanceStatus,
  releaseNameOf,
  TEST_AT,
} from '../../domain/app-instance/instance.ts';
import type { InstanceSpec, InstanceStatus } from '../../domain/app-instance/instance-kind.ts';
import type { ReleaseRef } from '../helm-release/ports.ts';
import type { LeasedRelease } from '../helm-release/release-lease.ts';
import type { Deployer, InstancePorts } from './ports.ts';

/** One instance while it is being worked on. */
export interface Work {
  readonly ports: InstancePorts;
  readonly kind: GeneratedKind;
  readonly instance: KubeObject;
  readonly namespace: string;
  readonly spec: InstanceSpec;
  /** As it was when the instance was read. */
  readonly status: InstanceStatus;
  readonly release: ReleaseRef;
  /** The value of the label `chandlery.dev/app-instance` on the records of its release. */
  readonly label: string;
  readonly deployer: Deployer;
  /** What a person asks for: the annotation `chandlery.dev/reconcile-at`, with `chandlery.dev/force-at` and the wish to adopt behind it; empty when there is none. */
  readonly requestedAt: string;
  /** The annotation `chandlery.dev/force-at` while it has not been carried out; else empty. */
  readonly forcedAt: string;
  /** The annotation `chandlery.dev/test-at` while its tests have not run; else empty. */
  readonly testAt: string;
  readonly generation: number;
  /** `<plural>/<namespace>/<name>` */
  readonly key: string;
  /** A digest over the versions of what it is known to refer to, taken before they were read; absent when unknown. */
  readonly references?: string;
  readonly signal: AbortSignal;
}

/** Annotation: `"true"` lets an instance take over a release of its name that nobody owns. */
export const ADOPT = 'chandlery.dev/adopt-release';

export function workOn(ports: InstancePorts, { kind, instance }: { kind: GeneratedKind; instance: KubeObject }, signal: AbortSignal): Work {
  const { metadata } = instance;
  const { annotations = {}, namespace = 'default' } = metadata;
  const status = parseInstanceStatus(instance);
  const forcedAt = annotations[FORCE_AT] ?? '';
  const testAt = annotations[TEST_AT] ?? '';
  const key = `${kind.resource}/${namespace}/${metadata.name}`;
  const references = ports.references.revisionOf(ports.references.referencesOf(key));
  return {
    ports,
    kind,
    instance,
    namespace,
    spec: parseInstanceSpec(instance),
    status,
    release: { release: releaseNameOf(kind, metadata.name), namespace },
    label: instanceLabelValue(kind, metadata.name),
    deployer: ports.asDeployer(namespace),
    requestedAt: requestOf(annotations, forcedAt),
    forcedAt: forcedAt === status.lastAttempted?.forcedAt ? '' : forcedAt,
    testAt: testAt === status.lastTest?.requestedAt ? '' : testAt,
    generation: metadata.generation ?? 0,
    key,
    ...(references === undefined ? {} : { references }),
    signal,
  };
}

function requestOf(annotations: Readonly<Record<string, string>>, forcedAt: string): string {
  const asked = [annotations[OURS.reconcileAt] ?? '', forcedAt].filter((text) => text !== '').join(', forced ');
  return [asked, annotations[ADOPT] === 'true' ? 'adopt' : ''].filter((text) => text !== '').join(', ');
}

export function leasedBy({ ports, release, kind, instance, signal }: Work): LeasedRelease {
  return { ports, release, type: kind, object: instance, signal };
}

export function hasFinalizer({ metadata }: KubeObject): boolean {
  return metadata.finalizers?.includes(OURS.finalizer) === true;
}

/** RFC 3339, whole seconds. */
export function nowOf({ ports }: Pick<Work, 'ports'>): string {
  return `${ports.now().toISOString().slice(0, 19)}Z`;
}
