import { choice, list, map, object, orEmpty, text, type ValueOf } from '../kind/field.ts';
import { OURS } from '../kubernetes/names.ts';

const names = (description: string) => orEmpty(list(text({ minLength: 1, maxLength: 253 }), { description, maxItems: 100, merge: 'set' }));

/** @param side what the peers do, in words: `may connect to pods of the environment`. */
const peers = (side: string) => ({
  environments: names(`Environments, by name, whose pods ${side}.`),
  namespaces: names(`Namespaces whose pods ${side}, for example ingress-nginx.`),
  namespaceLabels: orEmpty(
    map(text({ maxLength: 63 }), { description: `Pods of all namespaces with these labels ${side}.`, maxProperties: 16 }),
  ),
  cidrs: orEmpty(
    list(text({ maxLength: 64, rules: [{ rule: 'isCIDR(self)', message: 'must be an address range such as 10.0.0.0/8' }] }), {
      description: `Address ranges that ${side}.`,
      maxItems: 100,
      merge: 'set',
    }),
  ),
});

/** `spec.networkPolicy`. */
export const networkPolicyField = object(
  {
    ingress: object(peers('may connect to pods of the environment'), {
      description: 'Who may connect to pods of the environment, beside its own pods.',
      default: {},
    }),
    egress: object(
      {
        mode: choice(['Unrestricted', 'Restricted'], {
          description: 'Restricted: pods connect to pods of the environment, to the DNS of the cluster and to what is named here alone.',
          default: 'Unrestricted',
        }),
        ...peers('pods of the environment may connect to'),
      },
      { description: 'Where pods of the environment may connect to.', default: {} },
    ),
    chartPolicies: choice(['Allow', 'Report', 'Deny'], {
      description:
        'NetworkPolicies in charts, which add to what this one allows. Report: the preflight checks say what they open. Deny: releases may contain none.',
      default: 'Report',
    }),
  },
  { description: 'Isolates the pods of the environment: others connect to them only where this names them. Absent: no isolation.' },
);

export type EnvironmentNetworkPolicy = ValueOf<typeof networkPolicyField>;
type Peers = EnvironmentNetworkPolicy['ingress'];

/** The isolation of a namespace: that of its App where it has one, else that of the Environment, which alone decides about the policies of charts. */
export function networkPolicyOf(
  environment: EnvironmentNetworkPolicy | undefined,
  app: EnvironmentNetworkPolicy | undefined,
): EnvironmentNetworkPolicy | undefined {
  if (app === undefined) return environment;
  return environment === undefined ? app : { ...app, chartPolicies: environment.chartPolicies };
}

/** Whether releases in an Environment may contain NetworkPolicies: without isolation, they can only narrow what connects. */
export function allowsChartPolicies(policy: EnvironmentNetworkPolicy | undefined): boolean {
  return policy?.chartPolicies !== 'Deny';
}

const NAMESPACE_NAME = 'kubernetes.io/metadata.name';
const DNS_PORTS = [
  { port: 53, protocol: 'UDP' },
  { port: 53, protocol: 'TCP' },
];

/**
 * The spec of the NetworkPolicy of a namespace of an Environment (networking.k8s.io/v1). The pods of the Environment are those of all its namespaces, those that are
 * dedicated to instances included.
 */
export function networkPolicySpec({ ingress, egress }: Pick<EnvironmentNetworkPolicy, 'ingress' | 'egress'>, environment: string): object {
  const own = [{ podSelector: {} }, { namespaceSelector: { matchLabels: { [OURS.environmentLabel]: environment } } }];
  const from = { podSelector: {}, ingress: [{ from: [...own, ...peersOf(ingress)] }] };
  if (egress.mode === 'Unrestricted') return { ...from, policyTypes: ['Ingress'] };
  const dns = { to: [{ namespaceSelector: { matchLabels: { [NAMESPACE_NAME]: 'kube-system' } } }], ports: DNS_PORTS };
  return { ...from, egress: [{ to: [...own, ...peersOf(egress)] }, dns], policyTypes: ['Ingress', 'Egress'] };
}

function peersOf({ environments, namespaces, namespaceLabels, cidrs }: Peers): object[] {
  const oneOf = (key: string, values: readonly string[]): object[] =>
    values.length === 0 ? [] : [{ namespaceSelector: { matchExpressions: [{ key, operator: 'In', values: [...values].sort() }] } }];
  return [
    ...oneOf(OURS.environmentLabel, environments),
    ...oneOf(NAMESPACE_NAME, namespaces),
    ...(Object.keys(namespaceLabels).length === 0 ? [] : [{ namespaceSelector: { matchLabels: namespaceLabels } }]),
    ...[...cidrs].sort().map((cidr) => ({ ipBlock: { cidr } })),
  ];
}

/** What the policy says, as a sentence. */
export function networkPolicySentence(policy: EnvironmentNetworkPolicy | undefined): string {
  if (policy === undefined) return 'Not isolated';
  const { ingress, egress } = policy;
  const from = `Isolated: ingress from ${peersText(ingress)}`;
  return egress.mode === 'Unrestricted' ? `${from}; egress unrestricted` : `${from}; egress to DNS and ${peersText(egress)}`;
}

function peersText({ environments, namespaces, namespaceLabels, cidrs }: Peers): string {
  const labels = Object.entries(namespaceLabels).map(([key, value]) => `${key}=${value}`);
  const parts = [
    'its own pods',
    ...environments.map((name) => `environment ${name}`),
    ...namespaces.map((name) => `namespace ${name}`),
    ...(labels.length === 0 ? [] : [`namespaces with ${labels.sort().join(', ')}`]),
    ...cidrs,
  ];
  return parts.join(', ');
}
