import type { KubeObject } from '../../src/domain/kubernetes/resource.ts';

/** A complete object of every legacy kind that can be carried over, and what it becomes. */
export interface LegacySample {
  readonly object: KubeObject;
  /** The apiVersion afterwards. */
  readonly becomes: string;
}

type Content = Readonly<Record<string, unknown>>;

const labels = { app: 'sample' };
const template = { metadata: { labels }, spec: { containers: [{ name: 'main', image: 'example.com/main:1' }] } };
const apps = { spec: { template, serviceName: 'sample' } };
const workload = { spec: { template } };
const rules = [{ apiGroups: [''], resources: ['pods'], verbs: ['get'] }];
const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'view' };
const job = { schedule: '* * * * *', jobTemplate: { spec: { template: { spec: { ...template.spec, restartPolicy: 'Never' } } } } };
const target = { scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: 'sample' }, maxReplicas: 3 };
const http = { paths: [{ path: '/', backend: { serviceName: 'sample', servicePort: 80 } }] };
const webhook = { name: 'a.example.com', clientConfig: { url: 'https://example.com' }, sideEffects: 'None' };
const RBAC = 'rbac.authorization.k8s.io';
const ADMISSION = 'admissionregistration.k8s.io';
const FLOW = 'flowcontrol.apiserver.k8s.io';
const REQUEST =
  'LS0tLS1CRUdJTiBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0KTUlIS01ITUNBUUF3RVRFUE1BMEdBMVVFQXd3R2MyRnRjR3hsTUZrd0V3WUhLb1pJemowQ0FRWUlLb1pJemowRApBUWNEUWdBRTNNUGJKZVVhVmVrcjF4dmNKTGcrbUFYSWhBZUYrQXNSRnpOWVZYNVA3SnlYNVFIaFNCNXFCRzVPCk5VYTJwSXl2NnpCbGhPQWowMUNReEV2R0xpRXlncUFBTUFvR0NDcUdTTTQ5QkFNQ0EwY0FNRVFDSUFoRGMvdW0KWWpvcmJHYnRsZlE3NjhhK1lWaGNwUHNXTVdLUEJYUi83WjAwQWlCOVBwUjRoTCtXejdMZzlITENadFZrRy9uMwpSME0wZ2JjOVh3alFtUDdFVWc9PQotLS0tLUVORCBDRVJUSUZJQ0FURSBSRVFVRVNULS0tLS0K';

export const LEGACY_SAMPLES: readonly LegacySample[] = [
  ...['apps/v1beta1', 'apps/v1beta2'].flatMap((from) => [
    sample(from, 'Deployment', 'apps/v1', workload),
    sample(from, 'StatefulSet', 'apps/v1', apps),
    sample(from, 'ControllerRevision', 'apps/v1', { revision: 1, data: {} }),
  ]),
  ...['apps/v1beta2', 'extensions/v1beta1'].flatMap((from) => [
    sample(from, 'DaemonSet', 'apps/v1', workload),
    sample(from, 'ReplicaSet', 'apps/v1', workload),
  ]),
  sample('extensions/v1beta1', 'Deployment', 'apps/v1', workload),
  ...[`${RBAC}/v1alpha1`, `${RBAC}/v1beta1`].flatMap((from) => [
    sample(from, 'Role', `${RBAC}/v1`, { rules }),
    clusterWide(from, 'ClusterRole', `${RBAC}/v1`, { rules }),
    sample(from, 'RoleBinding', `${RBAC}/v1`, { roleRef, subjects: [{ kind: 'ServiceAccount', name: 'default', namespace: 'default' }] }),
    clusterWide(from, 'ClusterRoleBinding', `${RBAC}/v1`, { roleRef, subjects: [{ kind: 'Group', name: 'sample' }] }),
  ]),
  ...['extensions/v1beta1', 'networking.k8s.io/v1beta1'].map((from) =>
    sample(from, 'Ingress', 'networking.k8s.io/v1', {
      spec: { backend: { serviceName: 'a', servicePort: 'http' }, rules: [{ host: 'a.example.com', http }] },
    }),
  ),
  sample('extensions/v1beta1', 'NetworkPolicy', 'networking.k8s.io/v1', { spec: { podSelector: {} } }),
  clusterWide('networking.k8s.io/v1beta1', 'IngressClass', 'networking.k8s.io/v1', { spec: { controller: 'example.com/sample' } }),
  ...['MutatingWebhookConfiguration', 'ValidatingWebhookConfiguration'].map((kind) =>
    clusterWide(`${ADMISSION}/v1beta1`, kind, `${ADMISSION}/v1`, { webhooks: [webhook] }),
  ),
  clusterWide(`${ADMISSION}/v1beta1`, 'ValidatingAdmissionPolicy', `${ADMISSION}/v1`, {
    spec: {
      matchConstraints: { resourceRules: [{ apiGroups: [''], apiVersions: ['v1'], operations: ['CREATE'], resources: ['pods'] }] },
      validations: [{ expression: 'true' }],
    },
  }),
  clusterWide(`${ADMISSION}/v1beta1`, 'ValidatingAdmissionPolicyBinding', `${ADMISSION}/v1`, {
    spec: { policyName: 'sample', validationActions: ['Deny'] },
  }),
  clusterWide('apiregistration.k8s.io/v1beta1', 'APIService', 'apiregistration.k8s.io/v1', {
    metadata: { name: 'v1.sample.example.com' },
    spec: {
      group: 'sample.example.com',
      version: 'v1',
      groupPriorityMinimum: 10,
      versionPriority: 10,
      insecureSkipTLSVerify: true,
      service: { name: 'a', namespace: 'default' },
    },
  }),
  sample('policy/v1beta1', 'PodDisruptionBudget', 'policy/v1', { spec: { minAvailable: 1, selector: {} } }),
  ...['batch/v1beta1', 'batch/v2alpha1'].map((from) => sample(from, 'CronJob', 'batch/v1', { spec: job })),
  sample('autoscaling/v2beta1', 'HorizontalPodAutoscaler', 'autoscaling/v2', {
    spec: { ...target, metrics: [{ type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 50 } }] },
  }),
  sample('autoscaling/v2beta2', 'HorizontalPodAutoscaler', 'autoscaling/v2', {
    spec: {
      ...target,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 50 } } }],
    },
  }),
  ...['v1alpha1', 'v1beta1'].map((version) =>
    clusterWide(`scheduling.k8s.io/${version}`, 'PriorityClass', 'scheduling.k8s.io/v1', { value: 10 }),
  ),
  clusterWide('storage.k8s.io/v1beta1', 'StorageClass', 'storage.k8s.io/v1', { provisioner: 'example.com/sample' }),
  clusterWide('storage.k8s.io/v1beta1', 'VolumeAttachment', 'storage.k8s.io/v1', {
    spec: { attacher: 'example.com', nodeName: 'a', source: { persistentVolumeName: 'a' } },
  }),
  clusterWide('storage.k8s.io/v1beta1', 'CSIDriver', 'storage.k8s.io/v1', { spec: { attachRequired: false } }),
  clusterWide('storage.k8s.io/v1beta1', 'CSINode', 'storage.k8s.io/v1', { spec: { drivers: [] } }),
  sample('storage.k8s.io/v1beta1', 'CSIStorageCapacity', 'storage.k8s.io/v1', { storageClassName: 'a', capacity: '1Gi' }),
  sample('coordination.k8s.io/v1beta1', 'Lease', 'coordination.k8s.io/v1', { spec: { holderIdentity: 'a', leaseDurationSeconds: 1 } }),
  clusterWide('node.k8s.io/v1beta1', 'RuntimeClass', 'node.k8s.io/v1', { handler: 'sample' }),
  clusterWide('node.k8s.io/v1alpha1', 'RuntimeClass', 'node.k8s.io/v1', { spec: { runtimeHandler: 'sample' } }),
  ...['v1alpha1', 'v1beta1', 'v1beta2', 'v1beta3'].flatMap((version) => [
    clusterWide(`${FLOW}/${version}`, 'FlowSchema', `${FLOW}/v1`, {
      spec: { priorityLevelConfiguration: { name: 'exempt' }, matchingPrecedence: 500 },
    }),
    clusterWide(`${FLOW}/${version}`, 'PriorityLevelConfiguration', `${FLOW}/v1`, {
      spec: {
        type: 'Limited',
        limited: {
          [version === 'v1beta3' ? 'nominalConcurrencyShares' : 'assuredConcurrencyShares']: 5,
          limitResponse: { type: 'Reject' },
        },
      },
    }),
  ]),
  clusterWide('certificates.k8s.io/v1beta1', 'CertificateSigningRequest', 'certificates.k8s.io/v1', {
    spec: { request: REQUEST, signerName: 'example.com/sample', usages: ['client auth'] },
  }),
  sample('discovery.k8s.io/v1beta1', 'EndpointSlice', 'discovery.k8s.io/v1', {
    addressType: 'IPv4',
    endpoints: [{ addresses: ['10.0.0.1'], topology: { 'kubernetes.io/hostname': 'node-a', 'topology.kubernetes.io/zone': 'a' } }],
    ports: [],
  }),
  sample('events.k8s.io/v1beta1', 'Event', 'events.k8s.io/v1', {
    eventTime: '2026-01-01T00:00:00.000000Z',
    type: 'Normal',
    reason: 'Sampled',
    action: 'Sample',
    reportingController: 'example.com/sample',
    reportingInstance: 'sample',
    regarding: { apiVersion: 'v1', kind: 'Namespace', name: 'default' },
  }),
  clusterWide('apiextensions.k8s.io/v1beta1', 'CustomResourceDefinition', 'apiextensions.k8s.io/v1', {
    metadata: { name: 'samples.legacy.example.com' },
    spec: {
      group: 'legacy.example.com',
      version: 'v1',
      names: { kind: 'Sample', plural: 'samples' },
      scope: 'Namespaced',
      subresources: { status: {} },
      additionalPrinterColumns: [{ name: 'Size', type: 'integer', JSONPath: '.spec.size' }],
      conversion: { strategy: 'Webhook', webhookClientConfig: { url: 'https://example.com/convert' } },
      preserveUnknownFields: false,
      validation: {
        openAPIV3Schema: {
          properties: {
            spec: {
              properties: { size: { type: 'integer', minimum: 1 }, hosts: { type: 'array', uniqueItems: true, items: { type: 'string' } } },
              required: ['size'],
            },
          },
        },
      },
    },
  }),
];

/** Legacy kinds that nothing is like today. */
export const WITHOUT_COUNTERPART = ['extensions/v1beta1 PodSecurityPolicy', 'policy/v1beta1 PodSecurityPolicy'];

function sample(apiVersion: string, kind: string, becomes: string, content: Content): LegacySample {
  return { object: { apiVersion, kind, metadata: { name: 'sample', namespace: 'default' }, ...content }, becomes };
}

function clusterWide(apiVersion: string, kind: string, becomes: string, content: Content): LegacySample {
  return { object: { apiVersion, kind, metadata: { name: 'sample' }, ...content }, becomes };
}
