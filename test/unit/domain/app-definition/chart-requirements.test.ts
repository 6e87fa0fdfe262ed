import assert from 'node:assert/strict';
import { test } from 'node:test';
import { chartRequirements, isInstallable } from '../../../../src/domain/app-definition/chart-requirements.ts';
import { APP_DEFINITION_KIND } from '../../../../src/domain/app-definition/app-definition-kind.ts';
import { beyondAllowed, installableCondition, requirementsDigest } from '../../../../src/domain/app-definition/installable.ts';
import { specOf } from '../../../../src/domain/kind/kind.ts';
import { scopeSwitches, switchedValues } from '../../../../src/domain/app-definition/scope-switches.ts';
import type { KubeObject, ServedKind } from '../../../../src/domain/kubernetes/resource.ts';

const served: readonly ServedKind[] = [
  kind('', 'v1', 'ConfigMap', true),
  kind('apps', 'v1', 'Deployment', true),
  kind('rbac.authorization.k8s.io', 'v1', 'ClusterRole', false),
  kind('rbac.authorization.k8s.io', 'v1', 'ClusterRoleBinding', false),
];
const RBAC = 'rbac.authorization.k8s.io/v1';
const about = { release: 'one', namespace: 'home', served, crds: [] };

/** Of the record of the release. */
const OF_RECORDS = { apiGroups: [''], resources: ['secrets'], verbs: ['*'] };

test('A chart whose objects are in its namespace, by permissions of the deployer, needs nothing', async () => {
  const rules = [{ apiGroups: ['', 'apps'], resources: ['configmaps', 'deployments', 'secrets'], verbs: ['*'] }];
  const objects = [object('v1', 'ConfigMap'), object('apps/v1', 'Deployment', { namespace: 'home' })];
  const requirements = await chartRequirements({ ...about, objects, deployerRules: rules });
  assert.deepEqual(requirements, { outside: [], crds: [], unserved: [], permissions: [], permissionRules: [], accounts: [] });
  assert.equal(isInstallable(requirements), true);
});

test('Objects outside of the namespace are named with what they grant', async () => {
  const role = { ...object(RBAC, 'ClusterRole'), rules: [{ apiGroups: [''], resources: ['nodes', 'pods'], verbs: ['get', 'list'] }] };
  const roleRef = { apiGroup: 'rbac.authorization.k8s.io', kind: 'ClusterRole', name: 'one' };
  const binding = {
    ...object(RBAC, 'ClusterRoleBinding'),
    roleRef,
    subjects: [{ kind: 'ServiceAccount', name: 'web', namespace: 'home' }],
  };
  const foreign = object('v1', 'ConfigMap', { namespace: 'kube-system' });
  const empty = { ...object(RBAC, 'ClusterRole', { name: 'two' }), rules: [] };
  const { outside } = await chartRequirements({ ...about, objects: [role, empty, binding, foreign] });
  assert.deepEqual(
    outside.map(({ kind: of, namespace, effects }) => [of, namespace, effects[0]]),
    [
      ['ClusterRole', undefined, 'get, list on nodes, pods'],
      ['ClusterRole', undefined, 'it grants nothing'],
      ['ClusterRoleBinding', undefined, 'it gives ClusterRole one to ServiceAccount web'],
      ['ConfigMap', 'kube-system', 'it goes into the namespace "kube-system", wherever the release is'],
    ],
  );
});

test('A rule that reaches far is not hidden behind others, and what is left out is counted', async () => {
  const small = Array.from({ length: 12 }, () => ({ apiGroups: [''], resources: ['configmaps'], verbs: ['get'] }));
  const role = { ...object(RBAC, 'ClusterRole'), rules: [...small, { apiGroups: ['*'], resources: ['*'], verbs: ['*'] }] };
  const [{ effects } = { effects: [] }] = (await chartRequirements({ ...about, objects: [role] })).outside;
  assert.deepEqual([effects[0], effects.at(-1)], ['one of its rules has every verb on every resource of every group', 'and 2 more']);
});

test('A rule is said with its groups, names and paths, and an odd one as such', async () => {
  const rules = [
    { apiGroups: ['', 'apps'], resources: ['secrets'], resourceNames: ['a'], verbs: ['get'], nonResourceURLs: ['/metrics'] },
    { verbs: 'get', resources: [7] },
  ];
  const [{ effects } = { effects: [] }] = (await chartRequirements({ ...about, objects: [{ ...object(RBAC, 'ClusterRole'), rules }] }))
    .outside;
  assert.deepEqual(effects, ['get on secrets of apps named a and the paths /metrics', 'a rule that is incomplete']);
});

test('A kind of a CRD of the chart is not said to be unserved, the CRD is named', async () => {
  const crd = {
    ...object('apiextensions.k8s.io/v1', 'CustomResourceDefinition', { name: 'lamps.example.com' }),
    spec: { group: 'example.com', names: { kind: 'Lamp' } },
  };
  const objects = [object('example.com/v1', 'Lamp'), object('gateway.networking.k8s.io/v1', 'HTTPRoute')];
  const { crds, unserved } = await chartRequirements({ ...about, objects, crds: [crd] });
  assert.deepEqual([crds, unserved], [['lamps.example.com'], [{ apiVersion: 'gateway.networking.k8s.io/v1', kind: 'HTTPRoute' }]]);
});

test('Verbs that the deployer lacks are named, and nothing of them where its role is unknown', async () => {
  const objects = [object('v1', 'ConfigMap')];
  const rules = [{ apiGroups: [''], resources: ['configmaps'], verbs: ['get', 'delete'] }, OF_RECORDS];
  const { permissions } = await chartRequirements({ ...about, objects, deployerRules: rules });
  assert.deepEqual(permissions, [{ group: '', resource: 'configmaps', verbs: ['create', 'patch'] }]);
  assert.equal((await chartRequirements({ ...about, objects })).permissions, undefined);
});

test('A Role that grants what the deployer does not have needs that of the deployer', async () => {
  const role = { ...object(RBAC, 'Role'), rules: [{ apiGroups: [''], resources: ['configmaps', 'nodes'], verbs: ['list', 'watch'] }] };
  const rules = [
    { apiGroups: ['rbac.authorization.k8s.io'], resources: ['roles'], verbs: ['*'] },
    { apiGroups: [''], resources: ['configmaps'], verbs: ['list', 'watch'] },
    OF_RECORDS,
  ];
  const kinds = [...served, kind('rbac.authorization.k8s.io', 'v1', 'Role', true)];
  const { permissions } = await chartRequirements({ ...about, served: kinds, objects: [role], deployerRules: rules });
  assert.deepEqual(permissions, [{ group: '', resource: 'nodes', verbs: ['list', 'watch'] }]);
});

test('A Role whose few rules stand for millions of permissions is not counted out', async () => {
  const many = Array.from({ length: 2_000 }, (_, index) => `x${index}`);
  const role = { ...object(RBAC, 'Role'), rules: [{ apiGroups: many, resources: many, verbs: many }] };
  const kinds = [...served, kind('rbac.authorization.k8s.io', 'v1', 'Role', true)];
  const { permissions = [] } = await chartRequirements({ ...about, served: kinds, objects: [role], deployerRules: [OF_RECORDS] });
  assert.ok(permissions.length > 1 && permissions.length < 3_000);
});

test('Switches are found by their names, the most telling one first, and set to what is not the default', () => {
  const values = { rbac: { create: true, namespaced: false }, image: { pull: true }, crds: { enabled: true }, webhook: { on: 'yes' } };
  const found = scopeSwitches(values);
  assert.deepEqual(
    found.map(({ path, value }) => [path.join('.'), value]),
    [
      ['rbac.namespaced', true],
      ['crds.enabled', false],
      ['rbac.create', false],
    ],
  );
  assert.deepEqual(switchedValues(found.slice(0, 2)), { rbac: { namespaced: true }, crds: { enabled: false } });
});

function kind(group: string, version: string, name: string, namespaced: boolean): ServedKind {
  return { group, version, resource: `${name.toLowerCase()}s`, kind: name, namespaced, verbs: [], shortNames: [] };
}

function object(apiVersion: string, of: string, metadata: object = {}): KubeObject {
  return { apiVersion, kind: of, metadata: { name: 'one', ...metadata } };
}

test('The condition of an AppDefinition names the first requirement, and is decided anew by other inputs alone', () => {
  const role = { kind: 'ClusterRole', group: 'rbac.authorization.k8s.io', name: 'all', effects: [] };
  const permissions = [{ group: 'example.com', resource: 'lamps', verbs: ['get', 'create'] }];
  const requirements = { outside: [role], crds: [], unserved: [], permissions, accounts: [] };
  const { status, reason, message } = installableCondition({ requirements, faults: [] });
  assert.deepEqual([status, reason], ['False', 'ResourcesNotAllowed']);
  assert.match(message, /^ClusterRole "all" is outside .*add ClusterRole of rbac.authorization.k8s.io to spec.allowedResources.*; 1 more/);
  const spec = {
    allowedResources: [{ group: role.group, kind: role.kind }],
    permissions: [],
    catalog: specOf(APP_DEFINITION_KIND, object('v1', 'x')).catalog,
  };
  const left = installableCondition({ requirements: beyondAllowed(requirements, spec), faults: [] });
  assert.equal(left.message, 'The deployer may not get, create on lamps of example.com: grant it in spec.permissions');
  const met = installableCondition({ requirements: { ...requirements, outside: [], permissions: [] }, faults: [] });
  assert.deepEqual([met.status, met.reason], ['True', 'RequirementsMet']);
  const digest = requirementsDigest('sha256:a', spec, '');
  assert.equal(requirementsDigest('sha256:a', { ...spec }, ''), digest);
  for (const other of [
    requirementsDigest('sha256:b', spec, ''),
    requirementsDigest('sha256:a', { ...spec, allowedResources: [] }, ''),
    requirementsDigest('sha256:a', spec, 'now'),
  ])
    assert.notEqual(other, digest);
});
