import type { Actor } from '../../src/domain/kubernetes/actor.ts';
import { AppError } from '../../src/domain/core/errors.ts';
import type { JsonObject } from '../../src/domain/kubernetes/resource.ts';
import type { UpgradePreview } from '../../src/domain/upgrade/preview/upgrade-preview.ts';
import { upgradeCommands } from '../../src/domain/upgrade/preview/upgrade-commands.ts';

const DIGEST = 'sha256:9f0c2d5b7a1e4c3f8d6b5a4e3c2d1f0e9f0c2d5b7a1e4c3f8d6b5a4e3c2d1f0e';
const CRD = 'postgresclusters.samples.chandlery.dev';

/** Approving 2.0.0 is rejected. */
export const SAMPLE_UPGRADES = {
  previewUpgrade: async (
    { groups }: Actor,
    { name, version, values }: { readonly name: string; readonly version: string; readonly values?: JsonObject },
  ): Promise<UpgradePreview> => (groups.includes('oidc:platform') ? tried(sampleChangeRequest(name, version), values) : reject()),
  approveUpgrade: async (_actor: Actor, { version }: { readonly version: string }): Promise<void> => {
    if (version === '2.0.0')
      throw new AppError('ApprovalInvalid', 'operator "postgres-operator": 2.0.0 is not in the range ^1; widen the range');
  },
};

function tried(preview: UpgradePreview, values: JsonObject | undefined): UpgradePreview {
  if (values === undefined) return preview;
  return { ...preview, proposedValues: values, commands: upgradeCommands({ ...preview, proposedValues: values }, 'http://localhost:8080') };
}

function reject(): never {
  const missing = { verb: 'get', group: 'operatorcontroller.kubeplus', resource: 'operators' };
  throw new AppError('Forbidden', 'operators: you may not read them', { missing });
}

/** Upgrade previews as the pages show them: one that is safe, and one that is stopped and seen by somebody with few permissions. */
function sampleChangeRequest(name: string, version: string): UpgradePreview {
  return version === '2.0.0' ? stopped(name) : safe(name);
}

function safe(name: string): UpgradePreview {
  const preview: Omit<UpgradePreview, 'commands'> = {
    namespace: 'chandlery-system',
    name,
    displayName: 'PostgreSQL',
    from: { name: 'postgres-operator', version: '1.4.0', appVersion: '17.2', digest: DIGEST.replace('9f', '11') },
    to: { name: 'postgres-operator', version: '1.5.0', appVersion: '17.4', digest: DIGEST },
    availableVersions: ['1.6.0', '1.5.0'],
    verdict: { kind: 'Safe', blockers: [], unchecked: [] },
    warnings: [],
    values: {
      items: [
        { path: 'image.tag', origin: 'the chart', change: 'changed', from: '"1.4.0"', to: '"1.5.0"', secret: false },
        { path: 'metrics.enabled', origin: 'the chart', change: 'added', to: 'true', secret: false },
        { path: 'legacy.hooks', origin: 'the chart', change: 'removed', from: 'false', secret: false },
        { path: 'auth.password', origin: 'Secret database key password', change: 'same', secret: true },
        { path: 'replicas', origin: 'spec.values', change: 'same', from: '2', to: '2', secret: false },
      ],
      omitted: 0,
      missing: [],
    },
    decisions: { rows: [], otherLayers: [], state: 'None', faults: [] },
    objects: {
      changes: [
        {
          kind: 'Deployment',
          apiVersion: 'apps/v1',
          namespace: 'chandlery-system',
          name: 'postgres-operator',
          change: 'changed',
          labelsOnly: false,
          restarts: true,
          lines: [
            '     spec:',
            '       containers:',
            '-        - image: registry.example.com/postgres-operator:1.4.0',
            '+        - image: registry.example.com/postgres-operator:1.5.0',
            '           name: operator',
            '@@',
            '           resources:',
            '             limits:',
            '-              memory: 128Mi',
            '+              memory: 192Mi',
          ],
          omittedLines: 0,
        },
        {
          kind: 'ConfigMap',
          apiVersion: 'v1',
          namespace: 'chandlery-system',
          name: 'postgres-operator-dashboards',
          change: 'added',
          labelsOnly: false,
          restarts: false,
          lines: ['+apiVersion: v1', '+kind: ConfigMap', '+metadata:', '+  name: postgres-operator-dashboards'],
          omittedLines: 1240,
        },
        {
          kind: 'ServiceAccount',
          apiVersion: 'v1',
          namespace: 'chandlery-system',
          name: 'postgres-operator',
          change: 'changed',
          labelsOnly: true,
          restarts: false,
          lines: ['   labels:', '-    helm.sh/chart: postgres-operator-1.4.0', '+    helm.sh/chart: postgres-operator-1.5.0'],
          omittedLines: 0,
        },
      ],
      unchanged: 6,
      omitted: 0,
    },
    crds: {
      items: [
        {
          crd: CRD,
          kind: 'PostgresCluster',
          change: 'changed',
          findings: [{ path: 'v1 status.phase', message: 'the field is removed, and its value is dropped', severity: 'Notice' }],
          faults: [],
          faultCount: 0,
        },
        { crd: 'postgresbackups.samples.chandlery.dev', kind: 'PostgresBackup', change: 'same', findings: [], faults: [], faultCount: 0 },
      ],
      safety: 'Strict',
      missing: [],
    },
    fields: { rejections: [], checked: 9, missing: [] },
    findings: {
      created: [{ message: 'ConfigMap chandlery-system/postgres-operator-dashboards', subject: 'Object', evidence: 'exact' }],
      changed: [{ message: 'Deployment chandlery-system/postgres-operator', subject: 'Object', evidence: 'exact' }],
      removed: [],
      blocked: [],
      warned: [
        {
          message:
            'Deployment chandlery-system/postgres-operator: would violate PodSecurity "restricted:latest": unrestricted capabilities',
          subject: 'Policy',
          evidence: 'exact',
        },
      ],
      unchecked: [],
    },
    remedies: [],
    instances: {
      namespaces: [
        { app: CRD, kind: 'PostgresCluster', namespace: 'team-a', environment: 'team-a', count: 3 },
        { app: CRD, kind: 'PostgresCluster', namespace: 'shop-production', environment: 'shop', count: 1 },
        { app: CRD, kind: 'PostgresCluster', namespace: 'somewhere', count: 12 },
      ],
      total: 16,
      missing: [],
      unavailable: [],
    },
    conversions: [],
    timing: {
      step: 'AwaitingApproval',
      policy: 'Manual',
      version: '1.4.0',
      range: '^1',
      window: { description: 'Sat, Sun at 22:00 for 4 h (Europe/Berlin)', open: false, opensAt: '2026-11-21T21:00:00.000Z' },
    },
  };
  return { ...preview, commands: upgradeCommands(preview, 'http://localhost:8080') };
}

function stopped(name: string): UpgradePreview {
  const preview = safe(name);
  const object = 'Deployment chandlery-system/postgres-operator';
  const missing = { verb: 'list', group: 'samples.chandlery.dev', resource: 'postgresbackups' };
  const patch = { verb: 'patch', group: 'operatorcontroller.kubeplus', resource: 'operators', namespace: preview.namespace, name };
  const changed: Omit<UpgradePreview, 'commands'> = {
    ...preview,
    to: { ...preview.to, version: '2.0.0', appVersion: '18.0' },
    verdict: {
      kind: 'Blocked',
      blockers: [
        `The new CRD ${CRD} is unsafe: it has 2 breaking changes, and 1 existing instance would be invalid`,
        `${object} would have to be deleted and recreated: spec.selector changes, which the api-server never allows`,
      ],
      unchecked: ['Some instances could not be counted: you lack the permission to list postgresbackups.samples.chandlery.dev'],
    },
    warnings: ['2.0.0 is another major version than 1.4.0: read its release notes first'],
    crds: {
      items: [
        {
          crd: CRD,
          kind: 'PostgresCluster',
          change: 'changed',
          findings: [
            { path: 'v1 spec.instances', message: 'the maximum falls from 9 to 5', severity: 'Unsafe' },
            { path: 'v1beta1', message: 'the version is not served any more, and clients may use it', severity: 'Unsafe' },
          ],
          faults: [{ instance: 'PostgresCluster team-a/orders', path: 'spec.instances', message: 'it is above the maximum of 5' }],
          faultCount: 1,
          affected: {
            changes: [
              { change: 'removed', fields: ['spec.pooler.size', 'spec.tuning'], fieldCount: 2, instances: 2 },
              { change: 'renamed', fields: ['spec.storageSize'], fieldCount: 1, instances: 61 },
              { change: 'narrowed', fields: ['spec.instances'], fieldCount: 1, instances: 1 },
            ],
            total: 61,
            instances: [
              {
                namespace: 'team-a',
                environment: 'team-a',
                name: 'orders',
                rows: [
                  { change: 'removed', count: 2 },
                  { change: 'renamed', count: 1 },
                  { change: 'narrowed', count: 1 },
                ],
              },
              { namespace: 'elsewhere', name: 'users', rows: [{ change: 'renamed', count: 1 }] },
            ],
          },
        },
        { crd: 'postgresusers.samples.chandlery.dev', kind: 'PostgresUser', change: 'added', findings: [], faults: [], faultCount: 0 },
        {
          crd: 'postgresbackups.samples.chandlery.dev',
          kind: 'PostgresBackup',
          change: 'retained',
          findings: [],
          faults: [],
          faultCount: 0,
        },
      ],
      safety: 'Strict',
      missing: [],
    },
    decisions: {
      rows: [
        {
          path: 'values.logLevel',
          change: 'renamed',
          message: 'the field is removed; loggingLevel is similar',
          value: 'debug',
          secret: false,
          options: ['move:values.loggingLevel', 'remove', 'leave'],
        },
        { path: 'values.region', change: 'required', message: 'it must be set', secret: false, options: ['set'] },
        {
          path: 'values.image.tag',
          change: 'default',
          message: 'its default changes',
          from: '1.4.0',
          to: '2.0.0',
          secret: false,
          options: ['take', 'keep'],
        },
      ],
      otherLayers: [
        { path: 'values.auth.password', change: 'removed', message: 'the field is removed', origin: 'Secret database key password' },
      ],
      state: 'Pending',
      faults: [],
    },
    fields: {
      rejections: [
        {
          object,
          field: 'spec.selector',
          message: 'spec.selector changes, which the api-server never allows',
          recreate: true,
          source: 'Rule',
        },
      ],
      checked: 0,
      missing: [{ verb: 'patch', group: 'apps', resource: 'deployments', namespace: preview.namespace }],
    },
    instances: { namespaces: [], total: 0, missing: [missing], unavailable: [] },
    conversions: [{ kind: 'PodDisruptionBudget', name: 'postgres-operator', from: 'policy/v1beta1', to: 'policy/v1', note: '' }],
    timing: {
      ...preview.timing,
      range: '>=1',
      fault: '1.3.0 was approved, and the newer 1.4.0 is installed; approve a newer version, or remove the annotation',
      missing: patch,
    },
  };
  return { ...changed, commands: upgradeCommands(changed, 'http://localhost:8080') };
}
