import type { Health } from '../../health.ts';
import { listAt, textAt } from '../../../core/read.ts';
import type { KubeObject } from '../../../kubernetes/resource.ts';
import { conditionsOf, sentence } from '../conditions.ts';

export function serviceHealth(object: KubeObject): Health {
  if (textAt(object.spec, 'type') !== 'LoadBalancer') return { status: 'Healthy', message: 'The Service has an address in the cluster' };
  return addressHealth(object, 'The load balancer');
}

export function ingressHealth(object: KubeObject): Health {
  return addressHealth(object, 'The ingress');
}

export function claimHealth(object: KubeObject): Health {
  switch (textAt(object.status, 'phase')) {
    case 'Bound':
      return { status: 'Healthy', message: 'Bound to a volume' };
    case 'Lost':
      return { status: 'Degraded', message: 'The volume is lost' };
    case undefined:
    default:
      return { status: 'Progressing', message: 'Waiting for a volume' };
  }
}

function addressHealth(object: KubeObject, subject: string): Health {
  const assigned = listAt(object.status, 'loadBalancer', 'ingress').length > 0;
  if (assigned) return { status: 'Healthy', message: `${subject} has an address` };
  return { status: 'Progressing', message: `${subject} has no address yet` };
}

export function apiServiceHealth(object: KubeObject): Health {
  const available = conditionsOf(object).find((condition) => condition.type === 'Available');
  if (available === undefined) return { status: 'Progressing', message: 'Waiting for the first check' };
  return { status: available.status === 'True' ? 'Healthy' : 'Progressing', message: sentence(available) };
}
