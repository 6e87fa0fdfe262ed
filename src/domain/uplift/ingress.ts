import type { KubeObject } from '../kubernetes/resource.ts';
import { rulesFor } from './conversion.ts';
import type { Lifted, RuleTable } from './conversion.ts';
import { compact, fieldsOf, isFields, listOf, without, withSpec } from './fields.ts';
import type { Fields } from './fields.ts';

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
