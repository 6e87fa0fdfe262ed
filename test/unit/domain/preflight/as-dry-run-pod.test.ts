import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { asDryRunPod, podOf } from '../../../../src/domain/preflight/as-dry-run-pod.ts';

const TOKEN = { name: 'kube-api-access-x1', mountPath: '/var/run/secrets' };

describe('a pod like one that runs', () => {
  it('leaves out what the cluster wrote into it, and keeps what it was made with', () => {
    const pod = {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: {
        name: 'orders-0',
        namespace: 'team-a',
        uid: 'u',
        labels: { app: 'orders' },
        annotations: {
          note: 'mine',
          'kubernetes.io/limit-ranger': 'LimitRanger plugin set: cpu, memory request for container main; memory limit for container main',
        },
      },
      spec: {
        nodeName: 'node-1',
        serviceAccountName: 'orders',
        serviceAccount: 'orders',
        priority: 0,
        preemptionPolicy: 'PreemptLowerPriority',
        hostname: 'orders-0',
        hostNetwork: true,
        priorityClassName: 'high',
        containers: [
          {
            name: 'main',
            image: 'i',
            resources: { requests: { cpu: '1', memory: '1Gi' }, limits: { cpu: '2', memory: '2Gi' } },
            volumeMounts: [{ name: 'data', mountPath: '/d' }, TOKEN],
          },
          { name: 'side', image: 's' },
        ],
        volumes: [
          { name: 'data', emptyDir: {} },
          { name: TOKEN.name, projected: {} },
        ],
      },
      status: { phase: 'Running' },
    };
    assert.deepEqual(asDryRunPod(pod, 'shop'), {
      apiVersion: 'v1',
      kind: 'Pod',
      metadata: { name: 'orders-0-check', namespace: 'shop', labels: { app: 'orders' }, annotations: { note: 'mine' } },
      spec: {
        hostNetwork: true,
        priorityClassName: 'high',
        containers: [
          {
            name: 'main',
            image: 'i',
            resources: { requests: {}, limits: { cpu: '2' } },
            volumeMounts: [{ name: 'data', mountPath: '/d' }],
          },
          { name: 'side', image: 's', volumeMounts: [] },
        ],
        volumes: [{ name: 'data', emptyDir: {} }],
        automountServiceAccountToken: false,
      },
    });
  });

  it('reads no more into a foreign annotation than it says', () => {
    const annotations = { 'kubernetes.io/limit-ranger': 'for container ; ; cpu request for' };
    const spec = { containers: [{ name: 'main', resources: { requests: { cpu: '1' } } }, 'hostile'] };
    const pod = asDryRunPod({ apiVersion: 'v1', kind: 'Pod', metadata: { name: 'p', annotations }, spec }, 'n');
    assert.deepEqual(pod.spec, {
      containers: [{ name: 'main', resources: { requests: { cpu: '1' }, limits: {} }, volumeMounts: [] }, {}],
      volumes: [],
      automountServiceAccountToken: false,
    });
  });

  it('has the volumes of the claims that a StatefulSet makes for it, instead of those of the template', () => {
    const volumeClaimTemplates = [{ metadata: { name: 'data' }, spec: {} }, 'hostile'];
    const volumes = [
      { name: 'data', emptyDir: {} },
      { name: 'tmp', emptyDir: {} },
    ];
    const spec = { volumeClaimTemplates, template: { spec: { containers: [], volumes } } };
    const pod = podOf({ apiVersion: 'apps/v1', kind: 'StatefulSet', metadata: { name: 'db' }, spec }, 'n');
    assert.deepEqual(pod?.spec, {
      containers: [],
      volumes: [
        { name: 'tmp', emptyDir: {} },
        { name: 'data', persistentVolumeClaim: { claimName: 'data' } },
      ],
    });
  });
});
