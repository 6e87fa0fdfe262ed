import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { networkPolicyField, networkPolicySentence, networkPolicySpec } from '../../../../src/domain/environment/network-policy.ts';

const policyOf = (value: object) => {
  const policy = networkPolicyField.read(value);
  assert.ok(policy);
  return { spec: networkPolicySpec(policy, 'shop'), sentence: networkPolicySentence(policy) };
};
/** Its own namespace, and those that are dedicated to its instances. */
const OWN = [{ podSelector: {} }, { namespaceSelector: { matchLabels: { 'chandlery.dev/environment': 'shop' } } }];
const inNamespaces = (key: string, ...values: string[]) => ({
  namespaceSelector: { matchExpressions: [{ key, operator: 'In', values }] },
});

describe('the network policy of an environment', () => {
  it('isolates its pods from all others, and leaves what they connect to alone', () => {
    assert.deepEqual(policyOf({}), {
      spec: { podSelector: {}, ingress: [{ from: OWN }], policyTypes: ['Ingress'] },
      sentence: 'Isolated: ingress from its own pods; egress unrestricted',
    });
  });

  it('lets those in that it names, each in a way of its own', () => {
    const { spec, sentence } = policyOf({
      ingress: { environments: ['web', 'api'], namespaces: ['ingress-nginx'], namespaceLabels: { gateway: 'true' }, cidrs: ['10.0.0.0/8'] },
    });
    assert.deepEqual(spec, {
      podSelector: {},
      ingress: [
        {
          from: [
            ...OWN,
            inNamespaces('chandlery.dev/environment', 'api', 'web'),
            inNamespaces('kubernetes.io/metadata.name', 'ingress-nginx'),
            { namespaceSelector: { matchLabels: { gateway: 'true' } } },
            { ipBlock: { cidr: '10.0.0.0/8' } },
          ],
        },
      ],
      policyTypes: ['Ingress'],
    });
    assert.match(
      sentence,
      /its own pods, environment web, environment api, namespace ingress-nginx, namespaces with gateway=true, 10\.0\.0\.0\/8/,
    );
  });

  it('lets its pods reach the DNS of the cluster where it restricts what they connect to', () => {
    const { spec } = policyOf({ egress: { mode: 'Restricted', environments: ['db'] } });
    const dns = {
      to: [{ namespaceSelector: { matchLabels: { 'kubernetes.io/metadata.name': 'kube-system' } } }],
      ports: [
        { port: 53, protocol: 'UDP' },
        { port: 53, protocol: 'TCP' },
      ],
    };
    assert.deepEqual(spec, {
      podSelector: {},
      ingress: [{ from: OWN }],
      egress: [{ to: [...OWN, inNamespaces('chandlery.dev/environment', 'db')] }, dns],
      policyTypes: ['Ingress', 'Egress'],
    });
  });
});
