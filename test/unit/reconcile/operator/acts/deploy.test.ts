import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { AppError } from '../../../../../src/domain/core/errors.ts';
import type { ResourceAttributes } from '../../../../../src/domain/kubernetes/cluster.ts';
import type { KubeObject, ResourceRef, ResourceType } from '../../../../../src/domain/kubernetes/resource.ts';
import { deploy, type DeployInput } from '../../../../../src/reconcile/operator/acts/deploy.ts';
import { workOn, type Work } from '../../../../../src/reconcile/operator/work.ts';

const OPERATOR: KubeObject = {
  apiVersion: 'operatorcontroller.kubeplus/v1',
  kind: 'Operator',
  metadata: { namespace: 'ops', name: 'cache', uid: 'one', generation: 1 },
  spec: { chartURL: 'https://example.com/cache.tgz' },
};
const CACHES: KubeObject = {
  apiVersion: 'apiextensions.k8s.io/v1',
  kind: 'CustomResourceDefinition',
  metadata: { name: 'caches.example.com' },
  spec: { group: 'example.com', scope: 'Namespaced', names: { kind: 'Cache', plural: 'caches' } },
};
const OBJECTS: readonly KubeObject[] = [
  { apiVersion: 'apps/v1', kind: 'Deployment', metadata: { name: 'cache' } },
  {
    apiVersion: 'rbac.authorization.k8s.io/v1',
    kind: 'ClusterRole',
    metadata: { name: 'cache' },
    rules: [{ apiGroups: ['policy'], resources: ['poddisruptionbudgets'], verbs: ['create', 'patch'] }],
  },
];

describe('the deployment of a chart that needs more than the account of Chandlery may do', () => {
  it('changes nothing, and its error names each permission and what to add to the values', async () => {
    const { work, written, input } = world(({ group, resource, verb }) => {
      const isOurs = ['customresourcedefinitions', 'clusterroles'].includes(resource) && verb !== 'escalate' && verb !== 'bind';
      return isOurs || (group === '' && resource === 'secrets');
    });
    const outcome = await deploy(work, input);
    assert.ok(outcome.kind === 'Failed', outcome.kind);
    assert.deepEqual([outcome.phase, outcome.error.code], ['Render', 'PermissionsMissing']);
    const writes = ['create', 'update', 'patch', 'delete'];
    const app = ['get', 'list', 'watch', ...writes, ...writes.map((verb) => `impersonate-on:user-info:${verb}`)].join(', ');
    const deployments = '{apiGroups: [apps], resources: [deployments], verbs: [get, create, patch, delete]}';
    const budgets = '{apiGroups: [policy], resources: [poddisruptionbudgets], verbs: [create, patch]}';
    assert.equal(
      outcome.error.message,
      [
        "permissions of Chandlery's account: ",
        'it may not get, create, patch, delete deployments.apps in the namespace ops, so it cannot install Deployment ops/cache; ',
        `it may not ${app} caches.example.com, so it cannot install the roles of the kind caches.example.com, which grants it; `,
        'it may not create, patch poddisruptionbudgets.policy, so it cannot install ClusterRole cache, which grants it. ',
        "Nothing was changed. Add to the values of Chandlery's chart: ",
        `rbac.operators.rules: [${deployments}, ${budgets}] and rbac.operators.apiGroups: [example.com]`,
      ].join(''),
    );
    assert.deepEqual(written, ['create leases', 'delete leases']);
  });
});

/** An api-server that answers reviews as `allows` says, and what is written to it. */
function world(allows: (attributes: ResourceAttributes) => boolean) {
  const written: string[] = [];
  const store = async ({ resource }: ResourceType, object: KubeObject) => {
    written.push(`create ${resource}`);
    return { object, warnings: [] };
  };
  const cluster = {
    get: async ({ resource, name }: ResourceRef): Promise<KubeObject> => {
      if (resource === 'operators') return OPERATOR;
      if (resource === 'namespaces') return { apiVersion: 'v1', kind: 'Namespace', metadata: { name } };
      throw new AppError('NotFound', `${name}: there is none`);
    },
    review: async (attributes: ResourceAttributes) => ({ allowed: allows(attributes) }),
    create: store,
    delete: async ({ resource }: ResourceRef): Promise<void> => void written.push(`delete ${resource}`),
  };
  const kinds = OBJECTS.map(({ apiVersion, kind }) => {
    const [group = '', version = ''] = apiVersion.split('/');
    return { group, version, kind, resource: `${kind.toLowerCase()}s`, namespaced: kind === 'Deployment', verbs: [] };
  });
  const ports = {
    cluster,
    discovery: { find: async (_apiVersion: string, kind: string) => kinds.find((one) => one.kind === kind) },
    charts: { contents: async () => ({}) },
    renderChart: async () => ({ objects: OBJECTS, crds: [CACHES], conversions: [], faults: [], unchecked: [] }),
    holder: 'me',
    now: () => new Date('2026-11-21T12:00:00Z'),
  } as unknown as Work['ports'];
  const input: DeployInput = {
    verb: 'install',
    target: { chart: { digest: 'sha256:1' }, values: { values: {}, secrets: [] }, configDigest: '1' } as unknown as DeployInput['target'],
    announce: async () => void written.push('announced'),
    change: async () => void written.push('release changed'),
  };
  return { work: workOn(ports, OPERATOR, new AbortController().signal), written, input };
}
