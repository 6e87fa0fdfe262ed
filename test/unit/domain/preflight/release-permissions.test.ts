import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import type { NonResourceAttributes, ResourceAttributes } from '../../../../src/domain/kubernetes/cluster.ts';
import type { KubeObject } from '../../../../src/domain/kubernetes/resource.ts';
import { missingAccessSentence, valuesToAdd } from '../../../../src/domain/preflight/missing-access-text.ts';
import { findMissingAccess } from '../../../../src/domain/preflight/release-permissions.ts';

type Attributes = ResourceAttributes | NonResourceAttributes;

const RBAC = 'rbac.authorization.k8s.io';

describe('the permissions that a chart needs', () => {
  it('are one question for an account that may do everything', async () => {
    const asked: Attributes[] = [];
    const all = async (attributes: Attributes) => (asked.push(attributes), { allowed: true });
    assert.deepEqual(await findMissingAccess(all, content(clusterRole([{ apiGroups: ['*'], resources: ['*'], verbs: ['*'] }]))), []);
    assert.equal(asked.length, 1);
  });

  it('are those of each rule of its roles, paths and subresources included', async () => {
    const role = clusterRole([
      { apiGroups: [''], resources: ['nodes', 'pods/log'], verbs: ['get', 'list'] },
      { apiGroups: [''], resources: ['nodes'], verbs: ['watch'] },
      { nonResourceURLs: ['/metrics'], verbs: ['get'] },
      { apiGroups: [''], resources: ['secrets'], resourceNames: ['one'], verbs: ['get'] },
    ]);
    const missing = await findMissingAccess(only(`/${RBAC}/`), content(role));
    assert.deepEqual(missing.map(missingAccessSentence), [
      'may not get, list, create, update, delete secrets in the namespace ops, so it cannot install the record of the release r',
      'may not get, list, watch nodes, so it cannot install ClusterRole reader, which grants it',
      'may not get, list pods/log, so it cannot install ClusterRole reader, which grants it',
      'may not get /metrics, so it cannot install ClusterRole reader, which grants it',
      'may not get secrets "one", so it cannot install ClusterRole reader, which grants it',
    ]);
    const rules = [
      '{apiGroups: [""], resources: [nodes], verbs: [get, list, watch]}',
      '{apiGroups: [""], resources: [pods/log], verbs: [get, list]}',
      '{nonResourceURLs: [/metrics], verbs: [get]}',
      '{apiGroups: [""], resourceNames: [one], resources: [secrets], verbs: [get]}',
    ];
    assert.equal(valuesToAdd(missing), `rbac.operators.rules: [${rules.join(', ')}] and rbac.operators.namespaces: [ops]`);
  });

  it('include to bind roles that the chart does not bring itself', async () => {
    const binding = (name: string): KubeObject => ({
      apiVersion: `${RBAC}/v1`,
      kind: 'ClusterRoleBinding',
      metadata: { name: `to-${name}` },
      roleRef: { apiGroup: RBAC, kind: 'ClusterRole', name },
    });
    const missing = await findMissingAccess(only('/secrets/'), content(clusterRole([]), binding('reader'), binding('cluster-admin')));
    assert.deepEqual(
      missing.map(({ verbs, target, objects }) => [verbs, 'name' in target && target.name, objects]),
      [[['bind'], 'cluster-admin', ['ClusterRoleBinding to-cluster-admin']]],
    );
  });

  it('are asked within bounds, whatever a role stands for', async () => {
    const many = Array.from({ length: 2_000 }, (_, index) => `x${index}`);
    let asked = 0;
    const none = async () => ((asked += 1), { allowed: false });
    await findMissingAccess(none, content(clusterRole([{ apiGroups: many, resources: many, verbs: many }])));
    assert.ok(asked <= 3_010, String(asked));
  });
});

/** Allows what matches, but never everything and never to escalate. */
function only(part: string): (attributes: Attributes) => Promise<{ allowed: boolean }> {
  return async (attributes) => {
    if ('path' in attributes || attributes.verb === 'escalate') return { allowed: false };
    return { allowed: `/${attributes.group}/${attributes.resource}/`.includes(part) && attributes.verb !== 'bind' };
  };
}

function content(...objects: readonly KubeObject[]) {
  return { release: 'r', namespace: 'ops', objects: objects.map((object) => ({ object, kind: undefined })), crds: [] };
}

function clusterRole(rules: readonly object[]): KubeObject {
  return { apiVersion: `${RBAC}/v1`, kind: 'ClusterRole', metadata: { name: 'reader' }, rules };
}
