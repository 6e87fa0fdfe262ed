import type { JsonObject } from '../../src/domain/kubernetes/resource.ts';
import {
  broken,
  type BrokenApp,
  container,
  CRASH_LOG,
  crashingPod,
  IMAGE,
  ingress,
  NS,
  object,
  podEvent,
  podStatus,
  RUN,
  runningPod,
  service,
  SLOW,
  statefulSet,
  template,
  terminated,
  UNTOUCHED,
  waiting,
} from './broken-app.ts';

/** Nobody made it. */
const FAST = `fast-${RUN}`;

/** A claim of a StatefulSet. */
const claims = (storageClassName: string): JsonObject[] => [
  { metadata: { name: 'data' }, spec: { storageClassName, accessModes: ['ReadWriteOnce'], resources: { requests: { storage: '1Gi' } } } },
];
const reading = (kind: string, name: string, key: string): JsonObject => ({
  env: [{ name: 'MODE', valueFrom: { [kind]: { name, key } } }],
});
const pull = (reason: string): string =>
  `Back-off pulling image "${IMAGE}": ErrImagePull: rpc error: code = Unknown desc = failed to pull and unpack image "${IMAGE}": ${reason}`;

const CONTAINERS: readonly BrokenApp[] = [
  broken('image', `Pod image-0 cannot pull the image ${IMAGE}: the registry has no such image`, [statefulSet('image')], {
    reports: [
      podStatus('image-0', [
        container('main', waiting('ImagePullBackOff', pull(`failed to resolve reference "${IMAGE}": ${IMAGE}: not found`))),
      ]),
    ],
  }),
  broken(
    'image-name',
    'Pod image-name-0 has an image name that is not valid: "Shop:Latest!" of container main',
    [statefulSet('image-name', { image: 'Shop:Latest!' })],
    {
      reports: [
        podStatus('image-name-0', [container('main', waiting('InvalidImageName', 'Failed to apply default image tag "Shop:Latest!"'))]),
      ],
    },
  ),
  broken(
    'registry',
    `Pod registry-0 cannot pull the image ${IMAGE}: the registry denies access, and Secret regcred of imagePullSecrets does not exist`,
    [statefulSet('registry', {}, { ...UNTOUCHED, imagePullSecrets: [{ name: 'regcred' }] })],
    {
      reports: [
        podStatus('registry-0', [
          container('main', waiting('ErrImagePull', pull('failed to authorize: unexpected status: 401 Unauthorized'))),
        ]),
      ],
    },
  ),
  broken(
    'crash',
    `Pod crash-0 restarts again and again: container main exits with code 1: ${CRASH_LOG}`,
    [statefulSet('crash', {}, { nodeName: 'node-1' })],
    {
      reports: [crashingPod('crash-0', terminated(1))],
    },
  ),
  broken(
    'memory',
    'Pod memory-0 was killed because container main exceeded its memory limit of 64Mi',
    [statefulSet('memory', { resources: { limits: { memory: '64Mi' } } })],
    { reports: [crashingPod('memory-0', terminated(137, 'OOMKilled'))] },
  ),
  broken('ends', 'Pod ends-0 restarts again and again: container main ends by itself with code 0', [statefulSet('ends')], {
    reports: [crashingPod('ends-0', terminated(0, 'Completed'))],
  }),
  broken(
    'no-config-map',
    'Pod no-config-map-0 cannot start: container main needs ConfigMap settings, which does not exist',
    [statefulSet('no-config-map', reading('configMapKeyRef', 'settings', 'mode'))],
    {
      reports: [podStatus('no-config-map-0', [container('main', waiting('CreateContainerConfigError', 'configmap "settings" not found'))])],
    },
  ),
  broken(
    'no-key',
    'Pod no-key-0 cannot start: container main needs the key mode of ConfigMap kube-root-ca.crt, which does not exist',
    [statefulSet('no-key', reading('configMapKeyRef', 'kube-root-ca.crt', 'mode'))],
    {
      reports: [
        podStatus('no-key-0', [
          container('main', waiting('CreateContainerConfigError', `couldn't find key mode in ConfigMap ${NS}/kube-root-ca.crt`)),
        ]),
      ],
    },
  ),
  broken('no-secret', 'StatefulSet no-secret needs Secret shop-password, which does not exist', [
    statefulSet('no-secret', reading('secretKeyRef', 'shop-password', 'password')),
  ]),
  broken(
    'no-command',
    'Pod no-command-0 cannot start: the image of container main has no command serve',
    [statefulSet('no-command', { command: ['serve'] })],
    {
      reports: [
        crashingPod(
          'no-command-0',
          terminated(128, 'StartError', 'failed to create containerd task: exec: "serve": executable file not found in $PATH: unknown'),
        ),
      ],
    },
  ),
  broken(
    'init',
    'Pod init-0 restarts again and again: init container migrate exits with code 3: relation "orders" does not exist',
    [statefulSet('init', {}, { ...UNTOUCHED, initContainers: [{ name: 'migrate', image: IMAGE }] })],
    {
      reports: [
        podStatus('init-0', [container('main', waiting('PodInitializing'))], {
          initContainerStatuses: [
            container('migrate', waiting('CrashLoopBackOff'), { lastState: terminated(3, 'Error', 'relation "orders" does not exist') }),
          ],
        }),
      ],
    },
  ),
  broken(
    'readiness',
    'Pod readiness-0 is not ready: its readiness probe fails: status code 503',
    [
      statefulSet('readiness'),
      service('readiness', { app: 'readiness' }),
      ingress('readiness', { name: 'readiness', port: { number: 80 } }),
    ],
    {
      reports: [
        runningPod('readiness-0'),
        podEvent('readiness-0', 'Unhealthy', 'Readiness probe failed: HTTP probe failed with statuscode: 503'),
      ],
    },
  ),
  broken('liveness', 'Pod liveness-0 is restarted because its liveness probe fails: command timed out', [statefulSet('liveness')], {
    reports: [
      runningPod('liveness-0', { restartCount: 3, lastState: terminated(137) }),
      podEvent('liveness-0', 'Unhealthy', 'Liveness probe failed: command timed out'),
    ],
  }),
  broken(
    'evicted',
    'Pod evicted was evicted: the node was low on resource: memory',
    [object('v1', 'Pod', 'evicted', { spec: template('evicted', {}, UNTOUCHED)['spec'] })],
    {
      reports: [
        {
          resource: 'pods',
          name: 'evicted',
          status: { phase: 'Failed', reason: 'Evicted', message: 'The node was low on resource: memory.' },
        },
      ],
    },
  ),
  broken(
    'node-lost',
    'Pod node-lost-0 runs on node node-1, which does not respond',
    [statefulSet('node-lost', {}, { nodeName: 'node-1' })],
    {
      reports: [runningPod('node-lost-0'), podEvent('node-lost-0', 'NodeNotReady', 'Node is not ready')],
    },
  ),
  broken('mount', 'Pod mount-0 cannot mount the volume certs: Secret shop-certs does not exist', [statefulSet('mount')], {
    reports: [
      podStatus('mount-0', [container('main', waiting('ContainerCreating'))]),
      podEvent('mount-0', 'FailedMount', 'MountVolume.SetUp failed for volume "certs" : secret "shop-certs" not found'),
    ],
  }),
  broken('attach', 'Pod attach-0 cannot attach the volume pvc-1: volume is already used by pod(s) shop-7', [statefulSet('attach')], {
    reports: [
      podStatus('attach-0', [container('main', waiting('ContainerCreating'))]),
      podEvent('attach-0', 'FailedAttachVolume', 'Multi-Attach error for volume "pvc-1" Volume is already used by pod(s) shop-7'),
    ],
  }),
];

const UNSCHEDULED: readonly BrokenApp[] = [
  broken('large', 'Pod large-0 cannot be scheduled: 2 of 2 nodes have too little memory free; it needs 640Gi memory', [
    statefulSet('large', { resources: { requests: { memory: '640Gi' } } }, {}),
  ]),
  broken('busy', 'Pod busy-0 cannot be scheduled: 2 of 2 nodes have too little CPU free; it needs 64 CPU', [
    statefulSet('busy', { resources: { requests: { cpu: '64' } } }, {}),
  ]),
  broken('selector', 'Pod selector-0 cannot be scheduled: 2 of 2 nodes have not the labels that this pod asks for', [
    statefulSet('selector', {}, { nodeSelector: { disk: 'ssd' } }),
  ]),
  broken('affinity', 'Pod affinity-0 cannot be scheduled: 2 of 2 nodes have no pod that this pod has to run beside', [
    statefulSet(
      'affinity',
      {},
      {
        affinity: {
          podAffinity: {
            requiredDuringSchedulingIgnoredDuringExecution: [
              { topologyKey: 'kubernetes.io/hostname', labelSelector: { matchLabels: { app: 'nobody' } } },
            ],
          },
        },
      },
    ),
  ]),
  broken('topology', 'Pod topology-0 cannot be scheduled: 2 of 2 nodes have no place that its topology spread constraints allow', [
    statefulSet(
      'topology',
      {},
      {
        topologySpreadConstraints: [
          { maxSkew: 1, topologyKey: 'rack', whenUnsatisfiable: 'DoNotSchedule', labelSelector: { matchLabels: { app: 'topology' } } },
        ],
      },
    ),
  ]),
  broken(
    'taint',
    'Pod taint-0 cannot be scheduled: 2 of 2 nodes have the taint dedicated=gpu, which this pod does not tolerate',
    [statefulSet('taint')],
    {
      reports: [
        {
          resource: 'pods',
          name: 'taint-0',
          status: {
            conditions: [
              {
                type: 'PodScheduled',
                status: 'False',
                reason: 'Unschedulable',
                message: '0/2 nodes are available: 2 node(s) had untolerated taint {dedicated: gpu}. preemption: 0/2 nodes are available.',
              },
            ],
          },
        },
      ],
    },
  ),
  broken('no-class', `PersistentVolumeClaim data-no-class-0 has no volume: StorageClass ${FAST} does not exist`, [
    statefulSet('no-class', {}, { claims: claims(FAST) }),
  ]),
  broken('provisioner', 'PersistentVolumeClaim data-provisioner-0 has no volume: it waits for the provisioner csi.example.com', [
    statefulSet('provisioner', {}, { claims: claims(SLOW) }),
  ]),
];

/** Apps whose Pods cannot run. */
export const BROKEN_PODS: readonly BrokenApp[] = [...CONTAINERS, ...UNSCHEDULED];
