import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { EnvironmentResource } from '../../../../src/domain/environment/environment-resources.ts';
import { environmentHealth } from '../../../../src/domain/environment/environment-status.ts';
import type { EnvironmentView } from '../../../../src/domain/environment/environment.ts';
import { limitRules, quotaUses } from '../../../../src/domain/environment/quota-use.ts';
import type { HealthStatus } from '../../../../src/domain/health/health.ts';
import { SAMPLE_ENVIRONMENTS } from '../../../support/sample-instances.ts';

const [TEAM_A, SHOP] = SAMPLE_ENVIRONMENTS as readonly [EnvironmentView, EnvironmentView];
const visits = {
  owner: { apiVersion: 'a.example.com/v1', kind: 'Cache', name: 'visits' },
  instance: { app: 'caches.a.example.com', name: 'visits' },
};

describe('the status of an environment', () => {
  it('is absent when nothing reports a health: it is not a green one', () => {
    const { health, causes, counts } = environmentHealth(TEAM_A, [resource('ConfigMap', 'settings')]);
    assert.deepEqual([health, causes, counts], [undefined, [], { None: 1 }]);
  });

  it('is the worst of all, and names the resource at the top of its owners with what it owns that says it', () => {
    const { health, causes } = environmentHealth(TEAM_A, [
      resource('Deployment', 'shop', 'Progressing', { message: '1 of 2 pods is updated' }),
      resource('Cache', 'visits', 'Healthy', { instance: visits.instance }),
      resource('StatefulSet', 'visits', 'Degraded', visits),
      resource('Pod', 'visits-0', 'Degraded', { ...visits, message: 'Insufficient memory' }),
    ]);
    assert.deepEqual(health, { status: 'Degraded', message: 'Cache visits: Pod visits-0: Insufficient memory' });
    assert.deepEqual(
      causes.map(({ kind, name, instance }) => `${kind} ${name} ${instance?.app}`),
      ['Cache visits caches.a.example.com'],
    );
  });

  it('names a resource once', () => {
    const causes = ['WebApp shop: it expired', 'WebApp shop has no chart', 'WebApp shopping is away'];
    const messages = causes.map((cause) => {
      const { health } = environmentHealth(TEAM_A, [resource('WebApp', 'shop', 'Suspended', { cause })]);
      return health?.message;
    });
    assert.deepEqual(messages, ['WebApp shop: it expired', 'WebApp shop has no chart', 'WebApp shop: WebApp shopping is away']);
  });

  it('is not that of what somebody suspended, unless there is nothing else', () => {
    const suspended = resource('CronJob', 'nightly', 'Suspended', { message: 'CronJob is suspended' });
    const { health, causes, counts } = environmentHealth(TEAM_A, [suspended, resource('Deployment', 'shop', 'Healthy')]);
    assert.deepEqual([health?.status, causes, counts], ['Healthy', [], { Suspended: 1, Healthy: 1 }]);
    assert.equal(environmentHealth(TEAM_A, [suspended]).health?.message, 'CronJob nightly: CronJob is suspended');
  });

  it('is not healthy while the environment itself is not ready', () => {
    const { health } = environmentHealth(SHOP, [resource('Deployment', 'shop', 'Healthy')]);
    assert.deepEqual(health, { status: 'Progressing', message: 'Environment shop: The namespace is being reserved.' });
  });
});

describe('the quota of an environment', () => {
  it('has the share of each resource, fullest first, exactly and in the units of the resource', () => {
    const hard = { 'requests.memory': '2Gi', 'requests.cpu': '2', 'count/pods': '0', persistentvolumeclaims: '5' };
    const used = { 'requests.memory': '1536Mi', 'requests.cpu': '100m', 'count/pods': '0' };
    const quota = {
      apiVersion: 'v1',
      kind: 'ResourceQuota',
      metadata: { name: 'chandlery' },
      spec: { hard, scopes: ['NotTerminating'] },
      status: { used },
    };
    assert.deepEqual(
      quotaUses([quota]).map(({ resource: name, used: amount, hard: most, share, scopes }) => [name, amount, most, share, ...scopes]),
      [
        ['count/pods', '0', '0', 1, 'NotTerminating'],
        ['requests.memory', '1536Mi', '2Gi', 0.75, 'NotTerminating'],
        ['requests.cpu', '100m', '2', 0.05, 'NotTerminating'],
        ['persistentvolumeclaims', undefined, '5', undefined, 'NotTerminating'],
      ],
    );
  });

  it('has the bounds of a LimitRange by type and resource', () => {
    const limits = [
      { type: 'Container', default: { cpu: '500m', memory: '512Mi' }, max: { memory: '4Gi' }, maxLimitRequestRatio: { cpu: 4 } },
    ];
    assert.deepEqual(limitRules([{ apiVersion: 'v1', kind: 'LimitRange', metadata: { name: 'own' }, spec: { limits } }]), [
      { limitRange: 'own', type: 'Container', resource: 'cpu', default: '500m', maxLimitRequestRatio: '4' },
      { limitRange: 'own', type: 'Container', resource: 'memory', default: '512Mi', max: '4Gi' },
    ]);
  });
});

type Rest = Partial<EnvironmentResource> & { readonly message?: string };

function resource(kind: string, name: string, status?: HealthStatus, { message = '', ...rest }: Rest = {}): EnvironmentResource {
  const health = status === undefined ? {} : { health: { status, message } };
  const resource = `${kind.toLowerCase()}s`;
  return {
    uid: `${kind}/${name}`,
    resource,
    apiVersion: 'v1',
    kind,
    name,
    created: '',
    deleting: false,
    info: '',
    inventories: [],
    labels: {},
    ...health,
    ...rest,
  };
}
