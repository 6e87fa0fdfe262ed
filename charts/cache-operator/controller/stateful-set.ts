import type { JsonObject } from '../../../src/domain/kubernetes/resource.ts';
import type { LiveObject, Manifest } from '../../controller-runtime/kube-object.ts';
import { CONTAINER_SECURITY, contentHash, podSecurity, shellProbe, spreadOverNodes } from '../../controller-runtime/pod-parts.ts';
import { claimTemplate } from '../../controller-runtime/volume-claims.ts';
import { INSTANCE, MANAGED_BY } from '../../controller-runtime/managed-kind.ts';
import { type Cache, memoryBytes, selectorOf } from './cache.ts';

/** The user and group `valkey` of the image. */
const VALKEY_ID = 999;

export interface StatefulSetInput {
  readonly cache: Cache;
  readonly operator: string;
  readonly existing: LiveObject | undefined;
  /** Changes whenever a mounted file changes. */
  readonly configHash: string;
}

export function statefulSet({ cache, operator, existing, configHash }: StatefulSetInput): Manifest {
  const { spec, names, namespace } = cache;
  const selector = selectorOf(cache);
  const { size, storageClassName } = spec.persistence;
  const labels = { ...selector, [MANAGED_BY]: operator, [INSTANCE]: cache.name };
  const claims =
    spec.persistence.enabled && size !== undefined
      ? [claimTemplate({ size, labels, ...(storageClassName === undefined ? {} : { storageClassName }) }, existing)]
      : undefined;
  return {
    apiVersion: 'apps/v1',
    kind: 'StatefulSet',
    metadata: { namespace, name: names.main, labels: selector },
    spec: {
      replicas: spec.replicas,
      serviceName: names.nodes,
      selector: { matchLabels: selector },
      podManagementPolicy: 'Parallel',
      persistentVolumeClaimRetentionPolicy: { whenDeleted: 'Delete', whenScaled: 'Retain' },
      template: { metadata: podMetadata(cache, labels, configHash), spec: podSpec(cache, selector) },
      ...(claims === undefined ? {} : { volumeClaimTemplates: claims }),
    },
  };
}

function podMetadata({ spec }: Cache, labels: Readonly<Record<string, string>>, configHash: string): JsonObject {
  const { maintenanceWindow: window } = spec;
  return {
    labels: { ...spec.labels, ...labels },
    annotations: {
      'samples.chandlery.dev/config-hash': configHash,
      ...(window === undefined ? {} : { 'samples.chandlery.dev/maintenance-window': `${window.day} ${window.hour}:00 UTC` }),
    },
  };
}

function podSpec(cache: Cache, selector: Readonly<Record<string, string>>): JsonObject {
  const { spec, names } = cache;
  return {
    automountServiceAccountToken: false,
    enableServiceLinks: false,
    terminationGracePeriodSeconds: 60,
    securityContext: podSecurity(VALKEY_ID),
    affinity: spreadOverNodes(selector),
    ...(spec.tolerations === undefined ? {} : { tolerations: spec.tolerations }),
    containers: [container(cache)],
    volumes: [
      { name: 'config', configMap: { name: names.config } },
      { name: 'users', secret: { secretName: names.secret, items: [{ key: 'users.acl', path: 'users.acl' }], defaultMode: 0o440 } },
      { name: 'run', emptyDir: { medium: 'Memory', sizeLimit: '1Mi' } },
      ...(spec.persistence.enabled ? [] : [{ name: 'data', emptyDir: {} }]),
    ],
  };
}

function container(cache: Cache): JsonObject {
  const { spec, names } = cache;
  const ping = 'test "$(valkey-cli ping)" = PONG';
  const fromSecret = (key: string): JsonObject => ({ secretKeyRef: { name: names.secret, key } });
  return {
    name: 'valkey',
    image: `docker.io/valkey/valkey:${spec.version}`,
    command: ['sh', '/etc/valkey/start.sh'],
    ports: [{ name: 'valkey', containerPort: 6379, protocol: 'TCP' }],
    env: [
      { name: 'POD_NAME', valueFrom: { fieldRef: { fieldPath: 'metadata.name' } } },
      { name: 'REPLICATION_PASSWORD', valueFrom: fromSecret('password-replication') },
      // valkey-cli takes the password of the probes from here.
      { name: 'REDISCLI_AUTH', valueFrom: fromSecret('password') },
    ],
    resources: resources(cache),
    securityContext: CONTAINER_SECURITY,
    startupProbe: shellProbe(ping, { periodSeconds: 2, failureThreshold: 60 }),
    readinessProbe: shellProbe(ping, { periodSeconds: 5, failureThreshold: 3 }),
    livenessProbe: shellProbe(ping, { periodSeconds: 20, failureThreshold: 5 }),
    volumeMounts: [
      { name: 'config', mountPath: '/etc/valkey/valkey.conf', subPath: 'valkey.conf', readOnly: true },
      { name: 'config', mountPath: '/etc/valkey/start.sh', subPath: 'start.sh', readOnly: true },
      { name: 'users', mountPath: '/etc/valkey/users.acl', subPath: 'users.acl', readOnly: true },
      { name: 'run', mountPath: '/run/valkey' },
      { name: 'data', mountPath: '/data' },
    ],
  };
}

/** Memory follows from how much data must fit: a quarter more for Valkey itself, and half more as the limit while a snapshot is written. */
function resources(cache: Cache): JsonObject {
  const bytes = memoryBytes(cache);
  const { requests, limits } = cache.spec.resources ?? {};
  return {
    requests: { cpu: '100m', memory: toMebibytes(bytes * 1.25), ...requests },
    limits: { memory: toMebibytes(bytes * 1.5 + 64 * 2 ** 20), ...limits },
  };
}

function toMebibytes(bytes: number): string {
  return `${Math.ceil(bytes / 2 ** 20)}Mi`;
}

/** What the pods read when they start, as one hash. Passwords are never made anew, so only the list of users can change it. */
export function configHashOf(config: Manifest, secretValues: Readonly<Record<string, string>>): string {
  return contentHash([config.data, secretValues['users.acl']]);
}
