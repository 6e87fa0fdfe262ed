import type { KubeObject } from '../kubernetes/resource.ts';
import {
  compact,
  type Fields,
  fieldsOf,
  isFields,
  type Lifted,
  listOf,
  rulesFor,
  type RuleTable,
  without,
  withSpec,
} from './conversion.ts';

export const ingressRules: RuleTable = rulesFor(['extensions/v1beta1', 'networking.k8s.io/v1beta1'], ['Ingress'], liftIngress);

function liftIngress(object: KubeObject): Lifted {
  const spec = fieldsOf(object.spec);
  const current = compact({
    ...without(spec, 'backend', 'rules'),
    defaultBackend: isFields(spec['backend']) ? currentBackend(spec['backend']) : undefined,
    rules: spec['rules'] === undefined ? undefined : listOf(spec['rules']).map(currentRule),
  });
  return {
    object: withSpec(object, 'networking.k8s.io/v1', current),
    notes: ['backends name their service and port in the current form; a path without a type is ImplementationSpecific'],
  };
}

function currentRule(rule: Fields): Fields {
  if (!isFields(rule['http'])) return rule;
  const paths = listOf(rule['http']['paths']).map((path) => {
    const typed = { pathType: 'ImplementationSpecific', ...path };
    return isFields(path['backend']) ? { ...typed, backend: currentBackend(path['backend']) } : typed;
  });
  return { ...rule, http: { ...rule['http'], paths } };
}

function currentBackend(backend: Fields): Fields {
  const { serviceName, servicePort } = backend;
  if (serviceName === undefined) return backend;
  const port = servicePort === undefined ? undefined : currentPort(servicePort);
  return { ...without(backend, 'serviceName', 'servicePort'), service: compact({ name: serviceName, port }) };
}

/** A port name needs a letter, so text of digits alone can only have meant a number. */
function currentPort(port: unknown): Fields {
  const isNumber = typeof port === 'number' || (typeof port === 'string' && /^\d+$/.test(port));
  return isNumber ? { number: Number(port) } : { name: port };
}

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
