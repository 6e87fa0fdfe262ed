import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { networkPolicyField } from '../../../../src/domain/environment/network-policy.ts';
import { networkOpenings } from '../../../../src/domain/preflight/network-openings.ts';

const openings = (spec: object, isolation: object = {}): readonly string[] => {
  const policy = networkPolicyField.read(isolation);
  assert.ok(policy);
  const object = { apiVersion: 'networking.k8s.io/v1', kind: 'NetworkPolicy', metadata: { name: 'web' }, spec };
  return networkOpenings([object], { policy, environment: 'shop' });
};
const POD = { podSelector: { matchLabels: { app: 'web' } } };

describe('a NetworkPolicy of a chart in an isolated environment', () => {
  it('opens nothing for pods of its namespace and peers that the environment names', () => {
    const named = {
      namespaceSelector: { matchExpressions: [{ key: 'kubernetes.io/metadata.name', operator: 'In', values: ['ingress-nginx'] }] },
    };
    const from = [{ podSelector: { matchLabels: { client: 'yes' } } }, named];
    assert.deepEqual(openings({ ...POD, ingress: [{ from }] }, { ingress: { namespaces: ['ingress-nginx'] } }), []);
    assert.deepEqual(openings({ ...POD, policyTypes: ['Ingress'] }), []);
    assert.deepEqual(openings({ ...POD, egress: [{}], policyTypes: ['Egress'] }), [], 'the environment does not restrict egress');
  });

  it('is reported with its peers, pods and ports where it opens more', () => {
    assert.deepEqual(openings({ ...POD, ingress: [{ ports: [{ port: 8080 }, { port: 'dns', protocol: 'UDP' }] }] }), [
      'NetworkPolicy web allows connections to pods with the labels app=web from every source on port 8080/TCP, dns/UDP, beyond the isolation of the environment',
    ]);
    const from = [{ ipBlock: { cidr: '10.0.0.0/8' } }, { namespaceSelector: {} }, { namespaceSelector: { matchLabels: { team: 'b' } } }];
    assert.deepEqual(openings({ podSelector: {}, ingress: [{ from }] }), [
      'NetworkPolicy web allows connections to all pods of the namespace from 10.0.0.0/8, all namespaces, namespaces with the labels team=b, beyond the isolation of the environment',
    ]);
    assert.deepEqual(openings({ ...POD, egress: [{}] }, { egress: { mode: 'Restricted' } }), [
      'NetworkPolicy web allows connections of pods with the labels app=web to every destination, beyond the isolation of the environment',
    ]);
  });

  it('is not reported where the environment allows such policies', () => {
    assert.deepEqual(openings({ ...POD, ingress: [{}] }, { chartPolicies: 'Allow' }), []);
  });
});
