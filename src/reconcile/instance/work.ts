import { type ExpirySettings, type InstanceExpiry, instanceExpiry } from '../../domain/app-instance/expiry.ts';
import { DEPLOYER } from '../../domain/environment/deployer.ts';
import { stringifyJson } from '../../domain/core/exact-json.ts';
import { FORCE_AT } from '../../domain/operator/operator-spec.ts';
import { OURS } from '../../domain/kubernetes/names.ts';
import { specOf } from '../../domain/kind/kind.ts';
import { type KubeObject, timestamp } from '../../domain/kubernetes/resource.ts';
import {
  dedicatedNamespaceName,
  type GeneratedKind,
  instanceLabelValue,
  parseInstanceSpec,
  parseInstanceStatus,
  releaseNameOf,
  REINSTALL_AT,
  TEST_AT,
} from '../../domain/app-instance/instance.ts';
import type { InstanceSpec, InstanceStatus } from '../../domain/app-instance/instance-kind.ts';
import { createHash } from 'node:crypto';
import type { DeployerAccount } from '../../domain/kubernetes/cluster.ts';
import { appDeployerOf, deployerOf } from '../../domain/app-definition/app-deployer.ts';
import { APP_DEFINITION_KIND, type NamespaceMode } from '../../domain/app-definition/app-definition-kind.ts';
import type { ReleaseRef } from '../helm-release/ports.ts';
import type { LeasedRelease } from '../helm-release/release-lease.ts';
import type { Deployer, InstancePorts } from './ports.ts';

/** Whose the namespace is that an instance has to itself. */
export type DedicatedNamespace =
  | { readonly kind: 'Missing' }
  | { readonly kind: 'Ours'; readonly namespace: KubeObject }
  /** It is ours and being deleted; the message says what it waits for. */
  | { readonly kind: 'Terminating'; readonly message: string }
  /** Somebody else's. Nothing is ever written to it. */
  | { readonly kind: 'Foreign'; readonly message: string };

/** One instance while it is being worked on. */
export interface Work {
  readonly ports: InstancePorts;
  readonly kind: GeneratedKind;
  readonly instance: KubeObject;
  /** Of the instance itself, and of what its spec refers to. */
  readonly namespace: string;
  readonly spec: InstanceSpec;
  /** As it was when the instance was read. */
  readonly status: InstanceStatus;
  readonly mode: NamespaceMode;
  /** In the namespace of the instance, or in the one that is dedicated to it. */
  readonly release: ReleaseRef;
  /** The namespace that it has to itself, as it was when the instance was read; absent where its release is in its own. */
  readonly dedicated?: DedicatedNamespace;
  /** The value of the label `chandlery.dev/app-instance` on the records of its release. */
  readonly label: string;
  /** What the spec refers to, read as the deployer of all apps of the Environment: people name it. */
  readonly sources: Deployer['cluster'];
  /** Of the namespace of the release, and of the app where that has its own. */
  readonly deployer: Deployer;
  /** Its ServiceAccount. */
  readonly account: DeployerAccount;
  /** What a person asks for: the annotation `chandlery.dev/reconcile-at`, with `chandlery.dev/force-at` and the wish to adopt behind it; empty when there is none. */
  readonly requestedAt: string;
  /** The annotation `chandlery.dev/force-at` while it has not been carried out; else empty. */
  readonly forcedAt: string;
  /** The annotation `chandlery.dev/test-at` while its tests have not run; else empty. */
  readonly testAt: string;
  /** The annotation `chandlery.dev/reinstall-at` while it has not been handled; else empty. */
  readonly reinstallAt: string;
  readonly generation: number;
  /** When it ends; absent: never. */
  readonly expiry?: InstanceExpiry;
  /** `<plural>/<namespace>/<name>` */
  readonly key: string;
  /** A digest over the versions of what it is known to refer to, and over the permissions of its app, taken before they were read; absent when unknown. */
  readonly references?: string;
  readonly signal: AbortSignal;
}

/** Annotation: `"true"` lets an instance take over a release of its name that nobody owns. */
export const ADOPT = 'chandlery.dev/adopt-release';

export function workOn(ports: InstancePorts, { kind, instance }: { kind: GeneratedKind; instance: KubeObject }, signal: AbortSignal): Work {
  const { metadata } = instance;
  const { annotations = {}, namespace = 'default' } = metadata;
  const status = parseInstanceStatus(instance);
  const mode = modeOf(ports, kind, status);
  const place = mode === 'Dedicated' ? dedicatedNamespaceName(kind, metadata) : namespace;
  const forcedAt = annotations[FORCE_AT] ?? '';
  const testAt = annotations[TEST_AT] ?? '';
  const reinstallAt = annotations[REINSTALL_AT] ?? '';
  const key = `${kind.resource}/${namespace}/${metadata.name}`;
  const expiry = instanceExpiry(instance, expirySettings(ports, kind), ports.now().getTime());
  const spec = parseInstanceSpec(instance);
  const definition = ports.definitions.get(kind.definition);
  const account = { namespace: place, name: deployerOf(definition) };
  const references = revisionOf(ports.references.revisionOf(ports.references.referencesOf(key)), spec, definition);
  return {
    ports,
    kind,
    instance,
    namespace,
    spec,
    status,
    mode,
    release: { release: releaseNameOf(kind, metadata.name), namespace: place },
    label: instanceLabelValue(kind, metadata.name),
    sources: ports.asDeployer({ namespace, name: DEPLOYER }).cluster,
    deployer: ports.asDeployer(account),
    account,
    requestedAt: requestOf(annotations, forcedAt),
    forcedAt: forcedAt === status.lastAttempted?.forcedAt ? '' : forcedAt,
    testAt: testAt === status.lastTest?.requestedAt ? '' : testAt,
    reinstallAt: reinstallAt === status.lastReinstallAt ? '' : reinstallAt,
    generation: metadata.generation ?? 0,
    key,
    ...(expiry === undefined ? {} : { expiry }),
    ...(references === undefined ? {} : { references }),
    signal,
  };
}

/** A failure for want of a permission is no reason to wait once the AppDefinition grants it. @param known of what the spec refers to. */
function revisionOf(known: string | undefined, { valuesFrom }: InstanceSpec, definition: KubeObject | undefined): string | undefined {
  const rules = definition && appDeployerOf(definition)?.rules;
  if (rules === undefined || (known === undefined && valuesFrom.length > 0)) return known;
  return createHash('sha256')
    .update(stringifyJson([known ?? '', rules]))
    .digest('hex')
    .slice(0, 16);
}

/**
 * Whether an instance has a namespace of its own. What the controller wrote down counts, then what it has made: the mode of the definition is for new instances. The name in the
 * status is never used: it is always derived.
 */
function modeOf({ definitions }: Pick<InstancePorts, 'definitions'>, kind: GeneratedKind, status: InstanceStatus): NamespaceMode {
  if (status.namespace !== undefined) return 'Dedicated';
  if (status.managedRevision !== undefined) return 'Shared';
  const definition = definitions.get(kind.definition);
  return definition === undefined ? 'Shared' : specOf(APP_DEFINITION_KIND, definition).namespaceMode;
}

/** Without its definition an instance ends as if that said nothing. */
function expirySettings({ definitions }: Pick<InstancePorts, 'definitions'>, { definition }: GeneratedKind): ExpirySettings {
  return specOf(APP_DEFINITION_KIND, definitions.get(definition) ?? NO_DEFINITION).expiry;
}

const NO_DEFINITION: KubeObject = { apiVersion: '', kind: APP_DEFINITION_KIND.type.kind, metadata: { name: '' } };

function requestOf(annotations: Readonly<Record<string, string>>, forcedAt: string): string {
  const asked = [annotations[OURS.reconcileAt] ?? '', forcedAt].filter((text) => text !== '').join(', forced ');
  const reinstall = annotations[REINSTALL_AT] === undefined ? '' : `reinstall ${annotations[REINSTALL_AT]}`;
  return [asked, annotations[ADOPT] === 'true' ? 'adopt' : '', reinstall].filter((text) => text !== '').join(', ');
}

/** `kubectl annotate` for an instance. @param annotation as a shell has it. */
export function annotateCommand({ kind, instance, namespace }: Pick<Work, 'kind' | 'instance' | 'namespace'>, annotation: string): string {
  return `kubectl annotate ${kind.resource}.${kind.group} ${instance.metadata.name} --namespace ${namespace} --overwrite ${annotation}`;
}

export function leasedBy({ ports, release, kind, instance, signal }: Work): LeasedRelease {
  return { ports, release, type: kind, object: instance, signal };
}

/** RFC 3339, whole seconds. */
export function nowOf({ ports }: Pick<Work, 'ports'>): string {
  return timestamp(ports.now());
}
