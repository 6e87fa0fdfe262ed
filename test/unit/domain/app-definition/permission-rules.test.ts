import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { appDeployerOf, deployerOf } from '../../../../src/domain/app-definition/app-deployer.ts';
import { proposedRules } from '../../../../src/domain/app-definition/permission-rules.ts';
import { PERMISSION_RULES } from '../../../support/permission-rules.ts';

describe('spec.permissions of an AppDefinition', () => {
  for (const { rule, reason } of PERMISSION_RULES)
    test(`${JSON.stringify(rule)} is ${reason === undefined ? 'granted' : `rejected: ${reason.source}`}`, () => {
      const { rules, rejected } = proposedRules(permissionsOf(rule));
      assert.equal(rules.length > 0, reason === undefined);
      for (const one of rejected) assert.match(one.reason, reason ?? /^$/);
    });

  test('are proposed as the fewest rules that grant exactly what is missing, without what none can grant', () => {
    const monitoring = { group: 'monitoring.coreos.com', verbs: ['get', 'create'] };
    const { rules, rejected } = proposedRules([
      { ...monitoring, resource: 'servicemonitors' },
      { ...monitoring, resource: 'prometheusrules', verbs: ['create', 'get'] },
      { group: '', resource: 'secrets', name: 'tls', verbs: ['get'] },
      { group: '', resource: 'limitranges', verbs: ['create'] },
    ]);
    assert.deepEqual(rules, [
      {
        apiGroups: ['monitoring.coreos.com'],
        resources: ['servicemonitors', 'prometheusrules'],
        verbs: ['get', 'create'],
        resourceNames: [],
      },
      { apiGroups: [''], resources: ['secrets'], verbs: ['get'], resourceNames: ['tls'] },
    ]);
    assert.deepEqual(
      rejected.map(({ permission }) => permission.resource),
      ['limitranges'],
    );
  });

  test('decide which account acts for the instances', () => {
    const definition = { apiVersion: 'chandlery.dev/v1alpha1', kind: 'AppDefinition', metadata: { name: 'grafana' }, spec: {} };
    const permissions = [{ apiGroups: ['g.example.com'], resources: ['things'], verbs: ['get'] }];
    assert.deepEqual([deployerOf(undefined), deployerOf(definition)], ['chandlery-deployer', 'chandlery-deployer']);
    assert.deepEqual(appDeployerOf({ ...definition, spec: { permissions } }), {
      account: 'chandlery-deployer-grafana',
      rules: permissions,
    });
  });
});

/** What a rule grants, one resource and name each. */
function permissionsOf({ apiGroups, resources, verbs, resourceNames = [] }: (typeof PERMISSION_RULES)[number]['rule']) {
  const names = resourceNames.length === 0 ? [{}] : resourceNames.map((name) => ({ name }));
  return apiGroups.flatMap((group) => resources.flatMap((resource) => names.map((name) => ({ group, resource, verbs, ...name }))));
}
