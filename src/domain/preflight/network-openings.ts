import { isDeepStrictEqual } from 'node:util';
import { type EnvironmentNetworkPolicy, networkPolicySpec } from '../environment/network-policy.ts';
import { isObject, listAt, objectAt, textAt, textsAt } from '../core/read.ts';
import { selectorText } from '../kubernetes/label-selector.ts';
import { type KubeObject, parseApiVersion } from '../kubernetes/resource.ts';

const GROUP = 'networking.k8s.io';
/** Beyond, a chart is written to exhaust the reader. */
const MAX_SENTENCES = 20;

interface Isolation {
  readonly policy: EnvironmentNetworkPolicy;
  /** The name of the Environment. */
  readonly environment: string;
}

/**
 * What the NetworkPolicies of a release (networking.k8s.io/v1) open that the isolation of its Environment would not, a sentence each. NetworkPolicies add up: what one of
 * them allows is allowed. Peers within the namespace of the release, and those that the Environment itself names, open nothing.
 */
export function networkOpenings(objects: readonly KubeObject[], { policy, environment }: Isolation): readonly string[] {
  if (policy.chartPolicies !== 'Report') return [];
  const own = networkPolicySpec(policy, environment);
  const known = [...listAt(own, 'ingress'), ...listAt(own, 'egress')].flatMap((rule) => [...listAt(rule, 'from'), ...listAt(rule, 'to')]);
  const policies = objects.filter(({ apiVersion, kind }) => kind === 'NetworkPolicy' && parseApiVersion(apiVersion).group === GROUP);
  const sentences = policies.flatMap((object) => [
    ...openedBy(object, { side: 'ingress', peers: 'from', known }),
    ...(policy.egress.mode === 'Restricted' ? openedBy(object, { side: 'egress', peers: 'to', known }) : []),
  ]);
  return sentences.slice(0, MAX_SENTENCES);
}

interface Direction {
  readonly side: 'ingress' | 'egress';
  readonly peers: 'from' | 'to';
  readonly known: readonly unknown[];
}

function openedBy({ metadata, spec }: KubeObject, { side, peers, known }: Direction): readonly string[] {
  const rules = listAt(spec, side);
  const types = textsAt(spec, 'policyTypes');
  const applies = types.length === 0 ? side === 'ingress' || rules.length > 0 : types.includes(side === 'ingress' ? 'Ingress' : 'Egress');
  if (!applies) return [];
  const pods = labelsText(objectAt(spec, 'podSelector'), 'all pods of the namespace', 'pods with the labels ');
  return rules.flatMap((rule) => {
    const named = listAt(rule, peers);
    const opened =
      named.length === 0 ? [side === 'ingress' ? 'every source' : 'every destination'] : named.flatMap((peer) => peerText(peer, known));
    if (opened.length === 0) return [];
    const what = side === 'ingress' ? `connections to ${pods} from` : `connections of ${pods} to`;
    return [
      `NetworkPolicy ${metadata.name} allows ${what} ${opened.join(', ')}${portsText(rule)}, beyond the isolation of the environment`,
    ];
  });
}

/** Empty for peers that open nothing. */
function peerText(peer: unknown, known: readonly unknown[]): readonly string[] {
  const range = textAt(peer, 'ipBlock', 'cidr');
  const isKnown = known.some((one) => isDeepStrictEqual(one, peer));
  if (isKnown) return [];
  if (range !== undefined) return [range];
  const selector = isObject(peer) ? peer['namespaceSelector'] : undefined;
  return isObject(selector) ? [labelsText(selector, 'all namespaces', 'namespaces with the labels ')] : [];
}

function labelsText(selector: unknown, all: string, some: string): string {
  const labels = selectorText(selector);
  return labels === '' ? all : `${some}${labels}`;
}

function portsText(rule: unknown): string {
  const ports = listAt(rule, 'ports').map((one) => {
    const port = isObject(one) ? one['port'] : undefined;
    return `${typeof port === 'number' || typeof port === 'bigint' || typeof port === 'string' ? String(port) : 'all'}/${textAt(one, 'protocol') ?? 'TCP'}`;
  });
  return ports.length === 0 ? '' : ` on port ${ports.join(', ')}`;
}
