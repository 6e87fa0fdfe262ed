import type { JsonObject, KubeObject } from '../../src/domain/kubernetes/resource.ts';
import {
  AT,
  broken,
  type BrokenApp,
  container,
  deployment,
  GROUP,
  ingress,
  object,
  podStatus,
  RUN,
  service,
  statefulSet,
  template,
  terminated,
  UNTOUCHED,
} from './broken-app.ts';
import { BROKEN_PODS } from './broken-pods.ts';

const job = (name: string, spec: JsonObject, metadata: JsonObject = {}): KubeObject =>
  object('batch/v1', 'Job', name, { metadata, spec: { template: template(name, {}, { restartPolicy: 'Never', ...UNTOUCHED }), ...spec } });
const route = (name: string, rest: JsonObject = {}): KubeObject =>
  object('gateway.networking.k8s.io/v1', 'HTTPRoute', name, {
    spec: { parentRefs: [{ name: 'edge', namespace: 'gateways' }], rules: [{ backendRefs: [{ name, port: 80 }] }], ...rest },
  });
const autoscaler = (name: string, target: string): KubeObject =>
  object('autoscaling/v2', 'HorizontalPodAutoscaler', name, {
    spec: {
      scaleTargetRef: { apiVersion: 'apps/v1', kind: 'Deployment', name: target },
      maxReplicas: 3,
      metrics: [{ type: 'Resource', resource: { name: 'cpu', target: { type: 'Utilization', averageUtilization: 80 } } }],
    },
  });
const REJECTED: readonly BrokenApp[] = [
  broken(
    'quota',
    'StatefulSet quota cannot create pods: ResourceQuota team is used up: requested requests.cpu=2, used requests.cpu=0, limited to requests.cpu=1',
    [statefulSet('quota', { resources: { requests: { cpu: '2' }, limits: { cpu: '2' } } })],
    { isLimited: true },
  ),
  broken(
    'limit-range',
    'Deployment limit-range cannot create pods: a LimitRange of the namespace rejects it: maximum memory usage per Container is 1Gi, but limit is 2Gi',
    [deployment('limit-range', { resources: { limits: { memory: '2Gi' } } })],
    { isLimited: true },
  ),
  broken(
    'pod-security',
    'Deployment pod-security cannot create pods: Pod Security level baseline forbids host namespaces (hostNetwork=true)',
    [deployment('pod-security', {}, { hostNetwork: true })],
    { isLimited: true },
  ),
  broken(
    'denied',
    `StatefulSet denied cannot create pods: the admission webhook denied-${RUN}.example.com denies it: images must be signed`,
    [statefulSet('denied')],
  ),
  broken('webhook-away', `StatefulSet webhook-away cannot create pods: the admission webhook away-${RUN}.example.com does not answer`, [
    statefulSet('webhook-away'),
  ]),
  broken('account', 'Deployment account cannot create pods: ServiceAccount robot does not exist', [
    deployment('account', {}, { serviceAccountName: 'robot' }),
  ]),
];

const port = (containerPort: number, name: string): JsonObject => ({ ports: [{ name, containerPort }] });

const TRAFFIC: readonly BrokenApp[] = [
  broken('mismatch', 'Service mismatch has no endpoints: no pod has the label app=mismatched', [
    deployment('mismatch'),
    service('mismatch', { app: 'mismatched' }),
  ]),
  broken('port-name', 'Service port-name has no endpoints for port 80: no container of its pods has a port named http', [
    deployment('port-name', port(8080, 'web')),
    service('port-name', { app: 'port-name' }, [{ port: 80, targetPort: 'http' }]),
  ]),
  broken('port-number', 'Service port-number forwards port 80 to port 8081, but its pods declare only 8080', [
    deployment('port-number', port(8080, 'web')),
    service('port-number', { app: 'port-number' }, [{ port: 80, targetPort: 8081 }]),
  ]),
  broken('no-service', 'Ingress no-service routes to Service shop, which does not exist', [
    ingress('no-service', { name: 'shop', port: { number: 80 } }),
  ]),
  broken('no-port', 'Ingress no-port routes to port 8080 of Service no-port, which has only port 80', [
    deployment('no-port'),
    service('no-port', { app: 'no-port' }),
    ingress('no-port', { name: 'no-port', port: { number: 8080 } }),
  ]),
  broken('no-tls', 'Ingress no-tls uses the TLS certificate in Secret no-tls-cert, which does not exist', [
    deployment('no-tls'),
    service('no-tls', { app: 'no-tls' }),
    ingress('no-tls', { name: 'no-tls', port: { number: 80 } }, { tls: [{ secretName: 'no-tls-cert' }] }),
  ]),
  broken('no-parent', 'HTTPRoute no-parent is not accepted by Gateway edge yet', [
    deployment('no-parent'),
    service('no-parent', { app: 'no-parent' }),
    route('no-parent'),
  ]),
  broken(
    'no-refs',
    'HTTPRoute no-refs has references that do not resolve at Gateway edge: Certificate or Service shop/pay is not permitted',
    [
      deployment('no-refs'),
      service('no-refs', { app: 'no-refs' }),
      {
        ...route('no-refs'),
        status: {
          parents: [
            {
              parentRef: { name: 'edge', namespace: 'gateways' },
              controllerName: 'example.com/gateway',
              conditions: [
                { type: 'Accepted', status: 'True', reason: 'Accepted', message: '', lastTransitionTime: AT },
                {
                  type: 'ResolvedRefs',
                  status: 'False',
                  reason: 'RefNotPermitted',
                  message: 'Certificate or Service shop/pay is not permitted.',
                  lastTransitionTime: AT,
                },
              ],
            },
          ],
        },
      },
    ],
  ),
];

const CONTROLLERS: readonly BrokenApp[] = [
  broken('import', 'Job import failed after 1 attempt: container main exited with code 2', [job('import', { backoffLimit: 0 })], {
    reports: [podStatus('import-*', [container('main', terminated(2))], { phase: 'Failed' })],
  }),
  broken('deadline', 'Job deadline failed: it ran for longer than its deadline of 1 second', [
    job('deadline', { activeDeadlineSeconds: 1 }),
  ]),
  broken(
    'hook',
    'Job hook is a Helm hook (pre-upgrade) and failed after 1 attempt: container main exited with code 5',
    [job('hook', { backoffLimit: 0 }, { annotations: { 'helm.sh/hook': 'pre-upgrade' } })],
    { reports: [podStatus('hook-*', [container('main', terminated(5))], { phase: 'Failed' })] },
  ),
  broken('nightly', 'CronJob nightly is suspended, so that no new jobs start', [
    object('batch/v1', 'CronJob', 'nightly', {
      spec: {
        schedule: '0 3 * * *',
        suspend: true,
        jobTemplate: { spec: { template: template('nightly', {}, { restartPolicy: 'Never' }) } },
      },
    }),
  ]),
  broken('rollout', 'Deployment rollout has not progressed within its deadline of 1 second: 0 of 1 pods are available', [
    deployment('rollout', {}, { ...UNTOUCHED, rollout: { progressDeadlineSeconds: 1 } }),
  ]),
  broken('metrics', 'HorizontalPodAutoscaler metrics cannot read metrics: the cluster has no working metrics API (metrics.k8s.io)', [
    deployment('metrics', { resources: { requests: { cpu: '10m' } } }),
    autoscaler('metrics', 'metrics'),
  ]),
  broken('no-target', 'HorizontalPodAutoscaler no-target scales Deployment shop, which does not exist', [autoscaler('no-target', 'shop')]),
  broken(
    'budget',
    'PodDisruptionBudget budget never allows an eviction: its only pod must stay available, so that nodes cannot be drained',
    [
      deployment('budget'),
      object('policy/v1', 'PodDisruptionBudget', 'budget', { spec: { minAvailable: 1, selector: { matchLabels: { app: 'budget' } } } }),
    ],
  ),
  broken('certificate', 'Certificate certificate: Certificate expired on Sun, 01 Nov 2026 00:00:00 UTC', [
    object('cert-manager.io/v1', 'Certificate', 'certificate', {
      spec: { secretName: 'certificate' },
      status: {
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'Expired',
            message: 'Certificate expired on Sun, 01 Nov 2026 00:00:00 UTC',
            lastTransitionTime: AT,
          },
        ],
      },
    }),
  ]),
  broken('child', 'Store child: the bucket shop-data belongs to somebody else', [
    object(`${GROUP}/v1`, 'Store', 'child', {
      spec: {},
      status: {
        conditions: [
          {
            type: 'Ready',
            status: 'False',
            reason: 'CreateFailed',
            message: 'the bucket shop-data belongs to somebody else',
            lastTransitionTime: AT,
          },
        ],
      },
    }),
  ]),
  broken('stuck', 'ConfigMap stuck is being deleted and waits for the finalizer example.com/backup', [
    object('v1', 'ConfigMap', 'stuck', { metadata: { finalizers: ['example.com/backup'] } }),
  ]),
];

export const BROKEN_APPS: readonly BrokenApp[] = [...BROKEN_PODS, ...REJECTED, ...TRAFFIC, ...CONTROLLERS];
