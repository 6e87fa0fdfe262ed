import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { JsonObject, KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { buildTree } from '../../../../src/domain/tree/tree-builder.ts';

const AT = '2026-11-22T08:00:00Z';
const LISTED = new Set(['/Pod', '/Service', '/Secret', '/ConfigMap', '/PersistentVolumeClaim', 'apps/Deployment', 'apps/StatefulSet']);

function made(type: string, name: string, owner?: KubeObject, rest: JsonObject = {}): KubeObject {
  const [apiVersion = '', kind = ''] = type.split(' ');
  const ownerReferences = owner === undefined ? [] : [{ apiVersion: owner.apiVersion, kind: owner.kind, ...idOf(owner), controller: true }];
  const metadata = { name, namespace: 'team-a', uid: `${kind}-${name}`, creationTimestamp: AT, ownerReferences };
  return { apiVersion, kind, ...rest, metadata };
}

function idOf({ metadata: { name, uid = '' } }: KubeObject) {
  return { name, uid };
}

const ROOT = made('shop.example.com/v1 Shop', 'shop');
const SET = made('apps/v1 StatefulSet', 'web', ROOT, { spec: { replicas: 1 }, status: { replicas: 1 } });

/** What the real kubelets, schedulers and controllers write: the object, its newest warning, and the sentence. */
interface Case {
  readonly object: KubeObject;
  readonly event?: readonly [reason: string, message: string];
  readonly beside?: readonly KubeObject[];
  readonly sentence: string;
}

const pod = (status: JsonObject, spec: JsonObject = {}): KubeObject =>
  made('v1 Pod', 'web-0', SET, {
    spec: { containers: [{ name: 'main', image: 'shop:9' }], ...spec },
    status: { phase: 'Pending', conditions: [{ type: 'Ready', status: 'False', lastTransitionTime: AT }], ...status },
  });
const waits = (reason: string, message = ''): JsonObject => ({
  containerStatuses: [{ name: 'main', ready: false, state: { waiting: { reason, message } } }],
});
const crashes = (reason: string, message: string, exitCode = 128): JsonObject => ({
  phase: 'Running',
  containerStatuses: [
    {
      name: 'main',
      ready: false,
      state: { waiting: { reason: 'CrashLoopBackOff' } },
      lastState: { terminated: { exitCode, reason, message, finishedAt: AT } },
    },
  ],
});
const unscheduled = (message: string): JsonObject => ({
  conditions: [{ type: 'PodScheduled', status: 'False', reason: 'Unschedulable', message, lastTransitionTime: AT }],
});
const CREATING = pod(waits('ContainerCreating'));
const EMPTY = made('apps/v1 StatefulSet', 'web', ROOT, { spec: { replicas: 1 }, status: { replicas: 0 } });
const balancer = made('v1 Service', 'web', ROOT, { spec: { type: 'LoadBalancer', ports: [{ port: 80 }] }, status: { loadBalancer: {} } });
const ingress = (spec: JsonObject): KubeObject => made('networking.k8s.io/v1 Ingress', 'web', ROOT, { spec, status: { loadBalancer: {} } });
const RUNNING = { phase: 'Running', conditions: [{ type: 'Ready', status: 'True' }] };
const claim = made('v1 PersistentVolumeClaim', 'data', ROOT, { status: { phase: 'Bound' } });
const leaving = { ...claim, metadata: { ...claim.metadata, deletionTimestamp: AT, finalizers: ['kubernetes.io/pvc-protection'] } };
const nightly = made('batch/v1 CronJob', 'nightly', ROOT, { spec: { schedule: '0 3 * * *' }, status: {} });

const NODES: readonly Case[] = [
  {
    object: CREATING,
    event: [
      'FailedCreatePodSandBox',
      'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "4f1c": plugin type="calico" failed (add): connection is unauthorized',
    ],
    sentence: 'Pod web-0 cannot start: its node cannot set up the network: plugin type="calico" failed (add): connection is unauthorized',
  },
  {
    object: CREATING,
    event: [
      'FailedCreatePodSandBox',
      'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to setup network for sandbox "4f1c": plugin type="aws-cni" failed (add): add cmd: failed to assign an IP address to container',
    ],
    sentence: 'Pod web-0 cannot start: its node has no free IP address',
  },
  {
    object: CREATING,
    event: [
      'FailedCreatePodSandBox',
      'Failed to create pod sandbox: rpc error: code = Unknown desc = failed to get sandbox runtime: no runtime for "gvisor" is configured',
    ],
    sentence: 'Pod web-0 cannot start: its node has no runtime gvisor',
  },
  {
    object: CREATING,
    event: ['FailedMount', 'MountVolume.SetUp failed for volume "cfg" : references non-existent config key: app.yaml'],
    sentence: 'Pod web-0 cannot mount the volume cfg: what it is made of has no key app.yaml',
  },
  {
    object: CREATING,
    event: [
      'FailedMount',
      'MountVolume.MountDevice failed for volume "pvc-1" : kubernetes.io/csi: attacher.MountDevice failed to create newCsiDriverClient: driver name ebs.csi.aws.com not found in the list of registered CSI drivers',
    ],
    sentence: 'Pod web-0 cannot mount the volume pvc-1: the CSI driver ebs.csi.aws.com does not run on its node',
  },
  {
    object: CREATING,
    event: [
      'FailedMount',
      'MountVolume.SetUp failed for volume "nfs" : mount failed: exit status 32\nMounting command: mount\nMounting arguments: -t nfs 10.0.0.9:/x /var/lib/x\nOutput: mount.nfs: Connection timed out',
    ],
    sentence: 'Pod web-0 cannot mount the volume nfs: mount.nfs: Connection timed out',
  },
  {
    object: pod({
      phase: 'Failed',
      reason: 'SysctlForbidden',
      message: 'Pod was rejected: forbidden sysctl: "kernel.msgmax" not allowlisted',
    }),
    sentence: 'Pod web-0 was rejected by its node (SysctlForbidden): forbidden sysctl: "kernel.msgmax" not allowlisted',
  },
  {
    object: pod({
      phase: 'Failed',
      reason: 'Evicted',
      message: 'Pod ephemeral local storage usage exceeds the total limit of containers 1Gi. ',
    }),
    sentence: 'Pod web-0 was evicted: it used more ephemeral storage than its limit of 1Gi',
  },
];

const CONTAINERS: readonly Case[] = [
  {
    object: pod(waits('ErrImagePull', 'failed to pull image "shop:9": no match for platform in manifest: not found')),
    sentence: 'Pod web-0 cannot pull the image shop:9: the image is not built for the platform of its node',
  },
  {
    object: pod(crashes('StartError', 'failed to create containerd task: exec: "/serve": exec format error: unknown')),
    sentence: 'Pod web-0 cannot start: /serve of container main is not built for the platform of its node',
  },
  {
    object: pod(
      waits('CreateContainerConfigError', 'container has runAsNonRoot and image will run as root (pod: "web-0", container: main)'),
    ),
    sentence: 'Pod web-0 cannot start: container main would run as root, which runAsNonRoot forbids: set runAsUser',
  },
  {
    object: pod(
      waits(
        'CreateContainerConfigError',
        'container has runAsNonRoot and image has non-numeric user (app), cannot verify user is non-root (pod: "web-0")',
      ),
    ),
    sentence:
      'Pod web-0 cannot start: container main has an image with the user app, which runAsNonRoot cannot verify: set runAsUser to its number',
  },
  {
    object: pod(crashes('Completed', '', 0)),
    event: ['FailedPostStartHook', 'PostStartHook failed: command /init.sh exited with 1'],
    sentence: 'Pod web-0 restarts again and again: the postStart hook of container main fails: command /init.sh exited with 1',
  },
  {
    object: pod(
      {
        phase: 'Running',
        conditions: [{ type: 'Ready', status: 'False', reason: 'ReadinessGatesNotReady', lastTransitionTime: AT }],
        containerStatuses: [{ name: 'main', ready: true, state: { running: { startedAt: AT } } }],
      },
      { readinessGates: [{ conditionType: 'example.com/balancer' }] },
    ),
    sentence: 'Pod web-0 is not ready: its readiness gate example.com/balancer is not met',
  },
  {
    object: pod(
      { initContainerStatuses: [{ name: 'wait', ready: false, state: { running: { startedAt: AT } } }], ...waits('PodInitializing') },
      { initContainers: [{ name: 'wait' }] },
    ),
    sentence: 'Pod web-0 waits for init container wait to end',
  },
  {
    object: pod(unscheduled('0/2 nodes are available: persistentvolumeclaim "data" not found. preemption: 0/2 nodes are available.')),
    sentence: 'Pod web-0 cannot be scheduled: PersistentVolumeClaim data does not exist',
  },
];

const CONTROLLERS: readonly Case[] = [
  {
    object: EMPTY,
    event: [
      'FailedCreate',
      'create Pod web-0 in StatefulSet web failed error: pods "web-0" is forbidden: no PriorityClass with name high was found',
    ],
    sentence: 'StatefulSet web cannot create pods: PriorityClass high does not exist',
  },
  {
    object: EMPTY,
    event: [
      'FailedCreate',
      'create Pod web-0 in StatefulSet web failed error: Pod "web-0" is invalid: spec.containers[0].image: Required value',
    ],
    sentence: 'StatefulSet web cannot create pods: the Pod would not be valid: spec.containers[0].image: Required value',
  },
  {
    object: made('apps/v1 DaemonSet', 'agent', ROOT, {
      spec: { template: { spec: { nodeSelector: { disk: 'ssd' } } } },
      status: { observedGeneration: 1, desiredNumberScheduled: 0, currentNumberScheduled: 0 },
    }),
    sentence: 'DaemonSet agent runs nowhere: no node that fits has the labels disk=ssd',
  },
  {
    object: nightly,
    event: ['UnknownTimeZone', 'invalid timeZone: Mars/Base: unknown time zone Mars/Base'],
    sentence: 'CronJob nightly starts no jobs: invalid timeZone: Mars/Base: unknown time zone Mars/Base',
  },
  {
    object: balancer,
    event: ['SyncLoadBalancerFailed', 'Error syncing load balancer: failed to ensure load balancer: could not find any suitable subnets'],
    sentence: 'Service web gets no load balancer: could not find any suitable subnets',
  },
  {
    object: ingress({ ingressClassName: 'nginx' }),
    sentence: 'Ingress web has no address yet: no controller of IngressClass nginx serves it',
  },
  { object: ingress({}), sentence: 'Ingress web has no address yet: it names no IngressClass, and the cluster has no default one' },
  {
    object: ingress({ ingressClassName: 'nginx' }),
    event: ['Rejected', 'all hosts are taken by other resources'],
    sentence: 'Ingress web is not served: all hosts are taken by other resources',
  },
  {
    object: made('v1 Service', 'web', ROOT, { spec: { selector: { app: 'web' }, ports: [{ port: 80 }] } }),
    beside: [
      made('apps/v1 Deployment', 'web', ROOT, {
        spec: { replicas: 0, template: { metadata: { labels: { app: 'web' } }, spec: { containers: [] } } },
        status: { observedGeneration: 1 },
      }),
    ],
    sentence: 'Service web has no endpoints: Deployment web is scaled to 0 replicas',
  },
  {
    object: made('autoscaling/v2 HorizontalPodAutoscaler', 'web', ROOT, {
      spec: { maxReplicas: 4 },
      status: { conditions: [{ type: 'ScalingLimited', status: 'True', reason: 'TooManyReplicas' }] },
    }),
    sentence: 'HorizontalPodAutoscaler web wants more than its maximum of 4 replicas',
  },
  {
    object: leaving,
    beside: [made('v1 Pod', 'job-1', ROOT, { spec: { volumes: [{ persistentVolumeClaim: { claimName: 'data' } }] }, status: RUNNING })],
    sentence: 'PersistentVolumeClaim data is being deleted as soon as Pod job-1 no longer uses it',
  },
  {
    object: made('cert-manager.io/v1 CertificateRequest', 'tls-1', ROOT, {
      status: {
        conditions: [{ type: 'Ready', status: 'False', reason: 'Pending', message: 'Referenced "Issuer" not found: letsencrypt' }],
      },
    }),
    sentence: 'CertificateRequest tls-1: Referenced "Issuer" not found: letsencrypt',
  },
  {
    object: made('acme.cert-manager.io/v1 Challenge', 'tls-2', ROOT, {
      status: { state: 'pending', reason: "Waiting for HTTP-01 challenge propagation: wrong status code '404', expected '200'" },
    }),
    sentence: "Challenge tls-2: Waiting for HTTP-01 challenge propagation: wrong status code '404', expected '200'",
  },
];

describe('the first sentence about', () => {
  for (const { object, event, beside = [], sentence } of [...NODES, ...CONTAINERS, ...CONTROLLERS]) {
    it(`${object.kind} ${object.metadata.name}: ${sentence}`, () => {
      const warning = {
        ...made('v1 Event', 'e'),
        type: 'Warning',
        reason: event?.[0] ?? '',
        message: event?.[1] ?? '',
        involvedObject: { uid: object.metadata.uid },
        lastTimestamp: AT,
      };
      const sets = object.kind === 'Pod' ? [SET] : [];
      const { cause } = buildTree(ROOT, [...sets, object, ...beside], { listed: LISTED, events: event === undefined ? [] : [warning] });
      assert.equal(cause?.message, sentence);
    });
  }
});
