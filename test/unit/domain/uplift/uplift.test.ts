import assert from 'node:assert/strict';
import { test } from 'node:test';
import * as fc from 'fast-check';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { uplift } from '../../../../src/domain/uplift/uplift.ts';

type Fields = Readonly<Record<string, unknown>>;

function object(apiVersion: string, kind: string, more: Fields = {}): KubeObject {
  return { apiVersion, kind, metadata: { name: 'x' }, ...more };
}

const TEMPLATE = { metadata: { labels: { app: 'x' } }, spec: { containers: [{ name: 'x', image: 'x' }] } };
const SELECTOR = { matchLabels: { app: 'x' } };
const WEBHOOK = { name: 'a.example.com', clientConfig: {}, sideEffects: 'None' };

interface Case {
  readonly title: string;
  readonly from: KubeObject;
  readonly to: KubeObject;
  readonly note?: RegExp;
}

const CASES: readonly Case[] = [
  {
    title: 'a Deployment of apps/v1beta1 keeps its selector',
    from: object('apps/v1beta1', 'Deployment', { spec: { replicas: 1, selector: SELECTOR, template: TEMPLATE } }),
    to: object('apps/v1', 'Deployment', { spec: { replicas: 1, selector: SELECTOR, template: TEMPLATE } }),
    note: /^$/,
  },
  {
    title: 'a Deployment without selector gets one from its template, and loses rollbackTo',
    from: object('apps/v1beta1', 'Deployment', { spec: { template: TEMPLATE, rollbackTo: { revision: 1 } } }),
    to: object('apps/v1', 'Deployment', { spec: { template: TEMPLATE, selector: SELECTOR } }),
    note: /selector was derived from the labels.*rollbackTo was removed/,
  },
  {
    title: 'a Deployment of extensions/v1beta1 rolls one by one, as it did',
    from: object('extensions/v1beta1', 'Deployment', { spec: { template: TEMPLATE, selector: SELECTOR } }),
    to: object('apps/v1', 'Deployment', {
      spec: {
        template: TEMPLATE,
        selector: SELECTOR,
        strategy: { type: 'RollingUpdate', rollingUpdate: { maxSurge: 1, maxUnavailable: 1 } },
      },
    }),
    note: /old default for updates/,
  },
  {
    title: 'a Deployment that chose its strategy keeps it',
    from: object('extensions/v1beta1', 'Deployment', { spec: { template: TEMPLATE, selector: SELECTOR, strategy: { type: 'Recreate' } } }),
    to: object('apps/v1', 'Deployment', { spec: { template: TEMPLATE, selector: SELECTOR, strategy: { type: 'Recreate' } } }),
  },
  {
    title: 'a StatefulSet of apps/v1beta1 updates on delete, as it did',
    from: object('apps/v1beta1', 'StatefulSet', { spec: { serviceName: 'x', template: TEMPLATE } }),
    to: object('apps/v1', 'StatefulSet', {
      spec: { serviceName: 'x', template: TEMPLATE, selector: SELECTOR, updateStrategy: { type: 'OnDelete' } },
    }),
  },
  {
    title: 'a StatefulSet of apps/v1beta2 is the same in apps/v1',
    from: object('apps/v1beta2', 'StatefulSet', { spec: { template: TEMPLATE, selector: SELECTOR } }),
    to: object('apps/v1', 'StatefulSet', { spec: { template: TEMPLATE, selector: SELECTOR } }),
  },
  {
    title: 'a DaemonSet of extensions/v1beta1 updates on delete and loses its template generation',
    from: object('extensions/v1beta1', 'DaemonSet', { spec: { template: TEMPLATE, templateGeneration: 3 } }),
    to: object('apps/v1', 'DaemonSet', { spec: { template: TEMPLATE, selector: SELECTOR, updateStrategy: { type: 'OnDelete' } } }),
  },
  {
    title: 'a role of v1alpha1 is the same in v1',
    from: object('rbac.authorization.k8s.io/v1alpha1', 'ClusterRole', { rules: [{ verbs: ['*'] }] }),
    to: object('rbac.authorization.k8s.io/v1', 'ClusterRole', { rules: [{ verbs: ['*'] }] }),
  },
  {
    title: 'a binding of v1alpha1 names the group of its subjects in the current way',
    from: object('rbac.authorization.k8s.io/v1alpha1', 'RoleBinding', {
      subjects: [
        { kind: 'User', apiVersion: 'rbac/v1alpha1', name: 'ann' },
        { kind: 'ServiceAccount', apiVersion: 'v1', name: 's', namespace: 'n' },
      ],
      roleRef: { kind: 'Role', name: 'r' },
    }),
    to: object('rbac.authorization.k8s.io/v1', 'RoleBinding', {
      subjects: [
        { kind: 'User', name: 'ann', apiGroup: 'rbac.authorization.k8s.io' },
        { kind: 'ServiceAccount', name: 's', namespace: 'n' },
      ],
      roleRef: { apiGroup: 'rbac.authorization.k8s.io', kind: 'Role', name: 'r' },
    }),
  },
  {
    title: 'an Ingress names services and ports in the nested form',
    from: object('extensions/v1beta1', 'Ingress', {
      spec: {
        backend: { serviceName: 'd', servicePort: 80 },
        tls: [{ hosts: ['a'] }],
        rules: [
          {
            host: 'a',
            http: {
              paths: [
                { path: '/', backend: { serviceName: 's', servicePort: 'http' } },
                { backend: { serviceName: 's', servicePort: '8080' } },
              ],
            },
          },
          { host: 'b' },
        ],
      },
    }),
    to: object('networking.k8s.io/v1', 'Ingress', {
      spec: {
        tls: [{ hosts: ['a'] }],
        defaultBackend: { service: { name: 'd', port: { number: 80 } } },
        rules: [
          {
            host: 'a',
            http: {
              paths: [
                { pathType: 'ImplementationSpecific', path: '/', backend: { service: { name: 's', port: { name: 'http' } } } },
                { pathType: 'ImplementationSpecific', backend: { service: { name: 's', port: { number: 8080 } } } },
              ],
            },
          },
          { host: 'b' },
        ],
      },
    }),
  },
  {
    title: 'a webhook without side effects keeps the old defaults',
    from: object('admissionregistration.k8s.io/v1beta1', 'ValidatingWebhookConfiguration', { webhooks: [WEBHOOK] }),
    to: object('admissionregistration.k8s.io/v1', 'ValidatingWebhookConfiguration', {
      webhooks: [{ failurePolicy: 'Ignore', matchPolicy: 'Exact', timeoutSeconds: 30, admissionReviewVersions: ['v1beta1'], ...WEBHOOK }],
    }),
    note: /old defaults/,
  },
  {
    title: 'a disruption budget with an empty selector chooses nothing, as it did',
    from: object('policy/v1beta1', 'PodDisruptionBudget', { spec: { selector: {}, minAvailable: 1 } }),
    to: object('policy/v1', 'PodDisruptionBudget', { spec: { minAvailable: 1 } }),
    note: /empty selector was removed/,
  },
  {
    title: 'an autoscaler of v2beta1 has nested metrics',
    from: object('autoscaling/v2beta1', 'HorizontalPodAutoscaler', {
      spec: {
        maxReplicas: 2,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', targetAverageUtilization: 80 } },
          { type: 'Pods', pods: { metricName: 'rps', targetAverageValue: '10' } },
          { type: 'Object', object: { metricName: 'hits', target: { kind: 'Service', name: 's' }, targetValue: '5' } },
          { type: 'External', external: { metricName: 'queue', metricSelector: SELECTOR, targetValue: '3' } },
        ],
      },
    }),
    to: object('autoscaling/v2', 'HorizontalPodAutoscaler', {
      spec: {
        maxReplicas: 2,
        metrics: [
          { type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } },
          { type: 'Pods', pods: { metric: { name: 'rps' }, target: { type: 'AverageValue', averageValue: '10' } } },
          {
            type: 'Object',
            object: { describedObject: { kind: 'Service', name: 's' }, metric: { name: 'hits' }, target: { type: 'Value', value: '5' } },
          },
          { type: 'External', external: { metric: { name: 'queue', selector: SELECTOR }, target: { type: 'Value', value: '3' } } },
        ],
      },
    }),
  },
  {
    title: 'a priority level without shares gets the default, as it did',
    from: object('flowcontrol.apiserver.k8s.io/v1beta2', 'PriorityLevelConfiguration', {
      spec: { limited: { assuredConcurrencyShares: 0 } },
    }),
    to: object('flowcontrol.apiserver.k8s.io/v1', 'PriorityLevelConfiguration', { spec: { limited: {} } }),
    note: /current name; zero shares, which meant the default, were removed/,
  },
  {
    title: 'an endpoint keeps where it is',
    from: object('discovery.k8s.io/v1beta1', 'EndpointSlice', {
      endpoints: [{ topology: { 'kubernetes.io/hostname': 'a', 'topology.kubernetes.io/zone': 'b', other: 'c' } }],
    }),
    to: object('discovery.k8s.io/v1', 'EndpointSlice', { endpoints: [{ nodeName: 'a', zone: 'b', deprecatedTopology: { other: 'c' } }] }),
    note: /topology/,
  },
  ...(
    [
      ['batch/v1beta1', 'CronJob', 'batch/v1'],
      ['batch/v2alpha1', 'CronJob', 'batch/v1'],
      ['scheduling.k8s.io/v1beta1', 'PriorityClass', 'scheduling.k8s.io/v1'],
      ['storage.k8s.io/v1beta1', 'StorageClass', 'storage.k8s.io/v1'],
      ['storage.k8s.io/v1beta1', 'CSIDriver', 'storage.k8s.io/v1'],
      ['extensions/v1beta1', 'NetworkPolicy', 'networking.k8s.io/v1'],
      ['apiregistration.k8s.io/v1beta1', 'APIService', 'apiregistration.k8s.io/v1'],
      ['coordination.k8s.io/v1beta1', 'Lease', 'coordination.k8s.io/v1'],
      ['autoscaling/v2beta2', 'HorizontalPodAutoscaler', 'autoscaling/v2'],
    ] as const
  ).map(([from, kind, to]) => ({
    title: `a ${kind} of ${from} is the same in ${to}`,
    from: object(from, kind, { spec: { a: 1 } }),
    to: object(to, kind, { spec: { a: 1 } }),
    note: /^$/,
  })),
];

for (const { title, from, to, note } of CASES) {
  test(title, () => {
    const result = uplift([from]);
    assert.deepEqual(result.failedConversions, []);
    assert.deepEqual(result.objects, [to]);
    const [conversion] = result.conversions;
    assert.deepEqual(
      [conversion?.kind, conversion?.name, conversion?.from, conversion?.to],
      [from.kind, 'x', from.apiVersion, to.apiVersion],
    );
    if (note !== undefined) assert.match(conversion?.note ?? 'no note', note);
    assert.deepEqual(uplift([to]), { objects: [to], conversions: [], failedConversions: [] });
  });
}

const REJECTED: readonly { title: string; from: KubeObject; reason: RegExp }[] = [
  {
    title: 'a PodSecurityPolicy',
    from: object('policy/v1beta1', 'PodSecurityPolicy'),
    reason: /no PodSecurityPolicy any more; disable it/,
  },
  {
    title: 'a Deployment that no selector can be made for',
    from: object('apps/v1beta1', 'Deployment', { spec: { template: {} } }),
    reason: /no labels/,
  },
  {
    title: 'a webhook that does not promise to be without side effects',
    from: object('admissionregistration.k8s.io/v1beta1', 'MutatingWebhookConfiguration', { webhooks: [{ name: 'a', clientConfig: {} }] }),
    reason: /"a" has sideEffects "Unknown"/,
  },
  {
    title: 'a webhook that understands no current review',
    from: object('admissionregistration.k8s.io/v1beta1', 'MutatingWebhookConfiguration', {
      webhooks: [{ ...WEBHOOK, admissionReviewVersions: ['v1alpha1'] }],
    }),
    reason: /none of the review versions/,
  },
  {
    title: 'a binding to the user *, who was everybody',
    from: object('rbac.authorization.k8s.io/v1alpha1', 'ClusterRoleBinding', { subjects: [{ kind: 'User', name: '*' }] }),
    reason: /system:authenticated/,
  },
  {
    title: 'a request for a certificate without a signer',
    from: object('certificates.k8s.io/v1beta1', 'CertificateSigningRequest', { spec: { usages: ['client auth'] } }),
    reason: /names no signer/,
  },
  {
    title: 'a request for a certificate without a use',
    from: object('certificates.k8s.io/v1beta1', 'CertificateSigningRequest', { spec: { signerName: 'example.com/a' } }),
    reason: /it has no usages/,
  },
  {
    title: 'an event that lacks what is asked for today',
    from: object('events.k8s.io/v1beta1', 'Event', { type: 'Normal' }),
    reason: /it has no eventTime, reason, action/,
  },
  { title: 'a kind that nobody carries over', from: object('extensions/v1beta1', 'Scale'), reason: /no longer serves extensions\/v1beta1/ },
  {
    title: 'a CRD without a version',
    from: object('apiextensions.k8s.io/v1beta1', 'CustomResourceDefinition', { spec: {} }),
    reason: /names no version/,
  },
];

for (const { title, from, reason } of REJECTED) {
  test(`rejected: ${title}`, () => {
    const result = uplift([from]);
    assert.deepEqual(result.conversions, []);
    assert.equal(result.objects[0], from);
    assert.match(result.failedConversions[0]?.reason ?? '', reason);
  });
}

test('objects of current APIs pass through untouched, whatever is in them', () => {
  const apiVersion = fc.constantFrom(
    'v1',
    'apps/v1',
    'batch/v1',
    'networking.k8s.io/v1',
    'rbac.authorization.k8s.io/v1',
    'apiextensions.k8s.io/v1',
    'example.com/v1beta1',
  );
  const kind = fc.constantFrom(
    'Deployment',
    'CronJob',
    'Ingress',
    'ClusterRole',
    'CustomResourceDefinition',
    'ConfigMap',
    'PodSecurityPolicy',
  );
  const anyObject = fc.record({ apiVersion, kind, metadata: fc.record({ name: fc.string() }), spec: fc.jsonValue(), data: fc.jsonValue() });
  fc.assert(
    fc.property(fc.array(anyObject), (objects) => {
      const result = uplift(objects);
      return (
        result.conversions.length === 0 &&
        result.failedConversions.length === 0 &&
        result.objects.every((one, index) => one === objects[index])
      );
    }),
  );
});

test('what was carried over is carried over no further', () => {
  const legacy = CASES.map((one) => one.from);
  const once = uplift(legacy).objects;
  assert.deepEqual(uplift(once).conversions, []);
});
