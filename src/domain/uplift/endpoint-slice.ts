import type { KubeObject } from '../kubernetes/resource.ts';
import { rulesFor } from './conversion.ts';
import type { Lifted, RuleTable } from './conversion.ts';
import { compact, fieldsOf, listOf, without } from './fields.ts';
import type { Fields } from './fields.ts';

export const endpointSliceRules: RuleTable = rulesFor(['discovery.k8s.io/v1beta1'], ['EndpointSlice'], liftSlice);

const HOST = 'kubernetes.io/hostname';
const ZONE = 'topology.kubernetes.io/zone';

/** Where an endpoint is had a free map; v1 has a member for the node and one for the zone, and keeps the rest for reading. */
function liftSlice(object: KubeObject): Lifted {
  const endpoints = listOf(object['endpoints']);
  const notes = endpoints.some((endpoint) => endpoint['topology'] !== undefined)
    ? ['the topology of endpoints has its current members']
    : [];
  return { object: { ...object, apiVersion: 'discovery.k8s.io/v1', endpoints: endpoints.map(currentEndpoint) }, notes };
}

function currentEndpoint(endpoint: Fields): Fields {
  if (endpoint['topology'] === undefined) return endpoint;
  const topology = fieldsOf(endpoint['topology']);
  const rest = without(topology, HOST, ZONE);
  return compact({
    ...without(endpoint, 'topology'),
    nodeName: endpoint['nodeName'] ?? topology[HOST],
    zone: topology[ZONE],
    deprecatedTopology: Object.keys(rest).length === 0 ? undefined : rest,
  });
}
