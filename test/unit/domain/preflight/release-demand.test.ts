import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import * as fc from 'fast-check';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { checkConstraints } from '../../../../src/domain/preflight/check-constraints.ts';
import { nodeFacts } from '../../../../src/domain/preflight/node-capacity.ts';
import { releaseImages } from '../../../../src/domain/workload/pod-template.ts';

const PLURALS = new Map([
  ['/Service', 'services'],
  ['/Secret', 'secrets'],
  ['apps/Deployment', 'deployments'],
  ['apps/StatefulSet', 'statefulsets'],
]);
const NOTHING = { limitRanges: [], missingClasses: [], unchecked: [], pods: { kind: 'None' } } as const;
const INSTANCE: KubeObject = { apiVersion: 'apps.chandlery.dev/v1alpha1', kind: 'Web', metadata: { name: 'w', namespace: 'n' }, spec: {} };

function quota(hard: Record<string, string>): KubeObject {
  const used = Object.fromEntries(Object.keys(hard).map((key) => [key, '0']));
  return { apiVersion: 'v1', kind: 'ResourceQuota', metadata: { name: 'q', namespace: 'n' }, spec: { hard }, status: { hard, used } };
}

function workload(kind: string, spec: object, pod: object): KubeObject {
  return { apiVersion: 'apps/v1', kind, metadata: { name: 'web' }, spec: { ...spec, template: { spec: pod } } };
}

function container(requests: object, more: object = {}): object {
  return { name: 'c', image: 'nginx', resources: { requests }, ...more };
}

interface Around {
  readonly quotas?: readonly KubeObject[];
  readonly limitRanges?: readonly KubeObject[];
  readonly from?: readonly KubeObject[];
  readonly nodes?: readonly object[];
}

function warnings(to: readonly KubeObject[], { quotas = [], limitRanges = [], from, nodes = [] }: Around): string[] {
  const known = nodes.map((node) => nodeFacts({ apiVersion: 'v1', kind: 'Node', metadata: { name: 'n1' }, ...node }));
  const release = { to, plurals: PLURALS, nodes: known, ...(from === undefined ? {} : { from }) };
  const found = checkConstraints({ app: 'webs.apps.chandlery.dev', object: INSTANCE, ...NOTHING, quotas, limitRanges, release });
  return found.warned.map(({ message }) => message);
}

describe('what a release takes of a quota', () => {
  it('is the effective requests of its pods: containers and sidecars together, or the largest init container', () => {
    const pod = {
      initContainers: [container({ cpu: '100m' }, { restartPolicy: 'Always' }), container({ cpu: '2' })],
      containers: [container({ cpu: '300m' }), container({ cpu: '600m' })],
    };
    assert.deepEqual(warnings([workload('Deployment', { replicas: 2 }, pod)], { quotas: [quota({ 'requests.cpu': '4' })] }), [
      'The release needs requests.cpu=4200m, and the quota q has 4 of 4 left (200m short): resources above the quota will be rejected',
    ]);
  });

  it('counts what the limit range gives, the volumes of a StatefulSet, objects by kind, and the record of Helm', () => {
    const claims = [{ spec: { resources: { requests: { storage: '2Gi' } } } }];
    const to = [
      workload('StatefulSet', { replicas: 3, volumeClaimTemplates: claims }, { containers: [{ name: 'c', image: 'a' }] }),
      { apiVersion: 'v1', kind: 'Service', metadata: { name: 's' }, spec: { type: 'LoadBalancer', ports: [{ port: 80 }] } },
      { apiVersion: 'v1', kind: 'Secret', metadata: { name: 'hook', annotations: { 'helm.sh/hook': 'test' } } },
    ];
    const limitRanges = [
      {
        apiVersion: 'v1',
        kind: 'LimitRange',
        metadata: { name: 'l' },
        spec: { limits: [{ type: 'Container', defaultRequest: { memory: '1Gi' } }] },
      },
    ];
    const hard = {
      'requests.memory': '2Gi',
      'requests.storage': '5Gi',
      'services.loadbalancers': '0',
      'count/statefulsets.apps': '1',
      secrets: '0',
      pods: '2',
    };
    const keys = warnings(to, { quotas: [quota(hard)], limitRanges }).map((message) => /^The release needs (\S+),/.exec(message)?.[1]);
    assert.deepEqual(keys, ['requests.memory=3Gi', 'requests.storage=6Gi', 'services.loadbalancers=1', 'secrets=1', 'pods=3']);
  });

  it('is only what comes on top of what it has', () => {
    const [from, to] = [2, 3].map((replicas) => [workload('Deployment', { replicas }, { containers: [container({})] })]) as [
      KubeObject[],
      KubeObject[],
    ];
    assert.deepEqual(warnings(to, { from, quotas: [quota({ pods: '1' })] }), []);
    assert.match(warnings(to, { quotas: [quota({ pods: '1' })] })[0] ?? '', /needs pods=3/);
  });

  it('counts the pods of a DaemonSet on each node that takes one', () => {
    const to = [workload('DaemonSet', {}, { containers: [container({ cpu: '1' })], nodeSelector: { disk: 'ssd' } })];
    const node = (labels: object) => ({ metadata: { name: 'n', labels }, status: { allocatable: { cpu: '4' } } });
    const nodes = [node({ disk: 'ssd' }), node({ disk: 'ssd' }), node({})];
    const quotas = [quota({ 'requests.cpu': '1' })];
    assert.match(warnings(to, { quotas, nodes })[0] ?? '', /needs requests\.cpu=2/);
    assert.deepEqual(warnings(to, { quotas }), [], 'nobody knows how many nodes there are');
  });

  it('says what does not fit for a time: a run of a CronJob', () => {
    const pod = { containers: [container({ cpu: '2' })] };
    const nightly = (spec: object): KubeObject => ({
      apiVersion: 'batch/v1',
      kind: 'CronJob',
      metadata: { name: 'nightly' },
      spec: { ...spec, jobTemplate: { spec: { parallelism: 2, template: { spec: pod } } } },
    });
    const web = workload('Deployment', {}, { containers: [container({ cpu: '1' })] });
    const quotas = [quota({ 'requests.cpu': '4' })];
    assert.deepEqual(warnings([web, nightly({})], { quotas }), [
      'A run of CronJob nightly needs requests.cpu=4, and beside the release the quota q has 3 of 4 left: its pods will be rejected until there is room',
    ]);
    assert.deepEqual(warnings([web, nightly({ suspend: true })], { quotas }), []);
    assert.match(warnings([nightly({})], { nodes: [{ status: { allocatable: { cpu: '1' } } }] })[0] ?? '', /the pods of CronJob nightly/);
  });

  it('says what does not fit for a time: a rollout that waits for one pod more', () => {
    const web = (image: string, spec: object): KubeObject[] => [workload('Deployment', spec, { containers: [{ name: 'c', image }] })];
    const rolled = (spec: object, image = 'b'): string[] =>
      warnings(web(image, spec), { from: web('a', spec), quotas: [{ ...quota({ pods: '3' }), status: { used: { pods: '3' } } }] });
    assert.deepEqual(rolled({ replicas: 3 }), [
      'The rollout of Deployment web needs pods=1, and beside the release the quota q has 0 of 3 left: its pods will be rejected until there is room',
    ]);
    assert.deepEqual(rolled({ replicas: 3 }, 'a'), [], 'nothing is rolled out');
    assert.deepEqual(rolled({ replicas: 4 }), [], 'one of four may be unavailable');
    assert.deepEqual(rolled({ replicas: 3, strategy: { type: 'Recreate' } }), []);
    assert.deepEqual(rolled({ replicas: 3, strategy: { rollingUpdate: { maxUnavailable: 1 } } }), []);
    assert.equal(rolled({ replicas: 8, strategy: { rollingUpdate: { maxUnavailable: '10%', maxSurge: '50%' } } }).length, 1);
  });
});

describe('the nodes', () => {
  const allocatable = { cpu: '4', memory: '16Gi' };
  const pod = (more: object): KubeObject[] => [
    workload('Deployment', { replicas: 1 }, { containers: [container({ memory: '1Gi' })], ...more }),
  ];

  it('could take a pod when one of them has room, the labels, and no taint that it does not tolerate', () => {
    const tainted = { spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] }, status: { allocatable } };
    const nodes = [tainted, { metadata: { name: 'n2', labels: { zone: 'a' } }, status: { allocatable } }];
    assert.deepEqual(warnings(pod({ nodeSelector: { zone: 'a' } }), { nodes }), []);
    assert.deepEqual(warnings(pod({ tolerations: [{ key: 'gpu', operator: 'Exists' }] }), { nodes: [tainted] }), []);
  });

  it('are counted by what is against each when none could take it, without their names', () => {
    const nodes = [{ status: { allocatable } }, { spec: { taints: [{ key: 'gpu', effect: 'NoSchedule' }] }, status: { allocatable } }];
    const large = [workload('Deployment', {}, { containers: [container({ memory: '64Gi' })] })];
    assert.deepEqual(warnings(large, { nodes }), [
      'No node could take the pods of Deployment web: of 2 nodes, 1 with too little memory (a pod requests 64Gi, and the largest has 16Gi); 1 with taints that they do not tolerate',
    ]);
    assert.deepEqual(warnings(large, { nodes: [] }), [], 'nobody knows nodes that are made on demand');
  });
});

describe('a release', () => {
  it('is judged without an error whatever a chart renders', () => {
    fc.assert(
      fc.property(
        fc.anything({ maxDepth: 4 }),
        fc.constantFrom('Deployment', 'StatefulSet', 'Job', 'CronJob', 'Service', 'PersistentVolumeClaim'),
        (spec, kind) => {
          const object = { apiVersion: 'apps/v1', kind, metadata: { name: 'a' }, spec };
          const template = { ...object, spec: { template: { spec }, jobTemplate: { spec }, strategy: spec, volumeClaimTemplates: spec } };
          warnings([object, template], {
            from: [{ ...template, spec: { template: 'another' } }],
            quotas: [quota({ pods: '1', 'requests.cpu': '1' })],
            nodes: [{ status: { allocatable: { cpu: '1' } } }],
          });
          releaseImages([object, template]);
        },
      ),
    );
  });

  it('names its images by registry, repository, tag and digest, init containers included, each once', () => {
    const init = { initContainers: [{ name: 'i', image: 'localhost:5000/tools/wait:1@sha256:ab' }] };
    const to = [
      workload('Deployment', {}, { ...init, containers: [container({}), container({})] }),
      workload('StatefulSet', {}, { containers: [container({})] }),
    ];
    assert.deepEqual(releaseImages(to), [
      {
        image: 'localhost:5000/tools/wait:1@sha256:ab',
        registry: 'localhost:5000',
        repository: 'tools/wait',
        tag: '1',
        digest: 'sha256:ab',
        usedBy: ['Deployment web'],
      },
      { image: 'nginx', registry: 'docker.io', repository: 'library/nginx', usedBy: ['Deployment web', 'StatefulSet web'] },
    ]);
  });
});
