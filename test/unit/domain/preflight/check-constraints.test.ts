import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { Findings } from '../../../../src/domain/preflight/findings.ts';
import { checkConstraints, type ConstraintsInput } from '../../../../src/domain/preflight/check-constraints.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

const quota = (
  hard: object,
  used: object = Object.fromEntries(Object.keys(hard).map((key) => [key, '0'])),
  spec: object = {},
): KubeObject => ({
  apiVersion: 'v1',
  kind: 'ResourceQuota',
  metadata: { name: 'q', namespace: 'n' },
  spec: { hard, ...spec },
  status: { hard, used },
});
const limitRange = (...limits: object[]): KubeObject => ({
  apiVersion: 'v1',
  kind: 'LimitRange',
  metadata: { name: 'l', namespace: 'n' },
  spec: { limits },
});
const instance = (spec: object): KubeObject => ({
  apiVersion: 'a.example/v1',
  kind: 'Cache',
  metadata: { name: 'c', namespace: 'n' },
  spec,
});

function check(spec: object, around: Partial<ConstraintsInput> = {}): Findings {
  const nothing = { quotas: [], limitRanges: [], missingClasses: [], unchecked: [], pods: { kind: 'None' } } as const;
  return checkConstraints({ app: 'caches.a.example', object: instance(spec), ...nothing, ...around });
}

const warnings = (findings: Findings): string[] => findings.warned.map(({ message }) => message);

describe('quotas', () => {
  it('count objects of the kind exactly', () => {
    const { created } = check({}, { quotas: [quota({ 'count/caches.a.example': '5' }, { 'count/caches.a.example': '2' })] });
    assert.deepEqual(created, [
      { message: 'It is number 3 of the 5 instances of Cache that the quota q allows', subject: 'Quota', evidence: 'exact' },
    ]);
  });

  it('are compared with replicas times what each asks for, as an estimate', () => {
    const quotas = [quota({ 'requests.memory': '8Gi', 'requests.cpu': '2' }, { 'requests.memory': '5Gi', 'requests.cpu': '500m' })];
    const spec = { replicas: 2, resources: { requests: { memory: '2Gi', cpu: '750m' } } };
    const findings = check(spec, { quotas });
    assert.deepEqual(warnings(findings), [
      'It needs about requests.memory=4Gi, and the quota q has 3Gi of 8Gi left: resources above the quota will be rejected',
    ]);
    assert.equal(findings.warned[0]?.evidence, 'estimate');
  });

  it('are not used up by what fits to the last byte', () => {
    const quotas = [quota({ 'requests.memory': '4Gi' }, { 'requests.memory': '0' })];
    assert.deepEqual(warnings(check({ replicas: 2, resources: { requests: { memory: '2Gi' } } }, { quotas })), []);
  });

  it('see limits as requests where only limits are given', () => {
    const quotas = [quota({ 'requests.memory': '1Gi' })];
    assert.equal(warnings(check({ resources: { limits: { memory: '2Gi' } } }, { quotas })).length, 1);
  });

  it('take the replicas of the group that stands nearest', () => {
    const quotas = [quota({ pods: '10', 'requests.memory': '100Gi' })];
    const spec = { replicas: 9, proxy: { replicas: 2, resources: { requests: { memory: '60Gi' } } } };
    assert.deepEqual(warnings(check(spec, { quotas })), [
      'It needs about pods=11, and the quota q has 10 of 10 left: resources above the quota will be rejected',
      'It needs about requests.memory=120Gi, and the quota q has 100Gi of 100Gi left: resources above the quota will be rejected',
    ]);
  });

  it('count volumes and their class', () => {
    const fast = 'fast.storageclass.storage.k8s.io/requests.storage';
    const quotas = [quota({ 'requests.storage': '100Gi', persistentvolumeclaims: '2', [fast]: '10Gi' })];
    const spec = { instances: 3, storage: { size: '5Gi', storageClass: 'fast' }, archive: { enabled: false, volumeSize: '1Ti' } };
    assert.deepEqual(
      warnings(check(spec, { quotas })).map((message) => message.split(',')[0]),
      ['It needs about persistentvolumeclaims=3', `It needs about ${fast}=15Gi`],
    );
  });

  it('look at what a change adds alone', () => {
    const quotas = [quota({ 'requests.memory': '4Gi' }, { 'requests.memory': '3Gi' })];
    const spec = (replicas: number): object => ({ replicas, resources: { requests: { memory: '1Gi' } } });
    assert.deepEqual(warnings(check(spec(4), { quotas, before: instance(spec(3)) })), []);
    assert.equal(warnings(check(spec(5), { quotas, before: instance(spec(3)) })).length, 1);
    assert.deepEqual(warnings(check(spec(1), { quotas, before: instance(spec(3)) })), []);
  });

  it('that nobody has counted yet are named, not guessed', () => {
    const { created, unchecked } = check({}, { quotas: [quota({ 'count/caches.a.example': '5' }, {})] });
    assert.deepEqual(created, []);
    assert.match(unchecked[0]?.message ?? '', /has not counted these resources .*: count\/caches\.a\.example/);
  });

  it('that count some pods only are named, not guessed', () => {
    const { warned, unchecked } = check(
      { memory: '9Gi' },
      { quotas: [quota({ memory: '1Gi' }, { memory: '0' }, { scopes: ['BestEffort'] })] },
    );
    assert.deepEqual([warned.length, unchecked.length], [0, 1]);
  });
});

describe('limit ranges', () => {
  const lines = (limits: object, spec: object): string[] =>
    warnings(check(spec, { limitRanges: [limitRange({ type: 'Container', ...limits })] }));

  it('reject what is above the most, with both numbers and the field', () => {
    assert.deepEqual(lines({ max: { memory: '2Gi' } }, { memory: '4Gi' }), [
      'spec.memory: pods will be rejected: memory 4Gi is above the limit of 2Gi for a container (LimitRange l)',
    ]);
    assert.deepEqual(lines({ max: { memory: '4096Mi' } }, { memory: '4Gi' }), []);
  });

  it('reject what is below the least', () => {
    assert.match(
      lines({ min: { cpu: '100m' } }, { resources: { requests: { cpu: '50m' } } })[0] ?? '',
      /cpu 50m is below the minimum of 100m/,
    );
  });

  it('reject a limit too far above its request', () => {
    const spec = (limit: string): object => ({ resources: { requests: { memory: '1Gi' }, limits: { memory: limit } } });
    assert.match(lines({ maxLimitRequestRatio: { memory: '2' } }, spec('3Gi'))[0] ?? '', /more than 2 times the request of 1Gi/);
    assert.deepEqual(lines({ maxLimitRequestRatio: { memory: '2' } }, spec('2Gi')), []);
  });

  it('give a limit to who names none, which can be too small for the request', () => {
    assert.match(
      lines({ default: { memory: '256Mi' } }, { resources: { requests: { memory: '1Gi' } } })[0] ?? '',
      /above the default limit of 256Mi for/,
    );
  });

  it('bound the size of volumes', () => {
    const limitRanges = [limitRange({ type: 'PersistentVolumeClaim', max: { storage: '10Gi' }, min: { storage: '1Gi' } })];
    assert.match(warnings(check({ persistence: { size: '20Gi' } }, { limitRanges }))[0] ?? '', /storage 20Gi is above the limit of 10Gi/);
    assert.match(warnings(check({ persistence: { size: '1Mi' } }, { limitRanges }))[0] ?? '', /storage 1Mi is below the minimum of 1Gi/);
    assert.deepEqual(warnings(check({ persistence: { enabled: false, size: '20Gi' } }, { limitRanges })), []);
  });

  it('let a bare amount give way to resources beside it', () => {
    assert.deepEqual(
      lines({ max: { memory: '2Gi' } }, { memory: '4Gi', resources: { requests: { memory: '1Gi' }, limits: { memory: '1Gi' } } }),
      [],
    );
  });
});

describe('the level of Pod Security of the namespace', () => {
  const namespace = (labels: Record<string, string>): KubeObject => ({
    apiVersion: 'v1',
    kind: 'Namespace',
    metadata: { name: 'n', labels },
  });

  it('is something to look out for where it forbids anything', () => {
    assert.deepEqual(check({}, { namespace: namespace({ 'pod-security.kubernetes.io/enforce': 'baseline' }) }).unchecked, []);
    const { unchecked } = check({}, { namespace: namespace({ 'pod-security.kubernetes.io/enforce': 'restricted' }) });
    assert.match(unchecked[0]?.message ?? '', /level restricted/);
    assert.deepEqual(check({}, { namespace: namespace({}) }).unchecked, []);
  });

  it('is judged by what the namespace says to pods of another instance, where there is one', () => {
    const restricted = namespace({ 'pod-security.kubernetes.io/enforce': 'restricted' });
    const pods = {
      kind: 'Tried',
      of: 'orders',
      rejections: [{ subject: 'LimitRange', message: 'too much' }],
      warnings: ['is old'],
    } as const;
    assert.deepEqual(check({}, { namespace: restricted, pods }), {
      ...check({}),
      warned: [
        { message: 'Pods like those of orders would be rejected: too much', subject: 'LimitRange', evidence: 'estimate' },
        { message: 'Pods like those of orders: is old', subject: 'Policy', evidence: 'estimate' },
      ],
    });
    const fine = { kind: 'Tried', of: 'orders', rejections: [], warnings: [] } as const;
    assert.match(
      check({}, { namespace: restricted, pods: fine }).unchecked[0]?.message ?? '',
      /level restricted; .*creates them\. Pods like those of orders are allowed/,
    );
    assert.deepEqual(check({}, { namespace: namespace({}), pods: fine }), check({}));
  });
});

describe('a hostile spec', () => {
  it('is read within bounds', () => {
    let deep: object = { memory: '9Gi' };
    for (let depth = 0; depth < 5000; depth += 1) deep = { deep };
    const wide = Object.fromEntries(Array.from({ length: 50_000 }, (_, index) => [`k${index}`, { memory: '1Gi' }]));
    const limitRanges = [limitRange({ type: 'Container', max: { memory: '1Mi' } })];
    assert.deepEqual(warnings(check(deep, { limitRanges })), []);
    assert.ok(warnings(check(wide, { limitRanges })).length <= 5000);
    assert.deepEqual(warnings(check({ replicas: -1, memory: '-1Gi', resources: 'x', storage: [] }, { limitRanges })), []);
  });
});
