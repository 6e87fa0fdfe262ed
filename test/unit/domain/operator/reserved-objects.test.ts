import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { crdConflict, belongsToOperator } from '../../../../src/domain/operator/crd-owner.ts';
import { isReservedGroup, reservedObjects } from '../../../../src/domain/kubernetes/reserved-objects.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';

const RBAC = 'rbac.authorization.k8s.io/v1';

describe('an API group', () => {
  for (const group of [
    'chandlery.dev',
    'apps.chandlery.dev',
    'a.b.chandlery.dev',
    'operatorcontroller.kubeplus',
    'workflows.kubeplus',
    'gitlabdeploymentcontroller.gitlab.com',
  ]) {
    it(`${group} is reserved`, () => assert.equal(isReservedGroup(group), true));
  }
  for (const group of [
    '',
    'apps',
    'samples.chandlery.dev',
    'notchandlery.dev',
    'chandlery.dev.example.com',
    'postgrescontroller.kubeplus',
  ]) {
    it(`${JSON.stringify(group)} is anybody's`, () => assert.equal(isReservedGroup(group), false));
  }
});

describe('an object of a chart', () => {
  const binding = (name: string, role: string): KubeObject => ({
    ...object('RoleBinding', name, RBAC),
    roleRef: { kind: 'ClusterRole', name: role },
  });
  const labelled = (kind: string, label: string): KubeObject => ({
    ...object(kind, 'x'),
    metadata: { name: 'x', labels: { [label]: 'true' } },
  });
  const reserved: readonly [string, KubeObject, RegExp][] = [
    ['a CRD of our group', crd('environments', 'chandlery.dev'), /API group chandlery\.dev belongs to Chandlery/],
    ['a CRD that hides its group', { ...crd('environments', 'chandlery.dev'), spec: {} }, /chandlery\.dev belongs/],
    [
      'an APIService of our group',
      object('APIService', 'v1.apps.chandlery.dev', 'apiregistration.k8s.io/v1'),
      /apps\.chandlery\.dev belongs/,
    ],
    ['an Environment', object('Environment', 'team-x', 'chandlery.dev/v1alpha1'), /chandlery\.dev\/v1alpha1 is an API of Chandlery/],
    ['an Operator', object('Operator', 'x', 'operatorcontroller.kubeplus/v1'), /is an API of Chandlery/],
    ['a role of ours', object('ClusterRole', 'chandlery-developer', RBAC), /has a role of this name/],
    ['a role of an App', object('ClusterRole', 'chandlery-app-caches.example.com-edit', RBAC), /has a role of this name/],
    ['a binding of ours', object('ClusterRoleBinding', 'chandlery-environment-a', RBAC), /has a binding of this name/],
    ['a grant of our role', binding('x', 'chandlery-admin'), /it grants chandlery-admin/],
    ['a label that aggregates', labelled('ClusterRole', 'chandlery.dev/aggregate-to-developer'), /adds its rules to a role/],
    ['a label of an environment', labelled('Namespace', 'chandlery.dev/environment'), /only Chandlery sets the label/],
    ['our namespace', object('Namespace', 'chandlery-system', 'v1'), /namespace of Chandlery/],
    ['a release record', { ...object('Secret', 'sh.helm.release.v1.a.v9', 'v1'), type: 'helm.sh/release.v1' }, /only Helm writes/],
    ['a policy of ours', object('ValidatingAdmissionPolicy', 'chandlery-x', 'admissionregistration.k8s.io/v1'), /policies of such names/],
  ];
  for (const [title, found, message] of reserved) {
    it(`that is ${title} is rejected with its name and the reason`, () => {
      const [sentence = '', ...more] = reservedObjects([found]);
      assert.match(sentence, message);
      assert.ok(sentence.startsWith(`${found.kind} "${found.metadata.name}": `), sentence);
      assert.deepEqual(more, []);
    });
  }

  const free: readonly [string, KubeObject][] = [
    ['a CRD of a group of its own', crd('caches', 'samples.chandlery.dev')],
    ['a CRD that bears our label, which is replaced', { ...labelled('CustomResourceDefinition', 'chandlery.dev/operator'), spec: {} }],
    ['a role with a name alike', object('ClusterRole', 'chandlery-controller', RBAC)],
    ['a grant of a role of Kubernetes', binding('x', 'view')],
    ['a Secret', { ...object('Secret', 'x', 'v1'), type: 'Opaque' }],
  ];
  for (const [title, found] of free) it(`that is ${title} is let through`, () => assert.deepEqual(reservedObjects([found]), []));
});

describe('a CRD that is there', () => {
  const claimant = { label: 'ns.mine', release: { release: 'mine', namespace: 'ns' }, adopt: false, known: new Set<string>() };
  const bearing = (metadata: object): KubeObject => ({
    ...crd('boats', 'example.com'),
    metadata: { name: 'boats.example.com', ...metadata },
  });
  const released = (release: string): object => ({
    annotations: { 'meta.helm.sh/release-name': release, 'meta.helm.sh/release-namespace': 'ns' },
  });
  const bare = bearing({});
  const cases: readonly [string, KubeObject, Partial<typeof claimant>, RegExp | undefined][] = [
    ['without an owner is not taken', bare, {}, /set spec\.adopt/],
    ['without an owner is taken on request', bare, { adopt: true }, undefined],
    ['that lost its label goes back to its Operator', bare, { known: new Set(['boats.example.com']) }, undefined],
    ['that the same Operator left goes back', bearing({ annotations: { 'chandlery.dev/former-operator': 'ns.mine' } }), {}, undefined],
    ['that another Operator left is not taken', bearing({ annotations: { 'chandlery.dev/former-operator': 'ns.other' } }), {}, /adopt/],
    [
      'of another Operator is not taken',
      bearing({ labels: { 'chandlery.dev/operator': 'ns.other' } }),
      { adopt: true },
      /"ns\/other" owns it/,
    ],
    ['of another release is not taken', bearing(released('other')), { adopt: true }, /Helm release "ns\/other"/],
    ['of the same release is taken', bearing(released('mine')), {}, undefined],
    [
      'of Chandlery is not taken, whatever it bears',
      {
        ...crd('environments', 'chandlery.dev'),
        metadata: { name: 'environments.chandlery.dev', labels: { 'chandlery.dev/operator': 'ns.mine' } },
      },
      { adopt: true, known: new Set(['environments.chandlery.dev']) },
      /Chandlery itself/,
    ],
  ];
  for (const [title, live, more, conflict] of cases) {
    it(title, () => {
      const found = crdConflict(live, { ...claimant, ...more });
      if (conflict === undefined) assert.equal(found, undefined);
      else assert.match(found ?? '', conflict);
    });
  }
  it('of Chandlery is never an Operator’s, so that no deletion takes it along', () => {
    const marked = {
      ...crd('operators', 'operatorcontroller.kubeplus'),
      metadata: { name: 'operators.operatorcontroller.kubeplus', ...released('mine') },
    };
    assert.equal(belongsToOperator(marked, claimant), false);
  });
});

function object(kind: string, name: string, apiVersion = 'v1'): KubeObject {
  return { apiVersion, kind, metadata: { name } };
}

function crd(plural: string, group: string): KubeObject {
  return { ...object('CustomResourceDefinition', `${plural}.${group}`, 'apiextensions.k8s.io/v1'), spec: { group } };
}
